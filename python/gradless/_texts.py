"""What can be switched on and off: words of a text, and anything the user can take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _gradless
from ._arrays import Array

class Words:
    """A text as words that are there or not.

    >>> import gradless
    >>> def classify(texts):
    ...     good = [[text.count("good") - text.count("bad")] for text in texts]
    ...     return [[-g, g] for (g,) in [(g[0] - 0.5,) for g in good]]
    >>> found = gradless.explain(classify, "the film was good", features=gradless.Words(), question="part", confidence=0)
    >>> found.words
    ['good']

    Parameters
    ----------
    unit
        ``"words"``, ``"sentences"``, or a function that gives the pieces of a text as ``(start, end)`` pairs or as strings in their order.
    mask
        What stands in place of a piece that is gone, such as ``"[MASK]"``; nothing unless given.
    together
        Whether all occurrences of a word are one feature.
    candidates
        Words that may replace others in a change: a list for all of them, or a mapping from a word to its list.
    """

    def __init__(
        self,
        unit: str | Callable[[str], Any] = "words",
        mask: str | None = None,
        together: bool = True,
        candidates: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if not callable(unit) and unit not in ("words", "sentences"):
            raise ValueError(f"unit is {unit!r}: 'words', 'sentences' or a function that gives the pieces of a text is needed")
        self.unit, self.mask, self.together, self.candidates = unit, mask, together, candidates


class Mask:
    """Switches of the user's own: regions of a recording, nodes of a graph.

    ``apply(masks)`` turns an ``(m, n)`` array of truth values into the inputs of the model, one for each row.

    >>> import numpy as np, gradless
    >>> sound = np.array([0.0, 0.0, 3.0, 0.1])
    >>> loud = lambda sounds: np.stack([1 - sounds.sum(axis=1), sounds.sum(axis=1)], axis=1)
    >>> found = gradless.explain(loud, features=gradless.Mask(4, lambda masks: masks * sound), question="part", confidence=0)
    >>> found.used
    [2]
    """

    def __init__(self, n: int, apply: Callable[[Any], Any], names: Sequence[str] | None = None) -> None:
        self.n, self.apply = int(n), apply
        if self.n < 1:
            raise ValueError(f"n is {n}: at least one switch is needed")
        if names is not None and len(names) != self.n:
            raise ValueError(f"names has {len(names)} entries for {n} switches")
        self.names = None if names is None else [str(name) for name in names]


def cut(text: str, words: Words) -> _gradless.Text:
    """A text cut into pieces, each of which belongs to a switch."""
    given = words.candidates
    by_name = [(str(name), [str(one) for one in some]) for name, some in given.items()] if isinstance(given, Mapping) else []
    for_all = [] if given is None or isinstance(given, Mapping) else [str(one) for one in given]
    unit, spans = (words.unit, None) if isinstance(words.unit, str) else ("words", _spans(words.unit(text), text))
    return _gradless.Text(text, unit, spans, words.together, words.mask, (for_all, by_name))


def _spans(pieces: Any, text: str) -> list[tuple[int, int]]:
    """Where the pieces that a tokenizer gave stand."""
    spans: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        if isinstance(piece, str):
            start = text.find(piece, at)
            if start < 0 or not piece:
                raise ValueError(f"the tokenizer gave {piece!r}, which does not follow in the text")
            piece = (start, start + len(piece))
        at = piece[1]
        spans.append((int(piece[0]), int(piece[1])))
    return spans


class Masked:
    """Rows of states as inputs, by a function of the user's."""

    def __init__(self, apply: Callable[[Any], Any]) -> None:
        self.apply = apply

    def __call__(self, states: Array) -> Any:
        return self.apply(np.rint(states) == 1)


class SparseRow:
    """A row of a sparse matrix: every number that is not 0 is a switch."""

    def __init__(self, row: Any) -> None:
        row = row.tocsr()
        if row.shape[0] != 1:
            raise ValueError(f"x has {row.shape[0]} rows: one is explained at a time")
        row.eliminate_zeros()
        if not row.nnz:
            raise ValueError("x has no number that is not 0: there is nothing to explain")
        self.places, self.values, self.shape = row.indices.copy(), row.data.copy(), row.shape

    def __call__(self, states: Array) -> Any:
        from scipy.sparse import csr_matrix

        on = np.rint(states) == 1
        rows, columns = np.nonzero(on)
        return csr_matrix((self.values[columns], (rows, self.places[columns])), shape=(len(states), self.shape[1]))


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse matrix of SciPy."""
    return type(value).__module__.startswith("scipy.sparse")
