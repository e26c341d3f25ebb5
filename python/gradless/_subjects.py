"""What is explained: numbers and pictures, rows of tables, texts, and what has switches of its own.

A subject knows its numbers, what is said of them, and how rows of numbers become inputs of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, numbers, per_coordinate, real, settled
from ._columns import column_of, columns_of, groups_of, mask_of
from ._frames import Frame, is_frame
from ._pictures import Picture, Regions, background_of, is_image, is_photograph, picture_of
from ._predict import Model
from ._texts import Mask, Masked, SparseRow, Words, cut, is_sparse

#: Rows of the table that are taken, at most, evenly from all.
MOST_ROWS = 5_000


@dataclass
class TableOptions:
    """What may be said of the columns of a table."""

    bounds: Any = None
    absent: Any = None
    freeze: Any = None
    categorical: Sequence[Sequence[Any]] | None = None
    integers: Sequence[Any] | None = None
    ranges: Any = None
    increase: Any = None
    decrease: Any = None
    rules: Any = None
    cost: Any = "range"
    plausible: str = "prefer"

    def names_a_table(self) -> bool:
        """Whether anything is said that only tables have."""
        given = (self.categorical, self.integers, self.ranges, self.increase, self.decrease, self.rules)
        return any(one is not None for one in given)


@dataclass
class Subject:
    """The numbers of an input, and what is said of them."""

    input: Array
    shape: tuple[int, ...]
    lower: Any
    upper: Any
    absent: Any
    frozen: list[bool]
    names: list[str] | None = None
    table: dict[str, Any] | None = None
    switches: tuple[str, list[int]] | None = None
    #: Rows of numbers as inputs of the model; reshaped unless given.
    decode: Callable[[Array], Any] | None = None
    frame: Frame | None = None
    text: _gradless.Text | None = None
    range: tuple[float, float] = field(default=(0.0, 1.0))
    #: How a picture is cut up, and what its background is called.
    regions: dict[str, Any] | None = None
    picture: Picture | None = None


def subject_of(
    x: Any,
    data: Any,
    features: Any,
    names: Sequence[str] | None,
    onnx: Model | None,
    given: TableOptions,
    resize: str | None = None,
    by_regions: bool = False,
) -> Subject:
    """What is to be explained, whatever the user has; photographs are cut into regions if that is meant where nothing is said."""
    if isinstance(features, str) and features not in ("pixels", "regions"):
        raise ValueError(f"features is {features!r}: 'pixels', 'regions', gradless.Regions, gradless.Words or gradless.Mask is needed")
    meant = features is None and by_regions and names is None and data is None and not given.names_a_table()
    if isinstance(features, Regions) or features == "regions" or (meant and is_photograph(x, onnx)):
        return _regions(x, features if isinstance(features, Regions) else Regions(), onnx, given, resize)
    if is_image(x):
        x = picture_of(x, onnx, resize).input
    elif resize is not None:
        raise TypeError("resize is for images of PIL: arrays must have the model's size")
    if features == "pixels":
        features = None
    if isinstance(features, Mask):
        return _switches("switches", [0] * features.n, features.names, Masked(features.apply), given.freeze)
    if isinstance(features, Words) or isinstance(x, str):
        if not isinstance(x, str):
            raise TypeError(f"features are words, x is {type(x).__name__}: a text is needed")
        text = cut(x, features if isinstance(features, Words) else Words())
        alternatives = [len(candidates) for candidates in text.candidates]
        found = _switches("words", alternatives, text.names, text.decode, given.freeze)
        found.text = text
        return found
    if features is not None:
        raise TypeError(f"features is {type(features).__name__}: gradless.Regions, gradless.Words or gradless.Mask is needed")
    if is_sparse(x):
        row = SparseRow(x)
        shown = [str(names[i]) if names is not None else f"column {i}" for i in row.places]
        return _switches("switches", [0] * len(shown), shown, row, given.freeze)
    if is_frame(x):
        return _frame(Frame(x, data), given)
    return _array(x, data, names, onnx, given)


def _regions(x: Any, regions: Regions, onnx: Model | None, given: TableOptions, resize: str | None) -> Subject:
    picture = picture_of(x, onnx, resize)
    shape, dim = picture.input.shape, picture.input.size
    lower, upper = _bounds(given.bounds, None, onnx, dim) if given.bounds is not None or picture.range is None else picture.range
    if not (isinstance(lower, float) and isinstance(upper, float) and lower < upper):
        raise ValueError("bounds of a picture are two numbers: what is black, and what is white")
    partition, labels = regions.partition(shape)
    word, absent = background_of(given.absent, picture)
    freeze = given.freeze
    if freeze is not None and np.asarray(freeze).shape == shape[1:]:
        # One mask for all channels.
        freeze = np.broadcast_to(np.asarray(freeze, dtype=bool), shape)
    frozen = mask_of(freeze, dim, shape, None).tolist()
    # What Rust runs takes the numbers as they are.
    decode = picture.decode if onnx is None else None
    return Subject(
        picture.input.reshape(-1), shape, lower, upper, absent, frozen, decode=decode, range=(lower, upper),
        regions={"partition": partition, "labels": labels, "background": word}, picture=picture,
    )  # fmt: skip


def _switches(kind: str, alternatives: list[int], names: list[str] | None, decode: Callable[[Array], Any], freeze: Any) -> Subject:
    dim = len(alternatives)
    frozen = mask_of(freeze, dim, (dim,), names).tolist()
    return Subject(np.ones(dim), (dim,), 0.0, 1.0, None, frozen, names=names, switches=(kind, alternatives), decode=decode)


def _frame(frame: Frame, given: TableOptions) -> Subject:
    if given.bounds is not None:
        raise TypeError("bounds are for arrays: say ranges={'income': (0, 5000)} for columns of a table")
    if frame.rows is None and given.ranges is None:
        raise ValueError("data is needed: rows like x, such as data=df, which tell what values its columns may take")
    names, columns = frame.names, frame.columns
    groups = groups_of(given.categorical, len(names), names)
    grouped = {place for group in groups for place in group}
    kinds = []
    whole = [column_of(column, len(names), names) for column in given.integers or ()]
    for i, column in enumerate(columns):
        kind, levels = column.kind
        if i not in grouped:
            kinds.append((kind, [i, levels]) if kind == "category" else ("whole" if i in whole else "number", [i]))
    kinds += [("one-hot", group) for group in groups]
    lower = np.array([column.lower for column in columns])
    upper = np.array([column.upper for column in columns])
    typical = np.array([column.typical for column in columns])
    frozen = mask_of(given.freeze, len(names), (len(names),), names)
    frozen |= np.array([column.is_constant for column in columns])
    absent = typical if given.absent is None else per_coordinate("absent", given.absent, len(names))
    steps = [column.step for column in columns]
    found = _table(frame.row, frame.rows, names, kinds, (lower, upper), absent, frozen, steps, given)
    found.decode, found.frame = frame.decode, frame
    return found


def _array(x: ArrayLike, data: Any, names: Sequence[str] | None, onnx: Model | None, given: TableOptions) -> Subject:
    input = numbers("x", x)
    if not input.size:
        raise ValueError("x is empty: there is nothing to explain")
    shape, dim = input.shape or (1,), input.size
    if names is not None and len(names) != dim:
        raise ValueError(f"feature_names has {len(names)} names for {dim} features")
    rows = None if data is None else rows_of(data, dim)
    lower, upper = _bounds(given.bounds, rows, onnx, dim)
    groups = groups_of(given.categorical, dim, names)
    whole = [column_of(column, dim, names) for column in given.integers or ()]
    frozen = mask_of(given.freeze, dim, shape, names)
    shown = None if names is None else [str(name) for name in names]
    if isinstance(given.absent, str):
        raise TypeError(f"absent is {given.absent!r}: names of backgrounds are for regions, add features=gradless.Regions()")
    # Categories, whole numbers and bounds of their own make columns; else every place is measured alike.
    alike = isinstance(lower, float) and isinstance(upper, float)
    if alike and not given.names_a_table():
        if not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
            raise ValueError(f"bounds are ({lower}, {upper}): the lower one must be below the upper one, both finite")
        absent = None if given.absent is None else per_coordinate("absent", given.absent, dim)
        return Subject(
            input.reshape(-1), shape, lower, upper, absent, frozen.tolist(), names=shown, range=(lower, upper)
        )  # fmt: skip
    low, high = (np.broadcast_to(np.asarray(bound, dtype=float), dim).copy() for bound in (lower, upper))
    absent = per_coordinate("absent", given.absent, dim) if given.absent is not None else None
    if absent is None:
        absent = np.zeros(dim) if rows is None else np.median(rows, axis=0)
    steps = [0.0] * dim if rows is None else [_gradless.step_of(settled(np.append(rows[:, i], input.reshape(-1)[i]))) for i in range(dim)]
    kinds = columns_of(dim, groups, whole)
    labels = shown or [f"x[{i}]" for i in range(dim)]
    found = _table(input.reshape(-1), rows, labels, kinds, (low, high), absent, frozen, steps, given)
    found.shape, found.names = shape, shown
    return found


def _table(
    row: Array,
    rows: Array | None,
    names: list[str],
    kinds: list[tuple[str, list[int]]],
    bounds: tuple[Array, Array],
    absent: Any,
    frozen: Any,
    steps: list[float],
    given: TableOptions,
) -> Subject:
    """A row with all that is said of its columns."""
    dim = len(row)
    lower, upper = bounds
    units = _units(given.cost, names, rows, lower, upper)
    for name, (least, most) in dict(given.ranges or {}).items():
        i = column_of(name, dim, names)
        lower[i] = lower[i] if least is None else real(f"the least {name}", least)
        upper[i] = upper[i] if most is None else real(f"the largest {name}", most)
        if lower[i] > upper[i]:
            raise ValueError(f"the range of {name} is ({lower[i]}, {upper[i]}): the first must not be above the second")
    ways = ["any"] * dim
    for way, columns in (("up", given.increase), ("down", given.decrease)):
        for column in [columns] if isinstance(columns, str) else columns or ():
            i = column_of(column, dim, names)
            if ways[i] != "any":
                raise ValueError(f"{names[i]} may only rise and only fall: freeze it instead")
            ways[i] = way
    if rows is not None and len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(int)]
    order = [kinds_names(kind, places, names) for kind, places in kinds]
    table = {
        "columns": kinds,
        "names": order,
        "ways": ways,
        "units": units,
        "steps": steps,
        "rows": None if rows is None else np.ascontiguousarray(rows, dtype=np.float64).reshape(-1),
        "rules": [_gradless.parse_rule(str(rule), names) for rule in ([given.rules] if isinstance(given.rules, str) else given.rules or ())],
        "plausible": given.plausible,
    }
    return Subject(
        np.ascontiguousarray(row, dtype=np.float64), (dim,), lower, upper, absent, list(map(bool, frozen)), names=names,
        table=table, range=(float(np.min(lower)), float(np.max(upper))),
    )  # fmt: skip


def kinds_names(kind: str, places: Sequence[int], names: Sequence[str]) -> str:
    """What a column is called; a one-hot group after its members."""
    return " / ".join(names[i] for i in places) if kind == "one-hot" else names[places[0]]


def _units(cost: Any, names: list[str], rows: Array | None, lower: Array, upper: Array) -> list[float]:
    """By how much every number changes for a cost of 1."""
    width = np.where(upper > lower, upper - lower, 1.0)
    if cost == "range" or cost is None:
        return [float(unit) for unit in width]
    if cost == "mad":
        if rows is None:
            raise ValueError("cost='mad' needs data: rows like x")
        spread = np.median(np.abs(rows - np.median(rows, axis=0)), axis=0)
        return [float(s) if s > 0 else float(w) for s, w in zip(spread, width)]
    units = [float(unit) for unit in width]
    for name, unit in dict(cost).items():
        value = real(f"the cost of {name}", unit)
        if not value > 0:
            raise ValueError(f"the cost of {name} is {value}: by how much it changes for a cost of 1 is needed, above 0")
        units[column_of(name, len(names), names)] = value
    return units


def rows_of(data: Any, dim: int, name: str = "data") -> Array:
    """Rows like the input."""
    rows = numbers(name, data)
    if rows.size % dim or rows.ndim < 2 or not rows.size:
        raise ValueError(f"{name} has shape {rows.shape}: rows like x, with {dim} numbers each, are needed")
    return rows.reshape(-1, dim)


def _bounds(bounds: Any, rows: Array | None, onnx: Model | None, dim: int) -> tuple[Any, Any]:
    if bounds is not None:
        if not isinstance(bounds, tuple) or len(bounds) != 2:
            raise TypeError("bounds must be a tuple (lower, upper), one number each or one for each place of x")
        return per_coordinate("the lower bound", bounds[0], dim), per_coordinate("the upper bound", bounds[1], dim)
    if rows is not None:
        return rows.min(axis=0), rows.max(axis=0)
    return onnx.range if onnx is not None else (0.0, 1.0)
