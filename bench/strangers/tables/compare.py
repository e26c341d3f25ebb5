"""Changes of table rows beside other tools: same rows, same models, same rules.

Answers are kept in a journal, one line each, so that an interrupted run goes on.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page  # noqa: E402
from judged import Judge  # noqa: E402
from peers import PEERS, Exhaustive  # noqa: E402
from problems import Counted, problems  # noqa: E402

#: Rows for which the limit is looked for: every pair of columns costs up to 256 questions.
LIMIT_ROWS = 20
#: Wider tables have too many pairs.
LIMIT_COLUMNS = 35
#: Slower tools are asked about fewer rows.
ROWS_OF = {"DiCE, genetic": 25, "treecf (reads the trees)": 25}


class Journal:
    """One line per answer."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.records = [json.loads(line) for line in lines]
        self.known = {(r["problem"], r["peer"], r["row"]) for r in self.records}

    def add(self, record):
        self.records.append(record)
        with self.path.open("a") as out:
            out.write(json.dumps(record) + "\n")


def answered(problem, peer, journal, rows):
    """Asks one tool about the rows of one problem."""
    wanted = [i for i in range(min(rows, len(problem.rows))) if (problem.name, peer.name, i) not in journal.known]
    if not wanted:
        return
    judge = Judge(problem.model, problem.train, problem.table.frozen)
    counted = Counted(problem.model, problem.train)
    try:
        tool = peer(problem, counted)
    except NotImplementedError:
        return
    for i in wanted:
        row = problem.rows.iloc[[i]]
        counted.rows = 0
        began = time.perf_counter()
        changed = tool.change(row)
        seconds = time.perf_counter() - began
        record = judge.of(row, changed)
        record |= {"problem": problem.name, "peer": peer.name, "row": i, "rows_asked": counted.rows, "seconds": seconds}
        if changed is None and getattr(tool, "hint", None):
            record["hint"] = tool.hint
        if changed is None and getattr(tool, "error", None):
            record["error"] = tool.error
        journal.add(record)


def limits(problem, journal):
    """The fewest columns that suffice, for some rows."""
    if problem.train.shape[1] > LIMIT_COLUMNS:
        return
    search = Exhaustive(problem, Counted(problem.model, problem.train))
    for i in range(min(LIMIT_ROWS, len(problem.rows))):
        if (problem.name, search.name, i) not in journal.known:
            began = time.perf_counter()
            fewest = search.fewest(problem.rows.iloc[[i]])
            seconds = time.perf_counter() - began
            journal.add({"problem": problem.name, "peer": search.name, "row": i, "features": fewest, "seconds": seconds})


def quartiles(values, digits=0):
    if not len(values):
        return ""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return f"{middle:.{digits}f} ({low:.{digits}f}, {high:.{digits}f})"


def summary(records, peers):
    """Tables over all problems, and per problem."""
    limit = {(r["problem"], r["row"]): r["features"] for r in records if r["peer"] == Exhaustive.name}
    lines = []
    for peer in peers:
        own = [r for r in records if r["peer"] == peer]
        if not own:
            continue
        valid = [r for r in own if r["valid"]]
        told = sum(1 for r in own if not r["valid"] and r.get("hint"))
        bounded = [(r["features"], limit[r["problem"], r["row"]]) for r in valid if limit.get((r["problem"], r["row"]), 3) < 3]
        ratio = sum(a for a, _ in bounded) / max(sum(b for _, b in bounded), 1)
        lines.append(
            [
                f"**{peer}**" if peer.startswith("gradless") else peer,
                f"{len(valid)} of {len(own)}" + (f" ({told} said to be impossible, and why)" if told else ""),
                sum(r["violations"] for r in valid),
                quartiles([r["features"] for r in valid]),
                f"{ratio:.2f}" if bounded else "",
                quartiles([r["distance"] for r in valid], 2),
                quartiles([r["nearest"] for r in valid], 3),
                quartiles([r["rows_asked"] for r in own]),
                quartiles([r["seconds"] for r in own], 2),
            ]
        )
    header = ["", "valid", "rules broken", "columns changed", "of the limit", "distance", "to the nearest known row", "rows asked", "seconds"]
    return page.table(header, lines)


def by_problem(records, peers):
    lines = []
    for problem in sorted({r["problem"] for r in records}):
        cells = [problem]
        for peer in peers:
            own = [r for r in records if r["peer"] == peer and r["problem"] == problem]
            valid = [r for r in own if r["valid"]]
            if not own:
                cells.append("")
                continue
            features = np.mean([r["features"] for r in valid]) if valid else float("nan")
            distance = np.mean([r["distance"] for r in valid]) if valid else float("nan")
            share = "" if len(valid) == len(own) else f", {100 * len(valid) / len(own):.0f} % valid"
            cells.append(f"{features:.1f}, {distance:.2f}{share}")
        lines.append(cells)
    return page.table(["mean of columns changed, distance", *peers], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--only", help="problems whose name contains this")
    parser.add_argument("--peers", help="names of tools, separated by semicolons", default=";".join(PEERS))
    parser.add_argument("--journal", default=str(page.ROOT / "target/strangers-tables.jsonl"))
    parser.add_argument("--tuning", action="store_true", help="rows to choose constants on, not the reported ones")
    parser.add_argument("--no-limits", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks/tables.md")
    options = parser.parse_args()
    journal = Journal(options.journal)
    peers = options.peers.split(";")
    for problem in problems(options.rows, options.only, options.tuning):
        for name in peers:
            answered(problem, PEERS[name], journal, min(options.rows, ROWS_OF.get(name, options.rows)))
        if not options.no_limits:
            limits(problem, journal)
        print(problem.name, "done", file=sys.stderr, flush=True)
    records = [r for r in journal.records if not options.only or options.only in r["problem"]]
    overall, single = summary(records, peers), by_problem(records, [p for p in peers if any(r["peer"] == p for r in records)])
    print(overall, single, sep="\n\n")
    if options.write:
        made = f"(commit {page.commit()}, seed 0, `bench/strangers/tables/run --write`)"
        page.put("docs/benchmarks/tables.md", "changes", f"{overall}\n\n{single}\n\n{made}\n")


if __name__ == "__main__":
    main()
