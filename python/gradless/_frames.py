"""Tables as users have them: names, strings, categories, truth values, whole numbers, dates, missing values; and back again.

A row becomes numbers, one per column. A category becomes the number of one of its levels, a date the days since 1970, and what is missing a
number below all others. What the model is shown is a table like the user's: the same columns, the same types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _gradless
from ._arrays import Array, settled

#: A day in nanoseconds.
DAY = 86_400_000_000_000


def is_frame(value: Any) -> bool:
    """Whether it is a table of pandas or polars, or a row of pandas."""
    module = type(value).__module__.partition(".")[0]
    return module in ("pandas", "polars") and type(value).__name__ in ("DataFrame", "Series")


@dataclass
class Numbers:
    """A column of numbers; dates are days."""

    name: str
    values: Array
    restore: Callable[[Array], Any]
    lower: float = 0.0
    upper: float = 0.0
    step: float = 0.0
    typical: float = 0.0
    missing: float = 0.0
    is_constant: bool = False

    def settle(self, own: float) -> None:
        """Decides on bounds, steps and what stands for a missing value, once all values are known."""
        for name, value in _gradless.survey_numbers(settled(self.values), float(own)).items():
            setattr(self, name, value)

    @property
    def kind(self) -> tuple[str, int]:
        return ("number", 0)

    def encode(self, values: Any) -> Array:
        return np.where(np.isfinite(values), values, self.missing)

    def decode(self, numbers: Array) -> Any:
        return self.restore(np.where(numbers < self.lower - 1e-9 * abs(self.lower), self._below(numbers), numbers))

    def _below(self, numbers: Array) -> Array:
        """What lies below all values: the row's own number, or what stands for a missing one."""
        return np.where(numbers == self.missing, np.nan, numbers)

    def show(self, number: float) -> Any:
        value = _first(self.decode(np.array([number])))
        return value.item() if isinstance(value, (np.floating, np.integer)) else value


@dataclass
class Levels:
    """A column of categories, strings or truth values."""

    name: str
    values: list[Any]
    restore: Callable[[list[Any]], Any]

    def settle(self, own: Any) -> None:
        known: dict[Any, int] = {}
        distinct: list[Any] = []

        def number(value: Any) -> int | None:
            if _is_missing(value):
                return None
            if _key(value) not in known:
                known[_key(value)] = len(distinct)
                distinct.append(value)
            return known[_key(value)]

        numbered = [number(value) for value in self.values]
        order, self.allowed, self.is_constant = _gradless.survey_levels(numbered, number(own))
        self.levels = [None if level is None else distinct[level] for level in order]
        self.codes = {_key(level): code for code, level in enumerate(self.levels)}
        self.lower, self.upper = 0.0, float(len(self.levels) - 1)
        self.step, self.typical = 0.0, 0.0

    @property
    def kind(self) -> tuple[str, int]:
        return ("category", self.allowed)

    def encode(self, values: Any) -> Array:
        unseen = {str(value) for value in values if _key(value) not in self.codes}
        if unseen:
            raise ValueError(f"column '{self.name}' has values that were not seen before: {', '.join(sorted(unseen)[:5])}")
        return np.array([float(self.codes[_key(value)]) for value in values])

    def decode(self, numbers: Array) -> Any:
        return self.restore([self.levels[int(number)] for number in numbers])

    def show(self, number: float) -> Any:
        return self.levels[int(number)]


Codec = Numbers | Levels


class Frame:
    """A row of a table with the table it comes from: what its columns are, and the way to numbers and back."""

    def __init__(self, x: Any, data: Any) -> None:
        row = _one_row(x)
        table = row if data is None else _like(data, row)
        self.columns: list[Codec] = _columns(table)
        own = _columns(row, self.columns)
        for column, mine in zip(self.columns, own):
            if type(column) is not type(mine):
                raise TypeError(
                    f"column '{column.name}' holds {_words(mine)} in x and {_words(column)} in data: both must be alike"
                )
            _settle(column, mine.values[0])
        self.names = [column.name for column in self.columns]
        self.row = np.array([column.encode(mine.values)[0] for column, mine in zip(self.columns, own)])
        self.rows = None if data is None else np.stack([column.encode(column.values) for column in self.columns], axis=1)
        self._empty = row
        for column in self.columns:
            # What settled them is not needed any more, and need not travel to other processes.
            column.values = []

    def decode(self, points: Array) -> Any:
        """Rows of numbers as a table like the user's."""
        return _built(self._empty, {column.name: column.decode(points[:, i]) for i, column in enumerate(self.columns)})

    def show(self, column: int, number: float) -> Any:
        """One value as the user knows it."""
        return self.columns[column].show(number)


def _settle(column: Codec, own: Any) -> None:
    try:
        column.settle(own)
    except TypeError:
        raise TypeError(f"column '{column.name}' holds values that are no plain values: strings, numbers or categories are needed") from None


def _one_row(x: Any) -> Any:
    if type(x).__name__ == "Series":
        if not hasattr(x, "to_frame") or not hasattr(x, "index"):
            raise TypeError("x is a column of polars: pass a row, df[i]")
        # A row loses the types of its columns; each value has its own.
        return x.to_frame().T.infer_objects()
    if len(x) != 1:
        raise ValueError(f"x has {len(x)} rows: one is explained at a time, such as df.iloc[[0]]; explain_many takes several")
    return x


def _like(data: Any, row: Any) -> Any:
    """The same columns in the same order."""
    if not is_frame(data):
        raise TypeError(f"x is a table with names, data is {type(data).__name__}: pass a table with the same columns")
    names, known = list(row.columns), list(data.columns)
    lacking = [str(name) for name in names if name not in known]
    if lacking:
        raise ValueError(f"data lacks the columns {', '.join(lacking[:5])} of x")
    if len(set(names)) != len(names):
        raise ValueError("two columns of x have the same name")
    if not len(data):
        raise ValueError("data has no rows: rows like x are needed")
    return data[names]


def _columns(frame: Any, like: list[Codec] | None = None) -> list[Codec]:
    """What the columns of a table are; one value alone is taken for what the others `like` it are."""
    reader = _polars_column if type(frame).__module__.startswith("polars") else _pandas_column
    are_levels = [isinstance(column, Levels) for column in like] if like else [False] * len(frame.columns)
    return [reader(frame, name, is_level) for name, is_level in zip(frame.columns, are_levels)]


class PandasNumbers:
    """Numbers as a column of pandas; dates are made of days."""

    def __init__(self, dtype: Any) -> None:
        import pandas as pd

        self.dtype = dtype
        self.is_whole = pd.api.types.is_integer_dtype(dtype)
        self.is_date = pd.api.types.is_datetime64_any_dtype(dtype)

    def __call__(self, values: Array) -> Any:
        import pandas as pd

        if self.is_date:
            return (_epoch(self.dtype) + pd.to_timedelta(pd.Series(values) * DAY, unit="ns")).astype(self.dtype)
        return pd.Series(np.rint(values) if self.is_whole else values).astype(self.dtype)


class PandasLevels:
    """Categories, strings and truth values as a column of pandas."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __call__(self, values: list[Any]) -> Any:
        import pandas as pd

        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Categorical(values, dtype=self.dtype)
        return pd.Series(values, dtype=self.dtype)


def _epoch(dtype: Any) -> Any:
    import pandas as pd

    return pd.Timestamp(0, tz=getattr(dtype, "tz", None))


def _pandas_column(frame: Any, name: Any, is_level: bool) -> Codec:
    import pandas as pd

    series = frame[name]
    dtype = series.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        days = ((series - _epoch(dtype)) / pd.Timedelta(1, "D")).to_numpy(dtype=float, na_value=np.nan)
        return Numbers(str(name), days, PandasNumbers(dtype))
    known = [value for value in series.tolist() if not _is_missing(value)]
    counted = not is_level and dtype == object and bool(known) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known)
    if (pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)) or counted:
        return Numbers(str(name), pd.to_numeric(series).to_numpy(dtype=float, na_value=np.nan), PandasNumbers(dtype))
    values = [None if _is_missing(value) else value for value in series.tolist()]
    return Levels(str(name), values, PandasLevels(dtype))


class PolarsNumbers:
    """Numbers as a column of polars; dates are made of days."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __call__(self, values: Array) -> Any:
        import polars as pl

        if self.dtype.is_temporal():
            micros = pl.Series(np.rint(values * DAY / 1000)).fill_nan(None).cast(pl.Int64)
            return micros.cast(pl.Datetime("us")).cast(self.dtype)
        return pl.Series(np.rint(values) if self.dtype.is_integer() else values).fill_nan(None).cast(self.dtype)


class PolarsLevels:
    """Categories, strings and truth values as a column of polars."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __call__(self, values: list[Any]) -> Any:
        import polars as pl

        return pl.Series(values, dtype=self.dtype)


def _polars_column(frame: Any, name: str, is_level: bool) -> Codec:
    import polars as pl

    series = frame[name]
    dtype = series.dtype
    if dtype.is_temporal():
        micros = series.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64).to_numpy()
        return Numbers(name, micros * 1000 / DAY, PolarsNumbers(dtype))
    if dtype.is_numeric() and not is_level:
        return Numbers(name, series.cast(pl.Float64).to_numpy(), PolarsNumbers(dtype))
    return Levels(name, series.to_list(), PolarsLevels(dtype))


def _built(like: Any, columns: dict[str, Any]) -> Any:
    if type(like).__module__.startswith("polars"):
        return type(like)(columns)
    import pandas as pd

    built = pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    built.columns = like.columns
    return built


def _first(values: Any) -> Any:
    return values.iloc[0] if hasattr(values, "iloc") else values[0]


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _key(value: Any) -> Any:
    return None if _is_missing(value) else (type(value) is bool, value)


def _words(column: Codec) -> str:
    return "numbers" if isinstance(column, Numbers) else "categories or strings"
