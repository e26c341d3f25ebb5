"""A search that is looked at while it goes on: in a notebook, in a terminal, or by a function of the user's own."""

from __future__ import annotations

import base64
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _draw, _gradless
from ._arrays import Array
from ._explanation import Setting

#: How many sizes of an answer a curve keeps.
POINTS = 400


@dataclass(frozen=True)
class Forming:
    """What a search holds so far: what ``progress`` of :func:`explain` is called with, ten times a second at most."""

    #: The question that is searched: ``"part"``, ``"change"``, …
    question: str
    #: Inputs the model was given for it.
    queries: int
    #: How many it may be given.
    budget: int
    #: Features of the smallest valid answer so far; ``None`` while there is none.
    held: int | None
    #: What the model is shown for that answer, in the form of the input; ``None`` while there is none.
    x: Any


def watcher(progress: Callable[[Forming], Any] | bool | None, setting: Setting) -> Callable[..., None] | None:
    """What Rust calls while it searches, or ``None`` if nobody looks."""
    if progress is None or progress is False:
        return None
    look = View(setting) if progress is True else progress
    if not callable(look):
        raise TypeError(f"progress is {progress!r}: True, or a function of what the search holds so far, is needed")

    def told(question: str, queries: int, budget: int, held: int | None, shown: Array | None) -> None:
        look(Forming(question, queries, budget, held, None if shown is None else setting.shown(shown)))

    return told


def close(watching: Callable[[Forming], Any] | bool | None) -> None:
    """Ends the line in a terminal."""
    if watching is True and not in_notebook() and sys.stderr.isatty():
        print(file=sys.stderr)


def in_notebook() -> bool:
    """Whether output goes to a notebook, which can replace what it shows."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class View:
    """Shows a search: in a notebook a card that is replaced, elsewhere a line on stderr."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.latest: dict[str, Forming] = {}
        self.sizes: dict[str, list[tuple[int, int]]] = {}
        self.handle: Any = None

    def __call__(self, forming: Forming) -> None:
        self.latest[forming.question] = forming
        if forming.held is not None:
            sizes = self.sizes.setdefault(forming.question, [])
            sizes.append((forming.queries, forming.held))
            if len(sizes) > POINTS:
                del sizes[1:-1:2]
        if in_notebook():
            self._show()
        elif sys.stderr.isatty():
            print(f"\r{line(forming):<76}", end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        display: Any = importlib.import_module("IPython.display")
        card = display.HTML(self.to_html())
        if self.handle is None:
            self.handle = display.display(card, display_id=True)
        else:
            self.handle.update(card)

    def to_html(self) -> str:
        """The card."""
        return f'<div style="{_draw.STYLE}">{"".join(self._question(forming) for forming in self.latest.values())}</div>'

    def _question(self, forming: Forming) -> str:
        bar = f'<progress max="{forming.budget}" value="{forming.queries}" style="width:100%"></progress>'
        sizes = self.sizes.get(forming.question, [])
        curve = _draw.trace([queries for queries, _ in sizes], [held for _, held in sizes], "held")
        return f'<div style="margin-bottom:8px"><div>{_draw.text(line(forming))}</div>{bar}<div>{self._picture(forming)}{curve}</div></div>'

    def _picture(self, forming: Forming) -> str:
        shown = forming.x
        if shown is None or not self.setting.is_picture or self.setting.picture is not None:
            return ""
        png = base64.b64encode(_gradless.draw_picture(self.setting.shades, shown.reshape(-1))).decode()
        style = "width:140px;height:140px;object-fit:contain;image-rendering:pixelated;background:#000"
        return f'<img src="data:image/png;base64,{png}" style="{style}" alt="what the model is shown">'


def line(forming: Forming) -> str:
    """A search in a line."""
    held = "nothing yet" if forming.held is None else f"{forming.held:,} held"
    return f"{forming.question}: {forming.queries:,} of {forming.budget:,} queries, {held}"
