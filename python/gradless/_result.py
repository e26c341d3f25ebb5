"""Results with SciPy's names, and how they look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _draw

#: What ``status`` says: 0 ended by itself, 1 budget used up, 2 iterations, 3 time, 4 stopped from outside, 5 failed.
_STATUS = {
    "target": 0,
    "stagnation": 0,
    "queries": 1,
    "sent": 1,
    "iterations": 2,
    "seconds": 3,
    "cancelled": 4,
    "failed": 5,
    "broken": 5,
}


class OptimizeResult(dict[str, Any]):
    """A result: a dictionary whose entries are attributes, as in SciPy.

    Attributes
    ----------
    x : ndarray
        The answer, of the shape of ``x0``.
    fun : float or None
        ``fun + regularizer`` there; ``None`` if that point was not evaluated.
    loss, penalty : float
        The two parts of it.
    nfev, nsent, nfailed, nit : int
        Queries answered, points sent, answers that failed, iterations.
    success : bool
        Whether the run ended as planned: a budget, a target, a stopping rule.
    status, message
        Why it ended: 0 by itself, 1 budget, 2 iterations, 3 time, 4 stopped, 5 failed; and in words.
    history : dict of ndarray
        One array per column (``nit``, ``nfev``, ``fun``, ``best``, ``nonzeros``, ...), one entry per iteration; a
        ``pandas.DataFrame`` can be made of it.
    points : dict
        The points a run has to offer (``best``, ``last``, ``averaged``, ``random``, ``sparse``); ``output`` is the one in ``x``.
    notices : list of str
        What deserved a sentence.
    noise, radius, stationarity, seed
        What was found out about the noise, the radius at the end, the size of the last step, the seed.
    """

    x: NDArray[Any]
    fun: float | None
    loss: float | None
    penalty: float
    nfev: int
    nsent: int
    nfailed: int
    nit: int
    success: bool
    status: int
    message: str
    history: dict[str, NDArray[Any]]
    points: dict[str, dict[str, Any]]
    output: str
    notices: list[str]
    noise: str
    radius: float
    stationarity: float | None
    seed: int

    @classmethod
    def _of(
        cls, told: dict[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any], seed: int
    ) -> OptimizeResult:
        points = {name: told[name] for name in ("best", "last", "averaged", "random", "sparse")}
        for point in points.values():
            point["x"] = point["x"].astype(dtype, copy=False).reshape(shape)
        chosen = points[told["output"]]
        stop = told["stop"]
        return cls(
            x=chosen["x"],
            fun=chosen["fun"],
            loss=chosen["loss"],
            penalty=chosen["penalty"],
            nfev=told["queries"],
            nsent=told["sent"],
            nfailed=told["failed"],
            nit=told["iterations"],
            success=told["planned"],
            status=4 if stop is None else _STATUS[stop],
            message=told["message"] or "the run is not over",
            history=told["history"],
            points=points,
            output=told["output"],
            notices=told["notices"],
            noise=told["noise"],
            radius=told["radius"],
            stationarity=told["stationarity"],
            seed=seed,
        )

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.keys()})

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (dict(self),))

    def __repr__(self) -> str:
        with np.printoptions(threshold=8, edgeitems=3, precision=6):
            lines = [
                f" message: {self.message}",
                f" success: {self.success}",
                f"     fun: {self.fun}",
                f"       x: {self.x}",
                f"    nfev: {self.nfev}",
                f"     nit: {self.nit}",
            ]
        return "\n".join(lines)

    def largest(self, count: int = 12) -> list[tuple[str, float]]:
        """The coordinates of ``x`` that are farthest from 0, by their index."""
        flat = self.x.reshape(-1)
        order = np.argsort(-np.abs(flat), kind="stable")[:count]
        names = (", ".join(str(i) for i in np.unravel_index(index, self.x.shape)) for index in order)
        return [(f"x[{name}]", float(flat[index])) for name, index in zip(names, order) if flat[index] != 0]

    def _repr_html_(self) -> str:
        nonzeros = int(np.count_nonzero(self.x))
        table = _draw.facts(
            [
                ("objective", _draw.number(self.fun)),
                ("loss + penalty", f"{_draw.number(self.loss)} + {_draw.number(self.penalty)}"),
                ("nonzero coordinates", f"{nonzeros:,} of {self.x.size:,}"),
                ("queries, iterations", f"{self.nfev:,}, {self.nit:,}"),
                ("ended because", self.message),
                *[("note", notice) for notice in self.notices],
            ]
        )
        curve = _draw.trace(self.history["nfev"], self.history["best"], "best objective")
        entries = [(name, value, _draw.number(value)) for name, value in self.largest()]
        return f'<div style="{_draw.STYLE}">{table}{curve}{_draw.bars(entries)}</div>'

    def to_html(self, path: str | Path | None = None, title: str = "gradless: minimised") -> str:
        """A page that stands alone; written to ``path`` if one is given."""
        page = _draw.page(title, self._repr_html_())
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def plot(self, ax: Any = None) -> Any:
        """The best objective over the queries, by matplotlib; gives the axes."""
        if ax is None:
            ax = _pyplot().subplots()[1]
        ax.plot(self.history["nfev"], self.history["best"], color=_draw.LINE)
        ax.set_xlabel("queries")
        ax.set_ylabel("best objective")
        return ax


def _rebuilt(entries: dict[str, Any]) -> OptimizeResult:
    return OptimizeResult(entries)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install matplotlib. to_html() needs nothing") from error
    return pyplot


def attach(error: BaseException, result: Any) -> None:
    """Gives an exception the best result so far; a class that takes no attributes goes without."""
    try:
        error.gradless_result = result  # type: ignore[attr-defined]
        if isinstance(error, KeyboardInterrupt):
            error.result = result  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        pass
