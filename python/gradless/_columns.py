"""Columns of an input as users name them: by index, by name, by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import numbers

#: A column as Rust takes it: what it is, and where its numbers stand.
Column = tuple[str, list[int]]


def columns_of(dim: int, groups: Sequence[list[int]], whole: Sequence[int]) -> list[Column]:
    """Every column of a table: first the numbers, then the categories."""
    grouped = {column for group in groups for column in group}
    plain: list[Column] = [("whole" if i in whole else "number", [i]) for i in range(dim) if i not in grouped]
    return [*plain, *(("one-hot", group) for group in groups)]


def groups_of(value: Any, dim: int, names: Sequence[str] | None) -> list[list[int]]:
    """Groups of columns, by index or by name."""
    groups = []
    for group in [] if value is None else value:
        if isinstance(group, (str, int)):
            raise TypeError("categorical must be a list of groups, each a list of columns: [[3, 4, 5], ['red', 'blue']]")
        columns = [column_of(column, dim, names) for column in group]
        if len(columns) < 2:
            raise ValueError(f"the group {list(group)} has one column: a category needs at least two")
        groups.append(columns)
    return groups


def column_of(column: Any, dim: int, names: Sequence[str] | None) -> int:
    """The index of a column that is given by index or by name."""
    if isinstance(column, str):
        if names is None or column not in names:
            raise ValueError(f"there is no feature '{column}'" + ("" if names else ": pass feature_names"))
        return list(names).index(column)
    if isinstance(column, (bool, np.bool_)) or not isinstance(column, (int, np.integer)):
        raise TypeError(f"a column is an index or a name, not {column!r}")
    if not -dim <= column < dim:
        raise ValueError(f"there is no column {column}: x has {dim}")
    return int(column) % dim


def mask_of(value: Any, dim: int, shape: tuple[int, ...], names: Sequence[str] | None) -> Any:
    """Which places are meant: a mask of the input's shape, or a list of columns."""
    if value is None:
        return np.zeros(dim, dtype=bool)
    if not isinstance(value, (list, tuple, set, frozenset)):
        array = np.asarray(value)
        if array.shape == shape and array.dtype.kind in "b":
            return array.reshape(-1)
        if array.shape == shape and len(shape) > 1:
            return numbers("freeze", array).reshape(-1) > 0
    mask = np.zeros(dim, dtype=bool)
    for column in np.asarray(value).tolist() if isinstance(value, np.ndarray) else value:
        mask[column_of(column, dim, names)] = True
    return mask
