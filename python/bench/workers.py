"""Throughput of one and of two worker processes on a function that takes a fixed time, through Dask, Ray and a pool.

    python python/bench/workers.py [--milliseconds 10] [--queries 600] [--repeats 3]

The function sleeps: it stands for a simulation or a service elsewhere, so that the machine's own cores do not decide.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time

import numpy as np

import gradless


class Takes:
    """A function of one point that takes a while."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, x):
        time.sleep(self.seconds)
        return float(((x - 0.3) ** 2).sum())


def rate(fun, queries, workers):
    began = time.perf_counter()
    res = gradless.minimize(fun, np.zeros(100), vectorized=False, maxfev=queries, workers=workers, batch=32)
    return res.nfev / (time.perf_counter() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--milliseconds", type=float, default=10)
    parser.add_argument("--queries", type=int, default=600)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--engines", default="processes,Dask,Ray")
    options = parser.parse_args()
    fun = Takes(options.milliseconds / 1000)
    here = os.path.dirname(os.path.abspath(__file__))

    def timed(workers):
        gradless.minimize(Takes(0), np.zeros(100), vectorized=False, maxfev=100, workers=workers)  # warm
        return statistics.median(rate(fun, options.queries, workers) for _ in range(options.repeats))

    rates = {}

    def told(engine, count, found):
        rates[engine, count] = found
        print(f"{engine}, {count}: {found:.1f} queries per second", file=sys.stderr, flush=True)

    from concurrent.futures import ProcessPoolExecutor

    for count in (1, 2):
        with ProcessPoolExecutor(count) as pool:
            told("processes", count, timed(pool))
    try:
        if "Dask" not in options.engines:
            raise ImportError("Dask was not asked for")
        import distributed

        for count in (1, 2):
            with distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster:
                with distributed.Client(cluster) as client:
                    client.run(sys.path.insert, 0, here)
                    told("Dask", count, timed(client))
    except ImportError as error:
        print(error)
    try:
        if "Ray" not in options.engines:
            raise ImportError("Ray was not asked for")
        import ray

        for count in (1, 2):
            ray.init(num_cpus=count, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": here}})
            told("Ray", count, timed(ray))
            ray.shutdown()
    except ImportError as error:
        print(error)
    print(f"\nqueries per second, a function of {options.milliseconds:g} ms\n")
    print("| engine | one worker | two workers | times |\n|---|---|---|---|")
    for engine in dict.fromkeys(name for name, _ in rates):
        one, two = rates[engine, 1], rates[engine, 2]
        print(f"| {engine} | {one:.1f} | {two:.1f} | {two / one:.2f} |")


if __name__ == "__main__":
    main()
