"""Adds two l1 logistic regressions on data that come with scikit-learn to a folder of problems.

    python bench/peers/logistic.py DIR

Features are standardised; labels are plus and minus one. Nothing is downloaded: the data are read from the installed package.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn import datasets


def problem(name, features, labels, weight):
    spread = features.std(axis=0)
    features = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return {
        "name": name, "problem": name, "dim": features.shape[1], "l1": weight, "l2": 0.0,
        "lower": -10.0, "upper": 10.0, "start": 0.0, "minimum": None,
        "loss": {"kind": "logistic", "features": features.tolist(), "labels": labels.astype(float).tolist()},
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    cancer, digits = datasets.load_breast_cancer(), datasets.load_digits()
    for told in [
        problem("logistic-cancer", cancer.data, np.where(cancer.target == 1, 1, -1), 0.01),
        # Is a digit odd?
        problem("logistic-digits", digits.data, np.where(digits.target % 2 == 1, 1, -1), 0.01),
    ]:
        (folder / f"{told['name']}.json").write_text(json.dumps(told))
        print(told["name"])


if __name__ == "__main__":
    main()
