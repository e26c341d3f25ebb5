"""One run of one optimiser: a counter nobody gets past, a limit on processor time, and a line for the journal."""

import signal

import numpy as np

from problem import BUDGETS

# Queries after which the lowest objective is noted: those that are compared, and others for the profiles.
LOOKS = sorted({round(50 * 10 ** (k / 8)) for k in range(22)} | set(BUDGETS))


class Spent(BaseException):
    """The budget or the time is used up. No `Exception`, so that no optimiser takes it for a bad value and goes on."""


class Run:
    """l + r with a counter. Points outside the box are brought to its nearest point before they are evaluated."""

    def __init__(self, problem, budget):
        self.problem, self.budget = problem, budget
        self.queries, self.lowest, self.note = 0, np.inf, ""
        self.looks = []
        # Coordinates that can move: the others are no business of a search.
        self.moves = np.flatnonzero(problem.upper > problem.lower)
        self.start, self.lower, self.upper = (side[self.moves] for side in (problem.start, problem.lower, problem.upper))
        self.dim = len(self.moves)

    def expand(self, y):
        x = self.problem.start.copy()
        x[self.moves] = np.asarray(y, float).ravel()
        return self.problem.clip(x)

    def __call__(self, y):
        """The whole objective: what somebody sees who is told nothing of r."""
        return self.loss(y, add_penalty=True)

    def loss(self, y, add_penalty=False):
        """l alone, for who is told r."""
        self.pay()
        x = self.expand(y)
        loss, penalty = self.problem.fun(x), self.problem.penalty(x)
        self.note_value(loss + penalty)
        return loss + penalty if add_penalty else loss

    def residuals(self, y):
        self.pay()
        told = self.problem.residuals(self.expand(y))
        self.note_value(float((told**2).sum()))
        return told

    def pay(self):
        if self.queries >= self.budget:
            raise Spent
        self.queries += 1

    def note_value(self, value):
        if np.isfinite(value):
            self.lowest = min(self.lowest, float(value))
        if len(self.looks) < len(LOOKS) and self.queries == LOOKS[len(self.looks)]:
            self.looks.append(self.lowest)


def measure(problem, optimise, seed, budget, seconds):
    """Lets an optimiser loose. Whoever ends by himself, or is ended by the clock, keeps what he has."""
    run = Run(problem, budget)

    def late(*_):
        run.note = "time limit"
        raise Spent

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        # Everybody's first query, so that nobody is told to be worse than where he began.
        start = run(run.start)
        optimise(run, seed)
    except Spent:
        pass
    except Exception as error:  # an optimiser that breaks is a result too
        run.note = f"{type(error).__name__}: {error}".split("\n")[0][:100]
    finally:
        left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    wanted = sum(look <= budget for look in LOOKS)
    looks = (run.looks + [run.lowest] * wanted)[:wanted]
    if not run.note and run.queries < budget:
        run.note = f"ended by itself after {run.queries}"
    return {"start": start, "looks": looks, "queries": run.queries, "seconds": round(seconds - left, 2), "note": run.note}
