"""gradless: minimises what can only be queried, and explains what can only be queried.

>>> import numpy as np, gradless
>>> res = gradless.minimize(lambda X: ((X - 0.3) ** 2).sum(axis=1), np.zeros(10))
>>> bool(res.fun < 0.01)
True
"""

from __future__ import annotations

from . import losses
from ._attack import Attack, attack, attack_many
from ._explain import explain, explain_many
from ._explanation import Explanation, Explanations
from ._gradless import __version__
from ._live import Forming
from ._methods import Method, methods
from ._minimize import Progress, minimize
from ._optimizer import Optimizer
from ._pictures import Regions
from ._predict import Model, load_model
from ._regularizers import L1, L2, ElasticNet, GroupL2, Regularizer
from ._result import OptimizeResult
from ._scipy import scipy_method
from ._sets import Box, L1Ball, L2Ball, Set, Simplex
from ._texts import Mask, Words
from ._workers import RayExecutor

__all__ = [
    "L1",
    "L2",
    "Attack",
    "Box",
    "ElasticNet",
    "Explanation",
    "Explanations",
    "Forming",
    "GroupL2",
    "L1Ball",
    "L2Ball",
    "Mask",
    "Method",
    "Model",
    "OptimizeResult",
    "Optimizer",
    "Progress",
    "RayExecutor",
    "Regions",
    "Regularizer",
    "Set",
    "Simplex",
    "Words",
    "__version__",
    "attack",
    "attack_many",
    "explain",
    "explain_many",
    "load_model",
    "losses",
    "methods",
    "minimize",
    "scipy_method",
]
