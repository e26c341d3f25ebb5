"""What the package costs beside the queries: ours, the Rust driver, and other people's loops, in one run.

    python python/bench/overhead.py [--dim 1000] [--batch 64] [--queries 65000] [--repeats 7]

The function is vectorised NumPy. Its own time is measured apart, on the same points, and taken away; the Rust driver runs
a function written in Rust, whose time is measured apart too. All on one thread, in the processor's time of that thread,
so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402

import gradless  # noqa: E402
from gradless import _gradless  # noqa: E402

SHIFTS = {}


def black_box(X):
    shift = SHIFTS.setdefault(X.shape[1], (np.arange(X.shape[1]) % 7) / 10.0)
    D = X - shift
    return np.einsum("ij,ij->i", D, D)


class Timed:
    """A function that adds up its own time."""

    def __init__(self):
        self.seconds, self.rows = 0.0, 0

    def __call__(self, X):
        began = time.thread_time()
        values = black_box(np.asarray(X))
        self.seconds += time.thread_time() - began
        self.rows += len(values)
        return values


def ours(options):
    fun = Timed()
    began = time.thread_time()
    gradless.minimize(fun, np.zeros(options.dim), batch=options.batch, maxfev=options.queries, noise="none")
    return time.thread_time() - began - fun.seconds, fun.rows


def ask_tell(options):
    fun = Timed()
    began = time.thread_time()
    opt = gradless.Optimizer(np.zeros(options.dim), batch=options.batch, maxfev=options.queries, noise="none")
    while (X := opt.ask()) is not None:
        opt.tell(fun(X))
        del X
    return time.thread_time() - began - fun.seconds, fun.rows


def rust(options, rows):
    """The Rust driver; the time of its function is measured by evaluating as many points of the same dimension."""
    problem = {"start": np.zeros(options.dim), "regularizer": None, "set": None, "center": None, "project": False}
    names = "method sent iterations seconds target stagnation radius step_weight output".split()
    settings = {
        **{name: None for name in names},
        "preset": "default", "seed": 0, "queries": options.queries, "unlimited": False, "batch": options.batch,
        "noise": "none", "inside": False,
    }
    began = time.thread_time()
    told, _ = _gradless.reference_run(problem, settings, rows, 1)
    between = time.thread_time()
    _gradless.reference_function(options.dim, rows, told["queries"])
    return 2 * between - began - time.thread_time(), told["queries"]


def pycma(options):
    import cma

    fun = Timed()
    settings = {"CMA_diagonal": True, "popsize": options.batch, "verbose": -9, "seed": 1, "maxfevals": options.queries}
    began = time.thread_time()
    es = cma.CMAEvolutionStrategy(options.dim * [0.0], 0.5, settings)
    while fun.rows < options.queries:
        X = es.ask()
        es.tell(X, list(fun(X)))
    return time.thread_time() - began - fun.seconds, fun.rows


def nevergrad(options):
    import nevergrad as ng

    fun = Timed()
    began = time.thread_time()
    optimizer = ng.optimizers.DiagonalCMA(parametrization=options.dim, budget=options.queries, num_workers=options.batch)
    while fun.rows + options.batch <= options.queries:
        asked = [optimizer.ask() for _ in range(options.batch)]
        for candidate, value in zip(asked, fun([candidate.value for candidate in asked])):
            optimizer.tell(candidate, value)
    return time.thread_time() - began - fun.seconds, fun.rows


def pypop7(options):
    from pypop7.optimizers.es.sepcmaes import SEPCMAES

    fun = Timed()
    problem = {
        "fitness_function": lambda x: fun(x[None])[0],
        "ndim_problem": options.dim, "lower_boundary": -np.ones(options.dim), "upper_boundary": np.ones(options.dim),
    }
    settings = {
        "max_function_evaluations": options.queries, "seed_rng": 1, "mean": np.zeros(options.dim), "sigma": 0.5,
        "n_individuals": options.batch, "verbose": False, "saving_fitness": 0,
    }
    began = time.thread_time()
    SEPCMAES(problem, settings).optimize()
    return time.thread_time() - began - fun.seconds, fun.rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dim", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--queries", type=int, default=65_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="", help="names that begin so, with commas between them")
    options = parser.parse_args()
    contestants = [
        ("Rust driver, a row at a time", lambda o: rust(o, 1)),
        ("Rust driver, a batch at a time", lambda o: rust(o, o.batch + 1)),
        ("gradless.minimize", ours),
        ("gradless.Optimizer", ask_tell),
        ("pycma, separable", pycma),
        ("Nevergrad, DiagonalCMA", nevergrad),
        ("PyPop7, SEPCMAES", pypop7),
    ]
    wanted = ("Rust driver, a batch", *options.only.split(",")) if options.only else ("",)
    contestants = [contestant for contestant in contestants if contestant[0].startswith(wanted)]
    found = {name: [] for name, _ in contestants}
    # In turns, so that a slow minute of the machine meets everybody.
    for turn in range(options.repeats):
        for name, run in contestants:
            slow = not name.startswith(("Rust", "gradless"))
            if slow and turn >= 3:
                continue
            try:
                seconds, rows = run(options)
            except ImportError as error:
                found[name] = str(error)
                continue
            found[name].append(1e6 * seconds / rows)
    print(f"d = {options.dim}, m = {options.batch}, {options.queries:,} queries; microseconds per query beside the function\n")
    base = statistics.median(found["Rust driver, a batch at a time"])
    print("| loop | median | least | times the Rust driver |\n|---|---|---|---|")
    for name, values in found.items():
        if isinstance(values, str):
            print(f"| {name} | not run: {values} | | |")
        else:
            median = statistics.median(values)
            print(f"| {name} | {median:.2f} | {min(values):.2f} | {median / base:.2f} |")


if __name__ == "__main__":
    main()
