"""Tables that come with scikit-learn's wheel, standardised."""

import numpy as np
from sklearn import datasets
from sklearn.preprocessing import PolynomialFeatures


def table(name, degree=1):
    """Features and target; with `degree` also the products of so many features."""
    told = getattr(datasets, f"load_{name}")()
    x, y = told.data.astype(float), told.target.astype(float)
    if degree > 1:
        x = standardised(x)
        x = PolynomialFeatures(degree, include_bias=False).fit_transform(x)
    return standardised(x), y


def standardised(x):
    deviation = x.std(axis=0)
    moves = deviation > 1e-9
    return (x[:, moves] - x[:, moves].mean(axis=0)) / deviation[moves]
