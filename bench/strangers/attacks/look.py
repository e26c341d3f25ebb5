"""Tables of what `measure.py` has written, while settings are chosen: medians and geometric means at several numbers of queries.

    python look.py target/attacks lenet tuning pixels
"""

import json
import pathlib
import sys

import numpy as np
from door import after

AT = [100, 250, 500, 1000, 2500, 5000, 10000]


def main():
    folder, network, which, norm = sys.argv[1:5]
    rows = []
    for path in sorted(pathlib.Path(folder).glob(f"{network}-{which.replace(' ', '-')}-*.jsonl")):
        lines = [json.loads(line) for line in path.open()]
        sizes = np.array([[after(line["curves"][norm], at) for at in AT] for line in lines])
        if not len(sizes) or not np.isfinite(sizes).any():
            continue
        rows.append((path.stem.removeprefix(f"{network}-{which.replace(' ', '-')}-"), sizes, np.mean([line["seconds"] for line in lines])))
    rows.sort(key=lambda row: np.median(row[1][:, 5]))
    print(f"{'':32} n   s  " + "  ".join(f"{at:>13}" for at in AT))
    for name, sizes, seconds in rows:
        cells = []
        for column in sizes.T:
            ok = np.isfinite(column)
            mean = np.exp(np.mean(np.log(np.maximum(column[ok], 1e-9)))) if ok.any() else np.nan
            cells.append(f"{np.median(column):6.3g} {mean:6.3g}{'' if ok.all() else f'({ok.mean():.0%})'}")
        print(f"{name:32}{len(sizes):3} {seconds:4.1f} " + "  ".join(f"{cell:>13}" for cell in cells))


main()
