"""The problems of GraCe (Qiu & Tong, ICML 2024), rebuilt from their description: distance, magnitude, and an attack on a graph.

Distance: a weighted square of the distance to a point with ten coordinates. Magnitude: the five largest coordinates count for, all
others against. Attack: edge weights of a graph are altered, by |x|, so that a walk of four hops from one node reaches another less; the
square of all changes is added. Theirs is a network of 115 football teams; ours is drawn like it: twelve conferences, ten games or so each.
"""

import numpy as np

from problem import Entry, Problem

DIM = 10_000


def distance(seed, dim=DIM, support=10):
    rng = np.random.default_rng([1, seed])
    weights, target = rng.random(dim), np.zeros(dim)
    target[rng.choice(dim, support, replace=False)] = rng.random(support)
    return lambda x: float(weights @ (x - target) ** 2)


def magnitude(seed, dim=DIM, support=5):
    rng = np.random.default_rng([2, seed])
    start = np.zeros(dim)
    start[rng.choice(dim, support, replace=False)] = rng.choice([-0.2, 0.2], support)

    def value(x):
        squares = np.tanh(np.partition(x * x, dim - support))
        return float(support - squares[-support:].sum() + 0.1 * squares[:-support].sum())

    return value, start


def league(seed, teams=115, conferences=12, inside=7, across=4):
    """Who plays whom: most games inside a conference."""
    rng = np.random.default_rng([3, seed])
    conference = rng.permutation(np.arange(teams) % conferences)
    same = conference[:, None] == conference[None, :]
    chance = np.where(same, inside / (teams / conferences - 1), across / (teams - teams / conferences))
    games = np.triu(rng.random((teams, teams)) < chance, 1)
    return (games | games.T).astype(float)


def attack(seed, hops=4, weight=100.0):
    graph = league(seed)
    teams = len(graph)
    rng = np.random.default_rng([4, seed])
    first = int(rng.integers(teams))
    second = int(rng.choice(np.flatnonzero(graph[first])))

    def value(x):
        change = np.abs(x).reshape(graph.shape)
        edges = np.maximum(graph * (1 - change) + (1 - graph) * change, 0)
        degree = np.maximum(np.sqrt(edges.sum(axis=1)), 1e-8)
        walk = edges / np.outer(degree, degree)
        step = total = walk[first]
        for _ in range(hops - 1):
            step = walk @ step
            total = total + step
        return float(total[second] + weight * np.mean(change**2))

    return value, np.zeros(teams**2)


def entries():
    def entry(name, make):
        return Entry("sparse-gradients", name, make, drawn=True)

    def problem(name, fun, start, expect, **bounds):
        return Problem("sparse-gradients", name, fun, start, sparse=True, expect=expect, **bounds)

    return [
        entry("distance", lambda seed: problem("distance", distance(seed), np.zeros(DIM), 10)),
        entry("distance-100-of-100000", lambda seed: problem("distance-100-of-100000", distance(seed, 100_000, 100), np.zeros(100_000), 100)),
        entry("magnitude", lambda seed: problem("magnitude", *magnitude(seed), 5)),
        entry("attack", lambda seed: problem("attack", *attack(seed), 30)),
        entry("attack-box", lambda seed: problem("attack-box", *attack(seed + 100), 30, lower=0, upper=1)),
    ]
