"""A quick look at the journal on the terminal, for who tunes: `look.py [LABEL] [FAMILY]`."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from compare import read  # noqa: E402
from page import ROOT  # noqa: E402
from scores import Scores  # noqa: E402

label = sys.argv[1] if len(sys.argv) > 1 else "gradless-0"
family = sys.argv[2] if len(sys.argv) > 2 else ""
rows = [row for row in read(ROOT / "target/strangers-optimisers/journal.jsonl") if not row["method"].startswith("gradless") or row["method"] == label]
rows = [row for row in rows if row["half"] == "tuning"]
scores = Scores(rows)
count = {}
for problem in scores.problems:
    about = scores.about[problem]
    if family and about["family"] != family or not any(row["method"] == label and row["problem"] == problem for row in rows):
        continue
    cells = []
    for budget in scores.budgets(problem):
        if (problem, label, budget) not in scores.way:
            continue
        best, who = scores.first(problem, budget)
        ours = scores.way[problem, label, budget]
        good = scores.is_as_good(problem, label, budget)
        total, won = count.get((about["family"], budget), (0, 0))
        count[about["family"], budget] = total + 1, won + good
        cells.append(f"{ours:7.4f}{'+' if good else '-'} {best:7.4f} {who[:14]:14}")
    print(f"{problem:28} " + " | ".join(cells))
for (name, budget), (total, won) in sorted(count.items()):
    print(f"{name:18} {budget:6}: as good as the first on {won} of {total}")
