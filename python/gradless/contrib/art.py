"""``GradlessAttack``: the least change that alters the class, as an evasion attack of the Adversarial Robustness Toolbox.

>>> from gradless.contrib.art import GradlessAttack                                             # doctest: +SKIP
>>> adversarial = GradlessAttack(classifier, norm="l2", max_queries=2000).generate(x)           # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import numpy as np
from art.attacks.attack import EvasionAttack
from art.estimators.classification.classifier import ClassifierMixin
from art.estimators.estimator import BaseEstimator

from .._attack import Attack, attack


class GradlessAttack(EvasionAttack):  # type: ignore[misc]
    """The least change that alters the class, from queries alone.

    Parameters
    ----------
    classifier
        Any classifier of ART with ``clip_values``; only ``predict`` is called.
    norm, max_queries, levels, enough
        As for :func:`gradless.attack`. ``levels=None`` lets numbers have any value.
    targeted
        Whether ``y`` of :meth:`generate` says which classes the changes should lead to.
    labels
        Whether nothing but the class is used.
    rng
        The seed.
    """

    attack_params = [*EvasionAttack.attack_params, "norm", "max_queries", "targeted", "labels", "levels", "enough", "rng"]
    _estimator_requirements = (BaseEstimator, ClassifierMixin)

    def __init__(
        self,
        classifier: Any,
        norm: str = "pixels",
        max_queries: int = 5000,
        targeted: bool = False,
        labels: bool = False,
        levels: int | None = 256,
        enough: float | None = None,
        rng: int = 0,
    ) -> None:
        super().__init__(estimator=classifier)
        self.norm, self.max_queries, self.labels = norm, max_queries, labels
        self.levels, self.enough, self.rng = levels, enough, rng
        self._targeted = targeted
        #: What was found for every input of the last call of :meth:`generate`, with sizes and curves.
        self.attacks: list[Attack] = []
        if classifier.clip_values is None:
            raise ValueError("the classifier needs clip_values: they say what a change may lead to")

    def generate(self, x: Any, y: Any = None, **kwargs: Any) -> Any:
        """Changed inputs; where no change was found, the input as it is."""
        classes = None if y is None else np.asarray(y)
        if classes is not None and classes.ndim > 1:
            classes = classes.argmax(axis=1)
        if self._targeted and classes is None:
            raise ValueError("a targeted attack needs y: the classes that changes should lead to")
        self.attacks = [self._one(row, None if classes is None else int(classes[at])) for at, row in enumerate(x)]
        rows = [found.x if found.valid else row for found, row in zip(self.attacks, x)]
        return np.stack([np.asarray(row, dtype=x.dtype).reshape(x.shape[1:]) for row in rows])

    def _one(self, row: Any, wanted: int | None) -> Attack:
        low, high = (np.asarray(bound, dtype=float) for bound in self.estimator.clip_values)
        bounds = (float(low.min()), float(high.max()))

        def predict(rows: Any) -> Any:
            return self.estimator.predict(np.asarray(rows, dtype=np.float32).reshape(-1, *row.shape))

        return attack(
            predict,
            np.asarray(row, dtype=np.float64),
            norm=self.norm,
            target=wanted if self._targeted else None,
            max_queries=self.max_queries,
            bounds=bounds,
            levels=self.levels,
            scores="labels" if self.labels else "auto",
            enough=self.enough,
            rng=self.rng,
        )
