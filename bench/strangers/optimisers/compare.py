"""Runs the optimisers on other people's problems and writes what came of it; what the journal holds is not run again.

    compare.py --half tuning|reporting|both [--methods A,B] [--families A,B] [--problems A,B] [--first N] [--most 20000] [--seeds 5]
               [--seconds 60] [--journal FILE] [--label NAME] [--report]

`--label` names the runs of gradless in the journal, so that two states of it can be compared. `--report` writes the page from the journal.
"""

import argparse
import itertools
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import families  # noqa: E402
from page import ROOT, commit  # noqa: E402
from peers import PEERS  # noqa: E402
from problem import BUDGETS, halves  # noqa: E402
from run_one import LOOKS, measure  # noqa: E402

OURS = "gradless-auto"
# The smaller budget of who plans ahead: what he would do with that is asked too.
PLANNED = 2_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["tuning", "reporting", "both"], default="tuning")
    parser.add_argument("--methods", default=",".join(peer.name for peer in PEERS if peer.usual))
    parser.add_argument("--families", default="")
    parser.add_argument("--problems", default="")
    parser.add_argument("--first", type=int, help="of every family only the first so many of a half, in the order that splits the halves")
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="no larger budget than this")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="processor time of one run")
    parser.add_argument("--journal", type=pathlib.Path, default=ROOT / "target/strangers-optimisers/journal.jsonl")
    parser.add_argument("--label", default=OURS)
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


def read(journal):
    lines = journal.read_text().splitlines() if journal.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def key(row):
    return row["problem"], row["method"], row["seed"], row["budget"]


def chosen(asked):
    entries = families.entries()
    half = halves(entries, asked.first)
    named = lambda wanted, name: not wanted or name in wanted.split(",")
    for entry in entries:
        if entry.name in half and asked.half in ("both", half[entry.name]) and named(asked.families, entry.family) and named(asked.problems, entry.name):
            yield entry, half[entry.name]


def jobs(asked, entry, seed, done):
    """What is still to be run on a problem with a seed: the problem, peer, name, budget."""
    problem = entry.make(seed)
    problem.budget = min(problem.budget, asked.most)
    for peer in PEERS:
        if peer.name not in asked.methods.split(",") or not (seed == 0 or peer.drawn or entry.drawn):
            continue
        if problem.dim > peer.largest or not peer.takes(problem):
            continue
        name = asked.label if peer.name == OURS else peer.name
        for budget in {problem.budget, min(problem.budget, PLANNED)} if peer.plans else {problem.budget}:
            if (entry.name, name, seed, budget) not in done:
                yield problem, peer, name, budget


def main():
    asked = arguments()
    if asked.report:
        from report import write

        return write(read(asked.journal), {entry.name: (entry, half) for entry, half in chosen(asked)}, asked)
    asked.journal.parent.mkdir(parents=True, exist_ok=True)
    done = {key(row) for row in read(asked.journal)}
    measured = commit()
    # One seed of everything before the next: whenever it is stopped, all problems have about as many.
    for seed, (entry, half) in itertools.product(range(asked.seeds), list(chosen(asked))):
        for problem, peer, name, budget in jobs(asked, entry, seed, done):
            told = measure(problem, peer.optimise, seed, budget, asked.seconds)
            row = {"problem": entry.name, "family": entry.family, "half": half, "dim": problem.dim, "sparse": problem.sparse,
                   "method": name, "seed": seed, "budget": budget, "commit": measured, **told}
            with asked.journal.open("a") as file:
                file.write(json.dumps(row) + "\n")
            at = {LOOKS[k]: look for k, look in enumerate(told["looks"]) if LOOKS[k] in BUDGETS}
            print(f"{entry.name}: {name}, seed {seed}: {told['start']:.5g} -> " + ", ".join(f"{v:.5g}" for v in at.values())
                  + f" ({told['queries']} queries, {told['seconds']} s) {told['note']}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
