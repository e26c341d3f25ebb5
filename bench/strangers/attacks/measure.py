"""Runs attacks through the door and writes what they found, a line each; what is there already is not run again.

Pictures are taken in turns, each by every network and method, so that a run that is interrupted has measured all methods on the same pictures.

    python measure.py --network lenet --which tuning --pictures 20 --seeds 1 --budget 5000 --methods "Sparse-RS pixels" --out target/attacks
"""

import argparse
import json
import pathlib
import re
import time

import methods
import networks
import numpy as np
import pictures
from door import NORMS, Door


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", action="append", choices=networks.NAMES)
    parser.add_argument("--which", choices=list(pictures.RANGES), default="tuning")
    parser.add_argument("--pictures", type=int, help="of the beginning of the list [default: all]")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--budget", type=int, default=5000)
    parser.add_argument("--methods", default=".", help="a regular expression")
    parser.add_argument("--targeted", action="store_true", help="to the class after the label")
    parser.add_argument("--out", type=pathlib.Path, default=networks.ROOT / "target" / "attacks")
    return parser.parse_args()


def known(path):
    """What was run before, by picture, seed and queries."""
    if not path.exists():
        return set()
    lines = (json.loads(line) for line in path.open() if line.endswith("\n"))
    return {(line["picture"], line["seed"], line["budget"]) for line in lines}


def file_of(out, network, which, method, targeted):
    name = re.sub(r"[^a-zA-Z0-9]+", "-", f"{network} {which} {method}{' targeted' if targeted else ''}").lower()
    return out / f"{name}.jsonl"


def one(network, attack, labels_only, picture, label, seed, budget, targeted, number):
    """Runs an attack on a picture."""
    target = (label + 1) % 10 if targeted else None
    door = Door(network, picture, label, budget, target, labels_only)
    began = time.process_time()
    attack(door, np.random.default_rng([seed, number]))
    confirmed = door.confirmed()
    curves = dict(zip(NORMS, door.curves))
    return {"queries": door.queries, "seconds": round(time.process_time() - began, 3), "confirmed": confirmed, "curves": curves}


def main():
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    setups = []
    for name in asked.network or networks.NAMES:
        network = networks.load(name)
        chosen = pictures.choose(network, asked.which)[: asked.pictures]
        found = methods.all_of(network.data).items()
        setups.append((network, chosen, [(method, *how) for method, how in found if re.search(asked.methods, method)]))
    for seed in range(asked.seeds):
        for turn in range(max(len(chosen) for _, chosen, _ in setups)):
            for network, chosen, chosen_methods in setups:
                if turn >= len(chosen):
                    continue
                number, picture, label = chosen[turn]
                for method, attack, labels_only in chosen_methods:
                    path = file_of(asked.out, network.name, asked.which, method, asked.targeted)
                    if (number, seed, asked.budget) in known(path):
                        continue
                    found = one(network, attack, labels_only, picture, label, seed, asked.budget, asked.targeted, number)
                    key = {"method": method, "labels_only": labels_only, "picture": number, "label": label, "seed": seed, "budget": asked.budget}
                    with path.open("a") as lines:
                        lines.write(json.dumps(key | found) + "\n")
            print(f"seed {seed} picture {turn + 1}", flush=True)


if __name__ == "__main__":
    main()
