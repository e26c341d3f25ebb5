"""Classifiers as users have them: a function, a scikit-learn estimator, an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _gradless
from ._arrays import Array, numbers, settled


class Model:
    """A classifier in an ONNX file, run by Rust in pure Rust: no onnxruntime is needed. Made by :func:`load_model`.

    Call it with inputs of shape ``(n, *shape)`` for scores of shape ``(n, classes)``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._onnx = _gradless.Onnx(os.fspath(path))
        self.path = os.fspath(path)
        self.shape: tuple[int, ...] = tuple(self._onnx.shape)
        self.classes: int = self._onnx.classes
        self.labels: list[str] = self._onnx.labels
        self.range: tuple[float, float] = self._onnx.range

    def __call__(self, inputs: ArrayLike) -> Array:
        array = numbers("inputs", inputs)
        return self._onnx.scores(array.reshape(-1, int(np.prod(self.shape))))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model, (self.path,))

    def __repr__(self) -> str:
        return f"<gradless.Model {self.path!r}: {self.shape} to {self.classes} classes>"


def load_model(path: str | os.PathLike[str]) -> Model:
    """Loads an ONNX classifier; ``M.toml`` beside ``M.onnx`` describes its inputs, as for the command."""
    return Model(path)


class Predict:
    """A classifier as a function of ``(n, d)`` arrays that gives ``(n, classes)`` float64 scores.

    It travels to worker processes, so it holds nothing but what the user gave.
    """

    def __init__(self, predict: Callable[..., Any], shape: tuple[int, ...], dtype: Any, labels: Sequence[str] | None) -> None:
        self.predict, self.shape, self.dtype = predict, shape, dtype
        self.labels = None if labels is None else [str(label) for label in labels]

    def __call__(self, points: Array) -> Array:
        rows = len(points)
        inputs = points.reshape(rows, *self.shape)
        answer = self.predict(inputs.astype(self.dtype, copy=False))
        return settled(self._scores(answer, rows))

    def _scores(self, answer: Any, rows: int) -> Any:
        scores = np.asarray(answer)
        if scores.dtype.kind in "OV" or answer is None:
            raise TypeError(f"predict returned {type(answer).__name__} values that are not numbers: scores of shape (n, classes) are needed")
        if scores.ndim == 2 and scores.shape[0] == rows and scores.dtype.kind in "fiub":
            if scores.shape[1] == 1:
                scores = scores[:, 0]
            else:
                return scores
        if scores.shape != (rows,):
            raise ValueError(f"predict returned an array of shape {scores.shape} for {rows} inputs: shape ({rows}, classes) is needed")
        if scores.dtype.kind == "f":
            # One number between 0 and 1 is the probability of the second of two classes.
            if ((scores >= 0) & (scores <= 1)).all():
                return np.stack([1 - scores, scores], axis=1)
            return np.stack([-scores, scores], axis=1)
        return self._labels(scores)

    def _labels(self, answer: Any) -> Any:
        """Labels as scores: 1 for the class that was said."""
        if self.labels is None:
            raise ValueError("predict returned labels: pass labels=, all of them in order, or give predict_proba instead")
        known = {label: index for index, label in enumerate(self.labels)}
        scores = np.zeros((len(answer), len(known)))
        for row, label in enumerate(answer):
            if str(label) not in known:
                raise ValueError(f"predict returned the label {label!s}, which is not in labels")
            scores[row, known[str(label)]] = 1.0
        return scores


def resolve(predict: Any, labels: Sequence[Any] | None) -> tuple[Any, list[str] | None]:
    """The function or model behind what was given, and the names of its classes."""
    names = None if labels is None else [str(label) for label in labels]
    if isinstance(predict, (str, os.PathLike)):
        predict = load_model(predict)
    if isinstance(predict, Model):
        return predict, names or predict.labels or None
    if hasattr(predict, "predict_proba"):
        known = getattr(predict, "classes_", None)
        return predict.predict_proba, names or (None if known is None else [str(label) for label in known])
    if not callable(predict):
        raise TypeError(
            f"predict must be a function of (n, *x.shape) arrays, an estimator with predict_proba, or the path of an ONNX file, "
            f"not {type(predict).__name__}"
        )
    return predict, names
