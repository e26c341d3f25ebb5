"""Training without gradients: gradless beside MeZO's SGD and pycma at equal forward passes, on shifted digits.

Settings of the others are the best of a grid by the accuracy on digits 50,000 to 51,999 of the training set, for every task anew. Those of gradless are
the same for every task. The test set is looked at with the chosen settings only.
"""

import argparse
import json
import os
import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "python" / "examples")]
import finetune as example  # noqa: E402
import methods  # noqa: E402
import page  # noqa: E402
from matplotlib import pyplot  # noqa: E402

PAGE, PICTURE = "docs/benchmarks/finetune.md", "docs/benchmarks/finetune.png"
SHIFTS = {"turned": example.turned, "inverted": example.inverted}
# What may change, how many labelled digits there are, how many passes over all of them.
PARTS = {"last layer": (example.LastLayer, 1000, 10_000), "all weights": (example.AllWeights, 250, 6000)}
GRIDS = {
    "gradless": {"last layer": [{"l1": 4e-4}], "all weights": [{"l1": 3e-4}]},
    "MeZO": {
        "last layer": [{"rate": rate, "batch": batch} for rate, batch in [(0.01, 100), (0.03, 250), (0.06, 1000)]],
        "all weights": [{"rate": rate, "batch": batch} for rate, batch in [(1e-3, 250), (3e-3, 250), (1e-3, 50)]],
    },
    "sep-CMA": {"last layer": [{"sigma": 0.03}, {"sigma": 0.1}], "all weights": [{"sigma": 0.01}]},
}
METHODS = {"gradless": methods.auto, "MeZO": methods.mezo, "sep-CMA": methods.sep_cma}
# Shares of the budget at which accuracies are taken.
LOOKS = np.geomspace(1 / 64, 1, 13)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--shifts", default=",".join(SHIFTS))
    parser.add_argument("--out", type=pathlib.Path, default=page.ROOT / "target" / "finetune.jsonl", help="what is done is kept here")
    parser.add_argument("--write", action="store_true", help=f"write table and picture into {PAGE}")
    return parser.parse_args()


class Bench:
    def __init__(self, out):
        self.out, self.network = out, example.Network()
        self.data = os.environ.get("GRADLESS_DATA", "data")
        self.done = [json.loads(line) for line in out.open()] if out.exists() else []

    def task(self, part, shift, source, rows):
        pictures, labels = example.digits(self.data, source, rows)
        return PARTS[part][0](self.network, SHIFTS[shift](pictures), labels)

    def run(self, part, shift, method, settings, seed, judges):
        """A curve of accuracies, from the disk if it is there."""
        wanted = {"part": part, "shift": shift, "method": method, "settings": settings, "seed": seed, "judges": judges}
        for line in self.done:
            if wanted.items() <= line.items():
                return line
        _, rows, passes = PARTS[part]
        fitted = self.task(part, shift, "train", slice(rows))
        judged = self.task(part, shift, *{"tuning": ("train", slice(50_000, 52_000)), "test": ("t10k", slice(None))}[judges])
        budget, curve = rows * passes, []

        def tell(spent, weights):
            while len(curve) < len(LOOKS) and spent >= LOOKS[len(curve)] * budget * (1 - 1e-9):
                curve.append([spent / rows, self.accuracy(judged, weights)])

        weights = METHODS[method](example, fitted, budget, seed, tell, **settings)
        end = self.accuracy(judged, weights)
        # A method that has stopped by itself stays where it is.
        curve += [[float(look) * passes, end] for look in LOOKS[len(curve) :]]
        line = {**wanted, "curve": curve, "end": end, **self.sparsity(fitted, judged, weights)}
        with self.out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.done.append(line)
        print(part, shift, method, settings, seed, judges, f"{end:.4f}", line["changed"], flush=True)
        return line

    def accuracy(self, judged, weights):
        blocks = [slice(start, start + 1000) for start in range(0, len(judged.labels), 1000)]
        right = [(judged.scores(weights, block).argmax(axis=1) == judged.labels[block]).sum() for block in blocks]
        return float(sum(right) / len(judged.labels))

    def sparsity(self, fitted, judged, weights):
        """How many weights changed; and the accuracy that is left where only the 1,000 largest changes are kept."""
        difference = weights - fitted.start
        kept = np.zeros_like(difference)
        largest = np.argsort(-abs(difference))[:1000]
        kept[largest] = difference[largest]
        return {"changed": int(np.count_nonzero(difference)), "largest": self.accuracy(judged, fitted.start + kept)}

    def tuned(self, part, shift, method):
        """The settings with the best accuracy on digits that are neither fitted nor reported."""
        grid = GRIDS[method][part]
        if len(grid) == 1:
            return grid[0]
        return max(grid, key=lambda settings: self.run(part, shift, method, settings, 100, "tuning")["end"])


def main():
    asked = arguments()
    bench = Bench(asked.out)
    header = ["what may change", "digits", "", "settings", "after 1/8", "1/4", "1/2 of the passes", "at the end", "weights changed", "with the 1,000 largest"]  # fmt: skip
    rows, curves = [], {}
    for part in asked.parts.split(","):
        for shift in asked.shifts.split(","):
            judged = bench.task(part, shift, "t10k", slice(None))
            before = bench.accuracy(judged, judged.start)
            for method in METHODS:
                settings = bench.tuned(part, shift, method)
                lines = [bench.run(part, shift, method, settings, seed, "test") for seed in range(asked.seeds)]
                curves[part, shift, method] = lines
                rows.append(row(part, shift, method, settings, lines, before))
    command = page.command("bench/strangers/finetune/run")
    text = page.table(header, rows) + f"\n\n(commit {page.commit()}, seeds 0 to {asked.seeds - 1}, `{command}`)"
    print(text)
    if asked.write:
        page.put(PAGE, "accuracies", text)
        draw(curves)


def row(part, shift, method, settings, lines, before):
    def spread(values):
        return f"{100 * np.mean(values):.1f} ({100 * min(values):.1f} to {100 * max(values):.1f})"

    at = [spread([line["curve"][place][1] for line in lines]) for place in (6, 8, 10)]
    _, labelled, passes = PARTS[part]
    words = ", ".join(f"{name} {value:g}" for name, value in settings.items())
    return [
        f"{part}, {labelled} labelled, {passes:,} passes", f"{shift} ({100 * before:.1f} % before)", method, words, *at,
        spread([line["end"] for line in lines]), f"{np.median([line['changed'] for line in lines]):,.0f}",
        f"{100 * np.mean([line['largest'] for line in lines]):.1f}",
    ]  # fmt: skip


def draw(curves):
    panels = sorted({key[:2] for key in curves}, key=lambda key: (key[0] == "all weights", key[1]))
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4 * len(panels), 3.4), squeeze=False)
    for axis, panel in zip(axes[0], panels, strict=True):
        for method, mark in zip(METHODS, "os^", strict=True):
            runs = [np.array(line["curve"]) for line in curves[*panel, method]]
            count = min(map(len, runs))
            stacked = np.stack([run[:count] for run in runs])
            axis.plot(stacked[0, :, 0], 100 * stacked[..., 1].mean(axis=0), marker=mark, markersize=4, label=method)
            axis.fill_between(stacked[0, :, 0], *(100 * edge(stacked[..., 1], axis=0) for edge in (np.min, np.max)), alpha=0.2)
        axis.set(title=f"{panel[0]}, {panel[1]} digits", xscale="log", xlabel="passes over the labelled digits")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("accuracy on 10,000 test digits, %")
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(page.ROOT / PICTURE, dpi=110)


main()
