"""Writes what the journal holds into docs/benchmarks/optimisers.md, and draws the profiles."""

import numpy as np
from page import ROOT, put, table
from run_one import LOOKS
from scores import Scores

PAGE = "docs/benchmarks/optimisers.md"
FIGURE = "docs/benchmarks/optimisers.svg"
OURS = "gradless-auto"
DETERMINISTIC = ("scipy-L-BFGS-B", "scipy-Powell", "scipy-COBYQA", "dfo-ls")
# A run has solved its problem where it has gone this share of the way down.
SOLVED = 0.9


def write(rows, entries, asked):
    """Rows of the problems asked for; where there are no runs of ours, nothing is written."""
    rows = [row for row in rows if row["problem"] in entries]
    if not any(row["method"] == OURS for row in rows):
        raise SystemExit(f"the journal has no runs of {OURS} on these problems")
    scores = Scores(rows)
    put(PAGE, "counts", counts(scores))
    put(PAGE, "problems", "\n\n".join(by_family(scores)))
    put(PAGE, "losses", losses(scores))
    put(PAGE, "runs", provenance(rows, asked))
    draw(scores)


def cells(scores):
    """Every problem and budget at which ours was run beside somebody else."""
    for problem in scores.problems:
        for budget in scores.budgets(problem):
            if (problem, OURS, budget) in scores.way and len(present(scores, problem, budget)) > 1:
                yield problem, budget


def present(scores, problem, budget):
    return [method for method in scores.methods if (problem, method, budget) in scores.way]


def counts(scores):
    """For each family and method: in how many cells it was as good as the first."""
    families = sorted({scores.about[problem]["family"] for problem in scores.problems})
    lines = []
    for name, chosen in [*((family, lambda p, f=family: scores.about[p]["family"] == f) for family in families),
                         ("**all sparse**", lambda p: scores.about[p]["sparse"]), ("**all others**", lambda p: not scores.about[p]["sparse"])]:
        mine = [(p, b) for p, b in cells(scores) if chosen(p)]
        if not mine:
            continue
        line = [name, len({p for p, _ in mine})]
        for method in ordered(scores):
            ran = [(p, b) for p, b in mine if (p, method, b) in scores.way]
            won = sum(scores.is_as_good(p, method, b) for p, b in ran)
            line.append(f"{won} of {len(ran)}" if ran else "-")
        lines.append(line)
    return table(["problems", "how many", *ordered(scores)], lines)


def ordered(scores):
    return [OURS, *(method for method in scores.methods if method != OURS)]


def by_family(scores):
    """A table for each family: the share of the way down after each budget, the first in bold."""
    for family in sorted({scores.about[problem]["family"] for problem in scores.problems}):
        lines = []
        methods = [method for method in ordered(scores) if any(row["family"] == family and row["method"] == method for row in scores.rows)]
        for problem, budget in cells(scores):
            if scores.about[problem]["family"] != family:
                continue
            line = [problem, scores.about[problem]["dim"], budget]
            for method in methods:
                way = scores.way.get((problem, method, budget))
                text = "-" if way is None else f"{way:.3f}"
                late = " (time)" if (problem, method) in scores.late else ""
                line.append(f"**{text}**" if way is not None and scores.is_as_good(problem, method, budget) else text + late)
            lines.append(line)
        if lines:
            yield f"### {family}\n\n" + table(["problem", "d", "queries", *methods], lines)


def losses(scores):
    """Where ours is not as good as the first."""
    lost = []
    for problem, budget in cells(scores):
        if not scores.is_as_good(problem, OURS, budget):
            best, who = scores.first(problem, budget)
            lost.append([problem, budget, f"{scores.way[problem, OURS, budget]:.3f}", f"{best:.3f}", who])
    return table(["problem", "queries", "auto", "first", "who"], lost) if lost else "None."


def provenance(rows, asked):
    ours = [row for row in rows if row["method"] == OURS]
    seeds = [len({row["seed"] for row in rows if (row["problem"], row["method"]) == key})
             for key in {(row["problem"], row["method"]) for row in rows if row["method"] not in DETERMINISTIC}]
    stopped = sum(bool(row["note"]) for row in ours)
    commits = ", ".join(sorted({row["commit"] for row in ours}))
    return (f"    bench/strangers/optimisers/run --half {asked.half}" + (f" --first {asked.first}" if asked.first else "")
            + f" --most {asked.most}\n\ngradless at commit {commits}; {len(rows)} runs of {len({row['method'] for row in rows})} methods on "
            f"{len({row['problem'] for row in rows})} problems, {min(seeds)} to {max(seeds)} seeds (from 0) of whoever throws dice. "
            f"`auto` ended {stopped} of its {len(ours)} runs by itself.")


def draw(scores):
    """How many runs had gone nine tenths of the way after so many queries, for sparse problems and others."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "gradless"
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, sparse in zip(axes, (True, False)):
        problems = {problem for problem in scores.problems if scores.about[problem]["sparse"] == sparse}
        for method in ordered(scores):
            longest = {}
            for row in scores.rows:
                key = row["problem"], row["seed"]
                if row["problem"] in problems and row["method"] == method and row["budget"] >= longest.get(key, row)["budget"]:
                    longest[key] = row
            # Only methods that were run on most of these problems: a share of other problems says nothing beside it.
            if 2 * len({problem for problem, _ in longest}) <= len(problems):
                continue
            shares = [np.mean([scores.share(row, row["looks"][min(k, len(row["looks"]) - 1)]) >= SOLVED for row in longest.values()])
                      for k in range(len(LOOKS))]
            ours = method == OURS
            axis.plot(LOOKS, shares, label=method, linewidth=2.5 if ours else 1.2, color="black" if ours else None)
        axis.set(xscale="log", xlabel="queries", xlim=(LOOKS[0], max(row["budget"] for row in scores.rows)), ylim=(-0.02, 1.02),
                 title="few coordinates matter" if sparse else "all matter")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel(f"runs that went {SOLVED:.0%} of the way")
    axes[1].legend(fontsize=8)
    figure.savefig(ROOT / FIGURE, metadata={"Date": None})
