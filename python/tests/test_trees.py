"""Forests and boosted trees jump where others slope: what changed the class is found and said, with every default."""

import gradless
import numpy as np
import pytest

datasets = pytest.importorskip("sklearn.datasets")
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402

ROWS = 10


def test_every_change_is_said_to_be_one_and_is():
    features = []
    for load in datasets.load_breast_cancer, datasets.load_wine:
        X, y = load(return_X_y=True)
        X, unseen, y, _ = train_test_split(X, y, random_state=0)
        for kind in RandomForestClassifier, GradientBoostingClassifier:
            model = kind(random_state=0).fit(X, y)
            for x in unseen[:ROWS]:
                found = gradless.explain(model, x, question="change", data=X, confidence=0, stability="off")
                assert found.valid, found
                assert model.predict(found.after[None])[0] != model.predict(x[None])[0]
                features.append(found.nonzeros)
    assert len(features) == 4 * ROWS and np.median(features) <= 3, sorted(features)


def test_a_deterministic_model_is_not_said_to_be_noisy():
    X, y = datasets.load_wine(return_X_y=True)
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    found = gradless.explain(model, X[0], mode="pn", data=X)
    assert found.floor < 1e-3, "jumps are no noise"
