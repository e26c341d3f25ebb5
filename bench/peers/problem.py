"""A problem that `suite --dump` or `logistic.py` wrote, evaluated as Rust evaluates it, with a counter nobody gets past."""

import json
import pathlib
import signal

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As in bench/src/bin/suite/measured.rs.
LOOKS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000]


class Spent(BaseException):
    """The budget or the time is used up. No `Exception`, so that no optimiser takes it for a bad value and goes on."""


class TimeLimit:
    """Ends what is inside after so much CPU time, whatever it is doing: a busy machine is not the optimiser's fault."""

    def __init__(self, run, seconds):
        self.run, self.seconds = run, seconds

    def __enter__(self):
        def end(*_):
            self.run.note = "time limit"
            raise Spent

        signal.signal(signal.SIGPROF, end)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_):
        left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        self.run.seconds = self.seconds - left


def softplus(c):
    return np.maximum(c, 0) + np.log1p(np.exp(-np.abs(c)))


class SparseTarget:
    def __init__(self, loss, rng):
        self.nonconvex = loss["kind"] == "nonconvex"
        self.support, self.target = np.array(loss["support"]), np.array(loss["target"])
        self.noise, self.rng = loss["noise"], rng

    def truth(self, x):
        z = x.copy()
        z[self.support] -= self.target
        squares = z * z
        return float((squares / (1 + squares)).sum() if self.nonconvex else 0.5 * squares.sum())

    def value(self, x):
        kind = self.noise["kind"]
        if kind == "independent":
            return self.truth(x) + self.noise["sigma"] * self.rng.standard_normal()
        if kind == "common":
            # Nobody here can ask for two values under one sample: every value has its own.
            xi = self.rng.standard_normal(len(self.support)) / np.sqrt(len(self.support))
            return self.truth(x) + self.noise["sigma"] * float(xi @ x[self.support])
        return self.truth(x)


class Logistic:
    def __init__(self, loss):
        self.rows = np.array(loss["features"]) * np.array(loss["labels"])[:, None]

    def truth(self, x):
        return float(softplus(-(self.rows @ x)).mean())

    value = truth


class Image:
    def __init__(self, loss):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(ROOT / loss["network"]), options)
        self.input = self.session.get_inputs()[0].name
        self.x0, self.task = np.array(loss["pixels"]) / 255, loss["task"]
        self.k = int(np.argmax(self.scores(self.x0)))

    def scores(self, pixels):
        return self.session.run(None, {self.input: pixels.reshape(1, 1, 28, 28).astype(np.float32)})[0][0].astype(float)

    def truth(self, x):
        scores = self.scores(self.x0 + x if self.task == "pn" else x)
        lead = scores[self.k] - np.delete(scores, self.k).max()
        return float(softplus(lead if self.task == "pn" else -lead))

    value = truth


class Problem:
    """The description of one file; `Run` is what an optimiser gets to see of it."""

    def __init__(self, path):
        told = json.loads(pathlib.Path(path).read_text())
        self.name, self.problem, self.dim = told["name"], told["problem"], told["dim"]
        self.l1, self.l2, self.loss = told["l1"], told["l2"], told["loss"]
        wide = lambda numbers: np.broadcast_to(np.asarray(numbers, float), self.dim).copy()
        self.lower, self.upper, self.start = wide(told["lower"]), wide(told["upper"]), wide(told["start"])
        self.noisy = self.loss.get("noise", {"kind": "none"})["kind"] != "none"

    def black_box(self, rng):
        kind = self.loss["kind"]
        return Image(self.loss) if kind == "image" else Logistic(self.loss) if kind == "logistic" else SparseTarget(self.loss, rng)


class Run:
    """l + r with a counter. Points outside the box are brought to its nearest point before they are evaluated."""

    def __init__(self, problem, seed, budget, share):
        self.problem, self.budget, self.share = problem, budget, share
        self.black_box = problem.black_box(np.random.default_rng(seed))
        self.seconds = 0.0
        self.queries, self.note = 0, ""
        self.lowest, self.best_x, self.best = np.inf, problem.start, np.inf
        # Where values are noisy an optimiser may say which point it would return; the lowest value seen unless it does.
        self.recommend = None
        self.looks = []

    def penalty(self, x):
        return self.problem.l1 * np.abs(x).sum() + 0.5 * self.problem.l2 * (x * x).sum()

    def truth(self, x):
        x = self.clip(x)
        return self.black_box.truth(x) + self.penalty(x)

    def clip(self, x):
        return np.clip(np.asarray(x, float).ravel(), self.problem.lower, self.problem.upper)

    def __call__(self, x):
        if self.queries >= self.budget:
            raise Spent
        x = self.clip(x)
        value = float(self.black_box.value(x) + self.penalty(x))
        self.queries += 1
        if value < self.lowest:
            self.lowest, self.best_x = value, x.copy()
            self.best = value if not self.problem.noisy else None
        if len(self.looks) < len(LOOKS) and self.queries == LOOKS[len(self.looks)]:
            self.looks.append(self.told())
        return value

    def told(self):
        """The lowest objective seen; where values are noisy the true one of the point that would be returned."""
        if not self.problem.noisy:
            return self.best
        recommended = self.recommend() if self.recommend else None
        return self.truth(self.best_x if recommended is None else recommended)

    def line(self, method, seed):
        """The same cells as in bench/src/bin/suite/measured.rs. Who ends by himself keeps what he has."""
        looks = list(self.looks)
        if self.note != "time limit" and self.queries:
            looks += [self.told()] * (sum(look <= self.budget for look in LOOKS) - len(looks))
        if not self.note and self.queries < self.budget:
            self.note = f"ended by itself after {self.queries}"
        cells = [repr(float(look)) for look in looks] + [""] * (len(LOOKS) - len(looks))
        problem = self.problem
        start = self.truth(problem.start)
        told = [problem.problem, problem.dim, problem.name, method, seed, self.budget, self.queries]
        told += [f"{self.seconds:.3f}", self.note.replace(",", ";"), repr(float(start))]
        return ",".join(map(str, told + cells)) + "\n"


def header():
    return "problem,dim,instance,method,seed,budget,queries,seconds,note,start," + ",".join(f"at_{q}" for q in LOOKS) + "\n"
