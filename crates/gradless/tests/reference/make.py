"""Writes trajectories.json: iterates of the paper's authors' own update rules on a small stochastic quadratic.

Run inside a checkout of the authors' repository (github VergiliusShao/highdimzo), with numpy and scipy:
    PYTHONPATH=. python make.py > trajectories.json
The gradient at x under sample t (t = 0, 1, ...) is (1 + 0.3 sin t) * c * (x - b).
Every Lambert argument stays below 15, where their approximation is sound. The stored file was made with a line-by-line
transcription of their five update rules under the same class names, read from that repository.
"""
import json

import numpy as np
from solvers.zo.ada_exp_grad_p import AdaExpGradP
from solvers.zo.ada_exp_grad_vr import ExpVR
from solvers.zo.ada_pgd_vr import PGDVR
from solvers.zo.ao_exp_grad import AOExpGrad
from solvers.zo.pgd import PGD

C = np.array([[3.0, 1.0, 0.5, 2.0, 0.1]])
B = np.array([[0.6, -0.4, 0.05, -0.9, 0.3]])
LOWER = np.array([[-0.5, -0.3, -1.0, -0.7, 0.0]])
UPPER = np.array([[0.5, 1.0, 1.0, 0.8, 0.2]])
START = np.array([[0.1, 0.0, -0.2, 0.3, 0.05]])
STEPS = 12


class Gradient:
    """Gradients under a sample that advances with every estimate; both points of an estimate share it."""

    def __init__(self, pair):
        self.pair, self.t = pair, -1

    def __call__(self, x, y=None):
        self.t += 1
        scale = 1 + 0.3 * np.sin(self.t)
        here = scale * C * (x - B)
        if not self.pair:
            return here
        return here, None if y is None else scale * C * (y - B)


def run(make, pair):
    solver = make(dict(func=None, func_p=Gradient(pair), x0=START, lower=LOWER, upper=UPPER, l1=0.05, l2=0.1))
    return [np.array(solver.update()).flatten().tolist() for _ in range(STEPS)]


print(json.dumps({
    "fo-ada-exp-grad+": run(lambda a: AdaExpGradP(**a), False),
    "fo-exp-storm": run(lambda a: ExpVR(**a, batch=2.0), True),
    "acc-zom": run(lambda a: PGDVR(**a, p=0.5), True),
    "ao-exp-grad": run(lambda a: AOExpGrad(**a), False),
    "psgd": run(lambda a: PGD(**a, eta=0.4), False),
}, indent=1))
