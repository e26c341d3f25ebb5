"""Three ways to train from forward passes alone. Each spends a number of pictures and tells the weights on its way."""

import cma
import numpy as np


def auto(example, task, pictures, seed, tell, l1):
    """gradless, its default method: every pass over all pictures."""
    rows = len(task.labels)

    def callback(progress):
        tell(progress.nfev * rows, task.start + progress.x)

    found = example.fit(task, l1, pictures // rows, seed, callback)
    return task.start + found.x


def mezo(example, task, pictures, seed, tell, rate, batch, radius=1e-3):
    """SGD along one random direction per step, two passes over the same batch (Malladi et al. 2023; Spall 1992 with normal directions)."""
    random = np.random.default_rng(seed)
    weights, rows = task.start.copy(), len(task.labels)
    for step in range(1, pictures // (2 * batch) + 1):
        drawn = random.choice(rows, batch, replace=False) if batch < rows else slice(None)
        direction = random.standard_normal(len(weights))
        ahead, behind = (example.loss(task, weights + sign * radius * direction, drawn) for sign in (1, -1))
        weights -= rate * (ahead - behind) / (2 * radius) * direction
        tell(step * 2 * batch, weights)
    return weights


def sep_cma(example, task, pictures, seed, tell, sigma):
    """pycma with a diagonal covariance: a whole one has no room here."""
    rows = len(task.labels)
    options = {"CMA_diagonal": True, "verbose": -9, "seed": seed + 1, "maxfevals": pictures // rows}
    search = cma.CMAEvolutionStrategy(task.start, sigma, options)
    while search.countevals + search.popsize <= pictures // rows:
        points = search.ask()
        search.tell(points, [example.loss(task, point) for point in points])
        tell(search.countevals * rows, search.mean)
    return search.mean
