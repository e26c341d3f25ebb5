"""``attack``: the least change that alters the class, for models one is allowed to test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _gradless
from ._arrays import Array, not_negative, real, seed_of
from ._arrays import count as whole
from ._explain import LEVELS, _Arrays, _numbers, _opinions, _target, answers_to
from ._explanation import Explanation, Setting
from ._predict import Model, Predict, Shaped, resolve
from ._subjects import TableOptions, subject_of
from ._workers import crew_of


class Attack(Explanation):
    """The least change that was found; everything that an :class:`Explanation` of a change has, and:

    Attributes
    ----------
    norm : str
        What is small: ``"pixels"``, ``"numbers"``, ``"l1"``, ``"l2"`` or ``"linf"``.
    size : float
        How large the change is in that norm; infinite where none was found.
    norm_linf : float
        The largest change of a number.
    curve : list of (int, float)
        When smaller changes were known, and their sizes: at every number of queries the last entry is the best so far.
    """

    def __init__(self, setting: Setting, answer: _gradless.Answer, nothing: Array) -> None:
        super().__init__(setting, answer, nothing)
        told = json.loads(answer.json(arrays=False))["attack"]
        self.norm: str = told["norm"]
        self.size: float = float("inf") if told["size"] is None else told["size"]
        self.norm_linf: float = told["norm_linf"]
        self.curve: list[tuple[int, float]] = [(one["queries"], one["size"]) for one in told["curve"]]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Attack, (self.setting, self._answer, self._nothing), {"alternatives": self.alternatives})

    def size_after(self, queries: int) -> float:
        """The size of the best change after so many queries; infinite where there was none."""
        return min((size for at, size in self.curve if at <= queries), default=float("inf"))

    def __repr__(self) -> str:
        return f"<gradless.Attack {self.norm} {self.size:g}: {self.sentence} ({self.nfev} queries)>"


def attack(
    predict: Any,
    x: Any = None,
    *,
    norm: str = "pixels",
    target: Any = None,
    max_queries: int = 5000,
    features: Any = None,
    data: Any = None,
    bounds: Any = None,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    freeze: Any = None,
    increase: Any = None,
    decrease: Any = None,
    rules: Any = None,
    categorical: Sequence[Sequence[Any]] | None = None,
    integers: Sequence[Any] | None = None,
    levels: int | None = LEVELS,
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    threshold: float | None = None,
    scores: str = "auto",
    enough: float | None = None,
    max_seconds: float | None = None,
    rng: Any = 0,
    noise_floor: float | None = None,
    second_opinion: Any = None,
    batch_size: int = 32,
    workers: Any = None,
    title: str | None = "attack",
) -> Attack:
    """Finds the least change of ``x`` that alters its class, from queries alone. For models that you are allowed to test.

    >>> import numpy as np, gradless
    >>> def predict(X):                                   # class 1 if the first three numbers outweigh the others
    ...     s = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    ...     return np.stack([-s, s], axis=1)
    >>> found = gradless.attack(predict, np.ones(20), max_queries=500)
    >>> found.valid, found.size                           # two of the first three have to go
    (True, 2.0)

    Parameters
    ----------
    predict, x
        The model and the input, as for :func:`explain`.
    norm
        What is small: ``"pixels"`` (features that change: pixels, whichever of their channels; columns, words, switches), ``"numbers"`` (every
        channel counts), ``"l1"``, ``"l2"`` or ``"linf"``.
    target
        The class the change should lead to; any other unless given.
    max_queries, max_seconds
        Inputs the model may be given, everything included, and the time after which the best so far is taken.
    features, data, bounds, ranges, freeze, increase, decrease, rules, categorical, integers
        What may change, and to what, as for :func:`explain`.
    levels
        Values that a number of a saved picture can have: changes are valid on the picture as saved. ``None``: any value.
    feature_names, labels, threshold, title
        As for :func:`explain`.
    scores
        What ``predict`` gives: ``"logits"``, ``"probabilities"`` or ``"auto"``; ``"labels"``: nothing but the class is used.
    enough
        A size at which the search ends.
    rng
        The seed: the same answer as the command gives with ``--seed``.
    noise_floor
        A margin must be above it to count; measured unless given.
    second_opinion
        Another model, or a list of them, that is asked whether the change alters its class too. The search does not know it.
    batch_size, workers
        As for :func:`explain`.
    """
    limit = None if threshold is None else real("threshold", threshold)
    function, names, probable = resolve(predict, labels, limit)
    onnx = function if isinstance(function, Model) else None
    given = TableOptions(bounds, None, freeze, categorical, integers, ranges, increase, decrease, rules)
    subject = subject_of(x, data, features, feature_names, onnx, given)
    if onnx is not None and subject.decode is not None:
        function, onnx = _Arrays(function), None
    single = getattr(x, "dtype", None) == np.float32
    decode = subject.decode or Shaped(subject.shape, np.float32 if single else np.float64)
    setting = Setting(
        input=subject.input.reshape(subject.shape),
        given=x,
        shape=subject.shape,
        feature_names=subject.names,
        labels=names,
        range=subject.range,
        model=onnx.path if onnx else getattr(predict, "__name__", type(predict).__name__),
        max_queries=whole("max_queries", max_queries, 1),
        title=title or "attack",
        frame=subject.frame,
        text=subject.text,
        switches=subject.switches is not None,
        table=subject.table,
    )
    request: dict[str, Any] = {
        "title": setting.title,
        "classes": names or [],
        **_numbers(subject),
        "question": "attack",
        "norm": norm,
        "enough": None if enough is None else not_negative("enough", enough),
        "levels": None if levels is None else whole("levels", levels, 2),
        "moves": "two-sided",
        "target": None if target is None else _target(target, names),
        "strategy": None,
        "method": None,
        "seed": seed_of(rng),
        "max_queries": setting.max_queries,
        "max_seconds": None if max_seconds is None else not_negative("max_seconds", max_seconds),
        "l1": None,
        "l2": None,
        "confidence": "0",
        "stability": "off",
        "examples": None,
        "autoencoder": None,
        "second_opinions": _opinions(second_opinion, subject, decode, names),
        "kappa": None,
        "kappa_share": None,
        "prune": True,
        "start": "auto",
        "noise_floor": None if noise_floor is None else real("noise_floor", noise_floor),
        "scores": "probabilities" if scores == "auto" and probable else scores,
        "agree": 0,
        "count": 1,
        "rows": whole("batch_size", batch_size, 1),
    }
    found: list[Attack] = answers_to(request, onnx, Predict(function, decode, names, limit), setting, workers, Attack)
    return found[0]


class _One:
    """Attacks one input; travels to worker processes."""

    def __init__(self, predict: Any, options: dict[str, Any]) -> None:
        self.predict, self.options = predict, options

    def __call__(self, x: Any) -> Attack:
        return attack(self.predict, x, **self.options)


def attack_many(
    predict: Any,
    inputs: Any,
    *,
    norm: str = "pixels",
    target: Any = None,
    max_queries: int = 5000,
    features: Any = None,
    data: Any = None,
    bounds: Any = None,
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
    freeze: Any = None,
    increase: Any = None,
    decrease: Any = None,
    rules: Any = None,
    categorical: Sequence[Sequence[Any]] | None = None,
    integers: Sequence[Any] | None = None,
    levels: int | None = LEVELS,
    feature_names: Sequence[str] | None = None,
    labels: Sequence[Any] | None = None,
    threshold: float | None = None,
    scores: str = "auto",
    enough: float | None = None,
    max_seconds: float | None = None,
    rng: Any = 0,
    noise_floor: float | None = None,
    second_opinion: Any = None,
    batch_size: int = 32,
    workers: Any = None,
    title: str | None = "attack",
) -> list[Attack]:
    """Attacks many inputs, each as :func:`attack` would, spread over the workers.

    >>> import numpy as np, gradless
    >>> def predict(X):
    ...     s = X[:, :3].sum(axis=1) - 1.5
    ...     return np.stack([-s, s], axis=1)
    >>> [one.size for one in gradless.attack_many(predict, np.ones((2, 8)), max_queries=300)]
    [2.0, 2.0]
    """
    options = {name: value for name, value in locals().items() if name not in ("predict", "inputs", "workers")}
    crew = crew_of(workers)
    try:
        return crew.run(_One(predict, options), [(x,) for x in inputs])
    finally:
        crew.close()
