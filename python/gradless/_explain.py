"""``explain``: what is enough for a class, and what small change would alter it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, count, numbers, per_coordinate, real, seed_of, settled
from ._explanation import Explanation, Explanations, Setting
from ._predict import Model, Predict, resolve
from ._result import attach
from ._space import Space, column_of, groups_of, mask_of
from ._workers import Crew, crew_of

#: The weight of the penalty for inputs between 0 and 1, as on the command line.
WEIGHT = 0.0625
#: The margin to aim at, as a share of the input's own, as on the command line.
KAPPA_SHARE = 0.05

_MODES = {"pp": ["pp"], "pn": ["pn"], "both": ["pp", "pn"]}


def explain(
    predict: Any,
    x: ArrayLike,
    *,
    mode: str = "both",
    bounds: Any = None,
    background: Any = None,
    data: ArrayLike | None = None,
    freeze: Any = None,
    categorical: Sequence[Sequence[Any]] | None = None,
    integers: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    target: Any = None,
    set: str = "two-sided",
    max_queries: int = 5000,
    max_seconds: float | None = None,
    rng: Any = 0,
    method: str = "auto",
    l1: float | None = None,
    l2: float | None = None,
    kappa: float | str | None = "5%",
    search: bool = True,
    prune: bool = True,
    start: str = "auto",
    noise_floor: float | None = None,
    scores: str = "auto",
    batch_size: int = 32,
    workers: Any = None,
    title: str | None = None,
) -> Any:
    """Explains what a classifier says about ``x``, from queries alone.

    >>> import numpy as np, gradless
    >>> def predict(X):                                   # class 1 if the first three numbers outweigh the others
    ...     s = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    ...     return np.stack([-s, s], axis=1)
    >>> pp = gradless.explain(predict, np.ones(20), mode="pp")
    >>> pp.valid, bool((pp.x[3:] == 0).all())             # something of the first three is enough, nothing else
    (True, True)

    Parameters
    ----------
    predict
        ``predict(X)`` with ``X`` of shape ``(n, *x.shape)`` gives scores of shape ``(n, classes)``; or an estimator with
        ``predict_proba``; or the path of an ONNX file, or what :func:`load_model` made of it.
    x
        The input, of the model's shape without the batch; ``(channels, rows, columns)`` for pictures.
    mode
        ``"pp"``: what of the input is enough for its class (pertinent positive); ``"pn"``: what change would alter it (pertinent
        negative); ``"both"``.
    bounds
        ``(lower, upper)`` of what the model may be shown, one number each or one for each place. The range of the data if ``data``
        is given, the range in the description of an ONNX model, else ``(0, 1)``.
    background
        What counts as absent in a pp: one number, or one for each place. The median of ``data`` if that is given, else 0.
    data
        Rows like ``x`` from which bounds and background are taken where they are not given.
    freeze
        What must stay as it is: a mask of the shape of ``x``, or a list of columns or feature names.
    categorical
        Groups of one-hot columns, by index or name. The model only ever sees inputs with exactly one 1 in each.
    integers
        Columns whose values are whole numbers.
    feature_names, labels
        Names for the display; a target may be given by its label.
    target
        The class a pn should lead to; any other unless given.
    set
        ``"two-sided"``, or ``"add"``: numbers may only grow.
    max_queries, max_seconds
        Inputs the model may be given for each question, everything included, and the time after which the best so far is taken.
    rng
        The seed: the same answer as the command gives with ``--seed``.
    kappa
        By how much the class condition should hold: in scores, as a share of the input's own margin (``"5%"``), or ``None``.
    method, l1, l2, search, prune, start, noise_floor
        As on the command line (``python -m gradless explain --help``).
    scores
        What ``predict`` gives: ``"logits"``, ``"probabilities"`` or ``"auto"``.
    batch_size
        Inputs per call of ``predict``, whatever the number of workers.
    workers
        Who evaluates, as for :func:`minimize`. The answer does not depend on how many there are.

    Returns
    -------
    Explanation or Explanations
        One for each question; both show themselves in a notebook.
    """
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}: it must be 'pp', 'pn' or 'both'")
    if set not in ("two-sided", "add"):
        raise ValueError(f"set is {set!r}: it must be 'two-sided' or 'add'")
    function, names = resolve(predict, labels)
    input = numbers("x", x)
    shape, dim = input.shape or (1,), input.size
    flat = input.reshape(-1)
    if feature_names is not None and len(feature_names) != dim:
        raise ValueError(f"feature_names has {len(feature_names)} names for {dim} features")
    onnx = function if isinstance(function, Model) else None
    rows = None if data is None else _rows(data, dim)
    lower, upper = _bounds(bounds, rows, onnx, dim)
    absent = _background(background, rows, dim)
    frozen = mask_of(freeze, dim, shape, feature_names)
    groups = groups_of(categorical, dim, feature_names, flat)
    whole = None if integers is None else np.array([column_of(c, dim, feature_names) for c in integers], dtype=int)
    scaled = bool(groups) or whole is not None or not (isinstance(lower, float) and isinstance(upper, float))
    if not scaled and not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
        raise ValueError(f"bounds are ({lower}, {upper}): the lower one must be below the upper one, both finite")
    setting = Setting(
        input=input,
        shape=shape,
        feature_names=None if feature_names is None else [str(name) for name in feature_names],
        labels=names,
        range=(0.0, 1.0) if scaled else (float(lower), float(upper)),
        model=onnx.path if onnx else getattr(predict, "__name__", type(predict).__name__),
        seed=seed_of(rng),
        max_queries=count("max_queries", max_queries, 1),
        title=title or "explanation",
        method=method,
    )
    width = setting.range[1] - setting.range[0]
    weight = WEIGHT / width
    question: dict[str, Any] = {
        "range": setting.range,
        "two_sided": set == "two-sided",
        "target": None if target is None else _target(target, names),
        "method": method,
        "seed": setting.seed,
        "queries": setting.max_queries,
        "seconds": None if max_seconds is None else real("max_seconds", max_seconds),
        "l1": weight if l1 is None else real("l1", l1),
        "l2": real("l2", l2) if l2 is not None else weight / width if l1 is None else real("l1", l1),
        **_kappa(kappa),
        "search": bool(search),
        "prune": bool(prune),
        "start": start,
        "floor": None if noise_floor is None else real("noise_floor", noise_floor),
        "scores": scores,
        "rows": count("batch_size", batch_size, 1),
    }
    crew = crew_of(workers)
    try:
        asked = Asked(function, onnx, setting, question, crew, getattr(x, "dtype", None))
        if not scaled:
            found = asked.plain(_MODES[mode], flat, lower, upper, absent, frozen)
        else:
            low, high = np.broadcast_to(lower, dim).astype(float), np.broadcast_to(upper, dim).astype(float)
            back = np.broadcast_to(0.0 if absent is None else absent, dim).astype(float)
            _check_space(low, high, back, groups)
            found = []
            for one in _MODES[mode]:
                found += asked.spaced(Space(one, flat, low, high, back, frozen, groups, whole), one, found)
    finally:
        crew.close()
    return found[0] if mode != "both" else Explanations(found, setting)


class Asked:
    """One call of :func:`explain` once everything is understood."""

    def __init__(self, function: Any, onnx: Model | None, setting: Setting, question: dict[str, Any], crew: Crew, dtype: Any) -> None:
        self.function, self.onnx, self.setting, self.question, self.crew = function, onnx, setting, question, crew
        self.dtype = np.float32 if dtype == np.float32 else np.float64

    def plain(self, modes: list[str], flat: Array, lower: Any, upper: Any, absent: Any, frozen: Any) -> list[Explanation]:
        """In the input's own numbers, as the command does it."""
        shape = self.setting.shape
        return self._search(
            {
                "modes": modes,
                "shape": list(shape),
                "input": flat,
                "lower": lower,
                "upper": upper,
                "background": absent,
                "frozen": frozen.tolist() if frozen.any() else None,
                # The values an 8-bit picture can hold.
                "grid": len(shape) == 3 and shape[0] in (1, 3),
            },
            lambda told: Explanation(self.setting, told, told["x"], told["seen"]),
        )

    def spaced(self, space: Space, mode: str, before: list[Explanation]) -> list[Explanation]:
        """In shares of bounds and switches of categories, decoded for the model; ``before`` is what was found already."""

        def decoded(told: dict[str, Any]) -> Explanation:
            features = space.decode(told["seen"])[0]
            absent = space.decode(space.absent if mode == "pp" else space.start)[0]
            told["nothing"] = absent if mode == "pp" else np.zeros_like(absent)
            told["nonzeros"] = int(np.count_nonzero(features != absent))
            x = features if mode == "pp" else features - space.input
            return Explanation(self.setting, told, x, features)

        return self._search(
            {
                "modes": [mode],
                "shape": [space.start.size],
                "input": space.start,
                "lower": space.low,
                "upper": space.high,
                "background": space.absent,
                "frozen": space.frozen.tolist(),
                "grid": False,
                "target": self.question["target"] if mode == "pn" else None,
            },
            decoded,
            space,
            before,
        )

    def _search(
        self,
        asked: dict[str, Any],
        explained: Callable[[dict[str, Any]], Explanation],
        space: Space | None = None,
        before: Sequence[Explanation] = (),
    ) -> list[Explanation]:
        question = {**self.question, "threads": self.crew.hands, **asked}
        try:
            if self.onnx is not None and space is None and type(self.crew) is Crew:
                told, error = _gradless.explain_onnx(self.onnx._onnx, question)
            else:
                task = Predict(self.function, self.setting.shape, self.dtype, self.setting.labels)
                told, error = _gradless.explain_callable(_Sender(task, self.crew, space), question)
        except BaseException as early:
            # This search had found nothing yet.
            attach(early, _alone(before) if before else None)
            raise
        found = [explained(answer) for answer in told]
        if error is not None:
            attach(error, _alone([*before, *found]))
            raise error
        return found


def _alone(found: Sequence[Explanation]) -> Explanation | list[Explanation]:
    return found[0] if len(found) == 1 else list(found)


class _Sender:
    """Decodes points and sends them to whoever evaluates; called from several threads where there are several workers."""

    def __init__(self, task: Predict, crew: Crew, space: Space | None) -> None:
        self.task, self.crew, self.space = task, crew, space
        self.first: int | None = None
        self.lock = threading.Lock()

    def __call__(self, points: Array) -> Array:
        inputs = points if self.space is None else self.space.decode(points)
        scores = settled(self.crew.run(self.task, [(inputs,)])[0])
        with self.lock:
            if self.first is None:
                self.first = scores.shape[1]
        if scores.shape != (len(points), self.first):
            raise ValueError(f"predict returned scores of shape {scores.shape}, before it had {self.first} classes")
        return scores


def _rows(data: Any, dim: int) -> Array:
    rows = numbers("data", data)
    if rows.size % dim or rows.ndim < 2:
        raise ValueError(f"data has shape {rows.shape}: rows like x, with {dim} numbers each, are needed")
    return rows.reshape(-1, dim)


def _bounds(bounds: Any, rows: Array | None, onnx: Model | None, dim: int) -> tuple[Any, Any]:
    if bounds is not None:
        if not isinstance(bounds, tuple) or len(bounds) != 2:
            raise TypeError("bounds must be a tuple (lower, upper), one number each or one for each place of x")
        return per_coordinate("the lower bound", bounds[0], dim), per_coordinate("the upper bound", bounds[1], dim)
    if rows is not None:
        return rows.min(axis=0), rows.max(axis=0)
    return onnx.range if onnx is not None else (0.0, 1.0)


def _background(background: Any, rows: Array | None, dim: int) -> Any:
    if background is not None:
        return per_coordinate("background", background, dim)
    return None if rows is None else np.median(rows, axis=0)


def _check_space(lower: Array, upper: Array, background: Array, groups: list[list[int]]) -> None:
    crossed = np.flatnonzero(~(lower <= upper))
    if crossed.size:
        place = int(crossed[0])
        raise ValueError(f"at number {place} the lower bound {lower[place]} is above the upper bound {upper[place]}")
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise ValueError("bounds for features of their own units must be finite: take them from data=")
    for group in groups:
        # A median of one-hot columns may have no 1, or two: the most frequent category stands for it.
        best = group[int(np.argmax(background[group]))]
        background[group] = 0.0
        background[best] = 1.0


def _kappa(kappa: Any) -> dict[str, float | None]:
    if kappa is None:
        return {"kappa": None, "kappa_share": None}
    if isinstance(kappa, str):
        text = kappa.strip()
        if not text.endswith("%"):
            raise ValueError(f"kappa is {kappa!r}: a number, a share such as '5%', or None is needed")
        try:
            return {"kappa": None, "kappa_share": float(text[:-1]) / 100}
        except ValueError:
            raise ValueError(f"kappa is {kappa!r}: a share is written as '5%'") from None
    return {"kappa": real("kappa", kappa), "kappa_share": None}


def _target(target: Any, labels: Sequence[str] | None) -> int:
    if labels is not None and str(target) in labels:
        return list(labels).index(str(target))
    if isinstance(target, str):
        raise ValueError(f"there is no class {target!r}" + (f"; there are {', '.join(labels[:20])}" if labels else ": pass labels"))
    return count("target", target)


class _One:
    """Explains one input; travels to worker processes."""

    def __init__(self, predict: Any, options: dict[str, Any]) -> None:
        self.predict, self.options = predict, options

    def __call__(self, x: Any) -> Any:
        return explain(self.predict, x, **self.options)


def explain_many(predict: Any, inputs: Any, *, workers: Any = None, **options: Any) -> list[Any]:
    """Explains many inputs, each as :func:`explain` would, spread over the workers.

    >>> import numpy as np, gradless
    >>> def predict(X):
    ...     s = X[:, :3].sum(axis=1) - 1
    ...     return np.stack([-s, s], axis=1)
    >>> found = gradless.explain_many(predict, np.ones((3, 8)), mode="pp")
    >>> [one.valid for one in found]
    [True, True, True]

    ``workers`` is what :func:`minimize` takes; with Dask or Ray a whole cluster explains. The answers are those of :func:`explain`,
    whoever found them.
    """
    crew = crew_of(workers)
    try:
        return crew.run(_One(predict, options), [(x,) for x in inputs])
    finally:
        crew.close()
