"""BruSLeAttack, from its paper (Vo, Abbasnejad, Ranasinghe 2024): which places of a random picture, put into the input, alter its class.

The values of all places are drawn once (corners). A mask of k places is searched: most of them stay, the others are drawn by what was learnt: the
posterior of a Dirichlet distribution, from how often a place was moved and how often that was in vain, times how much the place would change.
As for Sparse-RS, the smallest k is searched by going on with fewer after every success.
"""

import numpy as np

from door import Over
from sparse_rs import Places

INITIAL = 10
EPSILON = 0.01
POWER, EXPONENT = 0.24, 0.997


def schedule(step, first):
    return first * ((step + 1.0) ** -POWER + EXPONENT ** (step + 1)) / 2


def descending(unit, first_k, first=0.3, warm=True, factor=1.0):
    def attack(door, rng):
        places = Places(door.picture, unit)
        k, mask = first_k, None
        try:
            while k > 0:
                values = places.corners(rng, places.count) if mask is None or not warm else values
                mask = search(door, rng, places, values, k, first, mask)
                used = np.flatnonzero(mask)
                k = min(len(used) - 1, int(len(used) * factor))
                mask = mask.copy()
                mask[rng.permutation(used)[: len(used) - k]] = False
                if not warm:
                    mask = None
        except Over:
            pass

    return attack


def search(door, rng, places, values, k, first, begin):
    """A mask of k places that alters the class; ends with `Over`."""

    def ask(mask):
        shown = places.shown(np.flatnonzero(mask), values[:, mask])
        return door.margin(door(shown[None]))[0]

    dissimilar = differences(places, values)
    visited, failed = np.zeros(places.count), np.zeros(places.count)
    able = np.flatnonzero(dissimilar > 0)
    best, margin = begin, -np.inf if begin is None else ask(begin)
    for _ in range(INITIAL if begin is None else 0):
        mask = np.zeros(places.count, bool)
        mask[rng.permutation(able)[:k]] = True
        visited += mask
        found = ask(mask)
        if found > margin:
            best, margin = mask, found
    step = 0
    while margin <= 0:
        worth = (failed + EPSILON) / (visited + EPSILON)
        moved = max(int(schedule(step, first) * k), 1)
        inside = np.flatnonzero(best)
        stay = drawn(rng, inside, worth[inside], k - moved)
        outside = np.flatnonzero(~best)
        new = drawn(rng, outside, (worth * dissimilar)[outside], moved)
        mask = np.zeros(places.count, bool)
        mask[stay] = mask[new] = True
        gone = best & ~mask
        found = ask(mask)
        visited[gone] += 1
        visited += mask
        if found > margin:
            best, margin = mask, found
        else:
            # Without them it was worse: they matter.
            failed[gone] += 1
        step += 1
    return best


def differences(places, values):
    if places.unit == "pixels":
        return np.abs(places.picture.reshape(places.channels, -1) - values).mean(axis=0)
    return np.abs(places.picture.reshape(-1) - values[0])


def drawn(rng, places, weights, count):
    weights = np.where(weights > 0, weights, 0) + 1e-12
    return rng.choice(places, min(count, len(places)), replace=False, p=weights / weights.sum()) if count > 0 else places[:0]
