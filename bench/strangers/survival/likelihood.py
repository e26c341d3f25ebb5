"""Coxnet's own objective, minimised from queries alone."""

import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis
from tables import LOADERS, load, standardised

# Of the smallest alpha without any column.
SHARES = [0.5, 0.2, 0.05, 0.01]
RATIOS = [1.0, 0.5]


def measure(example):
    """A line for each table, ratio and alpha: where both end, and what it took."""
    for name in LOADERS:
        table = load(name)
        (columns,) = standardised(table)
        objective = example.partial_likelihood(columns, table.event, table.time)
        for ratio in RATIOS:
            first = CoxnetSurvivalAnalysis(l1_ratio=ratio, n_alphas=2, alpha_min_ratio=0.5).fit(columns, table.outcome).alphas_[0]
            alphas = [share * first for share in SHARES]
            # As exact as it gets: the standard setting stops at a tolerance of 1e-7.
            net = CoxnetSurvivalAnalysis(l1_ratio=ratio, alphas=alphas, tol=1e-10, max_iter=10_000_000)
            theirs = net.fit(columns, table.outcome).coef_
            spent = 0
            for place, (share, alpha) in enumerate(zip(SHARES, alphas, strict=True)):
                path, queries = example.sparse_cox(columns, table.event, table.time, alphas[: place + 1], ratio)
                yield {
                    "table": name,
                    "rows": len(columns),
                    "columns": columns.shape[1],
                    "ratio": ratio,
                    "share": share,
                    "alpha": alpha,
                    "queries": queries - spent,
                    **compared(objective, ratio * alpha, (1 - ratio) * alpha, path[-1], theirs[:, place]),
                }
                spent = queries


def compared(objective, l1, l2, ours, theirs):
    def penalised(weights):
        return float(objective(weights[None])[0] + l1 * abs(weights).sum() + l2 / 2 * weights @ weights)

    start, end, best = penalised(0 * ours), penalised(ours), penalised(theirs)
    likelihoods = [float(objective(weights[None])[0]) for weights in (ours, theirs)]
    return {
        "objective": end,
        "coxnet": best,
        # How far above Coxnet, as a share of its value and of what there was to gain.
        "above": end / best - 1,
        "missed": (end - best) / (start - best),
        "likelihood": likelihoods[0] / likelihoods[1] - 1,
        "used": int(np.count_nonzero(ours)),
        "used_by_coxnet": int(np.count_nonzero(theirs)),
    }
