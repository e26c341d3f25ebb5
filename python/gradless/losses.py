"""Losses of a classifier's scores, and the way from there to a function for :func:`gradless.minimize`.

A sparse adversarial example is a minimisation: the smallest change under which another class wins.

>>> import numpy as np, gradless
>>> def predict(X):
...     s = X[:, :3].sum(axis=1) - 1
...     return np.stack([-s, s], axis=1)
>>> x = np.full(10, 0.6)
>>> fun = gradless.losses.Scored(predict, gradless.losses.Untargeted(1, kappa=0.1), around=x)
>>> res = gradless.minimize(fun, np.zeros(10), regularizer=gradless.L1(0.1), bounds=(0 - x, 1 - x))
>>> int(predict((x + res.x)[None]).argmax()), bool(abs(res.x[3:]).max() < 0.1)
(0, True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array


@dataclass(frozen=True)
class Untargeted:
    """0 where another class leads ``label`` by ``kappa``; else by how much that is missed."""

    label: int
    kappa: float = 0.0

    def __call__(self, scores: Array) -> Array:
        return np.maximum(0.0, self.kappa - _lead(scores, self.label, wins=False))


@dataclass(frozen=True)
class Targeted:
    """0 where ``target`` leads every other class by ``kappa``; else by how much that is missed."""

    target: int
    kappa: float = 0.0

    def __call__(self, scores: Array) -> Array:
        return np.maximum(0.0, self.kappa - _lead(scores, self.target, wins=True))


@dataclass(frozen=True)
class CrossEntropy:
    """Minus the logarithm of the probability of a class, the scores being logits; its negative with ``away=True``."""

    label: int
    away: bool = False

    def __call__(self, scores: Array) -> Array:
        shifted = scores - scores.max(axis=1, keepdims=True)
        loss: Array = np.log(np.exp(shifted).sum(axis=1)) - shifted[:, self.label]
        return -loss if self.away else loss


def _lead(scores: Array, label: int, wins: bool) -> Array:
    lead: Array = scores[:, label] - np.delete(scores, label, axis=1).max(axis=1)
    return lead if wins else -lead


@dataclass(frozen=True)
class Scored:
    """``loss(predict(around + X))``: a classifier as a black box for :func:`gradless.minimize`. It can be pickled."""

    predict: Callable[..., Any]
    loss: Callable[[Array], Any]
    around: Any = None

    def __call__(self, X: Any) -> Array:
        inputs = X if self.around is None else self.around + X
        scores = np.asarray(self.predict(inputs), dtype=np.float64)
        if scores.ndim != 2 or len(scores) != len(X):
            raise ValueError(f"predict returned an array of shape {scores.shape} for {len(X)} inputs: shape ({len(X)}, classes) is needed")
        return np.asarray(self.loss(scores), dtype=np.float64)
