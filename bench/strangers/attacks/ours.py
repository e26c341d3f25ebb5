"""gradless through the same door."""

import gradless


def attack(norm, labels_only=False):
    def run(door, rng):
        gradless.attack(
            door,
            door.picture,
            norm=norm,
            target=door.target,
            max_queries=door.budget,
            scores="labels" if labels_only else "logits",
            rng=int(rng.integers(1 << 31)),
        )

    return run


OURS = {f"gradless {norm}": attack(norm) for norm in ["pixels", "numbers", "l1", "l2", "linf"]}
LABELS = {f"gradless {norm}, labels": attack(norm, True) for norm in ["pixels", "numbers", "l1", "l2", "linf"]}
