"""The door between an attack and a network: it counts queries and keeps, at every count, the smallest change that altered the class.

An attack may ask about any numbers. A change counts as it would be saved, with 8 bits: where an attack finds a smaller one, the door rounds it
and looks whether it holds so. That look is free, for nobody here optimises 8-bit pictures but us.
"""

import io

import numpy as np
from PIL import Image

NORMS = ["pixels", "numbers", "l1", "l2", "linf"]
STEPS = 255
#: Scores that differ by less are no success: two engines need not agree about them.
FLOOR = 1e-5


class Over(Exception):
    """The queries are used up."""


def sizes(changed, picture):
    """The five norms of the difference between pictures and one of them, a row each."""
    apart = np.abs(changed - picture[None])
    flat = apart.reshape(len(apart), -1)
    return np.stack(
        [
            (apart.max(axis=1).reshape(len(apart), -1) > 0).sum(axis=1),
            (flat > 0).sum(axis=1),
            flat.sum(axis=1),
            np.sqrt((flat**2).sum(axis=1)),
            flat.max(axis=1),
        ],
        axis=1,
    )


class Door:
    """A network as an attack sees it."""

    def __init__(self, network, picture, label, budget, target=None, labels_only=False):
        self.network, self.picture, self.label, self.target = network, picture, label, target
        self.budget, self.labels_only = budget, labels_only
        self.queries = 0
        self.best = np.full(len(NORMS), np.inf)
        self.pictures = [None] * len(NORMS)
        #: For every norm when a smaller change was known, and its size.
        self.curves = [[] for _ in NORMS]

    def __call__(self, rows):
        """Scores of pictures; raises `Over` beyond the budget, after what it covers was answered and noted."""
        rows = np.asarray(rows, np.float64).reshape(-1, *self.picture.shape)
        covered = rows[: self.budget - self.queries]
        if not len(covered):
            raise Over
        scores = self.network(covered)
        self._note(covered, scores)
        self.queries += len(covered)
        if len(covered) < len(rows):
            raise Over
        if self.labels_only:
            return np.eye(scores.shape[1])[scores.argmax(axis=1)]
        return scores

    def margin(self, scores):
        """By how much the class is altered; the label or the target alone decide."""
        return margin(scores, self.label, self.target)

    def confirmed(self):
        """Whether the smallest changes, read back from PNG files, have another class in every norm; `None` where there is none."""
        found = [None if picture is None else through_file(picture) for picture in self.pictures]
        return [None if picture is None else bool(self.margin(self.network(picture[None]))[0] > 0) for picture in found]

    def _note(self, rows, scores):
        altered = np.flatnonzero(self.margin(scores) > FLOOR)
        if not len(altered):
            return
        saved = np.rint(np.clip(rows[altered], 0, 1) * STEPS) / STEPS
        found = sizes(saved, self.picture)
        # Only what is smaller than all before it is looked at again.
        before = np.minimum.accumulate(np.vstack([self.best, found]), axis=0)[:-1]
        hopeful = np.flatnonzero((found < before).any(axis=1))
        if not len(hopeful):
            return
        exact = np.abs(saved[hopeful] - rows[altered[hopeful]]).reshape(len(hopeful), -1).max(axis=1) < 1e-9
        holds = exact.copy()
        if not exact.all():
            rounded = np.flatnonzero(~exact)
            holds[rounded] = self.margin(self.network(saved[hopeful[rounded]])) > FLOOR
        for place in hopeful[holds]:
            for norm, size in enumerate(found[place]):
                if size < self.best[norm]:
                    self.best[norm] = size
                    self.pictures[norm] = saved[place].copy()
                    self.curves[norm].append((int(self.queries + altered[place] + 1), float(size)))


def margin(scores, label, target=None):
    """By how much scores, a row each, are those of another class, or of the target."""
    if target is not None:
        return scores[:, target] - np.delete(scores, target, axis=1).max(axis=1)
    return np.delete(scores, label, axis=1).max(axis=1) - scores[:, label]


def after(curve, queries):
    """The smallest size that was known after so many queries."""
    return min((size for at, size in curve if at <= queries), default=float("inf"))


def through_file(picture):
    """A picture after it was written to a PNG file and read again."""
    pixels = np.rint(picture * STEPS).astype(np.uint8).transpose(1, 2, 0)
    file = io.BytesIO()
    Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels).save(file, "png")
    read = np.asarray(Image.open(io.BytesIO(file.getvalue()))).reshape(pixels.shape)
    return read.transpose(2, 0, 1) / STEPS
