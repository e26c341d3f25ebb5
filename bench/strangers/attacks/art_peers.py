"""Black-box attacks of ART, with its own settings unless said otherwise; iterations are so many that the door ends them.

What needs a size to begin with (SimBA's step, Square's ball) is run at a ladder of sizes, each after the last has succeeded.
"""

import logging
import warnings

import numpy as np
from art.attacks.evasion import HopSkipJump, PixelAttack, SignOPTAttack, SimBA, SquareAttack, ZooAttack
from art.estimators.classification import BlackBoxClassifierNeuralNetwork

from door import Over

LONG = 1_000_000
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def classifier(door, probabilities=False):
    def predict(x):
        scores = door(x)
        if probabilities:
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores /= scores.sum(axis=1, keepdims=True)
        return scores.astype(np.float32)

    return BlackBoxClassifierNeuralNetwork(predict, door.picture.shape, 10, channels_first=True, clip_values=(0, 1))


def run(make, probabilities=False):
    def attack(door, rng):
        np.random.seed(int(rng.integers(1 << 31)))
        x = door.picture[None].astype(np.float32)
        y = np.eye(10, dtype=np.float32)[[door.label if door.target is None else door.target]]
        try:
            # What ends before the queries do begins again, elsewhere.
            while True:
                before = door.queries
                for one in make(classifier(door, probabilities), door.target is not None):
                    one.generate(x, y=y)
                if door.queries == before:
                    break
        except Over:
            pass

    return attack


def once(make):
    return lambda model, targeted: iter([make(model, targeted)])


def ladder(make, sizes):
    return lambda model, targeted: (make(model, targeted, size) for size in sizes)


def square(norm):
    def make(model, targeted, size):
        return SquareAttack(model, norm=norm, eps=size, max_iter=2_000, batch_size=1, verbose=False)

    return make


PEERS = {
    "ART SimBA pixels": run(once(lambda m, t: SimBA(m, attack="px", max_iter=LONG, epsilon=0.2, targeted=t, verbose=False)), True),
    "ART SimBA DCT": run(once(lambda m, t: SimBA(m, attack="dct", max_iter=LONG, epsilon=0.2, freq_dim=m.input_shape[-1] // 2, stride=m.input_shape[-1] // 4, targeted=t, verbose=False)), True),
    "ART Square l2": run(ladder(square(2), [5, 4, 3, 2.5, 2, 1.6, 1.3, 1, 0.8, 0.65, 0.5, 0.4, 0.3, 0.25, 0.2])),
    "ART Square linf": run(ladder(square(np.inf), [0.4, 0.3, 0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01])),
    "ART Pixel": run(once(lambda m, t: PixelAttack(m, th=None, es=1, max_iter=100, targeted=t, verbose=False)), True),
    "ART ZOO": run(once(lambda m, t: ZooAttack(m, targeted=t, max_iter=LONG, binary_search_steps=10, use_resize=False, use_importance=False, nb_parallel=64, batch_size=1, verbose=False)), True),
    "ART HopSkipJump l2": run(once(lambda m, t: HopSkipJump(m, batch_size=64, targeted=t, norm=2, max_iter=LONG, verbose=False))),
    "ART SignOPT": run(once(lambda m, t: SignOPTAttack(m, targeted=t, query_limit=LONG, max_iter=LONG, verbose=False))),
}
