"""CornerSearch, from its paper (Croce, Hein 2019, "Sparse and imperceivable adversarial attacks").

Every single place at every corner is asked; for every class those that raise it most against the original are ranked. Random sets of k of the
hundred best, the better the likelier, are asked for k = 2, 3, ... until the class is altered.
"""

import itertools

import numpy as np

from door import Over
from sparse_rs import Places

BEST = 100
BATCH = 256


def corner_search(unit, most_k=50, draws=1000):
    def attack(door, rng):
        try:
            run(door, rng, unit, most_k, draws)
        except Over:
            pass

    return attack


def run(door, rng, unit, most_k, draws):
    places = Places(door.picture, unit)
    corners = np.array(list(itertools.product([0.0, 1.0], repeat=places.channels)))
    ones = [(place, corner) for corner in range(len(corners)) for place in range(places.count)]
    rng.shuffle(ones)
    base = door(door.picture[None])[0]
    gains = []
    for begin in range(0, len(ones), BATCH):
        some = ones[begin : begin + BATCH]
        shown = np.stack([places.shown(np.array([place]), corners[corner][:, None]) for place, corner in some])
        gains.append(door(shown) - base)
        if (door.margin(gains[-1] + base) > 0).any():
            return
    gains = np.concatenate(gains)
    targets = [door.target] if door.target is not None else [c for c in range(len(base)) if c != door.label]
    orders = []
    for target in targets:
        lead = gains[:, target] - gains[:, door.label]
        orders.append(np.argsort(-lead)[:BEST])
    ranks = np.arange(1, BEST + 1)
    likely = (2 * BEST - 2 * ranks + 1) / BEST**2
    for k in range(2, most_k + 1):
        for _ in range(draws // len(orders)):
            for order in orders:
                chosen = order[rng.choice(BEST, k, replace=False, p=likely / likely.sum())]
                spots = np.array([ones[one][0] for one in chosen])
                values = np.stack([corners[ones[one][1]] for one in chosen], axis=1)
                scores = door(places.shown(spots, values)[None])
                if door.margin(scores)[0] > 0:
                    return
