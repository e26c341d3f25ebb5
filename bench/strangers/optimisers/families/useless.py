"""Nevergrad's artificial functions of ten variables beside 10,000 that do nothing (Rapin & Teytaud 2018)."""

import numpy as np

from problem import Entry, Problem

USEFUL, USELESS = 10, 10_000
# Plain and, where that makes another function of it, rotated.
NAMES = [("sphere", False), ("ellipsoid", True), ("cigar", True), ("rosenbrock", False), ("rastrigin", False), ("griewank", False),
         ("ackley", False), ("bentcigar", False), ("discus", True), ("schwefel_1_2", False), ("hm", False), ("lunacek", False),
         ("doublelinearslope", False), ("stepellipsoid", False)]


def function(name, rotation, seed):
    from nevergrad.functions import ArtificialFunction

    made = ArtificialFunction(name, block_dimension=USEFUL, useless_variables=USELESS, rotation=rotation)
    made.parametrization.random_state.seed(seed)
    made.transform_var.random_state = made.parametrization.random_state
    # Its translation and the places of the variables are drawn at the first call.
    made(np.zeros(USEFUL + USELESS))
    return made


def entries():
    def entry(name, rotation):
        def make(seed):
            black_box = function(name, rotation, seed)
            return Problem("useless", f"useless-{name}", lambda x: float(black_box(x)), np.zeros(USEFUL + USELESS), sparse=True,
                           expect=USEFUL)

        return Entry("useless", f"useless-{name}", make, drawn=True)

    return [entry(name, rotation) for name, rotation in NAMES]
