"""One seed, one trajectory: Python's loop and the Rust driver agree bit for bit."""

import gradless
import numpy as np
import pytest
from gradless import _gradless

DIM = 23


def quadratic(x):
    """The function of `reference_run`, added up from left to right in the same order."""
    total = 0.0
    for index, value in enumerate(x.tolist()):
        off = value - (index % 7) / 10.0
        total += off * off
    return total


def rust(settings, *, rows=1, threads=1, **problem):
    told = {"start": np.zeros(DIM), "regularizer": None, "set": None, "center": None, "project": False, **problem}
    names = "method seed queries sent iterations seconds target stagnation batch radius step_weight noise output".split()
    defaults = {name: None for name in names}
    full = {**defaults, "preset": "default", "seed": 0, "unlimited": False, "inside": None, **settings}
    return _gradless.reference_run(told, full, rows, threads)[0]


def methods():
    return [method.name for method in gradless.methods() if not method.gradients]


@pytest.mark.parametrize("method", methods())
def test_every_method_takes_the_same_steps(method):
    res = gradless.minimize(quadratic, np.zeros(DIM), vectorized=False, method=method, bounds=(-1, 1), maxfev=900, rng=5)
    told = rust({"method": method, "seed": 5, "queries": 900}, set=("box", None, -1.0, 1.0))
    assert res.x.tobytes() == told[told["output"]]["x"].tobytes()
    assert (res.nfev, res.nit, res.message) == (told["queries"], told["iterations"], told["message"])
    for column, values in res.history.items():
        assert values.tobytes() == told["history"][column].tobytes(), column


@pytest.mark.parametrize("preset", ["default", "seed", "authors"])
def test_every_preset_takes_the_same_steps(preset):
    penalty = gradless.ElasticNet(0.01, 0.02)
    res = gradless.minimize(
        quadratic, np.zeros(DIM), vectorized=False, preset=preset, regularizer=penalty, maxfev=900, chunk_size=11
    )
    told = rust({"preset": preset, "queries": 900}, rows=7, threads=2, regularizer=("elastic_net", 0.01, 0.02))
    assert res.x.tobytes() == told[told["output"]]["x"].tobytes()
    assert res.fun == told[told["output"]]["fun"]
    for name, point in res.points.items():
        assert point["x"].tobytes() == told[name]["x"].tobytes()


def test_the_default_method_and_budget_are_those_of_the_crate():
    res = gradless.minimize(quadratic, np.zeros(DIM), vectorized=False)
    told = rust({})
    assert res.x.tobytes() == told[told["output"]]["x"].tobytes() and res.nfev == told["queries"]


def test_asking_and_telling_is_the_same_run():
    opt = gradless.Optimizer(np.zeros(DIM), maxfev=700, rng=3)
    while (X := opt.ask()) is not None:
        opt.tell([quadratic(x) for x in X])
    assert opt.result().x.tobytes() == rust({"queries": 700, "seed": 3})["best"]["x"].tobytes()
