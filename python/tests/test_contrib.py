"""Attacks inside other packages, against the real ones: `pip install adversarial-robustness-toolbox foolbox`, or they are skipped."""

import numpy as np
import pytest

import gradless

WEIGHTS = np.full(16, 0.01)
WEIGHTS[[1, 6, 11]] = 1.0


def predict(x):
    """Class 1 where a weighted sum is above 1.5: two of three numbers have to change from 0 to 1."""
    total = np.asarray(x).reshape(len(x), -1) @ WEIGHTS - 1.5
    return np.stack([-total, total, total - 10], axis=1).astype(np.float32)


INPUTS = np.zeros((2, 1, 4, 4), dtype=np.float32)


@pytest.mark.parametrize("norm, least", [("pixels", 2), ("l2", 1.5 / np.linalg.norm(WEIGHTS))])
def test_art_evades_with_little(norm, least):
    pytest.importorskip("art")
    from art.estimators.classification import BlackBoxClassifierNeuralNetwork
    from gradless.contrib.art import GradlessAttack

    classifier = BlackBoxClassifierNeuralNetwork(predict, (1, 4, 4), 3, clip_values=(0, 1))
    attack = GradlessAttack(classifier, norm=norm, max_queries=800)
    changed = attack.generate(INPUTS)
    assert changed.shape == INPUTS.shape and changed.dtype == INPUTS.dtype
    assert (classifier.predict(changed).argmax(axis=1) == 1).all()
    sizes = [one.size for one in attack.attacks]
    assert all(least <= size <= 1.03 * least for size in sizes), sizes
    own = gradless.attack(predict, INPUTS[0].astype(float), norm=norm, max_queries=800, bounds=(0, 1))
    assert sizes[0] == pytest.approx(own.size)


def test_art_refuses_what_it_cannot_do():
    pytest.importorskip("art")
    from art.estimators.classification import BlackBoxClassifierNeuralNetwork
    from gradless.contrib.art import GradlessAttack

    with pytest.raises(ValueError, match="clip_values"):
        GradlessAttack(BlackBoxClassifierNeuralNetwork(predict, (1, 4, 4), 3))
    classifier = BlackBoxClassifierNeuralNetwork(predict, (1, 4, 4), 3, clip_values=(0, 1))
    with pytest.raises(ValueError, match="needs y"):
        GradlessAttack(classifier, targeted=True).generate(INPUTS)
    # Class 2 is never the largest: the input comes back as it is.
    unreachable = GradlessAttack(classifier, targeted=True, max_queries=200).generate(INPUTS[:1], y=np.array([2]))
    assert (unreachable == INPUTS[:1]).all()


def test_foolbox_minimizes_the_distance():
    foolbox = pytest.importorskip("foolbox")
    from gradless.contrib.foolbox import GradlessAttack

    model = foolbox.models.NumPyModel(predict, bounds=(0, 1), data_format="channels_first")
    least = 1.5 / np.linalg.norm(WEIGHTS)
    attack = GradlessAttack("l2", max_queries=800)
    raw, _, success = attack(model, INPUTS, np.zeros(2, dtype=int), epsilons=[0.9 * least, 1.03 * least])
    assert success.tolist() == [[False, False], [True, True]]
    distances = np.linalg.norm(np.asarray(raw[1]).reshape(2, -1), axis=1)
    assert all(least <= distance <= 1.03 * least for distance in distances)
    with pytest.raises(ValueError, match="norm must be"):
        GradlessAttack("pixels")
