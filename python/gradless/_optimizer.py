"""Ask and tell: the run is yours, the method is ours."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _gradless, _regularizers, _sets
from ._arrays import count, not_negative, numbers, per_coordinate, real, seed_of
from ._result import OptimizeResult


class Optimizer:
    """A run that asks for points and is told their values.

    >>> import numpy as np, gradless
    >>> opt = gradless.Optimizer(np.zeros(50), regularizer=gradless.L1(0.05), maxfev=2000)
    >>> while (X := opt.ask()) is not None:
    ...     opt.tell((X[:, 3] - 1) ** 2)          # or send the rows wherever your black box lives
    >>> res = opt.result()
    >>> bool(abs(res.x[3] - 0.975) < 0.02), res.nfev <= 2000
    (True, True)

    Parameters
    ----------
    x0
        Where to start; it may have any shape, and float32 is kept as float32 for the points that are handed out.
    regularizer
        :class:`L1`, :class:`L2`, :class:`ElasticNet`, :class:`GroupL2`; none unless given.
    bounds
        ``(lower, upper)``, a list of pairs, SciPy's ``Bounds``, or a set: :class:`Box`, :class:`L1Ball`,
        :class:`L2Ball`, :class:`Simplex`.
    center
        The point the regularizer pulls to; 0 unless given.
    method
        A name from :func:`gradless.methods`.
    preset
        Whose settings the method runs with: ``"default"``, ``"paper"`` (also ``"seed"``) or ``"authors"``.
    maxfev
        Queries, exact: no batch is handed out that would exceed it; ``math.inf`` for no limit.
    maxsent, maxiter, maxtime, target, stagnation
        Further ends: points sent, iterations, seconds, an objective to reach, ``(window, tolerance)`` without improvement.
    rng
        The seed. Same seed, same numbers, whatever the number of workers; a ``numpy.random.Generator`` draws one, ``None`` takes
        a fresh one.
    batch, radius, step_weight
        Directions per step, smoothing radius and step weight instead of the method's own.
    noise
        ``"detect"``, ``"none"``, ``"common"`` (same sample, same noise) or ``"independent"``. Unless given, the default preset
        detects it, and the others assume none.
    output
        Which point is the answer: ``"auto"``, ``"best"``, ``"last"``, ``"averaged"``, ``"random"`` or ``"sparse"``. Unless given,
        ``"auto"``; with the preset ``"paper"`` ``"random"``, with ``"authors"`` ``"last"``.
    inside
        Whether every query lies in the set, which is the default. ``False`` lets differences leave it by the radius, as in the
        paper; the presets ``"paper"`` and ``"authors"`` do so unless told otherwise.
    project
        Whether a start outside the set is moved to its nearest point; refused otherwise.
    dtype
        ``numpy.float32`` or ``numpy.float64``, for the points handed out.
    """

    def __init__(
        self,
        x0: ArrayLike,
        *,
        regularizer: _regularizers.Regularizer | None = None,
        bounds: Any = None,
        center: ArrayLike | None = None,
        method: str | None = "auto",
        preset: str = "default",
        maxfev: float | None = 5000,
        maxsent: int | None = None,
        maxiter: int | None = None,
        maxtime: float | None = None,
        target: float | None = None,
        stagnation: tuple[int, float] | None = None,
        rng: Any = 0,
        batch: int | None = None,
        radius: float | None = None,
        step_weight: float | None = None,
        noise: str | None = None,
        output: str | None = None,
        inside: bool | None = None,
        project: bool = False,
        dtype: DTypeLike | None = None,
    ) -> None:
        start = numbers("x0", x0)
        self._shape: tuple[int, ...] = start.shape if start.ndim else (1,)
        self._dtype = _precision(dtype, x0)
        dim = start.size
        problem = {
            "start": start.reshape(-1),
            "regularizer": _regularizers.resolve(regularizer, dim),
            "set": _sets.resolve(bounds, dim),
            "center": None if center is None else _full("center", center, dim),
            "project": bool(project),
        }
        unlimited = maxfev is not None and math.isinf(real("maxfev", maxfev)) and maxfev > 0
        self.seed = seed_of(rng)
        settings = {
            "method": _word("method", method),
            "preset": _word("preset", preset),
            "seed": self.seed,
            "queries": None if maxfev is None or unlimited else count("maxfev", maxfev, 1),
            "unlimited": unlimited,
            "sent": None if maxsent is None else count("maxsent", maxsent, 1),
            "iterations": None if maxiter is None else count("maxiter", maxiter),
            "seconds": None if maxtime is None else not_negative("maxtime", maxtime),
            "target": None if target is None else real("target", target),
            "stagnation": None if stagnation is None else _window(stagnation),
            "batch": None if batch is None else count("batch", batch, 1),
            "radius": None if radius is None else real("radius", radius),
            "step_weight": None if step_weight is None else real("step_weight", step_weight),
            "noise": _word("noise", noise),
            "output": _word("output", output),
            "inside": None if inside is None else bool(inside),
        }
        self._endless = unlimited and all(end is None for end in (maxsent, maxiter, maxtime, target, stagnation))
        self._solver = _gradless.Solver(problem, settings)
        self._began = time.monotonic()
        self._before = 0.0
        #: The noise sample of each row of the batch last asked for.
        self.samples: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
        #: Whether the batch last asked for wants gradients (methods named ``fo-...``).
        self.wants_gradients = False

    def ask(self) -> NDArray[Any] | None:
        """The next batch, ``(n, *x0.shape)``; ``None`` when the run is over. Asking again gives the same batch again."""
        solver = self._solver
        solver.set_elapsed(self._before + time.monotonic() - self._began)
        asked = solver.ask_single() if self._dtype == np.float32 else solver.ask()
        if asked is None:
            return None
        points, self.samples, self.wants_gradients = asked
        return points if len(self._shape) == 1 else points.reshape(-1, *self._shape)

    def tell(self, values: ArrayLike, *, gradients: ArrayLike | None = None) -> None:
        """One value per row of the batch; NaN or an infinity stands for a failed evaluation.

        Where :attr:`wants_gradients` is set, pass ``gradients`` of the batch's shape, and ``values`` or ``None``.
        """
        if gradients is None:
            if values is None:
                raise TypeError("values must be numbers, not None")
            self._solver.tell(numbers("values", values).reshape(-1))
            return
        told = numbers("gradients", gradients)
        known = None if values is None else numbers("values", values).reshape(-1)
        dim = self._solver.dim
        if told.size % dim:
            raise ValueError(f"gradients have shape {told.shape}: one gradient of {dim} numbers per row is needed")
        self._solver.tell_gradients(told.reshape(-1, dim), known)

    def stop(self, failure: str | None = None) -> None:
        """Ends the run; what has been learnt stays."""
        self._solver.stop(failure)

    def result(self) -> OptimizeResult:
        """What is known, at any time."""
        return OptimizeResult._of(self._solver.result(), self._shape, self._dtype, self.seed)

    @property
    def x(self) -> NDArray[Any]:
        """The current iterate."""
        return self._solver.point().astype(self._dtype, copy=False).reshape(self._shape)

    @property
    def nfev(self) -> int:
        """Queries answered so far."""
        return self._solver.queries

    @property
    def nit(self) -> int:
        """Iterations so far."""
        return self._solver.iterations

    @property
    def batch(self) -> int:
        """Directions per step."""
        return self._solver.batch

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_solver"]
        state["_snapshot"] = self._solver.snapshot()
        state["_before"] = self._solver.elapsed
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on to the same bits, also in another process."""
        snapshot = state.pop("_snapshot")
        self.__dict__.update(state)
        self._solver = _gradless.Solver.restore(snapshot)
        self._began = time.monotonic()

    def __repr__(self) -> str:
        return f"<gradless.Optimizer in {self._solver.dim} dimensions, {self.nfev} queries, {self.nit} iterations>"


def _precision(dtype: DTypeLike | None, x0: Any) -> np.dtype[Any]:
    if dtype is None:
        given = getattr(x0, "dtype", None)
        return np.dtype(np.float32 if given == np.float32 else np.float64)
    chosen = np.dtype(dtype)
    if chosen not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"dtype must be float32 or float64, not {chosen}")
    return chosen


def _full(name: str, value: Any, dim: int) -> Any:
    array = per_coordinate(name, value, dim)
    return np.full(dim, array) if isinstance(array, float) else array


def _word(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    return value


def _window(value: Any) -> tuple[int, float]:
    try:
        window, tolerance = value
    except (TypeError, ValueError):
        raise TypeError("stagnation must be a pair: (iterations without improvement, relative tolerance)") from None
    return count("stagnation window", window, 1), real("stagnation tolerance", tolerance)
