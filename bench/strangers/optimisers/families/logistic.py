"""Logistic regression with an l1 norm on tables of scikit-learn's wheel."""

import numpy as np

from problem import Entry, Problem

from .tables import table

# Table, degree, which class against the others, weight of the norm.
NAMES = {
    "breast-cancer": ("breast_cancer", 1, 1, 1e-2),
    "breast-cancer-2": ("breast_cancer", 2, 1, 1e-2),
    "digits-3": ("digits", 1, 3, 3e-3),
    "digits-8": ("digits", 1, 8, 3e-3),
    "wine-2": ("wine", 2, 0, 1e-2),
    "digits-1-2": ("digits", 2, 1, 1e-2),
}


def entries():
    def entry(name, told, degree, positive, weight):
        def make(_seed):
            x, y = table(told, degree)
            rows = x * np.where(y == positive, 1.0, -1.0)[:, None]
            loss = lambda w: float(np.mean(np.logaddexp(0, -(rows @ w))))
            budget = 5_000 if rows.shape[1] <= 600 else 2_000
            return Problem("logistic", f"logistic-{name}", loss, np.zeros(rows.shape[1]), l1=weight, sparse=True, expect=20, budget=budget)

        return Entry("logistic", f"logistic-{name}", make)

    return [entry(name, *told) for name, told in NAMES.items()]
