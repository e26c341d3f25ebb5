"""The four tables that come with scikit-survival, as numbers."""

import warnings
from dataclasses import dataclass

import numpy as np
from sksurv import datasets
from sksurv.column import encode_categorical

LOADERS = {
    "veterans": datasets.load_veterans_lung_cancer,
    "WHAS500": datasets.load_whas500,
    "GBSG2": datasets.load_gbsg2,
    "breast cancer": datasets.load_breast_cancer,
}


@dataclass
class Table:
    """Columns as they are (categories as 0 and 1), whether the event was seen, and when; ``outcome`` is what scikit-survival takes."""

    name: str
    columns: np.ndarray
    event: np.ndarray
    time: np.ndarray
    outcome: np.ndarray

    def part(self, rows):
        return Table(self.name, self.columns[rows], self.event[rows], self.time[rows], self.outcome[rows])


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns, outcome = LOADERS[name]()
        columns = encode_categorical(columns).to_numpy(float)
    event, time = outcome.dtype.names
    return Table(name, columns, outcome[event].astype(bool), outcome[time].astype(float), outcome)


def standardised(train, *others):
    """Columns of each table with mean 0 and deviation 1 in the first."""
    mean, deviation = train.columns.mean(axis=0), train.columns.std(axis=0)
    deviation[deviation == 0] = 1
    return [(table.columns - mean) / deviation for table in (train, *others)]
