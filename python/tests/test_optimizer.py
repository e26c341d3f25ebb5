"""Ask and tell by hand."""

import pickle

import gradless
import numpy as np
import pytest


def quadratic(X):
    return ((X - 0.3) ** 2).sum(axis=1)


def test_asking_again_gives_the_same_batch():
    opt = gradless.Optimizer(np.zeros(7))
    first, second = opt.ask(), opt.ask()
    assert first is not second and first.tobytes() == second.tobytes()


def test_the_budget_is_exact_and_the_end_is_none():
    opt = gradless.Optimizer(np.zeros(7), maxfev=123)
    asked = 0
    while (X := opt.ask()) is not None:
        asked += len(X)
        opt.tell(quadratic(X))
    assert asked == opt.nfev <= 123
    assert opt.ask() is None and opt.result().success


def test_a_pickled_run_goes_on_to_the_same_bits():
    def finish(opt):
        while (X := opt.ask()) is not None:
            opt.tell(quadratic(X.reshape(-1, 10)))
        return opt.result()

    whole = finish(gradless.Optimizer(np.zeros((2, 5)), maxfev=600, rng=9))
    opt = gradless.Optimizer(np.zeros((2, 5)), maxfev=600, rng=9)
    for _ in range(6):
        opt.tell(quadratic(opt.ask().reshape(-1, 10)))
    opt.ask()  # a batch that is under way is asked again
    resumed = finish(pickle.loads(pickle.dumps(opt)))
    assert resumed.x.tobytes() == whole.x.tobytes() and resumed.nfev == whole.nfev


def test_wrong_answers_are_refused_and_nothing_is_lost():
    opt = gradless.Optimizer(np.zeros(7))
    with pytest.raises(RuntimeError, match="ask"):
        opt.tell([1.0])
    X = opt.ask()
    with pytest.raises(ValueError, match="were asked for, 1 were told"):
        opt.tell([1.0])
    with pytest.raises(TypeError, match="numbers"):
        opt.tell(["a"] * len(X))
    opt.tell(quadratic(X))
    assert opt.nfev == len(X)


def test_gradients_are_told_where_they_are_asked_for():
    opt = gradless.Optimizer(np.zeros(4), method="fo-exp-grad", maxfev=50)
    while (X := opt.ask()) is not None:
        assert opt.wants_gradients
        with pytest.raises(ValueError, match="gradients were asked for"):
            opt.tell(np.zeros(len(X)))
        opt.tell(None, gradients=2 * (X - 0.3))
    assert opt.nfev <= 50


def test_a_run_may_be_ended_and_looked_at_any_time():
    opt = gradless.Optimizer(np.zeros(7))
    assert opt.result().fun is None and not opt.result().success
    opt.tell(quadratic(opt.ask()))
    opt.stop()
    assert opt.ask() is None and opt.result().status == 4
    assert "7 dimensions" in repr(opt)
