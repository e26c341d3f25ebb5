"""Numbers as users bring them, checked once, with a sentence that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def numbers(name: str, value: Any) -> Array:
    """``value`` as contiguous float64, without a copy where it is that already."""
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind in "USOVMmT":
        what = "None" if value is None else f"{array.dtype} values"
        hint = ""
        if kind == "O" and value is not None:
            hint = "; convert it with .astype(float), every entry being a number"
        raise TypeError(f"{name} must be numbers, not {what}{hint}")
    if kind == "c":
        raise TypeError(f"{name} must be real, not complex: pass real and imaginary parts as coordinates of their own")
    return settled(array)


def settled(array: Any) -> Array:
    """As float64 in rows at even addresses: what comes over a wire may lie anywhere. No copy where it is that already."""
    return np.require(array, np.float64, ["C", "A"])


def per_coordinate(name: str, value: Any, dim: int | None = None) -> float | Array:
    """One number for all coordinates, or a flat array with one for each."""
    array = numbers(name, value)
    if array.ndim == 0:
        return float(array)
    if dim is not None and array.size != dim:
        raise ValueError(f"{name} has {array.size} entries, {dim} are needed (or a single number for all)")
    return array.reshape(-1)


def count(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is at least ``least``."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a whole number, not a truth value")
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    if not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < least:
        raise ValueError(f"{name} is {value}: it must be at least {least}")
    return int(value)


def real(name: str, value: Any) -> float:
    """A single number."""
    array = numbers(name, value)
    if array.size != 1:
        raise ValueError(f"{name} must be a single number, not an array of shape {array.shape}")
    return float(array.reshape(()))


def not_negative(name: str, value: Any) -> float:
    """A single number that is not below 0."""
    number = real(name, value)
    if not number >= 0:
        raise ValueError(f"{name} is {number}: it must not be negative")
    return number


def seed_of(rng: Any) -> int:
    """The seed a run works with: an int as it is, one drawn from a generator."""
    if rng is None:
        return int(np.random.default_rng().integers(2**63))
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    seed = count("rng", rng)
    if seed >= 2**64:
        raise ValueError("rng must be below 2**64")
    return seed
