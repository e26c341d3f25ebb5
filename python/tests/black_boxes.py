"""Functions that worker processes can import."""

import os
import signal
import time
from pathlib import Path

import numpy as np


def quadratic(X):
    return ((X - 0.3) ** 2).sum(axis=1)


def slow_quadratic(X):
    time.sleep(0.002 * len(X))
    return quadratic(X)


def scalar(x):
    return float(((x - 0.3) ** 2).sum())


def failing(X):
    raise LookupError("no such simulation")


class DiesOnce:
    """A function whose worker is killed in the middle of the run, once."""

    def __init__(self, folder, after):
        self.folder, self.after = str(folder), after

    def __call__(self, X):
        folder = Path(self.folder)
        calls = len(list(folder.glob("call-*")))
        (folder / f"call-{os.getpid()}-{time.monotonic_ns()}").touch()
        if calls >= self.after:
            try:
                (folder / "killed").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return quadratic(X)


class AlwaysDies:
    """A function no worker survives."""

    def __call__(self, X):
        os.kill(os.getpid(), signal.SIGKILL)


def two_classes(X):
    """Class 1 if the first three numbers outweigh the others."""
    total = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    return np.stack([-total, total], axis=1)
