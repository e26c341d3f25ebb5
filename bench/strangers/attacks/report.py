"""Writes what `measure.py` has measured on the pictures that are held back into docs/benchmarks/attacks.md.

    python report.py [--out target/attacks]
"""

import argparse
import json
import pathlib
import sys

import networks
import numpy as np
from door import NORMS, after

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import page

AT = [100, 250, 500, 1000, 2500, 5000]
JUDGED = [1000, 2500, 5000]
#: Tables of fewer runs say nothing.
LEAST = 5


def read(folder, network):
    """For every method its runs by picture and seed, and whether it sees labels alone."""
    found = {}
    for path in sorted(folder.glob(f"{network}-held-back-*.jsonl")):
        lines = [json.loads(line) for line in path.open() if line.endswith("\n")]
        if lines:
            runs = {(line["picture"], line["seed"]): line for line in lines if line["budget"] == AT[-1]}
            found[lines[0]["method"]] = (runs, lines[0]["labels_only"])
    return found


def mean(sizes):
    return float(np.exp(np.mean(np.log(sizes)))) if len(sizes) else float("inf")


def number(value):
    return "-" if not np.isfinite(value) else f"{value:.3g}"


def tables(found, norm, labels_only):
    """One table: methods that see no more than ours, on the pictures that all of them were run on."""
    ours_name = f"gradless {norm}{', labels' if labels_only else ''}"
    if ours_name not in found:
        return None
    ours = found[ours_name][0]
    # Who sees scores is compared with those who do without them, too.
    peers = {name: runs for name, (runs, sees) in found.items() if (sees or not labels_only) and not name.startswith("gradless")}
    # A method is compared where it was run on every picture that the others were run on.
    most = max((len(set(runs) & set(ours)) for runs in peers.values()), default=0)
    peers = {name: runs for name, runs in peers.items() if len(set(runs) & set(ours)) == most}
    keys = sorted(set(ours).intersection(*peers.values())) if peers else []
    if len(keys) < LEAST:
        return None
    sizes = {
        name: np.array([[after(runs[key]["curves"][norm], at) for at in AT] for key in keys])
        for name, runs in {ours_name: ours, **peers}.items()
    }
    rows, ratios = [], []
    for name, column in sorted(sizes.items(), key=lambda item: (item[0] != ours_name, np.median(item[1][:, -1]), mean(item[1][np.isfinite(item[1][:, -1]), -1]))):
        cells = [f"{number(np.median(column[:, at]))} ({np.isfinite(column[:, at]).sum()})" for at in range(len(AT))]
        rows.append([name, *cells])
    for queries in JUDGED:
        at = AT.index(queries)
        best = min(peers, key=lambda name: (np.median(sizes[name][:, at]), mean(sizes[name][np.isfinite(sizes[name][:, at]), at])))
        both = np.isfinite(sizes[ours_name][:, at]) & np.isfinite(sizes[best][:, at])
        ratio = mean(sizes[ours_name][both, at] / sizes[best][both, at])
        ratios.append(f"{ratio:.2f} of {best} at {queries}")
    title = f"**{norm}{', labels alone' if labels_only else ''}**, {len(keys)} runs. Ours is, by geometric mean, " + "; ".join(ratios) + "."
    return title + "\n\n" + page.table(["median (altered) after", *map(str, AT)], rows)


def confirmed(found):
    """Changes, and how many of them had another class when they were read from a PNG file."""
    told = [one for runs, _ in found.values() for run in runs.values() for one in run["confirmed"] if one is not None]
    return len(told), sum(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=networks.ROOT / "target" / "attacks")
    asked = parser.parse_args()
    parts, changes, held = [f"Seed 0 upward, commit `{page.commit()}`.\n"], 0, 0
    for network in networks.NAMES:
        found = read(asked.out, network)
        made = [tables(found, norm, labels) for labels in (False, True) for norm in NORMS]
        made = [one for one in made if one]
        count = confirmed(found)
        changes, held = changes + count[0], held + count[1]
        if made:
            parts.append(f"### {network}\n\n" + "\n\n".join(made) + "\n")
    parts.insert(1, f"Of {changes} smallest changes, written as PNG and read again, {held} have another class by onnxruntime.\n")
    page.put("docs/benchmarks/attacks.md", "attacks", "\n".join(parts))


if __name__ == "__main__":
    main()
