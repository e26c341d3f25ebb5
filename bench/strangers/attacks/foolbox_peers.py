"""Attacks of foolbox that need no gradients, with its own settings; iterations are so many that the door ends them."""

import warnings

import foolbox
import numpy as np

from door import Over

LONG = 1_000_000
warnings.filterwarnings("ignore")


def run(make):
    def attack(door, rng):
        np.random.seed(int(rng.integers(1 << 31)))
        model = foolbox.models.NumPyModel(lambda x: door(x).astype(np.float32), bounds=(0, 1), data_format="channels_first")
        criterion = foolbox.criteria.Misclassification(np.array([door.label]))
        if door.target is not None:
            criterion = foolbox.criteria.TargetedMisclassification(np.array([door.target]))
        try:
            # What ends before the queries do begins again, elsewhere.
            while True:
                before = door.queries
                try:
                    make().run(model, door.picture[None].astype(np.float32), criterion)
                except (AssertionError, ValueError):
                    # foolbox says so where the noise that it begins with altered nothing.
                    if door.queries == before:
                        break
        except Over:
            pass

    return attack


def noise():
    return foolbox.attacks.SaltAndPepperNoiseAttack(steps=1000, across_channels=False)


PEERS = {
    "foolbox Pointwise": run(lambda: foolbox.attacks.PointwiseAttack(init_attack=noise(), l2_binary_search=False)),
    "foolbox salt and pepper": run(lambda: foolbox.attacks.SaltAndPepperNoiseAttack(steps=LONG)),
    "foolbox Boundary": run(lambda: foolbox.attacks.BoundaryAttack(steps=LONG, tensorboard=False)),
    "foolbox HopSkipJump l2": run(lambda: foolbox.attacks.HopSkipJumpAttack(steps=LONG, constraint="l2", tensorboard=False)),
    "foolbox HopSkipJump linf": run(lambda: foolbox.attacks.HopSkipJumpAttack(steps=LONG, constraint="linf", tensorboard=False)),
}
