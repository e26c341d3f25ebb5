"""``minimize``: the loop between a function and a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._arrays import Array, count
from ._evaluate import GradientTask, Task
from ._optimizer import Optimizer
from ._regularizers import Regularizer
from ._result import OptimizeResult, attach
from ._workers import CHUNK, Crew, chunks, crew_of


class Progress:
    """What a callback is told after an iteration: ``nit``, ``nfev``, ``fun``, ``best``, ``nonzeros``, ``step_size`` and ``x``."""

    nit: int
    nfev: int
    fun: float | None
    loss: float | None
    best: float | None
    nonzeros: int
    step_size: float

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        record = optimizer._solver.last_record()
        self.__dict__.update(record or {})

    @property
    def x(self) -> NDArray[Any]:
        """The current iterate."""
        return self._optimizer.x

    def __repr__(self) -> str:
        return f"<iteration {self.nit}, {self.nfev} queries, best {self.best}>"


def minimize(
    fun: Callable[..., Any] | None,
    x0: ArrayLike,
    *,
    args: tuple[Any, ...] = (),
    jac: Callable[..., Any] | None = None,
    vectorized: bool = True,
    pass_samples: bool = False,
    workers: Any = None,
    chunk_size: int | None = None,
    callback: Callable[[Progress], Any] | None = None,
    regularizer: Regularizer | None = None,
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
) -> OptimizeResult:
    """Minimises ``fun(x) + regularizer(x)`` where ``fun`` can only be queried.

    >>> import numpy as np, gradless
    >>> def black_box(X):                        # (n, 1000) points in, n values out
    ...     return (X[:, 3] - 0.8) ** 2 + (X[:, 700] + 0.5) ** 2
    >>> res = gradless.minimize(black_box, np.zeros(1000), regularizer=gradless.L1(0.01), bounds=(-1, 1))
    >>> res.success, res.nfev <= 5000, bool(abs(res.x[3] - 0.795) < 0.02)
    (True, True, True)

    Parameters
    ----------
    fun
        The black box: ``fun(X, *args)`` with ``X`` of shape ``(n, *x0.shape)`` gives ``n`` values. With
        ``vectorized=False`` it is called with one point and gives one number. NaN or an infinity is a failed evaluation: its
        direction is dropped.
    x0
        Where to start, of any shape. Points are float64, or float32 if ``x0`` is.
    jac
        Gradients, for the methods named ``fo-...``: ``jac(X, *args)`` of the shape of ``X``. ``fun`` may then be ``None``.
    pass_samples
        Whether ``fun(X, samples, *args)`` is told the noise sample of each row: a stochastic black box should use the same
        randomness for rows with the same number.
    workers
        Who evaluates: a number of processes, a ``concurrent.futures.Executor``, a ``map``-like callable, a Dask
        ``distributed.Client``, or the module ``ray``. The result does not depend on how many there are.
    chunk_size
        Rows per call. Everything at once without workers; with workers 1 row of a scalar function, 8 of a vectorized one.
    callback
        Called after every iteration with a :class:`Progress`; a true answer or ``StopIteration`` ends the run.
    regularizer, bounds, method, maxfev, rng, ...
        Everything else is as for :class:`Optimizer`.

    Returns
    -------
    OptimizeResult
        With SciPy's names: ``x``, ``fun``, ``nfev``, ``nit``, ``success``, ``status``, ``message``, and ``history``.

    Raises
    ------
    Exception
        Whatever ``fun`` raises comes back as it was, with the best result so far as its attribute ``gradless_result``; so does
        ``KeyboardInterrupt``.
    """
    if fun is None and jac is None:
        raise TypeError("fun must be callable, not None")
    for name, function in (("fun", fun), ("jac", jac), ("callback", callback)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be callable, not {type(function).__name__}")
    if not isinstance(args, tuple):
        args = (args,)
    optimizer = Optimizer(
        x0,
        regularizer=regularizer,
        bounds=bounds,
        center=center,
        method=method,
        preset=preset,
        maxfev=maxfev,
        maxsent=maxsent,
        maxiter=maxiter,
        maxtime=maxtime,
        target=target,
        stagnation=stagnation,
        rng=rng,
        batch=batch,
        radius=radius,
        step_weight=step_weight,
        noise=noise,
        output=output,
        inside=inside,
        project=project,
        dtype=dtype,
    )
    if optimizer._endless:
        raise ValueError("nothing would ever end this run: give maxfev, maxiter, maxtime, target or stagnation")
    if chunk_size is not None:
        chunk_size = count("chunk_size", chunk_size, 1)
    crew = crew_of(workers)
    if chunk_size is None and workers is not None:
        chunk_size = CHUNK if vectorized else 1
    values = None if fun is None else Task(fun, args, vectorized, pass_samples)
    gradients = None if jac is None else GradientTask(jac, args, vectorized, pass_samples)
    try:
        _drive(optimizer, values, gradients, crew, chunk_size, callback)
    except BaseException as error:
        optimizer.stop(None if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}: {error}")
        attach(error, optimizer.result())
        raise
    finally:
        crew.close()
    return optimizer.result()


def _drive(
    optimizer: Optimizer,
    values: Task | None,
    gradients: GradientTask | None,
    crew: Crew,
    chunk_size: int | None,
    callback: Callable[[Progress], Any] | None,
) -> None:
    """Asks, evaluates, tells until there is nothing more to ask."""
    iterations = optimizer.nit
    while (points := optimizer.ask()) is not None:
        if optimizer.wants_gradients:
            if gradients is None:
                raise TypeError("this method asks for gradients: pass jac=, or choose a method that starts with zo-")
            slopes = _spread(crew, gradients, points, optimizer.samples, chunk_size)
            known = None if values is None else _spread(crew, values, points, optimizer.samples, chunk_size)
            optimizer.tell(known, gradients=slopes)  # type: ignore[arg-type]
        elif values is None:
            raise TypeError("this method asks for values: fun must be callable, not None")
        else:
            optimizer._solver.tell(_spread(crew, values, points, optimizer.samples, chunk_size))
        # Nobody holds the batch any more: its memory is used again.
        del points
        if callback is not None and optimizer.nit > iterations:
            iterations = optimizer.nit
            try:
                if callback(Progress(optimizer)):
                    optimizer.stop()
            except StopIteration:
                optimizer.stop()


def _spread(crew: Crew, task: Callable[..., Array], points: Any, samples: Any, chunk_size: int | None) -> Array:
    cuts = chunks(len(points), chunk_size)
    if len(cuts) == 1 and type(crew) is Crew:
        return task(points, samples)
    results = crew.run(task, [(points[cut], samples[cut]) for cut in cuts])
    # A copy: what comes over a wire may lie at odd addresses.
    return np.concatenate(results)
