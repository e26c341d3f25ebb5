"""GraCe (Qiu & Tong, ICML 2024) from its description: finds the few coordinates that matter by adaptive weighted groups.

A round shuffles all coordinates into groups, a few more than the coordinates that are expected to matter. Of a group with one steep slope two
queries tell where it is: one with random signs, one with the same signs times the number of the part a coordinate lies in; the ratio
of the two differences is the number of the part. The part is divided again, into more, until one coordinate is left. Slopes of what
was found are measured one by one; a step along them follows.
"""

import numpy as np

RADIUS, STEP, PARTS, SHARE = 1e-6, 0.5, 10, 0.7


def grace(run, seed):
    rng = np.random.default_rng(seed)
    x, value = run.start.copy(), run(run.start)
    size = max(1, int(SHARE * run.dim / run.problem.expect))
    while True:
        order = rng.permutation(run.dim)
        found = [i for first in range(0, run.dim, size) for i in search(run, rng, x, value, order[first : first + size])]
        slopes = np.zeros(run.dim)
        for i in sorted(set(found)):
            probe = x.copy()
            probe[i] += RADIUS
            slopes[i] = (run(probe) - value) / RADIUS
        x = np.clip(x - STEP * slopes, run.lower, run.upper)
        value = run(x)


def search(run, rng, x, value, group):
    """The one steep coordinate of a group, if there is one."""
    parts = PARTS
    while len(group) > 2:
        signs = rng.choice([-1.0, 1.0], len(group))
        number = np.arange(len(group)) // -(-len(group) // parts) + 1
        plain, weighted = x.copy(), x.copy()
        plain[group] += RADIUS * signs
        weighted[group] += RADIUS * signs * number
        first = run(plain) - value
        if first == 0:
            return []
        ratio = (run(weighted) - value) / first
        group = group[number == round(float(np.clip(ratio, 1, number[-1])))]
        parts = int(parts**1.5)
    return group.tolist()
