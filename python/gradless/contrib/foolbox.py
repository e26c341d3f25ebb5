"""``GradlessAttack``: the least change that alters the class, as a minimization attack of foolbox.

>>> from gradless.contrib.foolbox import GradlessAttack                                         # doctest: +SKIP
>>> raw, clipped, success = GradlessAttack("l2", max_queries=2000)(model, images, labels, epsilons=[0.5, 1.0])   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import eagerpy as ep
import numpy as np
from foolbox.attacks.base import MinimizationAttack, get_criterion, raise_if_kwargs
from foolbox.criteria import Misclassification, TargetedMisclassification
from foolbox.distances import l0, l1, l2, linf

from .._attack import Attack, attack

_DISTANCES = {"numbers": l0, "l1": l1, "l2": l2, "linf": linf}


class GradlessAttack(MinimizationAttack):  # type: ignore[misc]
    """The least change that alters the class, from queries alone.

    Parameters
    ----------
    norm
        ``"numbers"`` (foolbox calls it l0), ``"l1"``, ``"l2"`` or ``"linf"``: distances that foolbox has too.
    max_queries, labels, levels, rng
        As for :class:`gradless.contrib.art.GradlessAttack`.
    """

    def __init__(
        self, norm: str = "l2", max_queries: int = 5000, labels: bool = False, levels: int | None = 256, rng: int = 0
    ) -> None:
        if norm not in _DISTANCES:
            raise ValueError(f"norm must be one of {', '.join(_DISTANCES)}, not {norm}")
        self.norm, self.max_queries, self.labels, self.levels, self.rng = norm, max_queries, labels, levels, rng
        #: What was found for every input of the last call, with sizes and curves.
        self.attacks: list[Attack] = []

    @property
    def distance(self) -> Any:
        """The distance that is small."""
        return _DISTANCES[self.norm]

    def run(self, model: Any, inputs: Any, criterion: Any, *, early_stop: float | None = None, **kwargs: Any) -> Any:
        """Changed inputs; where no change was found, the input as it is."""
        raise_if_kwargs(kwargs)
        x, restore = ep.astensor_(inputs)
        given = get_criterion(criterion)
        targets: list[int | None]
        if isinstance(given, TargetedMisclassification):
            targets = [int(one) for one in given.target_classes.numpy()]
        elif isinstance(given, Misclassification):
            targets = [None] * len(x)
        else:
            raise ValueError("the criterion must be Misclassification or TargetedMisclassification")
        rows = x.numpy()
        low, high = model.bounds

        def predict(batch: Any) -> Any:
            asked = ep.from_numpy(x, np.asarray(batch, dtype=rows.dtype).reshape(-1, *rows.shape[1:]))
            return ep.astensor(model(asked.raw)).numpy()

        self.attacks = [
            attack(
                predict,
                np.asarray(row, dtype=np.float64),
                norm=self.norm,
                target=target,
                max_queries=self.max_queries,
                bounds=(float(low), float(high)),
                levels=self.levels,
                scores="labels" if self.labels else "auto",
                enough=early_stop,
                rng=self.rng,
            )
            for row, target in zip(rows, targets)
        ]
        found = [one.x if one.valid else row for one, row in zip(self.attacks, rows)]
        changed = np.stack([np.asarray(one, dtype=rows.dtype).reshape(rows.shape[1:]) for one in found])
        return restore(ep.from_numpy(x, changed))
