"""The other optimisers, each as its own documentation starts it. They see F = l + r as one function, and the box."""

import warnings

import numpy as np


# First step over the width of the box: pycma advises 0.2 to 0.3. `--sigma` says otherwise.
SHARE = 0.2


def scale(run):
    """The first step, from the sides that can move."""
    width = run.problem.upper - run.problem.lower
    return run.share * float(np.median(width[width > 0]))


def free(run):
    """The coordinates that can move, and F of them alone: pixels that are fixed are no business of a search."""
    problem = run.problem
    moves = np.flatnonzero(problem.upper > problem.lower)

    def expand(y):
        x = problem.start.copy()
        x[moves] = np.asarray(y, float).ravel()
        return x

    return moves, expand


def cma_diagonal(run, seed):
    """pycma with a diagonal covariance matrix (sep-CMA) and its own handling of bounds."""
    import cma

    problem, (moves, expand) = run.problem, free(run)
    options = {"CMA_diagonal": True, "seed": seed + 1, "verbose": -9, "maxfevals": run.budget,
               "bounds": [problem.lower[moves], problem.upper[moves]]}
    strategy = cma.CMAEvolutionStrategy(problem.start[moves], scale(run), options)
    run.recommend = lambda: expand(strategy.result.xfavorite) if strategy.countiter else None
    while not strategy.stop():
        points = strategy.ask()
        strategy.tell(points, [run(expand(y)) for y in points])
    run.note = "; ".join(sorted(str(reason) for reason in strategy.stop()))


def nevergrad(name):
    def optimise(run, seed):
        import nevergrad as ng

        problem, (moves, expand) = run.problem, free(run)
        array = ng.p.Array(init=problem.start[moves])
        array.set_bounds(problem.lower[moves], problem.upper[moves])
        array.random_state.seed(seed)
        optimiser = ng.optimizers.registry[name](parametrization=array, budget=run.budget)
        run.recommend = lambda: expand(optimiser.provide_recommendation().value)
        while True:
            candidate = optimiser.ask()
            optimiser.tell(candidate, run(expand(candidate.value)))

    return optimise


def pypop7(module, name):
    def optimise(run, seed):
        import importlib

        optimiser = getattr(importlib.import_module(f"pypop7.optimizers.{module}"), name)
        problem, (moves, expand) = run.problem, free(run)
        told = {"fitness_function": lambda y: run(expand(y)), "ndim_problem": len(moves),
                "lower_boundary": problem.lower[moves], "upper_boundary": problem.upper[moves]}
        options = {"max_function_evaluations": run.budget, "seed_rng": seed, "verbose": 0,
                   "mean": problem.start[moves], "sigma": scale(run)}
        optimiser(told, options).optimize()

    return optimise


def scipy(method):
    def optimise(run, seed):
        import scipy.optimize

        problem, (moves, expand) = run.problem, free(run)
        bounds = list(zip(problem.lower[moves], problem.upper[moves]))
        options = {"COBYLA": {"maxiter": run.budget, "rhobeg": scale(run)},
                   "Powell": {"maxfev": run.budget, "maxiter": run.budget},
                   "L-BFGS-B": {"maxfun": run.budget, "maxiter": run.budget}}[method]
        result = scipy.optimize.minimize(lambda y: run(expand(y)), problem.start[moves], method=method, bounds=bounds, options=options)
        run.note = str(result.message)

    return optimise


# Name, largest dimension it is tried in (memory or time per step grow with its square beyond), how it is run.
OPTIMISERS = {
    "cma": [("pycma-diagonal", np.inf, cma_diagonal)],
    "nevergrad": [
        ("nevergrad-OnePlusOne", np.inf, nevergrad("OnePlusOne")),
        ("nevergrad-NGOpt", 10_000, nevergrad("NGOpt")),
        ("nevergrad-DiagonalCMA", np.inf, nevergrad("DiagonalCMA")),
    ],
    "pypop7": [
        ("pypop7-SEPCMAES", np.inf, pypop7("es.sepcmaes", "SEPCMAES")),
        ("pypop7-R1ES", np.inf, pypop7("es.r1es", "R1ES")),
        ("pypop7-SNES", np.inf, pypop7("nes.snes", "SNES")),
    ],
    "scipy": [
        ("scipy-L-BFGS-B", np.inf, scipy("L-BFGS-B")),
        ("scipy-Powell", 1_000, scipy("Powell")),
        ("scipy-COBYLA", 200, scipy("COBYLA")),
    ],
}

warnings.filterwarnings("ignore")
