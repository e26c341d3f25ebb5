"""The user's function as something that answers batches: vectorized or scalar, with samples or without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array, settled


@dataclass(frozen=True)
class Task:
    """One call of the black box on some rows. It travels to worker processes, so it holds nothing but the function."""

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    vectorized: bool
    pass_samples: bool
    name: str = "fun"

    def __call__(self, points: Any, samples: Any) -> Array:
        """The values of the rows, in their order."""
        if not self.vectorized:
            return np.array([self._one(row, sample) for row, sample in zip(points, samples)], dtype=np.float64)
        extra = (samples, *self.args) if self.pass_samples else self.args
        return checked(self.fun(points, *extra), len(points), self.name)

    def _one(self, point: Any, sample: Any) -> float:
        extra = (int(sample), *self.args) if self.pass_samples else self.args
        value = self.fun(point, *extra)
        if isinstance(value, float):
            return value
        array = _numbers(value, self.name)
        if array.size != 1:
            raise ValueError(
                f"{self.name} returned an array of shape {array.shape} for one point: with vectorized=False it must return "
                "a single number"
            )
        return float(array.reshape(()))


@dataclass(frozen=True)
class GradientTask:
    """One call of the user's gradient on some rows."""

    jac: Callable[..., Any]
    args: tuple[Any, ...]
    vectorized: bool
    pass_samples: bool

    def __call__(self, points: Any, samples: Any) -> Array:
        """The gradients of the rows, as float64."""
        if self.vectorized:
            extra = (samples, *self.args) if self.pass_samples else self.args
            array = _numbers(self.jac(points, *extra), "jac")
        else:
            extras = ((int(s), *self.args) if self.pass_samples else self.args for s in samples)
            array = _numbers([self.jac(row, *extra) for row, extra in zip(points, extras)], "jac")
        if array.shape != points.shape:
            raise ValueError(f"jac returned an array of shape {array.shape} for points of shape {points.shape}")
        return settled(array)


def checked(values: Any, rows: int, name: str) -> Array:
    """One float64 per row, or an exception that says what came instead."""
    array = _numbers(values, name)
    if array.shape != (rows,):
        if array.shape != (rows, 1):
            hint = ""
            if array.size == 1 and rows != 1:
                hint = "; a function of one point needs vectorized=False"
            raise ValueError(
                f"{name} returned an array of shape {array.shape} for {rows} points: one number per point, shape ({rows},), "
                f"is needed{hint}"
            )
        array = array.reshape(rows)
    return settled(array)


def _numbers(values: Any, name: str) -> Any:
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind in "fiub":
        return array
    if values is None:
        raise TypeError(f"{name} returned None: it must return numbers (is a `return` missing?)")
    if kind == "c":
        raise TypeError(f"{name} returned complex numbers: real ones are needed")
    raise TypeError(f"{name} returned {array.dtype} values: numbers are needed (float64 or float32)")
