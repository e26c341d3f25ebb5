"""What is said of a changed row: whether its class altered, what it changed, which rules it broke."""

import dataclasses

import numpy as np
import pandas as pd


@dataclasses.dataclass
class Judge:
    """The rules of a data set: the ranges and values of the rows that trained the model, and what stays as it is."""

    model: object
    known: pd.DataFrame
    frozen: tuple[str, ...]

    def __post_init__(self):
        self.numbers = [c for c in self.known.columns if pd.api.types.is_numeric_dtype(self.known[c])]
        self.low, self.high = self.known[self.numbers].min(), self.known[self.numbers].max()
        self.width = (self.high - self.low).replace(0, 1.0)
        self.whole = [c for c in self.numbers if (self.known[c] % 1 == 0).all()]
        self.levels = {c: set(self.known[c]) for c in self.known.columns if c not in self.numbers}

    def of(self, row, changed):
        """A record of one answer; `None` for no answer."""
        if changed is None:
            return {"valid": False, "features": None, "distance": None, "violations": 0, "nearest": None}
        before, after = row.iloc[0], changed.iloc[0]
        own = self.model.predict(row)[0]
        features, distance, violations = 0, 0.0, 0
        for column in self.known.columns:
            a, b = before[column], after[column]
            if column in self.numbers:
                a, b = float(a), float(b)
                if np.isclose(a, b, rtol=1e-9, atol=1e-12):
                    continue
                distance += abs(a - b) / self.width[column]
                slack = 1e-9 * max(1.0, abs(b))
                outside = b < min(self.low[column], a) - slack or b > max(self.high[column], a) + slack
                violations += bool(outside) + bool(column in self.whole and abs(b - round(b)) > 1e-6)
            else:
                if a == b:
                    continue
                distance += 1.0
                violations += b not in self.levels[column]
            features += 1
            violations += column in self.frozen
        return {
            "valid": bool(self.model.predict(changed)[0] != own),
            "features": features,
            "distance": distance,
            "violations": int(violations),
            "nearest": self.nearest(changed),
        }

    def nearest(self, row):
        """How far the nearest known row is: the mean over columns."""
        apart = np.zeros(len(self.known))
        for column in self.known.columns:
            values, own = self.known[column], row.iloc[0][column]
            if column in self.numbers:
                apart += (values.astype(float) - float(own)).abs().to_numpy() / self.width[column]
            else:
                apart += (values != own).to_numpy()
        return float(apart.min() / len(self.known.columns))
