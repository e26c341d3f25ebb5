"""Hyper-parameters of LightGBM, three-fold cross-validation on tables of scikit-learn's wheel: few dimensions, steps and plateaus."""

import numpy as np

from problem import Entry, Problem

from .tables import table

# Name, lower and upper end, whether the scale is logarithmic, whether it is a whole number.
SPACE = [("learning_rate", 0.01, 0.5, True, False), ("num_leaves", 2, 64, True, True), ("min_child_samples", 2, 60, True, True),
         ("subsample", 0.3, 1.0, False, False), ("colsample_bytree", 0.3, 1.0, False, False), ("reg_alpha", 1e-4, 10.0, True, False),
         ("reg_lambda", 1e-4, 10.0, True, False), ("min_split_gain", 1e-4, 1.0, True, False)]
TREES = 30


def settings(z):
    out = {}
    for value, (name, low, high, logarithmic, whole) in zip(z, SPACE):
        point = low * (high / low) ** value if logarithmic else low + (high - low) * value
        out[name] = int(round(point)) if whole else float(point)
    return out


def entries():
    def entry(name):
        def make(_seed):
            import lightgbm
            from sklearn.metrics import log_loss
            from sklearn.model_selection import KFold

            x, y = table(name)
            regression = name == "diabetes"
            folds = list(KFold(3, shuffle=True, random_state=0).split(x))
            kind = lightgbm.LGBMRegressor if regression else lightgbm.LGBMClassifier

            def value(z):
                total = 0.0
                for fit, held in folds:
                    told = kind(n_estimators=TREES, subsample_freq=1, n_jobs=1, random_state=0, verbosity=-1, deterministic=True,
                                force_row_wise=True, **settings(z)).fit(x[fit], y[fit])
                    if regression:
                        total += float(np.mean((told.predict(x[held]) - y[held]) ** 2) / y.var())
                    else:
                        total += log_loss(y[held], told.predict_proba(x[held]), labels=np.unique(y))
                return total / len(folds)

            return Problem("boosting", f"boosting-{name}", value, np.full(len(SPACE), 0.5), lower=0, upper=1, budget=500)

        return Entry("boosting", f"boosting-{name}", make)

    return [entry(name) for name in ("breast_cancer", "diabetes", "wine", "iris")]
