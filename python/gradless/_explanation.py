"""Explanations: what was found, in words, numbers and pictures."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _draw, _gradless
from ._arrays import Array, settled
from ._result import _pyplot

#: Changes that a display lists.
SHOWN = 15


@dataclass
class Setting:
    """What the answers to one call have in common."""

    input: Array
    shape: tuple[int, ...]
    feature_names: list[str] | None
    labels: list[str] | None
    range: tuple[float, float]
    model: str
    seed: int
    max_queries: int
    title: str
    method: str

    @property
    def is_picture(self) -> bool:
        """Whether the input is drawn as a picture: two dimensions or more and no names for its places."""
        return len(self.shape) > 1 and self.feature_names is None

    @property
    def frame(self) -> _gradless.Frame:
        """Channels, rows, columns, and what is black and white."""
        shape = self.shape
        if len(shape) == 3 and shape[0] in (1, 3):
            channels, rows, columns = shape
        else:
            columns = shape[-1]
            channels, rows = 1, int(np.prod(shape)) // max(columns, 1)
        return channels, rows, columns, *self.range

    def label(self, index: int) -> str:
        """The name of a class, or its number."""
        return self.labels[index] if self.labels is not None and index < len(self.labels) else str(index)

    def feature(self, index: int) -> str:
        """The name of a place."""
        if self.feature_names is not None:
            return self.feature_names[index]
        return f"x[{', '.join(str(i) for i in np.unravel_index(index, self.shape))}]"


class Explanation:
    """One question about one input, and its answer.

    Attributes
    ----------
    mode : str
        ``"pp"``: a part of the input that is enough; ``"pn"``: a change that alters the class.
    valid : bool
        Whether the class condition holds by more than the model's noise.
    x : ndarray
        The part itself, or the change, of the input's shape.
    after : ndarray
        What the model was shown: the part, or the input with the change made.
    label, original_label : int
        The class of ``after`` and of the input; ``label_name`` and ``original_label_name`` are their names.
    scores, original_scores : ndarray
        What the model says about them.
    margin, floor : float
        By how much the class condition holds, and the noise it must be above.
    nonzeros : int
        Places that were kept or changed.
    norm_l1, norm_l2 : float
        How large it is; in shares of the bounds where features have bounds of their own.
    nfev, first_valid, best_valid : int
        Inputs the model was given, and when a valid and the best answer were known.
    minimal : str
        ``"checked"``: no single place can go.
    history, message, seconds, warning
        How the search went and why it ended.
    """

    mode: str
    valid: bool
    label: int
    original_label: int
    scores: Array
    original_scores: Array
    margin: float
    floor: float
    kappa: float | None
    nonzeros: int
    norm_l1: float
    norm_l2: float
    objective: float
    nfev: int
    nit: int
    first_valid: int | None
    best_valid: int | None
    minimal: str
    message: str
    seconds: float
    warning: str | None
    history: dict[str, NDArray[Any]]

    def __init__(self, setting: Setting, told: dict[str, Any], x: Array, after: Array) -> None:
        self.__dict__.update({name: value for name, value in told.items() if name not in ("x", "seen", "nothing")})
        self.setting = setting
        self.x = x.reshape(setting.shape)
        self.after = after.reshape(setting.shape)
        self._nothing = told["nothing"].reshape(setting.shape)

    @property
    def input(self) -> Array:
        """What was explained."""
        return self.setting.input

    @property
    def label_name(self) -> str:
        """The class of ``after``, by name."""
        return self.setting.label(self.label)

    @property
    def original_label_name(self) -> str:
        """The class of the input, by name."""
        return self.setting.label(self.original_label)

    @property
    def change(self) -> Array:
        """How far the answer is from nothing: from the background for a part, from no change for a change."""
        change: Array = self.x - self._nothing
        return change

    def changes(self) -> list[tuple[str, float, float]]:
        """The places that were kept (name, background, value) or changed (name, before, after), the largest first."""
        change = self.change.reshape(-1)
        before = (self._nothing if self.mode == "pp" else self.input).reshape(-1)
        after = self.after.reshape(-1)
        places = np.flatnonzero(change)
        scale = self._scale()
        order = places[np.argsort(-np.abs(change[places]) / scale[places], kind="stable")]
        return [(self.setting.feature(int(i)), float(before[i]), float(after[i])) for i in order]

    def _scale(self) -> Array:
        scale = np.abs(self.input).reshape(-1)
        return np.where(scale > 0, scale, 1.0) if self.setting.feature_names is not None else np.ones_like(scale)

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        what = "pixels" if self.setting.is_picture else "features" if self.setting.feature_names else "numbers"
        total = self.x.size
        if not self.valid:
            kind = "part that is enough" if self.mode == "pp" else "change that alters the class"
            return f"No {kind} was found; the closest misses by {_draw.number(abs(self.margin))}. Allow more queries, freeze less, or widen the bounds."
        if self.mode == "pp":
            if not self.nonzeros:
                return f"Nothing of the input is needed for class {self.original_label_name}: the background has it."
            verb = "is" if self.nonzeros == 1 else "are"
            return f"{_these(self.nonzeros, total, what)} {verb} enough for class {self.original_label_name}."
        return f"Changing {_these(self.nonzeros, total, what).lower()} makes it class {self.label_name}."

    def png(self) -> bytes:
        """The answer drawn on the input, as a PNG file: what was kept in yellow, brighter in orange, darker in blue."""
        flat = settled(self.input).reshape(-1)
        change = settled(self.change).reshape(-1)
        return _gradless.draw_overlay(self.setting.frame, flat, change, self.mode == "pp")

    def image(self) -> bytes:
        """What the model was shown, as a PNG file."""
        return _gradless.draw_picture(self.setting.frame, settled(self.after).reshape(-1))

    def __repr__(self) -> str:
        return f"<gradless.Explanation {self.mode}: {self.sentence} ({self.nfev} queries)>"

    def _body(self) -> str:
        title = "What is enough" if self.mode == "pp" else "What would change it"
        parts = [f'<div style="font-weight:600">{title}</div><div>{_draw.text(self.sentence)}</div>']
        if self.setting.is_picture:
            original = _gradless.draw_picture(self.setting.frame, settled(self.input).reshape(-1))
            pictures = [("input", original), ("marked", self.png()), ("what the model sees", self.image())]
            parts.append("".join(_figure(name, png, self.setting.frame) for name, png in pictures))
        else:
            parts.append(_draw.bars(self._bars()))
        parts.append(
            _draw.facts(
                [
                    ("class before, after", f"{self.original_label_name}, {self.label_name}"),
                    ("margin, noise floor", f"{_draw.number(self.margin)}, {_draw.number(self.floor)}"),
                    ("queries", f"{self.nfev:,}"),
                ]
            )
        )
        return "".join(parts) + _draw.trace(self.history["nfev"], self.history["norm_l1"], "l1 norm of the answer")

    def _bars(self) -> list[tuple[str, float, str]]:
        entries = []
        scale = dict(zip((self.setting.feature(i) for i in range(self.x.size)), self._scale()))
        for name, before, after in self.changes()[:SHOWN]:
            beside = f"{before:.4g} → {after:.4g}" if self.mode == "pn" else f"{after:.4g}"
            entries.append((name, (after - before) / scale[name], beside))
        return entries

    def _repr_html_(self) -> str:
        return f'<div style="{_draw.STYLE}">{self._body()}</div>'

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that stands alone, as the command draws it for pictures; written to ``path`` if one is given."""
        return Explanations([self], self.setting).to_html(path)

    def plot(self, ax: Any = None) -> Any:
        """The answer by matplotlib: the marked picture, or bars; gives the axes."""
        pyplot = _pyplot()
        if ax is None:
            ax = pyplot.subplots()[1]
        if self.setting.is_picture:
            import io

            ax.imshow(pyplot.imread(io.BytesIO(self.png())))
            ax.set_axis_off()
        else:
            entries = self._bars()[::-1]
            colours = [_draw.UP if length >= 0 else _draw.DOWN for _, length, _ in entries]
            bars = ax.barh([name for name, _, _ in entries], [length for _, length, _ in entries], color=colours)
            ax.bar_label(bars, [beside for _, _, beside in entries], padding=4)
            ax.margins(x=0.25)
        ax.set_title(self.sentence, fontsize=9)
        return ax


class Explanations(list[Explanation]):
    """The answers to both questions about one input: a list of two, ``pp`` and ``pn`` by name."""

    def __init__(self, found: list[Explanation], setting: Setting) -> None:
        super().__init__(found)
        self.setting = setting

    def __reduce__(self) -> tuple[Any, ...]:
        return (Explanations, (list(self), self.setting))

    @property
    def pp(self) -> Explanation:
        """What is enough."""
        return self[0]

    @property
    def pn(self) -> Explanation:
        """What would change it."""
        return self[1]

    def _repr_html_(self) -> str:
        body = "".join(f'<div style="margin-bottom:12px">{one._body()}</div>' for one in self)
        return f'<div style="{_draw.STYLE}">{body}</div>'

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that stands alone; written to ``path`` if one is given."""
        page = self._report() if self.setting.is_picture else _draw.page(self.setting.title, self._repr_html_())
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def plot(self, axes: Any = None) -> Any:
        """Each answer by matplotlib, side by side."""
        if axes is None:
            axes = _pyplot().subplots(1, len(self), squeeze=False, figsize=(5 * len(self), 4))[1][0]
        for one, ax in zip(self, axes):
            one.plot(ax)
        return axes

    def _report(self) -> str:
        setting, first = self.setting, self[0]
        flat = settled(setting.input).reshape(-1)
        facts = [("method", setting.method), ("queries allowed per question", str(setting.max_queries)), ("seed", str(setting.seed))]
        return _gradless.draw_report(
            setting.frame,
            setting.title,
            flat,
            first.original_label,
            first.original_scores.tolist(),
            setting.labels or [],
            [_case(one) for one in self],
            facts,
            [("model", setting.model), ("input", str(list(setting.shape)))],
            f"gradless.explain({setting.model}, x, rng={setting.seed})",
            setting.seed,
        )


def _case(one: Explanation) -> dict[str, Any]:
    history = one.history
    valid = np.isfinite(history["best"])
    names = "mode valid label margin floor kappa norm_l1 norm_l2 nonzeros nfev first_valid best_valid minimal message seconds"
    return {
        **{name: getattr(one, name) for name in names.split()},
        "sentence": one.sentence,
        "seen": settled(one.after).reshape(-1),
        "change": settled(one.change).reshape(-1),
        "scores": one.scores.tolist(),
        "trace": [
            (int(nfev), float(fun), float(size), bool(is_valid))
            for nfev, fun, size, is_valid in zip(history["nfev"], history["fun"], history["norm_l1"], valid)
        ],
    }


def _these(some: int, total: int, what: str) -> str:
    return f"This 1 of {total:,} {what}" if some == 1 else f"These {some:,} of {total:,} {what}"


def _figure(name: str, png: bytes, frame: _gradless.Frame) -> str:
    rows, columns = frame[1:3]
    width = max(1, round(150 * columns / max(rows, columns)))
    uri = base64.b64encode(png).decode()
    return (
        f'<figure style="display:inline-block;margin:6px 10px 6px 0"><img src="data:image/png;base64,{uri}" '
        f'style="width:{width}px;image-rendering:pixelated" alt="{name}"><figcaption style="color:#444">{name}</figcaption></figure>'
    )
