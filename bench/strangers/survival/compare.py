"""Sparse survival models from queries alone beside scikit-survival's Coxnet."""

import argparse
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "python" / "examples")]
import concordance  # noqa: E402
import likelihood  # noqa: E402
import page  # noqa: E402
import survival as example  # noqa: E402
from tables import LOADERS  # noqa: E402

PAGE = "docs/benchmarks/survival.md"
# Chosen on the splits 0 to 19 of every table.
SETTINGS = {"cox": 1000, "l1": 0.1, "tied": 1.0, "queries": 600}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["likelihood", "concordance"])
    parser.add_argument("--tables", default=",".join(LOADERS))
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first split; 0 to 19 are for choosing settings")
    for name, value in SETTINGS.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--out", type=pathlib.Path, default=page.ROOT / "target" / "survival.jsonl", help="what is done is kept here")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE}")
    return parser.parse_args()


def likelihoods(asked):
    header = ["table", "l1 ratio", "alpha / largest", "columns", "of Coxnet", "objective above Coxnet's", "of the gain missed", "partial likelihood", "queries"]  # fmt: skip
    rows = []
    for line in likelihood.measure(example):
        rows.append([
            f"{line['table']} ({line['rows']} x {line['columns']})", line["ratio"], line["share"], line["used"], line["used_by_coxnet"],
            f"{100 * line['above']:.3f} %", f"{100 * line['missed']:.2f} %", f"{100 * line['likelihood']:+.2f} %", line["queries"],
        ])  # fmt: skip
        print(*rows[-1], sep="\t", flush=True)
    return page.table(header, rows)


def concordances(asked):
    settings = {name: getattr(asked, name) for name in SETTINGS}
    done = [json.loads(line) for line in asked.out.open()] if asked.out.exists() else []
    rows = []
    for name in asked.tables.split(","):
        lines = []
        for seed in range(asked.first, asked.first + asked.splits):
            wanted = {"table": name, "seed": seed, **settings}
            line = next((line for line in done if wanted.items() <= line.items()), None)
            if line is None:
                line = concordance.split(name, seed, example, settings)
                with asked.out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            lines.append(line)
        rows.append(summed(name, lines))
        print(*rows[-1], sep="\t", flush=True)
    header = ["table", "Coxnet", "columns", "ours", "columns", "difference", "95 % interval", "splits ahead, equal, behind"]
    return page.table(header, rows)


def summed(name, lines):
    theirs, ours = (np.array([line[who] for line in lines]) for who in ("coxnet", "ours"))
    columns = [np.mean([line[f"{who}_columns"] for line in lines]) for who in ("coxnet", "ours")]
    difference = ours - theirs
    # Splits share rows: the variance of their mean is larger than that of independent ones (Nadeau & Bengio 2003).
    share = concordance.HELD_OUT / (1 - concordance.HELD_OUT)
    error = np.sqrt(difference.var(ddof=1) * (1 / len(lines) + share))
    ahead, behind = (difference > 0).sum(), (difference < 0).sum()
    return [
        name, f"{theirs.mean():.4f}", f"{columns[0]:.1f}", f"{ours.mean():.4f}", f"{columns[1]:.1f}", f"{difference.mean():+.4f}",
        f"{difference.mean() - 1.96 * error:+.4f} to {difference.mean() + 1.96 * error:+.4f}",
        f"{ahead}, {len(lines) - ahead - behind}, {behind}",
    ]  # fmt: skip


def main():
    asked = arguments()
    text = likelihoods(asked) if asked.part == "likelihood" else concordances(asked)
    command = page.command("bench/strangers/survival/run")
    text += f"\n\n(commit {page.commit()}, `{command}`)"
    print(text)
    if asked.write:
        page.put(PAGE, asked.part, text)


main()
