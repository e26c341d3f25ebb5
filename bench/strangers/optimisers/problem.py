"""A problem of somebody else: what is minimised, from where, within which bounds, and how often it may be asked."""

import hashlib

import numpy as np

# Budgets after which answers are compared.
BUDGETS = [500, 2_000, 5_000, 20_000]


class Problem:
    """`fun` is what can only be asked; `l1` is the weight of a norm that stands in the open beside it.

    `sparse` says that few coordinates matter at the start. `base` is the name by which problems are split: what only differs in size or in
    noise has the same base where the one would teach about the other. `expect` is how many coordinates matter; only GraCe is told.
    """

    def __init__(self, family, name, fun, start, *, lower=-np.inf, upper=np.inf, l1=0.0, sparse=False, base=None, expect=None,
                 residuals=None, budget=20_000):
        self.family, self.name, self.fun = family, name, fun
        self.start = np.asarray(start, float)
        self.dim = len(self.start)
        self.lower = np.broadcast_to(np.asarray(lower, float), self.dim).copy()
        self.upper = np.broadcast_to(np.asarray(upper, float), self.dim).copy()
        self.l1, self.sparse, self.base, self.expect = l1, sparse, base or name, expect
        self.residuals, self.budget = residuals, budget

    def clip(self, x):
        return np.clip(np.asarray(x, float).ravel(), self.lower, self.upper)

    def penalty(self, x):
        return self.l1 * float(np.abs(x).sum())

    @property
    def bounded(self):
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def scale(self):
        """A first step for strategies that need one: a fifth of the box, or of what the start says."""
        width = self.upper - self.lower
        width = width[np.isfinite(width) & (width > 0)]
        size = float(np.median(width)) if len(width) else 2 * max(1.0, float(np.abs(self.start).max(initial=0)))
        return 0.2 * size


class Entry:
    """A problem that can be made: one for each seed if its data are drawn anew, else the same for all."""

    def __init__(self, family, name, make, *, base=None, drawn=False):
        self.family, self.name, self.make, self.base, self.drawn = family, name, make, base or name, drawn


def halves(entries, first=None):
    """The rule of the split, fixed before anything was tuned: in each family bases in the order of the SHA-256 of their names, the first
    to tune on, the second to report, and so on by turns; of each half only the `first` so many."""
    half = {}
    for family in sorted({entry.family for entry in entries}):
        bases = {entry.base for entry in entries if entry.family == family}
        order = sorted(bases, key=lambda base: hashlib.sha256(base.encode()).hexdigest())[: first and 2 * first]
        half.update({(family, base): "tuning" if place % 2 == 0 else "reporting" for place, base in enumerate(order)})
    return {entry.name: half[entry.family, entry.base] for entry in entries if (entry.family, entry.base) in half}
