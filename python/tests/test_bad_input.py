"""Bad input raises what a Python user expects, with a sentence that helps."""

import gradless
import numpy as np
import pytest


def quadratic(X):
    return ((X - 0.3) ** 2).sum(axis=1)


ZEROS = np.zeros(4)

ARGUMENTS = [
    # A word where numbers belong.
    (dict(x0="abc"), TypeError, "x0 must be numbers"),
    (dict(x0=["1", "2"]), TypeError, "x0 must be numbers"),
    (dict(x0=None), TypeError, "x0 must be numbers, not None"),
    (dict(x0=np.array([1.0, None], dtype=object)), TypeError, r"astype\(float\)"),
    (dict(x0=np.array([1j, 2])), TypeError, "real, not complex"),
    (dict(x0=np.array(["2020-01-01"], dtype="datetime64[D]")), TypeError, "x0 must be numbers"),
    # Numbers that are none.
    (dict(x0=[0.0, np.nan]), ValueError, r"start\[1\] is NaN"),
    (dict(x0=[np.inf, 0.0]), ValueError, "must be a finite number"),
    (dict(x0=[]), ValueError, "no coordinates"),
    (dict(x0=ZEROS, dtype=np.int32), TypeError, "float32 or float64"),
    # Budgets.
    (dict(maxfev=-1), ValueError, "maxfev is -1: it must be at least 1"),
    (dict(maxfev=0), ValueError, "at least 1"),
    (dict(maxfev=1.5), TypeError, "whole number"),
    (dict(maxfev="many"), TypeError, "maxfev"),
    (dict(maxfev=np.nan), TypeError, "whole number"),
    (dict(maxiter=-2), ValueError, "maxiter"),
    (dict(maxtime=-1.0), ValueError, "maxtime"),
    (dict(maxtime=np.nan), ValueError, "maxtime"),
    (dict(maxfev=np.inf), ValueError, "nothing would ever end"),
    (dict(target=np.nan), ValueError, "makes no sense"),
    (dict(stagnation=5), TypeError, "pair"),
    # Sets and penalties.
    (dict(bounds=(1, 0)), ValueError, "no number lies between"),
    (dict(bounds=(0, np.nan)), ValueError, "no number lies between"),
    (dict(bounds=([0, 0], 1)), ValueError, "2 entries, 4 are needed"),
    (dict(bounds=[(0, 1)]), ValueError, "one \\(lower, upper\\) pair per coordinate"),
    (dict(bounds="box"), TypeError, "bounds must be"),
    (dict(bounds=("a", "b")), TypeError, "lower bound must be numbers"),
    (dict(bounds=(0.1, 1)), ValueError, "project=True"),
    (dict(bounds=gradless.L2Ball(-1)), ValueError, "positive finite number"),
    (dict(x0=np.zeros(2), bounds=((0, 1), (0, 2))), ValueError, "read both ways"),
    (dict(regularizer=gradless.L1(-1)), ValueError, "not negative"),
    (dict(regularizer=gradless.L1([1, 2])), ValueError, "2 entries, 4 are needed"),
    (dict(regularizer=gradless.L1("heavy")), TypeError, "l1 must be numbers"),
    (dict(regularizer=0.1), TypeError, "gradless.L1"),
    (dict(regularizer=gradless.GroupL2(1, [0, 0, 1])), ValueError, "groups has 3 entries for 4"),
    (dict(regularizer=gradless.GroupL2(1, [0, 0, 1, -1])), ValueError, "numbered from 0"),
    (dict(center=[1, 2]), ValueError, "center has 2 entries"),
    # Words.
    (dict(method="newton"), ValueError, "there is no method 'newton'; there are"),
    (dict(method=3), TypeError, "method must be a string"),
    (dict(preset="mine"), ValueError, "one of 'default', 'paper', 'authors', 'seed'"),
    (dict(noise="loud"), ValueError, "'independent'"),
    (dict(output="median"), ValueError, "'sparse'"),
    (dict(rng=-1), ValueError, "rng is -1"),
    (dict(rng="lucky"), TypeError, "rng must be a whole number"),
    (dict(batch=0), ValueError, "batch is 0"),
    (dict(radius=-1.0), ValueError, "positive"),
    (dict(step_weight=0.0), ValueError, "positive"),
    # The loop's own.
    (dict(fun="f"), TypeError, "fun must be callable, not str"),
    (dict(fun=None), TypeError, "fun must be callable"),
    (dict(callback=3), TypeError, "callback must be callable"),
    (dict(workers=0), ValueError, "at least 1"),
    (dict(workers=True), TypeError, "truth value"),
    (dict(workers="four"), TypeError, "workers must be a number of processes"),
    (dict(chunk_size=0), ValueError, "chunk_size is 0"),
    (dict(nonsense=1), TypeError, "nonsense"),
]


@pytest.mark.parametrize(("wrong", "error", "sentence"), ARGUMENTS, ids=lambda value: str(value)[:40])
def test_wrong_arguments_are_refused(wrong, error, sentence):
    arguments = {"fun": quadratic, "x0": ZEROS, **wrong}
    with pytest.raises(error, match=sentence):
        gradless.minimize(**arguments)


RETURNED = [
    (lambda X: None, TypeError, "returned None.*`return` missing"),
    (lambda X: "small", TypeError, "numbers are needed"),
    (lambda X: ["a"] * len(X), TypeError, "numbers are needed"),
    (lambda X: np.array([None] * len(X)), TypeError, "object values"),
    (lambda X: np.zeros(len(X)) * 1j, TypeError, "complex"),
    (lambda X: np.zeros(len(X) + 1), ValueError, r"shape \(4,\) for 3 points"),
    (lambda X: X, ValueError, r"one number per point"),
    (lambda X: 1.0, ValueError, "vectorized=False"),
]


@pytest.mark.parametrize(("fun", "error", "sentence"), RETURNED)
def test_wrong_answers_of_the_function_are_refused(fun, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        gradless.minimize(fun, ZEROS)
    assert caught.value.gradless_result.nfev == 0


def test_wrong_answers_of_a_scalar_function_are_refused():
    for fun, error in [(lambda x: x, ValueError), (lambda x: "1.5", TypeError), (lambda x: None, TypeError)]:
        with pytest.raises(error):
            gradless.minimize(fun, ZEROS, vectorized=False)


def test_other_kinds_of_numbers_are_taken():
    for values in (np.float32, np.int64, bool):
        res = gradless.minimize(lambda X: (quadratic(X) * 10).astype(values), ZEROS, maxfev=200)
        assert res.nfev > 0
    res = gradless.minimize(lambda X: quadratic(X)[:, None], [0, 0, 0, 0], maxfev=200)
    assert res.fun < 0.2
    listed = gradless.minimize(lambda X: quadratic(X).tolist(), (0, 0, 0, 0), maxfev=200)
    assert listed.x.tobytes() == res.x.tobytes()
