"""The examples of survival analysis and of training without gradients, in small form."""

import sys
from pathlib import Path

import numpy as np
import pytest

PYTHON = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PYTHON / "examples"))
import survival  # noqa: E402


def soft(x, threshold):
    return np.sign(x) * np.maximum(abs(x) - threshold, 0)


def with_slopes(objective, alpha, dim, steps=400):
    """The minimum of the objective and alpha times the l1 norm, by steps along slopes that are known."""
    x, weight = np.zeros(dim), 1.0

    def value(point):
        return objective(point[None])[0]

    for _ in range(steps):
        shift = 1e-5 * np.eye(dim)
        slopes = (objective(x + shift) - objective(x - shift)) / 2e-5
        while True:
            y = soft(x - slopes / weight, alpha / weight)
            step = y - x
            if value(y) <= value(x) + slopes @ step + weight / 2 * step @ step + 1e-14:
                break
            weight *= 2
        x, weight = y, weight / 1.5
    return value(x) + alpha * abs(x).sum(), x


def test_the_partial_likelihood_is_coxs():
    table, event, time = survival.patients(40, 10)
    # Two die on the same day, and one is lost on it.
    time[:3], event[:3] = 0.5, [True, True, False]
    weights = np.array([[0.3, -0.2, 0.5, 0.0, 1.0] * 2, [0.0] * 10])
    expected = []
    for row in weights:
        scores = table @ row
        terms = [np.log(np.exp(scores[time >= time[i]]).sum()) - scores[i] for i in np.flatnonzero(event)]
        expected.append(sum(terms) / len(time))
    assert survival.partial_likelihood(table, event, time)(weights) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("tied", [1e-8, 0.5])
def test_discordance_counts_pairs(tied):
    table, event, time = survival.patients(40, 10)
    time[:3], event[:3] = 0.5, [True, True, False]
    table[5] = table[6]
    weights = np.array([[0.3, -0.2, 0.5, 0.0, 1.0] * 2, [0.0] * 10])
    for row, found in zip(weights, survival.discordance(table, event, time, tied)(weights), strict=True):
        scores, total, right = table @ row, 0, 0.0
        for i in np.flatnonzero(event):
            for j in range(len(time)):
                if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                    lead = scores[i] - scores[j]
                    total, right = total + 1, right + (1.0 if lead > tied else 0.5 if lead >= -tied else 0.0)
        assert found == pytest.approx(1 - right / total, abs=1e-12)
    with pytest.raises(ValueError, match="no two patients"):
        survival.discordance(table, np.zeros(40, bool), time)


def test_queries_find_what_slopes_find():
    table, event, time = survival.patients(120, 12)
    objective = survival.partial_likelihood(table, event, time)
    alphas = [0.16, 0.08, 0.02]
    path, spent = survival.sparse_cox(table, event, time, alphas)
    nothing = objective(np.zeros((1, 12)))[0]
    for alpha, weights in zip(alphas, path, strict=True):
        best, exact = with_slopes(objective, alpha, 12)
        found = objective(weights[None])[0] + alpha * abs(weights).sum()
        assert found - best < 0.01 * (nothing - best), alpha
        assert set(np.flatnonzero(abs(exact) > 0.02)) <= set(np.flatnonzero(weights))
    assert spent < 30_000


def test_the_survival_example_tells_the_columns_that_matter(capsys):
    path, refined = survival.main(rows=240, alphas=(0.16, 0.12), queries=600)
    assert {0, 3} <= set(np.flatnonzero(path[-1])) and np.count_nonzero(path[-1]) < 12
    assert set(np.flatnonzero(refined)) <= set(np.flatnonzero(path[-1]))
    assert "concordance" in capsys.readouterr().out


@pytest.fixture(scope="module")
def finetune():
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    import finetune

    return finetune


@pytest.fixture(scope="module")
def pictures(finetune):
    """The embedded digits, each at five places, black on white."""
    image = pytest.importorskip("matplotlib.image")
    digits = np.stack([image.imread(finetune.LENET.parent / "digits" / f"{digit}.png") for digit in range(10)])
    moves = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)]
    moved = np.concatenate([np.roll(digits, move, axis=(1, 2)) for move in moves])
    return finetune.inverted(moved[:, None].astype(np.float32)), np.tile(np.arange(10), len(moves))


def test_weights_as_inputs_give_the_networks_own_scores(finetune, pictures):
    import onnxruntime

    network = finetune.Network()
    session = onnxruntime.InferenceSession(str(finetune.LENET))
    own = session.run(None, {session.get_inputs()[0].name: pictures[0]})[0]
    every, last = (what(network, *pictures) for what in (finetune.AllWeights, finetune.LastLayer))
    assert np.allclose(every.scores(every.start), own, atol=1e-5)
    assert np.allclose(last.scores(last.start), own, atol=1e-5)
    assert (len(every.start), len(last.start)) == (431_080, 5010)


def test_a_quarter_turn_moves_pixels(finetune):
    picture = np.zeros((1, 1, 28, 28), np.float32)
    picture[0, 0, 3, 10] = 1
    turned = finetune.turned(picture, 90)
    assert turned.sum() == pytest.approx(1) and np.allclose(turned, np.rot90(picture, -1, axes=(2, 3)), atol=1e-6)


def test_forward_passes_alone_teach_inverted_digits(finetune, pictures):
    network = finetune.Network()
    # Measured: the loss falls from 2.25 to 1.25 and to 2.02, the accuracy rises from .10 to .70 and to .20.
    for what, passes, fall, least in ((finetune.LastLayer, 3000, 0.7, 0.55), (finetune.AllWeights, 400, 0.1, 0.15)):
        task = what(network, *pictures)
        found = finetune.fit(task, 1e-4, passes)
        before, after = finetune.loss(task, task.start), finetune.loss(task, task.start + found.x)
        assert found.nfev <= passes and after < before - fall, (what.__name__, before, after)
        assert finetune.accuracy(task, task.start) == pytest.approx(0.1)
        assert finetune.accuracy(task, task.start + found.x) >= least
        assert np.count_nonzero(found.x) < 0.6 * found.x.size
