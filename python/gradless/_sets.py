"""Where the answer may lie: ``K``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import numbers, per_coordinate, real

Region = tuple[str, "float | None", Any, Any]


class Set:
    """Base of the sets: :class:`Box`, :class:`L1Ball`, :class:`L2Ball`, :class:`Simplex`."""

    def _parts(self, dim: int) -> Region:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Box(Set):
    """``lower <= x <= upper``; each side is one number or one for each coordinate, infinities allowed.

    >>> import gradless
    >>> res = gradless.minimize(lambda X: ((X - 2) ** 2).sum(axis=1), [0.5, 0.5], bounds=gradless.Box(0, 1), maxfev=500)
    >>> bool(abs(res.x - 1).max() < 1e-6)
    True
    """

    lower: Any = -np.inf
    upper: Any = np.inf

    def _parts(self, dim: int) -> Region:
        return ("box", None, *_sides(self.lower, self.upper, dim))


@dataclass(frozen=True, eq=False)
class L1Ball(Set):
    """``sum |x| <= radius``, within bounds if there are any."""

    radius: float
    lower: Any = None
    upper: Any = None

    def _parts(self, dim: int) -> Region:
        radius = real("radius", self.radius)
        if self.lower is None and self.upper is None:
            return ("l1_ball", radius, None, None)
        lower = -np.inf if self.lower is None else self.lower
        upper = np.inf if self.upper is None else self.upper
        return ("l1_ball", radius, *_sides(lower, upper, dim))


@dataclass(frozen=True, eq=False)
class L2Ball(Set):
    """``sqrt(sum x**2) <= radius``."""

    radius: float

    def _parts(self, dim: int) -> Region:
        return ("l2_ball", real("radius", self.radius), None, None)


@dataclass(frozen=True, eq=False)
class Simplex(Set):
    """``x >= 0`` and ``sum x == total``."""

    total: float = 1.0

    def _parts(self, dim: int) -> Region:
        return ("simplex", real("total", self.total), None, None)


def _sides(lower: Any, upper: Any, dim: int) -> tuple[Any, Any]:
    return per_coordinate("lower bound", lower, dim), per_coordinate("upper bound", upper, dim)


def resolve(bounds: Any, dim: int) -> Region | None:
    """What the compiled half is told: a set, SciPy's ``Bounds``, ``(lower, upper)``, or SciPy's list of pairs."""
    if bounds is None:
        return None
    if isinstance(bounds, Set):
        return bounds._parts(dim)
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        # SciPy keeps one number for all as an array with one entry.
        lower, upper = (np.reshape(side, ()) if np.size(side) == 1 else side for side in (bounds.lb, bounds.ub))
        return Box(lower, upper)._parts(dim)
    if isinstance(bounds, tuple) and len(bounds) == 2:
        if dim == 2 and all(np.ndim(side) == 1 for side in bounds) and not np.array_equal(*np.asarray(bounds).T):
            raise ValueError(
                "two pairs for two coordinates can be read both ways: pass gradless.Box(lower, upper), or a list of "
                "(lower, upper) pairs"
            )
        lower, upper = bounds
        return Box(-np.inf if lower is None else lower, np.inf if upper is None else upper)._parts(dim)
    if isinstance(bounds, (list, np.ndarray)):
        return _pairs(bounds, dim)
    raise TypeError(
        f"bounds must be (lower, upper), a list of pairs, or a set such as gradless.Box, not {type(bounds).__name__}"
    )


def _pairs(bounds: Any, dim: int) -> Region:
    if len(bounds) != dim or any(np.ndim(pair) != 1 or len(pair) != 2 for pair in bounds):
        raise ValueError(
            f"a list of bounds has one (lower, upper) pair per coordinate, {dim} of them; the same bounds for all "
            "are a tuple (lower, upper)"
        )
    lower = [-np.inf if pair[0] is None else pair[0] for pair in bounds]
    upper = [np.inf if pair[1] is None else pair[1] for pair in bounds]
    return Box(numbers("lower bound", lower), numbers("upper bound", upper))._parts(dim)
