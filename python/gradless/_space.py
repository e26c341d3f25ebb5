"""Inputs whose features have units and categories, and the plain space a search works in.

A search moves numbers; a category is one of several columns that hold a single 1. So the search is given other coordinates:
every number as a share of its bounds, and for every category one switch that is on above one half. What the model is shown
is always decoded first: exactly one 1 per group, whatever the switches say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Array, numbers

ON = 0.5


class Space:
    """The way from an input's features to a search's coordinates and back, for one question about one input."""

    def __init__(
        self,
        mode: str,
        input: Array,
        lower: Array,
        upper: Array,
        background: Array,
        frozen: Any,
        groups: Sequence[Sequence[int]],
        integers: Any,
    ) -> None:
        self.input, self.lower, self.upper, self.background = input, lower, upper, background
        self.integers = integers
        grouped = np.zeros(input.size, dtype=bool)
        for group in groups:
            grouped[list(group)] = True
        #: Columns that are numbers, and the width of what each may be.
        self.plain = np.flatnonzero(~grouped)
        self.width = np.where(upper > lower, upper - lower, 1.0)[self.plain]
        #: One switch each: the group and the column it turns on.
        self.switches: list[tuple[int, int]] = []
        self.groups = [list(group) for group in groups]
        self.standing: list[int] = []
        frozen_switches: list[bool] = []
        for number, group in enumerate(self.groups):
            own = group[int(np.argmax(input[group]))]
            base = group[int(np.argmax(background[group]))]
            # A part keeps the category or falls back to that of the background; a change turns another one on.
            self.standing.append(base if mode == "pp" else own)
            choices = [own] if mode == "pp" else [column for column in group if column != own]
            for column in choices:
                self.switches.append((number, column))
                frozen_switches.append(bool(frozen[group].any()) or (mode == "pp" and own == base))
        self.frozen = np.concatenate([frozen[self.plain], np.array(frozen_switches, dtype=bool)])
        shares = (input[self.plain] - lower[self.plain]) / self.width
        absent = (background[self.plain] - lower[self.plain]) / self.width
        on = 1.0 if mode == "pp" else 0.0
        count = len(self.switches)
        self.start = np.concatenate([shares, np.full(count, on)])
        self.absent = np.concatenate([absent, np.zeros(count)])
        bounded = upper[self.plain] > lower[self.plain]
        self.low = np.zeros(self.start.size)
        self.high = np.concatenate([np.where(bounded, 1.0, 0.0), np.ones(count)])
        # Where a category is frozen or the same as the background's, its switch stays where it is.
        if mode == "pp":
            same = np.array(frozen_switches, dtype=bool)
            self.absent[len(self.plain) :][same] = 1.0

    def decode(self, coordinates: Array) -> Array:
        """Features as the model takes them, one row per row: exactly one 1 in each group."""
        rows = coordinates.reshape(-1, self.start.size)
        features = np.repeat(self.input[None], len(rows), axis=0)
        count = len(self.plain)
        shares, own, absent = rows[:, :count], self.start[:count], self.absent[:count]
        # What has not moved is the input itself to the last digit, and so is the background.
        features[:, self.plain] = np.select(
            [shares == own, shares == absent],
            [self.input[self.plain], self.background[self.plain]],
            self.lower[self.plain] + shares * self.width,
        )
        if self.integers is not None:
            whole = self.integers
            same = features[:, whole] == self.input[whole]
            features[:, whole] = np.where(same, self.input[whole], np.rint(features[:, whole]))
        if self.groups:
            self._decode_groups(rows[:, len(self.plain) :], features)
        return features

    def _decode_groups(self, switches: Array, features: Array) -> None:
        strongest = np.full((len(features), len(self.groups)), ON)
        chosen = np.repeat(np.array(self.standing)[None], len(features), axis=0)
        for index, (number, column) in enumerate(self.switches):
            stronger = switches[:, index] > strongest[:, number]
            strongest[stronger, number] = switches[stronger, index]
            chosen[stronger, number] = column
        for number, group in enumerate(self.groups):
            features[:, group] = 0.0
            features[np.arange(len(features)), chosen[:, number]] = 1.0


def groups_of(value: Any, dim: int, names: Sequence[str] | None, input: Array) -> list[list[int]]:
    """Groups of columns, by index or by name, each of them holding a single 1 in the input."""
    groups = []
    for group in [] if value is None else value:
        if isinstance(group, (str, int)):
            raise TypeError("categorical must be a list of groups, each a list of columns: [[3, 4, 5], ['red', 'blue']]")
        columns = [column_of(column, dim, names) for column in group]
        if len(columns) < 2:
            raise ValueError(f"the group {list(group)} has one column: a category needs at least two")
        if sorted(input[columns].tolist()) != [0.0] * (len(columns) - 1) + [1.0]:
            raise ValueError(f"the columns {list(group)} of x hold {input[columns].tolist()}: a category is a single 1 among 0s")
        groups.append(columns)
    flat = [column for group in groups for column in group]
    if len(set(flat)) != len(flat):
        raise ValueError("a column is in two groups of categorical")
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
