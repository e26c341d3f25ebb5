"""SciPy's front door: ``scipy.optimize.minimize(fun, x0, method=gradless.scipy_method)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._minimize import Progress, minimize
from ._regularizers import Regularizer


def scipy_method(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[[Any], Any] | None = None,
    tol: float | None = None,
    vectorized: bool | None = False,
    pass_samples: bool = False,
    workers: Any = None,
    chunk_size: int | None = None,
    regularizer: Regularizer | None = None,
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
) -> Any:
    """A method for SciPy's ``minimize``; ``options`` are the keywords of :func:`gradless.minimize`.

    >>> import gradless, numpy as np, scipy.optimize
    >>> res = scipy.optimize.minimize(lambda x: ((x - 0.3) ** 2).sum(), np.zeros(10), method=gradless.scipy_method,
    ...                               bounds=[(0, 1)] * 10, options={"maxfev": 2000, "rng": 1})
    >>> res.success, bool(res.fun < 0.01)
    (True, True)

    ``fun`` takes one point, as everywhere in SciPy, unless ``options={"vectorized": True}``. Gradients are not used. What cannot
    be honoured is refused: general ``constraints`` belong into ``fun`` or into ``bounds``.
    """
    from scipy.optimize import OptimizeResult

    if np.size(constraints):
        raise ValueError("constraints are not supported: use bounds=, or options={'bounds': gradless.Simplex()} and the like")
    told = None
    if callback is not None:
        chosen = callback

        def told(progress: Progress) -> Any:
            return chosen(progress.x)

    if tol is not None and stagnation is None:
        stagnation = (20, float(tol))
    result = minimize(
        fun,
        x0,
        args=args,
        vectorized=bool(vectorized),
        pass_samples=pass_samples,
        workers=workers,
        chunk_size=chunk_size,
        callback=told,
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
    return OptimizeResult(dict(result))
