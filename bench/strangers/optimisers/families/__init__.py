"""Problems that other people published, each family in a file of its own."""

from . import bbob, boosting, lasso, logistic, s2mpj, sparse_gradients, useless


def entries():
    return [entry for family in (lasso, useless, sparse_gradients, logistic, s2mpj, bbob, boosting) for entry in family.entries()]
