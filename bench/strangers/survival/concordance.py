"""Concordance itself as the objective, beside Coxnet, on patients that neither has seen."""

import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sksurv.linear_model import CoxnetSurvivalAnalysis
from sksurv.metrics import concordance_index_censored
from tables import load, standardised

# Of the smallest alpha without any column: fifteen of them, the first without a model.
SHARES = np.geomspace(1, 0.02, 15)[1:]
HELD_OUT = 0.3
FOLDS = 5


def index(table, scores):
    return concordance_index_censored(table.event, table.time, scores)[0]


def coxnet(columns, table, alphas):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=alphas).fit(columns, table.outcome)
    return list(fitted.coef_.T)


def first_alpha(columns, table):
    """The smallest alpha without any column."""
    return CoxnetSurvivalAnalysis(l1_ratio=1.0, n_alphas=2, alpha_min_ratio=0.5).fit(columns, table.outcome).alphas_[0]


def ours(example, settings):
    """A model for each alpha: Cox from queries, then concordance on the columns it uses."""

    def fit(columns, table, alphas):
        path, _ = example.sparse_cox(columns, table.event, table.time, alphas, queries=settings["cox"], tolerance=1e-2)
        models = []
        for alpha, start in zip(alphas, path, strict=True):
            l1 = settings["l1"] * alpha
            models.append(
                example.concordant(columns, table.event, table.time, start, l1, settings["tied"], settings["queries"])[0]
            )
        return models

    return fit


def validated(fit, train, alphas, seed):
    """The mean concordance of each model over folds of the training rows."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(train.columns, train.event)
    found = []
    for inside, outside in folds:
        inside, outside = train.part(inside), train.part(outside)
        columns, held = standardised(inside, outside)
        found.append([index(outside, held @ model) for model in fit(columns, inside, alphas)])
    return np.mean(found, axis=0)


def split(name, seed, example, settings):
    """One split: Coxnet at the alpha of its best cross-validated concordance, and ours at its own with no more columns."""
    table = load(name)
    shuffle = StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    rows, others = next(shuffle.split(table.columns, table.event))
    train, test = table.part(rows), table.part(others)
    columns, held = standardised(train, test)
    alphas = list(SHARES * first_alpha(columns, train))
    result = {"table": name, "seed": seed, **settings}

    models = coxnet(columns, train, alphas)
    chosen = models[int(np.argmax(validated(coxnet, train, alphas, seed)))]
    most = np.count_nonzero(chosen)
    result["coxnet"], result["coxnet_columns"] = index(test, held @ chosen), int(most)

    fit = ours(example, settings)
    worth = validated(fit, train, alphas, seed)
    models = fit(columns, train, alphas)
    allowed = [place for place, model in enumerate(models) if np.count_nonzero(model) <= most]
    # The first models of a path have the fewest columns; there may be none with few enough.
    best = max(allowed, key=lambda place: worth[place]) if allowed else 0
    result["ours"], result["ours_columns"] = index(test, held @ models[best]), int(np.count_nonzero(models[best]))
    return result
