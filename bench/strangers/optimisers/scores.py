"""What the runs of the journal come to: how much of the way down each method went, and who was first."""

import numpy as np

from problem import BUDGETS
from run_one import LOOKS

# Who makes this share of the first's way down is as good as the first.
AS_GOOD = 0.95


def at(row, queries):
    """The lowest objective after so many queries; `None` if the run's budget was smaller."""
    return row["looks"][LOOKS.index(queries)] if queries <= row["budget"] else None


class Scores:
    """`way[problem, method, budget]` is the share of the way down from the start to the lowest value anybody found, a median over seeds."""

    def __init__(self, rows):
        self.rows = rows
        self.methods = sorted({row["method"] for row in rows})
        self.problems = sorted({row["problem"] for row in rows})
        self.about = {row["problem"]: row for row in rows}
        self.lowest = {}
        for row in rows:
            of = row["problem"], self.instance(row)
            self.lowest[of] = min(self.lowest.get(of, np.inf), min(row["looks"]))
        ways, budgets = {}, {}
        for row in rows:
            budgets.setdefault((row["problem"], row["method"]), set()).add(row["budget"])
        for row in rows:
            for budget in BUDGETS:
                # Of who ran with several budgets the next larger one counts.
                if row["budget"] == min((told for told in budgets[row["problem"], row["method"]] if told >= budget), default=None):
                    ways.setdefault((row["problem"], row["method"], budget), []).append(self.share(row, at(row, budget)))
        self.way = {key: float(np.median(shares)) for key, shares in ways.items()}
        self.late = {(row["problem"], row["method"]) for row in rows if row["note"] == "time limit"}

    def instance(self, row):
        """Problems whose data are drawn are others for other seeds; the start tells."""
        return round(row["start"], 9)

    def share(self, row, value):
        start, low = row["start"], self.lowest[row["problem"], self.instance(row)]
        return 1.0 if start <= low else (start - value) / (start - low)

    def budgets(self, problem):
        return [budget for budget in BUDGETS if any((problem, method, budget) in self.way for method in self.methods)]

    def first(self, problem, budget, methods=None):
        """The best method and its share."""
        told = [(self.way[problem, method, budget], method) for method in methods or self.methods if (problem, method, budget) in self.way]
        return max(told)

    def is_as_good(self, problem, method, budget, methods=None):
        best, _ = self.first(problem, budget, methods)
        return self.way.get((problem, method, budget), 0.0) >= AS_GOOD * best
