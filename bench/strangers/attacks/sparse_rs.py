"""Sparse-RS for pixels and for numbers, from its paper (Croce, Andriushchenko, Singh, Flammarion, Hein 2022, "Sparse-RS").

A set of k places with corner values; each step moves a share of them and is kept where the margin grows. The paper searches for a given k. For
the smallest k, `descending` begins with many and, whenever the class is altered, goes on with fewer: from the set that was found, without what
it can do without, or from a new one.
"""

import numpy as np

from door import Over

#: Up to which of 10,000 steps, and by what the first share of places that move is divided.
SCHEDULE = [(0, 1), (50, 2), (200, 4), (500, 5), (1000, 6), (2000, 8), (4000, 10), (6000, 12), (8000, 15), (np.inf, 20)]


def share(step, of, first):
    scaled = step / of * 10_000
    return first / next(by for until, by in SCHEDULE if scaled <= until)


class Places:
    """Places of a picture: pixels with all their channels, or single numbers."""

    def __init__(self, picture, unit):
        self.picture, self.unit = picture, unit
        self.channels = picture.shape[0] if unit == "pixels" else 1
        self.count = picture[0].size if unit == "pixels" else picture.size

    def shown(self, places, values):
        changed = self.picture.copy()
        if self.unit == "pixels":
            changed.reshape(len(changed), -1)[:, places] = values
        else:
            changed.reshape(-1)[places] = values[0]
        return changed

    def corners(self, rng, count):
        return rng.integers(0, 2, (self.channels, count)).astype(float)


def search(door, rng, unit, k, steps, first=0.3, begin=None, until=None):
    """One run with k places; gives the places, their values and whether the class was altered. `until` queries at most."""
    all_places = Places(door.picture, unit)
    if begin is None:
        places = rng.permutation(all_places.count)[:k]
        values = all_places.corners(rng, k)
    else:
        places, values = begin
    margin = door.margin(door(all_places.shown(places, values)[None]))[0]
    for step in range(1, steps):
        if margin > 0 or (until is not None and door.queries >= until):
            break
        moved = max(int(share(step, steps, first) * k), 1)
        gone = rng.permutation(k)[:moved]
        outside = np.setdiff1d(np.arange(all_places.count), places, assume_unique=True)
        new_places, new_values = places.copy(), values.copy()
        new_places[gone] = rng.permutation(outside)[:moved]
        new_values[:, gone] = all_places.corners(rng, moved)
        found = door.margin(door(all_places.shown(new_places, new_values)[None]))[0]
        if found > margin:
            places, values, margin = new_places, new_values, found
    return places, values, margin > 0


def descending(unit, first_k, warm=True, factor=1.0, first=0.3):
    """The smallest k: from `first_k` on, one less (or the factor) after every success, warm from what was found or anew."""

    def attack(door, rng):
        places_of = Places(door.picture, unit)
        k, begin = first_k, None
        try:
            while k > 0:
                places, values, altered = search(door, rng, unit, k, door.budget, first, begin)
                if not altered:
                    break
                # A corner that the picture has already is no change.
                moved = np.abs(places_of.shown(places, values) - door.picture)
                used = moved.max(axis=0).reshape(-1) if unit == "pixels" else moved.reshape(-1)
                keep = used[places] > 0
                places, values = places[keep], values[:, keep]
                k = min(len(places) - 1, int(len(places) * factor))
                if k < 1:
                    break
                kept = rng.permutation(len(places))[:k]
                begin = (places[kept], values[:, kept]) if warm else None
        except Over:
            pass

    return attack


def with_k(unit, k, first=0.3):
    """The attack of the paper: one k, the whole budget."""

    def attack(door, rng):
        try:
            search(door, rng, unit, k, door.budget, first)
        except Over:
            pass

    return attack
