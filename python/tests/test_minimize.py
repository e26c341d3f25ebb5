"""minimize: the function as users bring it, the result as they expect it."""

import math
import pickle

import gradless
import numpy as np
import pytest


def quadratic(X):
    return ((X - 0.3) ** 2).sum(axis=1)


def test_the_readme_example_finds_the_two_coordinates_that_matter():
    def black_box(X):
        return (X[:, 3] - 0.8) ** 2 + (X[:, 700] + 0.5) ** 2

    res = gradless.minimize(black_box, np.zeros(1000), regularizer=gradless.L1(0.01), bounds=(-1, 1))
    assert res.success and res.nfev <= 5000
    assert abs(res.x[3] - 0.795) < 0.02 and abs(res.x[700] + 0.495) < 0.02


def test_a_scalar_function_gives_the_same_bits_as_a_vectorized_one():
    def scalar(x):
        return sum((v - 0.3) ** 2 for v in x.tolist())

    def vectorized(X):
        return np.array([scalar(x) for x in X])

    one = gradless.minimize(scalar, np.zeros(8), vectorized=False, maxfev=400)
    many = gradless.minimize(vectorized, np.zeros(8), maxfev=400)
    chunked = gradless.minimize(vectorized, np.zeros(8), maxfev=400, chunk_size=5)
    assert one.x.tobytes() == many.x.tobytes() == chunked.x.tobytes()
    assert one.nfev == many.nfev and one.fun == many.fun


def test_same_seed_same_numbers_and_another_seed_others():
    runs = [gradless.minimize(quadratic, np.zeros(20), maxfev=300, rng=seed).x for seed in (1, 1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes()
    assert runs[0].tobytes() != runs[2].tobytes()


def test_results_have_scipys_names():
    res = gradless.minimize(quadratic, np.zeros(5), maxfev=500)
    assert set("x fun nfev nit success status message".split()) <= set(res)
    assert res["x"] is res.x and res.status == 1 and "queries" in res.message
    assert res.fun == pytest.approx(float(quadratic(res.x[None])[0]))
    assert len(res.history["nfev"]) == res.nit and res.history["best"][-1] >= res.fun
    again = pickle.loads(pickle.dumps(res))
    assert again.x.tobytes() == res.x.tobytes() and again.message == res.message


def test_x0_may_have_any_shape_and_precision():
    seen = []

    def fun(X):
        seen.append((X.shape[1:], X.dtype))
        return ((X - 0.5) ** 2).sum(axis=(1, 2))

    res = gradless.minimize(fun, np.zeros((3, 4), dtype=np.float32), maxfev=300)
    assert set(seen) == {((3, 4), np.dtype(np.float32))}
    assert res.x.shape == (3, 4) and res.x.dtype == np.float32 and res.fun < 0.5
    double = gradless.minimize(fun, np.zeros((3, 4), dtype=np.float32), maxfev=300, dtype=np.float64)
    assert double.x.dtype == np.float64


def test_batches_the_user_keeps_are_not_written_over():
    kept, copies = [], []

    def fun(X):
        kept.append(X)
        copies.append(X.copy())
        return quadratic(X)

    gradless.minimize(fun, np.zeros(6), maxfev=300)
    assert all((a == b).all() for a, b in zip(kept, copies))


def test_batches_nobody_keeps_share_memory():
    places = set()

    def fun(X):
        places.add((X.shape, X.__array_interface__["data"][0]))
        return quadratic(X)

    res = gradless.minimize(fun, np.zeros(1000), maxfev=3000)
    assert res.nit > 20
    # One place per shape that follows itself; without reuse there would be one per iteration.
    assert len(places) < 10


def test_args_reach_the_function():
    res = gradless.minimize(lambda X, a, b: ((X - a) ** 2).sum(axis=1) + b, np.zeros(4), args=(0.2, 7.0), maxfev=300)
    assert res.fun == pytest.approx(7.0, abs=0.05)


def test_samples_are_the_noise_numbers_of_the_rows():
    def noisy(X, samples):
        assert samples.dtype == np.uint64 and len(samples) == len(X)
        noise = np.array([np.random.default_rng(int(s)).normal() for s in samples])
        return quadratic(X) + 0.01 * noise

    res = gradless.minimize(noisy, np.zeros(6), pass_samples=True, maxfev=600)
    assert res.noise == "common"
    assert any("sample number" in notice for notice in res.notices)


def test_sets_and_regularizers_are_respected():
    cases = [
        (gradless.Box(0, 0.2), lambda x: x.min() >= 0 and x.max() <= 0.2),
        (gradless.L1Ball(0.5), lambda x: abs(x).sum() <= 0.5 + 1e-9),
        (gradless.L1Ball(0.5, lower=0), lambda x: abs(x).sum() <= 0.5 + 1e-9 and x.min() >= 0),
        (gradless.L2Ball(0.5), lambda x: (x**2).sum() <= 0.25 + 1e-9),
        ([(0, 0.2)] * 6, lambda x: x.max() <= 0.2),
        ([(None, 0.2)] * 6, lambda x: x.max() <= 0.2),
        ((np.zeros(6), np.full(6, 0.2)), lambda x: x.max() <= 0.2),
    ]
    for bounds, holds in cases:
        res = gradless.minimize(quadratic, np.zeros(6), bounds=bounds, maxfev=400)
        assert holds(res.x), bounds
    res = gradless.minimize(quadratic, np.full(6, 1 / 6), bounds=gradless.Simplex(), maxfev=400)
    assert res.x.sum() == pytest.approx(1) and res.x.min() >= 0
    penalty = gradless.GroupL2(0.1, [0, 0, 0, 1, 1, 1])
    groups = gradless.minimize(
        lambda X: ((X[:, :3] - 1) ** 2).sum(axis=1), np.zeros(6), regularizer=penalty, method="auto"
    )
    assert (groups.x[3:] == 0).all() and abs(groups.x[:3] - 1).max() < 0.2


def test_scipys_bounds_are_bounds():
    optimize = pytest.importorskip("scipy.optimize")
    res = gradless.minimize(quadratic, np.zeros(3), bounds=optimize.Bounds(0, 0.1), maxfev=200)
    assert res.x.max() <= 0.1


def test_every_end_ends_the_run_and_says_so():
    def end(**options):
        return gradless.minimize(quadratic, np.zeros(10), **options)

    assert end(maxiter=3).nit == 3 and end(maxiter=3).status == 2
    assert end(target=0.5).status == 0
    assert end(maxtime=0, maxfev=math.inf).status == 3
    assert end(maxfev=math.inf, stagnation=(5, 1e-3)).status == 0
    assert end(maxfev=321).nfev <= 321
    assert end(maxsent=100).nsent <= 100


def test_callbacks_see_iterations_and_may_end_the_run():
    seen = []

    def callback(progress):
        seen.append((progress.nit, progress.nfev, progress.best, progress.x.shape))
        return len(seen) == 4

    res = gradless.minimize(quadratic, np.zeros(10), callback=callback)
    assert [nit for nit, *_ in seen] == [1, 2, 3, 4] and seen[0][3] == (10,)
    assert res.nit == 4 and res.status == 4 and not res.success

    def stop(progress):
        raise StopIteration

    assert gradless.minimize(quadratic, np.zeros(10), callback=stop).nit == 1


def test_first_order_methods_take_gradients():
    res = gradless.minimize(None, np.zeros(10), jac=lambda X: 2 * (X - 0.3), method="fo-ada-exp-grad+", maxfev=2000)
    assert abs(res.x - 0.3).max() < 0.1
    with pytest.raises(TypeError, match="jac="):
        gradless.minimize(quadratic, np.zeros(10), method="fo-ada-exp-grad+")


def test_every_method_is_accepted_by_name():
    for method in gradless.methods():
        if not method.gradients:
            res = gradless.minimize(quadratic, np.zeros(5), bounds=(-1, 1), method=method.name, maxfev=300)
            assert np.isfinite(res.x).all(), method.name


def test_nan_is_a_failed_evaluation():
    def sometimes(X):
        values = quadratic(X)
        values[5::7] = np.nan
        return values

    res = gradless.minimize(sometimes, np.zeros(10), maxfev=1000)
    assert res.nfailed > 0 and np.isfinite(res.x).all() and res.fun < 0.5
    broken = gradless.minimize(lambda X: np.full(len(X), np.nan), np.zeros(10))
    assert not broken.success and broken.status == 5


def test_displays_are_pages_without_anything_to_fetch(tmp_path):
    res = gradless.minimize(quadratic, np.zeros(30), maxfev=500)
    shown = res._repr_html_()
    assert "<svg" in shown and "x[" in shown and "http" not in shown and "<script" not in shown
    page = res.to_html(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page and page.startswith("<!DOCTYPE html>")
    assert "fun:" in repr(res)


def test_plot_draws_with_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = gradless.minimize(quadratic, np.zeros(5), maxfev=300).plot()
    assert axes.get_xlabel() == "queries" and len(axes.lines[0].get_xdata()) > 1


def test_arrays_at_odd_addresses_are_taken():
    def odd(values):
        raw = b"\0" + np.asarray(values, dtype=float).tobytes()
        array = np.frombuffer(raw, dtype=float, offset=1)
        assert not array.flags.aligned
        return array

    plain = gradless.minimize(quadratic, np.full(5, 0.1), bounds=(np.zeros(5), np.ones(5)), maxfev=300)
    other = gradless.minimize(lambda X: odd(quadratic(X)), odd([0.1] * 5), bounds=(odd([0] * 5), odd([1] * 5)), maxfev=300)
    assert plain.x.tobytes() == other.x.tobytes()


def test_bounds_are_never_left_unless_that_is_asked_for():
    def furthest(**options):
        worst = 0.0

        def root(X):
            nonlocal worst
            worst = max(worst, float(np.max(np.maximum(-X, X - 1))))
            return np.sqrt(np.abs(X)).sum(axis=1)

        res = gradless.minimize(root, np.full(20, 0.5), bounds=(0, 1), maxfev=600, **options)
        assert res.nfev <= 600
        return worst

    for method in gradless.methods():
        if not method.gradients:
            assert furthest(method=method.name) == 0.0, method.name
    assert furthest(inside=False) > 0.0
    assert furthest(preset="seed", method="zo-ada-exp-grad+", batch=20) > 0.0
    assert furthest(preset="seed", method="zo-ada-exp-grad+", batch=20, inside=True) == 0.0
