"""The named methods: what there is, what it assumes, what it costs."""

from __future__ import annotations

from typing import NamedTuple

from . import _gradless


class Method(NamedTuple):
    """A method by name."""

    name: str
    assumes: str
    needs: str
    queries: str
    rate: str
    source: str
    gradients: bool


def methods() -> list[Method]:
    """Every method, the default first.

    >>> import gradless
    >>> "auto" in [method.name for method in gradless.methods()]
    True
    """
    return [Method(*fields) for fields in _gradless.methods()]
