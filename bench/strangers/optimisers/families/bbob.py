"""bbob-largescale (Varelas et al. 2020): 24 functions, each in one of the dimensions 80, 160, 320 and 640; a seed is an instance."""

import numpy as np

from problem import Entry, Problem


DIMENSIONS = (80, 160, 320, 640)


def entries():
    def entry(function, dim):
        def make(seed):
            import cocoex

            chosen = f"function_indices:{function} dimensions:{dim} instance_indices:{seed + 1}"
            suite = cocoex.Suite("bbob-largescale", "", chosen)
            told = suite[0]
            # The suite must outlive its problem.
            value = lambda x, _suite=suite: float(told(x))
            return Problem("bbob-largescale", f"bbob-f{function}-{dim}", value, np.zeros(dim), lower=-5, upper=5)

        return Entry("bbob-largescale", f"bbob-f{function}-{dim}", make, base=f"f{function}", drawn=True)

    return [entry(function, dim) for function in range(1, 25) for dim in (DIMENSIONS[function // 2 % 4],)]
