"""Classifiers as users have them: a function, a scikit-learn estimator, an ONNX file."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, numbers, settled


class Model:
    """A classifier in an ONNX file. Made by :func:`load_model`.

    Call it with inputs of shape ``(n, *shape)`` for scores of shape ``(n, classes)``.
    """

    def __init__(self, path: str | os.PathLike[str], engine: str = "auto") -> None:
        if engine != "rten":
            find_onnxruntime()
        self._onnx = _gradless.Onnx(os.fspath(path), engine)
        self.path = os.fspath(path)
        #: What runs it: ``"ort"`` (onnxruntime) or ``"rten"``.
        self.engine: str = self._onnx.engine
        self.shape: tuple[int, ...] = tuple(self._onnx.shape)
        self.classes: int = self._onnx.classes
        self.labels: list[str] = self._onnx.labels
        self.range: tuple[float, float] = self._onnx.range
        #: How pictures of another size were brought to its own when it was trained, if its description says so.
        self.resize: str | None = self._onnx.resize

    def __call__(self, inputs: ArrayLike) -> Array:
        array = numbers("inputs", inputs)
        return self._onnx.scores(array.reshape(-1, int(np.prod(self.shape))))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model, (self.path, self.engine))

    def __repr__(self) -> str:
        return f"<gradless.Model {self.path!r}: {self.shape} to {self.classes} classes>"


def load_model(path: str | os.PathLike[str], engine: str = "auto") -> Model:
    """Loads an ONNX classifier; ``M.toml`` beside ``M.onnx`` describes its inputs, as for the command.

    ``engine`` is ``"auto"`` (onnxruntime where the package is installed, otherwise rten), ``"ort"`` or ``"rten"`` (built in, pure Rust).
    """
    return Model(path, engine)


def find_onnxruntime() -> None:
    """Tells Rust where this Python has onnxruntime, without importing it."""
    found = importlib.util.find_spec("onnxruntime")
    if found is not None and found.submodule_search_locations:
        _gradless.look_for_onnxruntime_in(found.submodule_search_locations[0])


class Predict:
    """A classifier as a function of ``(n, d)`` arrays that gives ``(n, classes)`` float64 scores.

    It travels to worker processes, so it holds nothing but what the user gave and the way from numbers to inputs.
    """

    def __init__(
        self, predict: Callable[..., Any], decode: Callable[[Array], Any], labels: Sequence[str] | None, threshold: float | None = None
    ) -> None:
        self.predict, self.decode, self.threshold = predict, decode, threshold
        self.labels = None if labels is None else [str(label) for label in labels]

    def __call__(self, points: Array) -> Array:
        return settled(self._scores(self.predict(self.decode(points)), len(points)))

    def _scores(self, answer: Any, rows: int) -> Any:
        if answer is None:
            raise TypeError("predict returned None: scores of shape (n, classes) are needed")
        if hasattr(answer, "detach"):
            # What torch gives may belong to a graph, or lie on another device.
            answer = answer.detach().cpu()
        scores = np.asarray(answer)
        if scores.shape == (rows, 1):
            scores = scores[:, 0]
        if self.threshold is not None:
            return self._sides(scores, rows)
        if scores.ndim == 2 and scores.shape[0] == rows and scores.dtype.kind in "fiub":
            return scores
        if scores.shape != (rows,):
            raise ValueError(f"predict returned an array of shape {scores.shape} for {rows} inputs: shape ({rows}, classes) is needed")
        if scores.dtype.kind == "f":
            # One number between 0 and 1 is the probability of the second of two classes.
            if ((scores >= 0) & (scores <= 1)).all():
                return np.stack([1 - scores, scores], axis=1)
            return np.stack([-scores, scores], axis=1)
        return self._labels(scores)

    def _sides(self, values: Any, rows: int) -> Any:
        """Below a threshold, or not."""
        if values.shape != (rows,) or values.dtype.kind not in "fiu":
            raise ValueError(f"with a threshold, predict must return one number per input, not an array of shape {values.shape}")
        beyond = values.astype(np.float64) - self.threshold
        # At the threshold itself counts as above it.
        beyond = np.where(beyond == 0, np.finfo(np.float64).tiny, beyond)
        return np.stack([-beyond, beyond], axis=1)

    def _labels(self, answer: Any) -> Any:
        """Labels as scores: 1 for the class that was said."""
        if self.labels is None:
            if answer.dtype.kind in "OV":
                raise TypeError("predict returned values that are not numbers: scores of shape (n, classes) are needed, or labels=, all of them in order")
            raise ValueError("predict returned labels: pass labels=, all of them in order, or give predict_proba instead")
        known = {label: index for index, label in enumerate(self.labels)}
        scores = np.zeros((len(answer), len(known)))
        for row, label in enumerate(answer):
            if str(label) not in known:
                raise ValueError(f"predict returned the label {label!s}, which is not in labels")
            scores[row, known[str(label)]] = 1.0
        return scores


class Shaped:
    """Rows of numbers as inputs of a shape and type."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype

    def __call__(self, points: Array) -> Any:
        return points.reshape(len(points), *self.shape).astype(self.dtype, copy=False)


#: What an estimator may have, the most telling first, and whether it gives probabilities.
_METHODS = (("predict_proba", True), ("decision_function", False), ("predict", False))


def resolve(predict: Any, labels: Sequence[Any] | None, threshold: float | None = None) -> tuple[Any, list[str] | None, bool]:
    """The function or model behind what was given, the names of its classes, and whether it is known to give probabilities."""
    names = None if labels is None else [str(label) for label in labels]
    if isinstance(predict, (str, os.PathLike)):
        predict = load_model(predict)
    if isinstance(predict, Model):
        return predict, names or predict.labels or None, False
    known = getattr(predict, "classes_", None)
    known = None if known is None else [str(label) for label in known]
    if threshold is not None:
        names = names or [f"below {threshold:g}", f"{threshold:g} or more"]
        found = getattr(predict, "predict", predict)
        if not callable(found):
            raise TypeError("a threshold is for a function or a model that predicts numbers")
        return found, names, False
    for method, probable in _METHODS:
        if _has(predict, method):
            return getattr(predict, method), names or known, probable
    if not callable(predict):
        raise TypeError(
            f"predict must be a function of (n, *x.shape) arrays, an estimator with predict_proba, decision_function or predict, or the path of an "
            f"ONNX file, not {type(predict).__name__}"
        )
    return predict, names, False


def _has(predict: Any, method: str) -> bool:
    """Whether an estimator has a method; pipelines say so only when asked."""
    if isinstance(predict, type):
        return False
    try:
        return callable(getattr(predict, method, None))
    except Exception:  # a property that fails is a method that is not there
        return False
