"""Sparse survival models from queries alone: the Cox model, and then the concordance index itself.

A survival table has a row for each patient: columns, how long the patient was followed, and whether the event was seen (otherwise
the patient was lost to follow-up, "censored"). Both objectives below take many weight vectors at once and give one number for each;
nothing else about them is known to the optimiser. The partial likelihood has a gradient that nobody here writes down. The concordance
index has none: it counts pairs.

    python python/examples/survival.py
"""

import gradless
import numpy as np


def partial_likelihood(columns, event, time):
    """Minus Cox's log partial likelihood per patient (Breslow's ties), for the rows of a matrix of weights.

    With ``gradless.ElasticNet(ratio * alpha, (1 - ratio) * alpha)`` it is the objective of scikit-survival's
    ``CoxnetSurvivalAnalysis(l1_ratio=ratio, alphas=[alpha])``.
    """
    order = np.argsort(-time, kind="stable")
    columns, event, time = columns[order], event[order], time[order]
    seen = np.flatnonzero(event)
    # The last of those who were followed at least as long as each patient with an event.
    at_risk = np.searchsorted(-time, -time[seen], side="right") - 1

    def objective(weights):
        scores = weights @ columns.T
        largest = scores.max(axis=1, keepdims=True)
        risk = np.log(np.cumsum(np.exp(scores - largest), axis=1)) + largest
        return (risk[:, at_risk] - scores[:, seen]).sum(axis=1) / len(time)

    return objective


def discordance(columns, event, time, tied=1e-8):
    """1 minus Harrell's concordance index, for the rows of a matrix of weights; scores closer than ``tied`` count half.

    It is ``concordance_index_censored(event, time, scores, tied_tol=tied)`` of scikit-survival. The index does not know the scale of the
    weights, an l1 norm does; a ``tied`` of order 1 joins the two: only a score that is clearly higher counts as higher.
    """
    first = np.flatnonzero(event)
    # Who certainly lived longer than a patient with an event.
    longer = (time[first, None] < time) | ((time[first, None] == time) & ~event)
    pairs = np.count_nonzero(longer)
    if pairs == 0:
        raise ValueError("no two patients can be compared: there is no event before the end of somebody else's time")

    def objective(weights):
        values = np.empty(len(weights))
        for row, scores in enumerate(weights @ columns.T):
            lead = scores[first, None] - scores
            above, below = np.count_nonzero(longer & (lead > tied)), np.count_nonzero(longer & (lead < -tied))
            values[row] = 0.5 - 0.5 * (above - below) / pairs
        return values

    return objective


def sparse_cox(columns, event, time, alphas, ratio=1.0, queries=1000, tolerance=3e-5):
    """Weights for each of some falling ``alphas``, each search begun at the last answer; and the queries they took.

    A search that has stopped is begun again where it stopped, until it gains less than ``tolerance`` of what was gained in all.
    """
    objective = partial_likelihood(columns, event, time)
    weights = np.zeros(columns.shape[1])
    nothing = float(objective(weights[None])[0])
    path, spent = [], 0
    for alpha in alphas:
        best, penalty = np.inf, gradless.ElasticNet(ratio * alpha, (1 - ratio) * alpha)
        while True:
            found = gradless.minimize(objective, weights, regularizer=penalty, maxfev=queries, rng=spent)
            weights, spent = found.x, spent + found.nfev
            if not found.fun < best - tolerance * (nothing - found.fun):
                break
            best = found.fun
        path.append(weights)
    return path, spent


def concordant(columns, event, time, start, l1, tied=1.0, queries=600):
    """Weights for the columns that ``start`` uses, chosen for concordance; some of them may become 0."""
    used = np.flatnonzero(start)
    if not len(used):
        return start.copy(), 0
    objective = discordance(columns[:, used], event, time, tied)
    found = gradless.minimize(objective, 2 * start[used], regularizer=gradless.L1(l1), maxfev=queries)
    weights = np.zeros_like(start)
    weights[used] = found.x
    return weights, found.nfev


def patients(rows, columns=30, seed=0):
    """A table that is drawn: columns 0, 3, 6 and 9 act on the hazard, a third of the patients are censored."""
    random = np.random.default_rng(seed)
    table = random.standard_normal((rows, columns))
    hazard = np.exp(table[:, [0, 3, 6, 9]] @ [1.0, -0.8, 0.6, 0.5])
    death, lost = random.exponential(1 / hazard), random.exponential(2.0, rows)
    return table, death <= lost, np.minimum(death, lost)


def main(rows=400, alphas=(0.16, 0.12, 0.08), queries=1000):
    table, event, time = patients(rows)
    half = rows // 2
    train, test = (table[:half], event[:half], time[:half]), (table[half:], event[half:], time[half:])
    path, spent = sparse_cox(*train, alphas, queries=queries)
    print(f"{rows // 2} patients, {table.shape[1]} columns, {event.mean():.0%} with an event")
    for alpha, weights in zip(alphas, path, strict=True):
        named = ", ".join(f"{place}: {weights[place]:+.2f}" for place in np.flatnonzero(weights))
        print(f"Cox, alpha {alpha}: {named}")
    print(f"{spent} queries for all of them")
    refined, more = concordant(*train, path[-1], l1=0.005)
    for name, weights in (("Cox", path[-1]), ("concordance", refined)):
        inside, outside = (1 - discordance(*part)(weights[None])[0] for part in (train, test))
        count = np.count_nonzero(weights)
        print(f"{name:<12} {count} columns, concordance {inside:.3f}, of patients not seen before {outside:.3f}")
    print(f"{more} more queries")
    return path, refined


if __name__ == "__main__":
    main()
