"""LassoBench (Sehic, Gramfort, Salmon & Nardi, AutoML 2022): one penalty per feature of a cross-validated lasso.

Rebuilt from its paper: correlated Gaussian features (.6), as many samples as half the features, coefficients +1 and -1 by turns on an evenly
spaced support, signal to noise 10 (or 3, "noisy"), 15 % kept back, five folds, penalties between the smallest that lets nothing in and a
hundredth of it, on a logarithmic scale in [-1, 1]. Divided by the error of the true coefficients. The real-data form: tables of
scikit-learn's wheel, divided by the error of the mean.
"""

import numpy as np
from sklearn.model_selection import KFold, train_test_split

from problem import Entry, Problem

from .tables import table

SYNTHETIC = {"simple": (60, 3, 2_000), "medium": (100, 5, 2_000), "high": (300, 15, 2_000), "hard": (1000, 50, 2_000)}
REAL = {"diabetes-2": ("diabetes", 2, 2_000), "diabetes-3": ("diabetes", 3, 2_000), "wine-2": ("wine", 2, 2_000),
        "breast-cancer-2": ("breast_cancer", 2, 2_000)}
SEED = 42


class WeightedLasso:
    def __init__(self, x, y, unit):
        splits = KFold(5, shuffle=True, random_state=SEED).split(x)
        self.folds = [(np.asfortranarray(x[fit]), y[fit], x[held], y[held]) for fit, held in splits]
        largest = np.abs(x.T @ y).max() / len(y)
        self.middle, self.half = np.log(largest / 10), np.log(100) / 2
        self.unit = unit

    def residuals(self, z):
        """Squared and added up they are the loss."""
        from celer import Lasso

        weights = np.exp(self.middle + self.half * np.asarray(z, float))
        out = []
        for x, y, held, truth in self.folds:
            fitted = Lasso(alpha=1.0, weights=weights, fit_intercept=False, max_iter=100, tol=1e-4).fit(x, y)
            out.append((held @ fitted.coef_ - truth) / np.sqrt(len(truth) * len(self.folds) * self.unit))
        return np.concatenate(out)

    def __call__(self, z):
        return float((self.residuals(z) ** 2).sum())


def synthetic(dim, support, snr):
    from celer.datasets import make_correlated_data

    truth = np.zeros(dim)
    truth[:: dim // support] = (-1) ** np.arange(support)
    x, y, _ = make_correlated_data(dim // 2, dim, corr=0.6, w_true=truth, snr=snr, random_state=SEED)
    x, _, y, _ = train_test_split(x, y, test_size=0.15, random_state=SEED)
    return WeightedLasso(x, y, float(np.mean((x @ truth - y) ** 2)))


def real(name, degree):
    x, y = table(name, degree)
    y = y - y.mean()
    return WeightedLasso(x, y, float(np.mean(y**2)))


def entry(name, loss, dim, expect, budget):
    def make(_seed):
        black_box = loss()
        d = dim or black_box.folds[0][0].shape[1]
        return Problem("lasso", name, black_box, np.zeros(d), lower=-1, upper=1, sparse=True, expect=expect,
                       residuals=black_box.residuals, budget=budget)

    return Entry("lasso", name, make)


def entries():
    out = []
    for name, (dim, support, budget) in SYNTHETIC.items():
        for label, snr in (("", 10), ("-noisy", 3)):
            loss = lambda dim=dim, support=support, snr=snr: synthetic(dim, support, snr)
            out.append(entry(f"lasso-{name}{label}", loss, dim, support, budget))
    for name, (told, degree, budget) in REAL.items():
        out.append(entry(f"lasso-{name}", lambda told=told, degree=degree: real(told, degree), None, 20, budget))
    return out
