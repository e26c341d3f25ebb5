"""What is known and convex: ``r`` in ``l(x) + r(x)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array, numbers, per_coordinate

Weight = float | Sequence[float] | Array


class Regularizer:
    """Base of the regularizers: :class:`L1`, :class:`L2`, :class:`ElasticNet`, :class:`GroupL2`."""

    def _parts(self, dim: int) -> tuple[Any, ...]:
        raise NotImplementedError

    def __call__(self, x: Any) -> float:
        """The penalty of a point."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ElasticNet(Regularizer):
    """``sum l1 |x| + l2/2 x**2``; each weight is one number or one for each coordinate.

    >>> ElasticNet(0.1, 0.2)([3.0, -4.0])
    3.2
    """

    l1: Weight = 0.0
    l2: Weight = 0.0

    def _parts(self, dim: int) -> tuple[Any, ...]:
        return ("elastic_net", per_coordinate("l1", self.l1, dim), per_coordinate("l2", self.l2, dim))

    def __call__(self, x: Any) -> float:
        x = numbers("x", x).reshape(-1)
        _, l1, l2 = self._parts(x.size)
        return float(np.sum(l1 * np.abs(x) + 0.5 * l2 * x * x))


class L1(ElasticNet):
    """``weight * sum |x|``: most coordinates of the answer are exactly 0.

    >>> L1(0.5)([1.0, -3.0])
    2.0
    """

    def __init__(self, weight: Weight) -> None:
        super().__init__(weight, 0.0)


class L2(ElasticNet):
    """``weight/2 * sum x**2``: the answer stays small.

    >>> L2(2.0)([1.0, -3.0])
    10.0
    """

    def __init__(self, weight: Weight) -> None:
        super().__init__(0.0, weight)


@dataclass(frozen=True, eq=False)
class GroupL2(Regularizer):
    """The group lasso ``sum_g weight_g ||x_g||_2``: whole groups are 0 together.

    ``groups[i]`` is the group of coordinate ``i``, numbered from 0 without gaps; ``weight`` is one number or one per group.

    >>> GroupL2(2.0, [0, 0, 1])([3.0, 4.0, 1.0])
    12.0
    """

    weight: Weight
    groups: Sequence[int] | Any

    def _parts(self, dim: int) -> tuple[Any, ...]:
        groups = np.asarray(self.groups)
        if groups.dtype.kind not in "iu":
            raise TypeError("groups must be whole numbers: the group of each coordinate")
        if groups.size != dim:
            raise ValueError(f"groups has {groups.size} entries for {dim} coordinates")
        if groups.size and groups.min() < 0:
            raise ValueError("groups are numbered from 0")
        return ("group_l2", per_coordinate("weight", self.weight), groups.reshape(-1).tolist())

    def __call__(self, x: Any) -> float:
        x = numbers("x", x).reshape(-1)
        _, weight, groups = self._parts(x.size)
        squares = np.bincount(groups, weights=x * x)
        return float(np.sum(weight * np.sqrt(squares)))


def resolve(regularizer: Any, dim: int) -> tuple[Any, ...] | None:
    """What the compiled half is told."""
    if regularizer is None:
        return None
    if isinstance(regularizer, Regularizer):
        return regularizer._parts(dim)
    raise TypeError(
        f"regularizer must be one of gradless.L1, L2, ElasticNet, GroupL2, not {type(regularizer).__name__}; "
        "what else is to be minimised belongs into fun"
    )
