"""Runs other people's optimisers on the problems in a folder, with as many queries as ours have.

    cargo run --release -p bench --bin suite -- --dump DIR
    python3 -m venv target/peers-venv && target/peers-venv/bin/pip install -r bench/peers/requirements.txt
    target/peers-venv/bin/python bench/peers/peers.py DIR --peers cma,nevergrad,pypop7,scipy --seeds 10 --budget 40000 --seconds 600

Adds to DIR/peers.csv; what it already holds is not run again. A run that exceeds its CPU time keeps what it has by then; a
peer that did so on a problem is not tried there with further seeds, and both are noted in the table.
"""

import argparse
import importlib
import pathlib
import sys

from optimisers import OPTIMISERS, SHARE
from problem import Problem, Run, Spent, TimeLimit, header


def arguments():
    parser = argparse.ArgumentParser(description="other people's optimisers on the problems in a folder")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peers", default="cma,nevergrad,pypop7,scipy")
    parser.add_argument("--problems", help="only these, with commas between")
    parser.add_argument("--dims", help="only these, with commas between")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budget", type=int, default=40_000)
    parser.add_argument("--seconds", type=float, default=600, help="CPU time one run may take")
    parser.add_argument("--sigma", type=float, default=SHARE, help="first step of evolution strategies over the width of the box")
    asked = parser.parse_args()
    unknown = [peer for peer in asked.peers.split(",") if peer not in OPTIMISERS]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(OPTIMISERS)}")
    return asked


def measure(problem, optimise, seed, asked):
    run = Run(problem, seed, asked.budget, asked.sigma)
    try:
        with TimeLimit(run, asked.seconds):
            # Everybody's first query, so that nobody is told to be worse than where he began.
            run(problem.start)
            optimise(run, seed)
    except Spent:
        pass
    except Exception as error:  # a peer that breaks is a result too
        run.note = f"{type(error).__name__}: {error}".split("\n")[0][:100]
    return run


def wanted(problem, asked):
    kinds, dims = asked.problems, asked.dims
    return (not kinds or problem.problem in kinds.split(",")) and (not dims or str(problem.dim) in dims.split(","))


def main():
    asked = arguments()
    for peer in asked.peers.split(","):
        # Before any clock runs.
        importlib.import_module(peer)
    table = asked.folder / "peers.csv"
    if not table.exists():
        table.write_text(header())
    done = {tuple(line.split(",")[2:6]) for line in table.read_text().splitlines()[1:]}
    problems = sorted((Problem(path) for path in asked.folder.glob("*.json")), key=lambda one: (one.dim, one.name))
    for problem in filter(lambda problem: wanted(problem, asked), problems):
        for peer in asked.peers.split(","):
            for method, largest, optimise in OPTIMISERS[peer]:
                if asked.sigma != SHARE:
                    method = f"{method}@{asked.sigma:g}"
                if problem.dim > largest:
                    print(f"{problem.name}: {method} is not tried above {largest} dimensions", file=sys.stderr)
                    continue
                for seed in range(asked.seeds):
                    if (problem.name, method, str(seed), str(asked.budget)) in done:
                        continue
                    run = measure(problem, optimise, seed, asked)
                    late = run.note == "time limit"
                    line = run.line(method, seed)
                    with table.open("a") as file:
                        file.write(line)
                    print(f"{problem.name}: {method}, seed {seed}: {run.queries} queries, lowest {run.lowest:.5g} {run.note}", file=sys.stderr)
                    if late:
                        print(f"{problem.name}: {method} is too slow, further seeds are skipped", file=sys.stderr)
                        break


if __name__ == "__main__":
    main()
