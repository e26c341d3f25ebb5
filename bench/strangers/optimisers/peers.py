"""The optimisers, each as its own documentation starts it. All see F = l + r as one function, but gradless, which may be told r."""

import warnings

import numpy as np

from grace import grace

warnings.filterwarnings("ignore")


def gradless(method="auto"):
    def optimise(run, seed):
        import gradless

        weight = run.problem.l1
        told = {"bounds": (run.lower, run.upper)} if run.problem.bounded else {}
        if weight:
            told["regularizer"] = gradless.L1(weight)
        black_box = lambda points: [run.loss(point) for point in points]
        # The start has been asked already.
        result = gradless.minimize(black_box, run.start, method=method, maxfev=run.budget - 1, rng=seed, project=True, **told)
        run.note = result.message if result.nfev < run.budget - 30 else ""

    return optimise


def pycma(kind):
    def optimise(run, seed):
        import cma

        options = cma.CMAOptions()
        options.update({"seed": seed + 1, "verbose": -9, "maxfevals": run.budget, "CMA_diagonal": kind == "diagonal"})
        if run.problem.bounded:
            options["bounds"] = [run.lower, run.upper]
        if kind == "limited":
            from cma.restricted_gaussian_sampler import GaussVkDSampler

            options = GaussVkDSampler.extend_cma_options(options)
        begin = run.start
        while True:
            strategy = cma.CMAEvolutionStrategy(begin, run.problem.scale, options)
            while not strategy.stop():
                points = strategy.ask()
                strategy.tell(points, [run(y) for y in points])
            options["seed"] += 1000

    return optimise


def nevergrad(run, seed):
    import nevergrad as ng

    array = ng.p.Array(init=run.start)
    if run.problem.bounded:
        array.set_bounds(run.lower, run.upper)
    array.random_state.seed(seed)
    optimiser = ng.optimizers.registry["NGOpt"](parametrization=array, budget=run.budget)
    while True:
        candidate = optimiser.ask()
        optimiser.tell(candidate, run(candidate.value))


def pypop7(run, seed):
    from pypop7.optimizers.es.lmmaes import LMMAES

    scale = run.problem.scale
    lower, upper = (np.where(np.isfinite(side), side, run.start + far) for side, far in ((run.lower, -5 * scale), (run.upper, 5 * scale)))
    told = {"fitness_function": run, "ndim_problem": run.dim, "lower_boundary": lower, "upper_boundary": upper}
    options = {"max_function_evaluations": run.budget, "seed_rng": seed, "verbose": 0, "mean": run.start, "sigma": scale}
    LMMAES(told, options).optimize()


def scipy(method):
    def optimise(run, seed):
        import scipy.optimize

        bounds = list(zip(run.lower, run.upper)) if run.problem.bounded else None
        options = {"COBYQA": {"maxfev": run.budget, "maxiter": run.budget, "initial_tr_radius": run.problem.scale},
                   "Powell": {"maxfev": run.budget, "maxiter": run.budget},
                   "L-BFGS-B": {"maxfun": 10 * run.budget, "maxiter": run.budget}}[method]
        result = scipy.optimize.minimize(run, run.start, method=method, bounds=bounds, options=options)
        run.note = str(result.message)[:60]

    return optimise


def dfols(run, seed):
    import dfols

    np.random.seed(seed)
    bounds = (run.lower, run.upper) if run.problem.bounded else None
    # The growing form of its authors where there are many variables: a model of few directions first.
    few = min(run.dim, 100)
    result = dfols.solve(run.residuals, run.start, bounds=bounds, maxfun=run.budget, rhobeg=run.problem.scale, do_logging=False,
                         user_params={"growing.ndirs_initial": few} if few < run.dim else None)
    run.note = str(result.msg)[:60]


class Peer:
    """`largest` is the dimension up to which it is tried; `drawn` whether it throws dice; `takes` which problems it can be given; `plans` whether
    it spends its budget otherwise where that is another; `usual` whether it runs unless somebody names the methods."""

    def __init__(self, name, optimise, *, largest=np.inf, drawn=True, takes=lambda problem: True, plans=False, usual=True):
        self.name, self.optimise, self.largest, self.drawn = name, optimise, largest, drawn
        self.takes, self.plans, self.usual = takes, plans, usual


PEERS = [
    Peer("gradless-auto", gradless()),
    Peer("pycma", pycma("full"), largest=160),
    Peer("pycma-diagonal", pycma("diagonal")),
    Peer("pycma-limited", pycma("limited"), usual=False),
    Peer("nevergrad-NGOpt", nevergrad, plans=True),
    Peer("pypop7-LMMAES", pypop7, usual=False),
    Peer("scipy-L-BFGS-B", scipy("L-BFGS-B"), drawn=False),
    Peer("scipy-Powell", scipy("Powell"), largest=20_000, drawn=False),
    Peer("scipy-COBYQA", scipy("COBYQA"), largest=120, drawn=False),
    Peer("dfo-ls", dfols, largest=1_000, drawn=False, takes=lambda problem: problem.residuals is not None),
    Peer("grace", grace, takes=lambda problem: problem.sparse and problem.expect is not None),
]
