"""Who evaluates does not change the result; a worker that dies does not end the run."""

import warnings
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import gradless
import numpy as np
import pytest
from black_boxes import AlwaysDies, DiesOnce, failing, quadratic, scalar, slow_quadratic, two_classes

START = np.zeros(12)


@pytest.fixture(scope="module")
def alone():
    return gradless.minimize(quadratic, START, maxfev=400, chunk_size=8)


def same(res, alone):
    return res.x.tobytes() == alone.x.tobytes() and res.nfev == alone.nfev


def test_processes_threads_and_maps_give_the_same_bits(alone):
    for workers in (1, 2, 3, map):
        assert same(gradless.minimize(quadratic, START, maxfev=400, workers=workers), alone), workers
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(3) as threads, ThreadPool(2) as pool:
        for workers in (processes, threads, pool.map, pool.imap, threads.map):
            assert same(gradless.minimize(quadratic, START, maxfev=400, workers=workers), alone), workers


def test_scalar_functions_are_spread_row_by_row():
    one = gradless.minimize(scalar, START, vectorized=False, maxfev=200)
    two = gradless.minimize(scalar, START, vectorized=False, maxfev=200, workers=2)
    assert same(two, one)


def test_a_function_that_cannot_travel_runs_in_threads_and_says_so(alone):
    with pytest.warns(RuntimeWarning, match="threads are used instead"):
        res = gradless.minimize(lambda X: quadratic(X), START, maxfev=400, workers=2)
    assert same(res, alone)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradless.minimize(quadratic, START, maxfev=100, workers=2)


def test_exceptions_of_workers_come_back_as_they_were():
    with pytest.raises(LookupError, match="no such simulation") as caught:
        gradless.minimize(failing, START, workers=2)
    assert caught.value.gradless_result.nfev == 0


def test_a_map_that_is_none_is_refused():
    with pytest.raises(ValueError, match="must behave like map"):
        gradless.minimize(quadratic, START, workers=lambda function, jobs: [])


@pytest.mark.cluster
def test_a_killed_process_costs_its_chunk_only(alone, tmp_path):
    res = gradless.minimize(DiesOnce(tmp_path, after=20), START, maxfev=400, workers=2)
    assert (tmp_path / "killed").exists() and same(res, alone)


@pytest.mark.cluster
def test_a_function_no_process_survives_ends_the_run_with_its_result():
    with pytest.raises(BrokenExecutor, match="died 4 times") as caught:
        gradless.minimize(AlwaysDies(), START, workers=2)
    assert caught.value.gradless_result.nfev == 0


@pytest.mark.cluster
def test_dask_gives_the_same_bits(alone, dask_client):
    assert same(gradless.minimize(quadratic, START, maxfev=400, workers=dask_client), alone)
    assert same(gradless.minimize(quadratic, START, maxfev=400, workers=dask_client.get_executor()), alone)


@pytest.mark.cluster
def test_a_killed_dask_worker_does_not_end_the_run(alone, dask_client, tmp_path):
    res = gradless.minimize(DiesOnce(tmp_path, after=20), START, maxfev=400, workers=dask_client)
    assert (tmp_path / "killed").exists() and same(res, alone)


@pytest.mark.cluster
def test_dask_brings_exceptions_back(dask_client):
    with pytest.raises(LookupError, match="no such simulation"):
        gradless.minimize(failing, START, workers=dask_client)


@pytest.mark.cluster
def test_dask_explains_many_inputs(dask_client):
    inputs = np.linspace(0.5, 1, 4)[:, None] * np.ones(12)
    spread = gradless.explain_many(two_classes, inputs, mode="pp", max_queries=800, workers=dask_client)
    here = gradless.explain_many(two_classes, inputs, mode="pp", max_queries=800)
    assert [one.x.tobytes() for one in spread] == [one.x.tobytes() for one in here]


@pytest.mark.cluster
def test_ray_gives_the_same_bits(alone, ray_module):
    assert same(gradless.minimize(quadratic, START, maxfev=400, workers=ray_module), alone)
    executor = gradless.RayExecutor(num_cpus=1)
    assert same(gradless.minimize(slow_quadratic, START, maxfev=400, workers=executor), alone)


@pytest.mark.cluster
def test_a_killed_ray_worker_does_not_end_the_run(alone, ray_module, tmp_path):
    res = gradless.minimize(DiesOnce(tmp_path, after=20), START, maxfev=400, workers=ray_module)
    assert (tmp_path / "killed").exists() and same(res, alone)


@pytest.mark.cluster
def test_ray_brings_exceptions_back(ray_module):
    with pytest.raises(LookupError, match="no such simulation"):
        gradless.minimize(failing, START, workers=ray_module)


@pytest.mark.cluster
def test_ray_explains_many_inputs_and_the_queries_of_one(ray_module):
    inputs = np.linspace(0.5, 1, 3)[:, None] * np.ones(12)
    spread = gradless.explain_many(two_classes, inputs, mode="pp", max_queries=600, workers=ray_module)
    here = gradless.explain_many(two_classes, inputs, mode="pp", max_queries=600)
    assert [one.x.tobytes() for one in spread] == [one.x.tobytes() for one in here]
    one = gradless.explain(two_classes, inputs[0], mode="pp", max_queries=600, workers=ray_module)
    assert one.x.tobytes() == here[0].x.tobytes()


def test_explanations_do_not_depend_on_the_workers():
    x = np.linspace(0.3, 1, 12)
    one = gradless.explain(two_classes, x, mode="pn", max_queries=800)
    with ThreadPoolExecutor(3) as threads:
        for workers in (2, threads, map):
            other = gradless.explain(two_classes, x, mode="pn", max_queries=800, workers=workers)
            assert other.x.tobytes() == one.x.tobytes() and other.nfev == one.nfev
