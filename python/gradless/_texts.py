"""What can be switched on and off: words of a text, and anything the user can take away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
#: What stands behind a word without a space.
CLOSING = ",.;:!?)"
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


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

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the pieces of a text stand."""
        if self.unit == "words":
            return [match.span() for match in _WORD.finditer(text)]
        if self.unit == "sentences":
            return [match.span() for match in _SENTENCE.finditer(text) if match.group().strip()]
        spans: list[tuple[int, int]] = []
        at = 0
        for piece in self.unit(text):  # type: ignore[operator]
            if isinstance(piece, str):
                start = text.find(piece, at)
                if start < 0 or not piece:
                    raise ValueError(f"the tokenizer gave {piece!r}, which does not follow in the text")
                piece = (start, start + len(piece))
            at = piece[1]
            spans.append((int(piece[0]), int(piece[1])))
        return spans


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


@dataclass
class Text:
    """A text cut into pieces, each of which belongs to a switch."""

    text: str
    spans: list[tuple[int, int]]
    #: The switch of every piece.
    switch: list[int]
    #: What every switch is called, and what may stand in its place.
    names: list[str]
    candidates: list[list[str]]
    mask: str | None

    @classmethod
    def of(cls, text: str, words: Words) -> Text:
        """The pieces of a text."""
        spans = words.spans(text)
        if not spans:
            raise ValueError("the text has no words: there is nothing to explain")
        known: dict[str, int] = {}
        switch: list[int] = []
        names: list[str] = []
        for start, end in spans:
            piece = text[start:end]
            key = piece.lower() if words.together else str(len(names))
            if key not in known:
                known[key] = len(names)
                names.append(piece)
            switch.append(known[key])
        given = words.candidates
        candidates: list[list[str]]
        if given is None:
            candidates = [[] for _ in names]
        elif isinstance(given, Mapping):
            candidates = [[str(one) for one in given.get(name, given.get(name.lower(), []))] for name in names]
        else:
            candidates = [[str(one) for one in given if str(one).lower() != name.lower()] for name in names]
        return cls(text, spans, switch, names, candidates, words.mask)

    def decode(self, states: Array) -> list[str]:
        """The texts that rows of states stand for."""
        return [self.built([int(state) for state in row]) for row in np.rint(states)]

    def built(self, states: Sequence[int]) -> str:
        """The text with pieces gone (0), as they are (1), or replaced (2 and above)."""
        parts, at = [], 0
        for (start, end), switch in zip(self.spans, self.switch):
            parts.append(self.text[at:start])
            state = states[switch]
            if state == 1:
                parts.append(self.text[start:end])
            elif state > 1:
                parts.append(self.candidates[switch][state - 2])
            elif self.mask is not None:
                parts.append(self.mask)
            elif parts[-1][-1:].isspace() and (end == len(self.text) or self.text[end].isspace() or self.text[end] in CLOSING):
                # One of the two spaces around a word goes with it.
                parts[-1] = parts[-1][:-1]
            at = end
        return "".join([*parts, self.text[at:]]).strip()

    def pieces(self) -> list[tuple[str, int | None]]:
        """The text in order: what stands between pieces, and the pieces with their switches."""
        pieces: list[tuple[str, int | None]] = []
        at = 0
        for (start, end), switch in zip(self.spans, self.switch):
            if start > at:
                pieces.append((self.text[at:start], None))
            pieces.append((self.text[start:end], switch))
            at = end
        if at < len(self.text):
            pieces.append((self.text[at:], None))
        return pieces


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
