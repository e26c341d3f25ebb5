"""Writes the tables of docs/reproduction/README.md: the paper, its networks and images here, our networks.

    python bench/reproduction/beside.py

Reads what `gradless reproduce` left in the folders of docs/reproduction. Means and standard errors are of every single run
(`runs.csv.gz`) where it is published, otherwise of `table.csv`.
"""

import csv
import gzip
import io
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "strangers"))
import page  # noqa: E402

FOLDER = page.ROOT / "docs" / "reproduction"
PAGE = "docs/reproduction/README.md"
END = "200"


class Published:
    """The folder of a run."""

    def __init__(self, name):
        folder = FOLDER / name
        with (folder / "table.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if row["iteration"] == END]
        self.rows = {(row["mode"], label(row)): row for row in rows}
        self.finals = {}
        raw = folder / "runs.csv.gz"
        if raw.exists():
            with gzip.open(raw) as file:
                for run in csv.DictReader(io.TextIOWrapper(file)):
                    if not run["failed"]:
                        self.finals.setdefault((run["mode"], run["method"]), []).append(float(run["final"]))

    def cell(self, mode, method):
        """The mean with its standard error, how it differs from the paper, on how many images the condition holds."""
        row = self.rows.get((mode, method))
        if row is None:
            return ["–", "–", "–"]
        mean, paper, images = float(row["mean"]), float(row["reference"]), int(row["images"])
        text = digits(mean)
        if (finals := self.finals.get((mode, method))) and len(finals) > 1:
            text += f" ± {digits(np.std(finals, ddof=1) / np.sqrt(len(finals)))}"
        return [text, f"{100 * (mean / paper - 1):+.0f} %", f"{round(float(row['valid']) * images)} of {images}"]

    def paper(self, mode, method):
        row = self.rows.get((mode, method))
        return digits(float(row["reference"])) if row else "–"


def label(row):
    return f"{row['method']} {row['parameter']}".strip()


def digits(value):
    return f"{value:.3g}" if value >= 0.001 else f"{value:.2g}"


def beside(authors, ours, mode):
    """A row for each method of either."""
    methods = [method for found, method in {**ours.rows, **authors.rows} if found == mode]
    order = sorted(set(methods), key=lambda method: (ORDER.index(method.split(" ")[0]), -step(method)))
    rows = []
    for method in order:
        paper = authors.paper(mode, method)
        paper = ours.paper(mode, method) if paper == "–" else paper
        rows.append([method, paper, *authors.cell(mode, method), *ours.cell(mode, method)])
    header = [mode.upper(), "paper", "authors' network, here", "", "valid", "our network", "", "valid"]
    return page.table(header, rows)


ORDER = ["ZO-PSGD", "Acc-ZOM", "AO-ExpGrad", "ZO-ExpGrad", "ZO-AdaExpGrad", "ZO-AdaExpGrad+", "ZO-ExpStorm"]


def step(method):
    return float(method.split("=")[1]) if "=" in method else 0.0


def pairs(name, wanted):
    """Lines of a folder's paired comparisons: the first minus the second, as a share of the second."""
    rows = []
    with (FOLDER / name / "pairs.csv").open() as file:
        for row in csv.DictReader(file):
            if row["mode"] not in wanted:
                continue
            scale = float(row["second_mean"])
            share = [100 * float(row[key]) / scale for key in ("mean_difference", "low", "high")]
            rows.append([
                row["mode"].upper(), row["first"], row["second"], f"{share[0]:+.1f} %", f"{share[1]:+.1f} to {share[2]:+.1f} %",
                {"equal": "equal"}.get(row["verdict"], row["first" if row["verdict"].startswith("first") else "second"]), row["images"],
            ])  # fmt: skip
    return page.table(["", "first", "second", "first - second", "95 % interval", "lower", "images"], rows)


def main():
    for marker, authors, ours in (("MNIST", "authors-mnist", "mnist"), ("CIFAR-10", "authors-cifar10", "cifar10")):
        published = [Published(name) for name in (authors, ours)]
        page.put(PAGE, marker, "\n\n".join(beside(*published, mode) for mode in ("pn", "pp")))
    for marker, authors, ours in (("MNIST steps", "authors-mnist-steps", "mnist"), ("CIFAR-10 steps", "authors-cifar10-steps", "cifar10-steps")):
        if (FOLDER / authors / "table.csv").exists():
            published = [Published(name) for name in (authors, ours)]
            page.put(PAGE, marker, "\n\n".join(beside(*published, mode) for mode in ("pn", "pp")))
    for marker, name in (("MNIST pairs", "authors-mnist"), ("CIFAR-10 pairs", "authors-cifar10")):
        page.put(PAGE, marker, pairs(name, ("pn", "pp")))


if __name__ == "__main__":
    main()
