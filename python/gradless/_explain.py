"""``explain``: what is enough for a class, and what small change would alter it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, count, not_negative, numbers, per_coordinate, real, seed_of, settled
from ._columns import column_of, columns_of, groups_of, mask_of
from ._explanation import Explanation, Explanations, Setting
from ._predict import Model, Predict, resolve
from ._result import attach
from ._workers import Crew, crew_of


def explain(
    predict: Any,
    x: ArrayLike,
    *,
    question: str = "both",
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
    strategy: str | None = None,
    method: str = "auto",
    l1: float | None = None,
    l2: float | None = None,
    confidence: float | str = 0.0,
    kappa: float | str | None = "5%",
    prune: bool = True,
    start: str = "auto",
    noise_floor: float | None = None,
    scores: str = "auto",
    agree: int = 0,
    batch_size: int = 32,
    workers: Any = None,
    title: str | None = "explanation",
    mode: str | None = None,
) -> Any:
    """Explains what a classifier says about ``x``, from queries alone.

    >>> import numpy as np, gradless
    >>> def predict(X):                                   # class 1 if the first three numbers outweigh the others
    ...     s = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    ...     return np.stack([-s, s], axis=1)
    >>> part = gradless.explain(predict, np.ones(20), question="part")
    >>> part.valid, bool((part.x[3:] == 0).all())         # something of the first three is enough, nothing else
    (True, True)

    Parameters
    ----------
    predict
        ``predict(X)`` with ``X`` of shape ``(n, *x.shape)`` gives scores of shape ``(n, classes)``; or an estimator with
        ``predict_proba``; or the path of an ONNX file, or what :func:`load_model` made of it.
    x
        The input, of the model's shape without the batch; ``(channels, rows, columns)`` for pictures.
    question
        ``"part"``: what of the input is enough for its class (pertinent positive, also ``"pp"``); ``"change"``: what change
        would alter it (pertinent negative, also ``"pn"``); ``"both"``.
    bounds
        ``(lower, upper)`` of what the model may be shown, one number each or one for each place. The range of the data if ``data``
        is given, the range in the description of an ONNX model, else ``(0, 1)``.
    background
        What counts as absent in a part: one number, or one for each place. The median of ``data`` if that is given, else 0.
    data
        Rows like ``x`` from which bounds and background are taken where they are not given.
    freeze
        What must stay as it is: a mask of the shape of ``x``, or a list of columns or feature names.
    categorical
        Groups of one-hot columns, by index or name. The search keeps exactly one 1 in each.
    integers
        Columns whose values are whole numbers.
    feature_names, labels
        Names for the display; a target may be given by its label.
    target
        The class a change should lead to; any other unless given.
    set
        ``"two-sided"``, or ``"add"``: numbers may only grow.
    max_queries, max_seconds
        Inputs the model may be given for each question, everything included, and the time after which the best so far is taken.
    rng
        The seed: the same answer as the command gives with ``--seed``.
    strategy
        How the smallest answer is searched: ``"direct"``, ``"penalised"`` (an optimiser at several weights) or ``"fixed"`` (an
        optimiser once, at the weights given). Direct unless given; penalised where ``method`` is not ``"auto"``.
    method
        The optimiser of a penalised or fixed search, by its name in :func:`methods`.
    l1, l2
        Weights of the penalty. 1/16 of the width of the bounds, and of its square, unless given; ``l2`` is as ``l1`` if only that
        is given.
    confidence
        How sure the model must be of the answer: the share of the input's own margin that it keeps (``0.5`` or ``"50%"``), or a
        probability (``"p=0.9"``). 0: the class alone.
    kappa
        By how much the search aims to hold the condition before the last pruning: in scores, as a share of the input's own margin (``"5%"``), or ``None``.
    prune
        Whether what is not needed is removed at the end.
    start
        Where an optimiser starts: ``"auto"``, ``"input"``, ``"zero"`` or ``"centre"``.
    noise_floor
        A margin must be above it to count; measured unless given.
    scores
        What ``predict`` gives: ``"logits"``, ``"probabilities"`` or ``"auto"``.
    agree
        Search again with so many other seeds, and say how well the answers agree.
    batch_size
        Inputs per call of ``predict``, whatever the number of workers.
    workers
        Who evaluates, as for :func:`minimize`. The answer does not depend on how many there are.
    title
        What the input is called on pages and in JSON.
    mode
        Another word for ``question``, as in earlier versions.

    Returns
    -------
    Explanation or Explanations
        One for each question; both show themselves in a notebook.
    """
    function, names = resolve(predict, labels)
    input = numbers("x", x)
    if not input.size:
        raise ValueError("x is empty: there is nothing to explain")
    shape, dim = input.shape or (1,), input.size
    if feature_names is not None and len(feature_names) != dim:
        raise ValueError(f"feature_names has {len(feature_names)} names for {dim} features")
    onnx = function if isinstance(function, Model) else None
    rows = None if data is None else _rows(data, dim)
    lower, upper = _bounds(bounds, rows, onnx, dim)
    groups = groups_of(categorical, dim, feature_names)
    whole = [column_of(column, dim, feature_names) for column in integers or ()]
    # Categories, whole numbers and bounds of their own make columns; else every place is measured alike.
    alike = isinstance(lower, float) and isinstance(upper, float)
    plain = alike and not groups and integers is None
    if plain and not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
        raise ValueError(f"bounds are ({lower}, {upper}): the lower one must be below the upper one, both finite")
    setting = Setting(
        input=input,
        shape=shape,
        feature_names=None if feature_names is None else [str(name) for name in feature_names],
        labels=names,
        range=(float(np.min(lower)), float(np.max(upper))),
        model=onnx.path if onnx else getattr(predict, "__name__", type(predict).__name__),
        max_queries=count("max_queries", max_queries, 1),
        title=title or "explanation",
    )
    request: dict[str, Any] = {
        "title": setting.title,
        "classes": names or [],
        "shape": list(shape),
        "input": input.reshape(-1),
        "lower": lower,
        "upper": upper,
        "background": _background(background, rows, dim),
        "frozen": mask_of(freeze, dim, shape, feature_names).tolist(),
        "columns": None if plain else columns_of(dim, groups, whole),
        "question": _question(question, mode),
        "moves": set,
        "target": None if target is None else _target(target, names),
        "strategy": strategy,
        "method": method,
        "seed": seed_of(rng),
        "max_queries": setting.max_queries,
        "max_seconds": None if max_seconds is None else not_negative("max_seconds", max_seconds),
        "l1": None if l1 is None else real("l1", l1),
        "l2": None if l2 is None else real("l2", l2),
        **_confidence(confidence),
        **_kappa(kappa),
        "prune": bool(prune),
        "start": start,
        "noise_floor": None if noise_floor is None else real("noise_floor", noise_floor),
        "scores": scores,
        "agree": count("agree", agree),
        "rows": count("batch_size", batch_size, 1),
    }
    crew = crew_of(workers)
    request["threads"] = crew.hands
    try:
        if onnx is not None and type(crew) is Crew:
            answers, error = _gradless.explain_onnx(onnx._onnx, request)
        else:
            dtype = np.float32 if getattr(x, "dtype", None) == np.float32 else np.float64
            task = Predict(function, shape, dtype, names)
            answers, error = _gradless.explain_callable(_Sender(task, crew), request)
    except BaseException as early:
        attach(early, None)
        raise
    finally:
        crew.close()
    found = [Explanation(setting, answer, nothing) for answer, nothing in answers]
    if error is not None:
        attach(error, found[0] if len(found) == 1 else found)
        raise error
    return Explanations(found, setting) if request["question"] == "both" else found[0]


class _Sender:
    """Sends points to whoever evaluates; called from several threads where there are several workers."""

    def __init__(self, task: Predict, crew: Crew) -> None:
        self.task, self.crew = task, crew

    def __call__(self, points: Array) -> Array:
        return settled(self.crew.run(self.task, [(points,)])[0])


def _question(question: str, mode: str | None) -> str:
    if mode is None:
        return question
    if question not in ("both", mode):
        raise TypeError(f"question is {question!r} and mode is {mode!r}: they are two words for one thing, give one of them")
    return mode


def _rows(data: Any, dim: int) -> Array:
    rows = numbers("data", data)
    if rows.size % dim or rows.ndim < 2 or not rows.size:
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


def _confidence(confidence: Any) -> dict[str, float | None]:
    text = confidence.strip() if isinstance(confidence, str) else None
    try:
        if text is None:
            return {"confidence_share": real("confidence", confidence), "confidence_probability": None}
        if text.startswith("p="):
            return {"confidence_share": None, "confidence_probability": float(text[2:])}
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        return {"confidence_share": share, "confidence_probability": None}
    except ValueError:
        needed = "a share of the input's margin such as 0.5 or '50%', or a probability such as 'p=0.9', is needed"
        raise ValueError(f"confidence is {confidence!r}: {needed}") from None


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


def explain_many(
    predict: Any,
    inputs: Any,
    *,
    question: str = "both",
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
    strategy: str | None = None,
    method: str = "auto",
    l1: float | None = None,
    l2: float | None = None,
    confidence: float | str = 0.0,
    kappa: float | str | None = "5%",
    prune: bool = True,
    start: str = "auto",
    noise_floor: float | None = None,
    scores: str = "auto",
    agree: int = 0,
    batch_size: int = 32,
    workers: Any = None,
    title: str | None = "explanation",
    mode: str | None = None,
) -> list[Any]:
    """Explains many inputs, each as :func:`explain` would, spread over the workers.

    >>> import numpy as np, gradless
    >>> def predict(X):
    ...     s = X[:, :3].sum(axis=1) - 1
    ...     return np.stack([-s, s], axis=1)
    >>> found = gradless.explain_many(predict, np.ones((3, 8)), question="part")
    >>> [one.valid for one in found]
    [True, True, True]

    ``workers`` is what :func:`minimize` takes; with Dask or Ray a whole cluster explains. Everything else is as for :func:`explain`,
    and so are the answers, whoever found them.
    """
    options = {name: value for name, value in locals().items() if name not in ("predict", "inputs", "workers")}
    crew = crew_of(workers)
    try:
        return crew.run(_One(predict, options), [(x,) for x in inputs])
    finally:
        crew.close()
