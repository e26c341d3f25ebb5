"""``explain``: what is enough for a class, and what small change would alter it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, not_negative, real, seed_of, settled
from ._arrays import count as whole
from ._explanation import Explanation, Explanations, Setting
from ._live import Forming, close, watcher
from ._predict import Model, Predict, Shaped, resolve
from ._result import attach
from ._subjects import Subject, TableOptions, rows_of, subject_of
from ._workers import Crew, crew_of

#: Values that a number of a saved picture can have.
LEVELS = 256

#: Queries per question unless told otherwise: of regions fewer, as models of photographs take their time.
QUERIES = {False: 5000, True: 1500}


def explain(
    predict: Any,
    x: Any = None,
    *,
    question: str = "both",
    features: Any = None,
    data: Any = None,
    absent: Any = None,
    bounds: Any = None,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    freeze: Any = None,
    increase: Any = None,
    decrease: Any = None,
    rules: Any = None,
    cost: Any = "range",
    plausible: str = "prefer",
    categorical: Sequence[Sequence[Any]] | None = None,
    integers: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    target: Any = None,
    threshold: float | None = None,
    count: int = 1,
    set: str = "two-sided",
    max_queries: int | None = None,
    max_seconds: float | None = None,
    rng: Any = 0,
    strategy: str | None = None,
    method: str = "auto",
    l1: float | None = None,
    l2: float | None = None,
    confidence: float | str | None = None,
    stability: str | bool | None = None,
    examples: ArrayLike | None = None,
    autoencoder: Any = None,
    second_opinion: Any = None,
    kappa: float | str | None = "5%",
    prune: bool = True,
    start: str = "auto",
    noise_floor: float | None = None,
    scores: str = "auto",
    agree: int = 0,
    batch_size: int = 32,
    workers: Any = None,
    progress: Callable[[Forming], Any] | bool | None = None,
    resize: str | None = None,
    title: str | None = "explanation",
    mode: str | None = None,
    background: Any = None,
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
        An estimator or pipeline with ``predict_proba``, ``decision_function`` or ``predict``; or a function: ``predict(X)`` with ``X`` of shape
        ``(n, *x.shape)``, a table of ``n`` rows, or a list of ``n`` texts, as ``x`` is, gives scores of shape ``(n, classes)``; or the path of
        an ONNX file, or what :func:`load_model` made of it.
    x
        The input: an array of the model's shape without the batch, ``(channels, rows, columns)`` for pictures, or an image of PIL, which is
        brought to the size of an ONNX model; photographs may have their channels last, and a function is then given such pictures; a row of a table
        (``df.iloc[[i]]``), strings and missing values included; a text; a row of a sparse matrix.
    question
        ``"part"``: what of the input is enough for its class (pertinent positive, also ``"pp"``); ``"change"``: what change
        would alter it (pertinent negative, also ``"pn"``); ``"both"``; ``"contrast"``: what speaks for its class and against ``target``;
        ``"essential"``: regions that are enough for its class and without which it is another.
    features
        What can be switched: :class:`Regions` of a picture (unless told otherwise above 64 x 64), ``"pixels"``, :class:`Words` of a text, a
        :class:`Mask` of the user's own. Columns of a table and pixels of a smaller picture need not be named.
    data
        Rows like ``x``: they tell which values columns may take and which are typical, and what combinations occur.
    absent
        What stands where something is absent: one number, or one for each place; of regions also a colour, ``"blur"`` or ``"blur=SHARE"`` of the
        shorter side, ``"mean"`` (the mean colour) or ``"diffusion"`` (what diffuses in from around). The typical values of ``data`` if that is
        given, ``"blur"`` for regions, else 0. ``background`` is another word for it.
    bounds
        ``(lower, upper)`` of what the model may be shown, one number each or one for each place. The range of the data if ``data``
        is given, the range in the description of an ONNX model, else ``(0, 1)``.
    ranges
        The least and the largest value of columns, by name, instead of those in ``data``; ``None`` leaves one as it is.
    freeze
        What must stay as it is: a mask of the shape of ``x``, or a list of columns, feature names or words.
    increase, decrease
        Columns that may only grow, or only shrink.
    rules
        What must hold between columns: ``"rent <= income"``, ``"a + b + c == 1"``, ``["2 * rooms >= baths"]``. The model is never shown a row
        that breaks one.
    cost
        What changes are measured in: ``"range"`` (the width of a column's range), ``"mad"`` (its median absolute deviation), or a mapping from
        a column to the change that costs 1.
    plausible
        ``"prefer"``: of changes with as many columns, one close to a known row; ``"strict"``: only rows that are as close to known rows as most
        known rows are to each other.
    categorical
        Groups of one-hot columns, by index or name. The search keeps exactly one 1 in each.
    integers
        Columns whose values are whole numbers; known from ``data`` where that is given.
    feature_names, labels
        Names for the display; a target may be given by its label.
    target
        The class a change should lead to, any other unless given; of a contrast, the class it is compared with.
    threshold
        For a model that predicts a number: what is explained is whether it is below the threshold.
    count
        Different answers to each question: with no feature in common, as long as there are such.
    set
        ``"two-sided"``, or ``"add"``: numbers may only grow.
    max_queries, max_seconds
        Inputs the model may be given for each question, everything included (5,000 unless given, 1,500 for regions), and the time after which
        the best so far is taken.
    rng
        The seed: the same answer as the command gives with ``--seed``.
    strategy
        How the smallest answer is searched: ``"refine"`` (from groups of regions to single ones), ``"select"`` (the fewest columns, words or switches that suffice), ``"eliminate"`` (from something that answers the question what is not needed is taken
        away), ``"direct"`` (by what single features do), ``"penalised"`` (an optimiser at several weights) or ``"fixed"`` (an
        optimiser once, at the weights given). By selection where features have a choice of a few values; else by elimination, and direct where ``stability`` is off; penalised where
        ``method`` is not ``"auto"``.
    method
        The optimiser of a penalised or fixed search, by its name in :func:`methods`.
    l1, l2
        Weights of the penalty. 1/16 of the width of the bounds, and of its square, unless given; ``l2`` is as ``l1`` if only that
        is given.
    confidence
        How sure the model must be of the answer: the share of the input's own margin that it keeps (``0.5`` or ``"50%"``), or a
        probability (``"p=0.9"``). 0: the class alone. Half of the margin unless given, 97 % where scores lie between -1 and 1.
    stability
        Which disturbances a picture's answer must survive: ``"off"``, ``"on"``, or a list such as
        ``"noise=0.15,shift=1,brightness=0.1,draws=100"``. On unless given.
    examples
        Inputs like ``x``, one per row: changes begin at the nearest of another class, so that what remains is real.
    autoencoder
        Tells how plausible answers are: a function that gives ``(n, *x.shape)`` arrays back as it knows them, or the path of an ONNX
        file. A linear one of the examples unless given.
    second_opinion
        Another model, or a list of them, that is asked what it says of the answers. The search does not know it.
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
    progress
        ``True`` shows the search while it goes on: in a notebook a card that is replaced, in a terminal a line. A function is called with what the
        search holds so far (``question``, ``queries``, ``budget``, ``held`` and ``x``), ten times a second at most; an exception of it ends the search.
    resize
        How an image of PIL is brought to the size of an ONNX model: ``"crop"`` (its middle), ``"letterbox"`` (all of it within grey bars),
        ``"squash"`` (stretched) or ``"trained"``: as its description says, else ``"crop"`` above 64 x 64 and ``"squash"`` below.
    title
        What the input is called on pages and in JSON.
    mode
        Another word for ``question``, as in earlier versions.

    Returns
    -------
    Explanation or Explanations
        One for each question; both show themselves in a notebook.
    """
    if background is not None:
        if absent is not None:
            raise TypeError("absent and background are two words for one thing: give one of them")
        absent = background
    limit = None if threshold is None else real("threshold", threshold)
    function, names, probable = resolve(predict, labels, limit)
    onnx = function if isinstance(function, Model) else None
    given = TableOptions(bounds, absent, freeze, categorical, integers, ranges, increase, decrease, rules, cost, plausible)
    by_regions = strategy in (None, "refine", "select") and method == "auto"
    subject = subject_of(x, data, features, feature_names, onnx, given, resize, by_regions)
    shape, dim = subject.shape, subject.input.size
    if onnx is not None and subject.decode is not None:
        # An ONNX file takes arrays of numbers; whatever is decoded is given to it as such.
        function, onnx = _Arrays(function), None
    decode = subject.decode or Shaped(shape, np.float32 if getattr(x, "dtype", None) == np.float32 else np.float64)
    setting = Setting(
        input=subject.input.reshape(shape),
        given=x,
        shape=shape,
        feature_names=subject.names,
        labels=names,
        range=subject.range,
        model=onnx.path if onnx else getattr(predict, "__name__", type(predict).__name__),
        max_queries=whole("max_queries", QUERIES[subject.regions is not None] if max_queries is None else max_queries, 1),
        title=title or "explanation",
        frame=subject.frame,
        text=subject.text,
        switches=subject.switches is not None,
        table=subject.table,
        picture=subject.picture,
    )
    if confidence is None and limit is not None:
        # Beyond the threshold is what was asked.
        confidence = 0
    request: dict[str, Any] = {
        "title": setting.title,
        "classes": names or [],
        **_numbers(subject),
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
        "confidence": None if confidence is None else _confidence(confidence),
        "stability": _stability(stability),
        "examples": None if examples is None else rows_of(examples, dim, "examples").reshape(-1),
        "autoencoder": None if autoencoder is None else _restoring(autoencoder, shape),
        "second_opinions": _opinions(second_opinion, subject, decode, names),
        **_kappa(kappa),
        "prune": bool(prune),
        "start": start,
        "noise_floor": None if noise_floor is None else real("noise_floor", noise_floor),
        "scores": "probabilities" if scores == "auto" and probable else scores,
        "agree": whole("agree", agree),
        "count": whole("count", count, 1),
        "rows": whole("batch_size", batch_size, 1),
        "norm": None,
        "enough": None,
        "levels": LEVELS,
        "progress": watcher(progress, setting),
    }
    try:
        found = answers_to(request, onnx, Predict(function, decode, names, limit), setting, workers)
    finally:
        close(progress)
    first = [one for one in found if one.alternative == 0]
    for one in first:
        one.alternatives = [other for other in found if other.question == one.question and other is not one]
    return Explanations(first, setting) if request["question"] == "both" else first[0]


def answers_to(
    request: dict[str, Any], onnx: Model | None, task: Predict, setting: Setting, workers: Any, kind: type[Explanation] = Explanation
) -> list[Any]:
    """The answers to a request, by a model that Rust runs itself or by a callable."""
    crew = crew_of(workers)
    request["threads"] = crew.hands
    try:
        if onnx is not None and type(crew) is Crew:
            answers, error = _gradless.explain_onnx(onnx._onnx, request)
        else:
            answers, error = _gradless.explain_callable(_Sender(task, crew), request)
    except BaseException as early:
        attach(early, None)
        raise
    finally:
        crew.close()
    found = [kind(setting, answer, nothing) for answer, nothing in answers]
    if error is not None:
        attach(error, found[0] if len(found) == 1 else found)
        raise error
    return found


def _numbers(subject: Subject) -> dict[str, Any]:
    """The numbers of an input as Rust takes them."""
    return {
        "shape": list(subject.shape),
        "input": subject.input.reshape(-1),
        "lower": subject.lower,
        "upper": subject.upper,
        "background": subject.absent,
        "frozen": subject.frozen,
        "table": subject.table,
        "switches": subject.switches,
        "regions": subject.regions,
        "switch_names": subject.names or [] if subject.switches is not None else [],
    }


class _Arrays:
    """An ONNX model for what is decoded first: tables become arrays."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self, inputs: Any) -> Any:
        return self.model(np.asarray(inputs, dtype=np.float64))


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


def _confidence(confidence: Any) -> str:
    return confidence if isinstance(confidence, str) else str(real("confidence", confidence))


def _stability(stability: Any) -> str | None:
    if isinstance(stability, bool):
        return "on" if stability else "off"
    if stability is not None and not isinstance(stability, str):
        raise TypeError(f"stability is {stability!r}: 'on', 'off', or a list such as 'noise=0.1,shift=1' is needed")
    return stability


def _restoring(autoencoder: Any, shape: tuple[int, ...]) -> Any:
    """A function that gives flat rows back as the autoencoder knows them."""
    function, _, _ = resolve(autoencoder, None)
    return lambda points: settled(np.asarray(function(points.reshape(len(points), *shape))).reshape(len(points), -1))


def _opinions(second_opinion: Any, subject: Subject, decode: Any, labels: list[str] | None) -> list[tuple[str, Any]]:
    """Names of other models, and what Rust can ask."""
    given = second_opinion if isinstance(second_opinion, (list, tuple)) else [] if second_opinion is None else [second_opinion]
    opinions: list[tuple[str, Any]] = []
    for one in given:
        function, names, _ = resolve(one, labels)
        if isinstance(function, Model) and subject.decode is None:
            if function.shape != tuple(subject.shape):
                raise ValueError(f"the second opinion {function.path} takes inputs of {function.shape}, x has {tuple(subject.shape)}")
            opinions.append((function.path, function._onnx))
        else:
            opinions.append((getattr(one, "__name__", type(one).__name__), Predict(function, decode, names)))
    return opinions


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
    return whole("target", target)


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
    features: Any = None,
    data: Any = None,
    absent: Any = None,
    bounds: Any = None,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    freeze: Any = None,
    increase: Any = None,
    decrease: Any = None,
    rules: Any = None,
    cost: Any = "range",
    plausible: str = "prefer",
    categorical: Sequence[Sequence[Any]] | None = None,
    integers: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    target: Any = None,
    threshold: float | None = None,
    count: int = 1,
    set: str = "two-sided",
    max_queries: int | None = None,
    max_seconds: float | None = None,
    rng: Any = 0,
    strategy: str | None = None,
    method: str = "auto",
    l1: float | None = None,
    l2: float | None = None,
    confidence: float | str | None = None,
    stability: str | bool | None = None,
    examples: ArrayLike | None = None,
    autoencoder: Any = None,
    second_opinion: Any = None,
    kappa: float | str | None = "5%",
    prune: bool = True,
    start: str = "auto",
    noise_floor: float | None = None,
    scores: str = "auto",
    agree: int = 0,
    batch_size: int = 32,
    workers: Any = None,
    resize: str | None = None,
    title: str | None = "explanation",
    mode: str | None = None,
    background: Any = None,
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
