"""SciPy's front door: ``scipy.optimize.minimize(fun, x0, method=gradless.scipy_method)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._minimize import Progress, minimize


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
    **options: Any,
) -> Any:
    """A method for SciPy's ``minimize``; ``options`` are those of :func:`gradless.minimize`.

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
    options.setdefault("vectorized", False)
    told = None
    if callback is not None:
        chosen = callback

        def told(progress: Progress) -> Any:
            return chosen(progress.x)

    tolerance = options.pop("tol", None)
    if tolerance is not None:
        options.setdefault("stagnation", (20, float(tolerance)))
    # SciPy passes its own spellings of "everything at its default".
    options = {name: value for name, value in options.items() if value is not None}
    if bounds is not None:
        options["bounds"] = bounds
    result = minimize(fun, x0, args=args, callback=told, **options)
    return OptimizeResult(dict(result))
