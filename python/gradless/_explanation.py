"""Explanations: what was found, in words, numbers and pictures."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _draw, _gradless
from ._arrays import Array, settled
from ._frames import Frame
from ._pictures import Picture
from ._result import _pyplot

#: Changes that a display lists, and columns that a page does.
SHOWN = 15
COLUMNS = 100


@dataclass
class Setting:
    """What the answers to one call have in common."""

    input: Array
    given: Any
    shape: tuple[int, ...]
    feature_names: list[str] | None
    labels: list[str] | None
    range: tuple[float, float]
    model: str
    max_queries: int
    title: str
    frame: Frame | None = None
    text: _gradless.Text | None = None
    switches: bool = False
    table: dict[str, Any] | None = None
    picture: Picture | None = None

    @property
    def is_picture(self) -> bool:
        """Whether the input is drawn as a picture: two dimensions or more and no names for its places."""
        return len(self.shape) > 1 and self.feature_names is None

    def shown(self, values: Array) -> Any:
        """Numbers as the user knows them: a table like the one given, a text, an array."""
        if self.frame is not None:
            return self.frame.decode(values.reshape(1, -1))
        if self.text is not None:
            return self.text.decode(values.reshape(1, -1))[0]
        if self.picture is not None:
            return self.picture.shown(values.reshape(self.shape))
        return values.reshape(self.shape)

    def value(self, index: int, number: float) -> Any:
        """One number as the user knows it."""
        return self.frame.show(index, number) if self.frame is not None else float(number)

    @property
    def shades(self) -> _gradless.Shades:
        """The shape of a picture, and what is black and white."""
        return list(self.shape), *self.range

    def feature(self, index: int) -> str:
        """The name of a place."""
        if self.feature_names is not None:
            return self.feature_names[index]
        return f"x[{', '.join(str(i) for i in np.unravel_index(index, self.shape))}]"


class Explanation:
    """One question about one input, and its answer; everything is read from the record that :meth:`to_json` gives.

    Attributes
    ----------
    question : str
        ``"part"``: a part of the input that is enough; ``"change"``: a change that alters the class. ``mode`` says the same as
        ``"pp"`` or ``"pn"``.
    valid : bool
        Whether the class condition holds by more than the model's noise.
    sentence : str
        What was found, or why nothing was and what to try.
    hint, warning : str or None
        What to try where the answer may disappoint, and what is to be expected of a model that reveals less than its scores.
    x : ndarray
        The part itself, or the change, of the input's shape; in the numbers that columns are encoded by.
    after : ndarray, table or text
        What the model was shown: the part, or the input with the change made. As the input was given.
    used : list of int
        The features it uses, by their numbers; ``words`` are their names.
    alternatives : list of Explanation
        Other answers to the same question, if several were asked for.
    change : ndarray
        How far the answer is from nothing: from the background for a part, from no change for a change.
    label, original_label : int
        The class of ``after`` and of the input; ``label_name`` and ``original_label_name`` are their names.
    scores, original_scores : ndarray
        What the model says about them; ``answers`` says what they are: ``"logits"``, ``"probabilities"``, ``"labels"`` or
        ``"top-k"``.
    margin, floor : float
        By how much the class condition holds, and the noise it must be above; ``floor_source`` says how that is known.
    confidence : dict
        How sure the model is: ``share`` of the input's own margin, the probabilities of ``original`` and ``answer`` where scores tell
        them, and what was ``asked``.
    stability : dict or None
        How much disturbance the answer survives: of ``draws`` copies ``held``, at least ``lower_bound`` of all (with 95 % confidence),
        and the certified l2 ``radius``.
    absent_has_class : bool
        Whether the model gives the class to an input of which nothing is there.
    plausibility : dict or None
        How far the answer and the input are from the nearest example, and from their images by the autoencoder.
    second_opinions : list of dict
        What other models say.
    features : dict
        ``kind``, ``total`` and ``used``: what of the input can be kept or changed, how much there is of it and how much the answer
        uses. A pixel or a category counts once.
    nonzeros : int
        Coordinates that were kept or changed; every channel of a pixel is one.
    norm_l1, norm_l2 : float
        How large it is; in shares of the bounds where features have bounds of their own.
    strategy, method, seed
        How it was searched.
    weights, kappa, loss, objective, objective_start
        What an optimiser minimised: weights of both norms, margin aimed at, loss, and loss and penalty at the answer and at the start.
    nfev, nit, first_valid, best_valid : int
        Inputs the model was given, steps, and when a valid and the best answer were known.
    minimal : str
        ``"checked"``: nothing of it can be left out.
    agreement : dict or None
        How well the answers of other seeds agree, if that was asked.
    area, pieces : float, int
        The share of a picture that its regions cover, and the connected pieces they make; ``None`` for what is not made of regions.
    mask, regions : ndarray
        Which pixels belong to the answer, and the region of every pixel (-1 where the picture always stays).
    heat, heat_error : ndarray
        By how much the log odds of the class rise with the region of every pixel, as far as the queries of the search tell, and the
        standard error of that.
    without : dict or None
        What the model says of the picture without the regions of a part.
    history, message, seconds
        How the search went, why it ended and how long it took.
    """

    def __init__(self, setting: Setting, answer: _gradless.Answer, nothing: Array) -> None:
        self.setting = setting
        self._answer = answer
        self._nothing = nothing.reshape(setting.shape)
        record = json.loads(answer.json(arrays=False))
        self.question: str = answer.question
        self.mode: str = record["mode"]
        self.valid: bool = record["valid"]
        self.sentence: str = record["sentence"]
        self.hint: str | None = record["hint"]
        self.warning: str | None = record["warning"]
        self.x: Array = answer.x.reshape(setting.shape)
        self._after: Array = answer.after
        self.after: Any = setting.shown(answer.after)
        self.used: list[int] = record["used"]
        self.alternative: int = record["alternative"]
        self.alternatives: list[Explanation] = []
        self.change: Array = answer.change.reshape(setting.shape)
        self.label: int = record["explanation"]["class"]
        self.label_name: str = record["explanation"]["name"]
        self.scores: Array = _floats(record["explanation"]["scores"])
        self.original_label: int = record["original"]["class"]
        self.original_label_name: str = record["original"]["name"]
        self.original_scores: Array = _floats(record["original"]["scores"])
        self.answers: str = record["scores_are"]
        self.margin: float = _float(record["margin"])
        self.floor: float = record["noise_floor"]
        self.floor_source: str = record["noise_floor_source"]
        self.confidence: dict[str, Any] = record["confidence"]
        self.stability: dict[str, Any] | None = record["stability"]
        self.absent_has_class: bool = record["absent_has_class"]
        self.plausibility: dict[str, Any] | None = record["plausibility"]
        self.second_opinions: list[dict[str, Any]] = record["second_opinions"]
        self.features: dict[str, Any] = record["features"]
        self.nonzeros: int = record["nonzeros"]
        self.norm_l1: float = record["norm_l1"]
        self.norm_l2: float = record["norm_l2"]
        self.strategy: str = record["strategy"]
        self.method: str = record["method"]
        self.seed: int = record["seed"]
        self.weights: tuple[float, float] = (record["weights"]["l1"], record["weights"]["l2"])
        self.kappa: float | None = record["kappa"]
        self.loss: float = _float(record["loss"])
        self.objective: float = _float(record["objective"])
        self.objective_start: float | None = record["objective_start"]
        self.nfev: int = record["queries"]
        self.nit: int = record["iterations"]
        self.first_valid: int | None = record["first_valid"]
        self.best_valid: int | None = record["best_valid"]
        self.minimal: str = record["minimal"]
        self.agreement: dict[str, Any] | None = record["agreement"]
        self.history: dict[str, NDArray[Any]] = answer.history
        self.message: str = record["stop_reason"]
        self.seconds: float = record["seconds"]
        located = answer.located
        rows = setting.shape[1:]
        self.regions: NDArray[np.int64] | None = None if located is None else located[0].reshape(rows)
        self.area: float | None = None if located is None else record["located"]["area"]
        self.pieces: int | None = None if located is None else record["located"]["pieces"]
        self.heat: Array | None = None if located is None or located[1] is None else located[1].reshape(rows)
        self.heat_error: Array | None = None if located is None or located[2] is None else located[2].reshape(rows)
        self.without: dict[str, Any] | None = (record.get("located") or {}).get("without")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Explanation, (self.setting, self._answer, self._nothing), {"alternatives": self.alternatives})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.alternatives = state["alternatives"]

    @property
    def input(self) -> Any:
        """What was explained."""
        return self.setting.input if self.setting.frame is None and self.setting.text is None else self.setting.given

    @property
    def words(self) -> list[str]:
        """The names of the features that the answer uses."""
        setting = self.setting
        if setting.table is not None:
            return [setting.table["names"][feature] for feature in self.used]
        return [setting.feature_names[feature] if setting.feature_names else setting.feature(feature) for feature in self.used]

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        """Which pixels belong to the answer; ``None`` for what is not made of regions."""
        return None if self.regions is None else np.isin(self.regions, self.used)

    def to_json(self, path: str | Path | None = None) -> str:
        """The whole record as JSON, arrays included, with the keys of the command; written to ``path`` if one is given."""
        return _written(self._answer.json(), path)

    def changes(self) -> list[tuple[str, Any, Any]]:
        """The places that were kept (name, absent, value) or changed (name, before, after), the largest first."""
        before = self._nothing.reshape(-1)
        after = self._after.reshape(-1)
        shown = self.setting.value
        return [(self.setting.feature(i), shown(i, before[i]), shown(i, after[i])) for i in self._places()]

    def _places(self) -> list[int]:
        """The numbers that were kept or changed, the largest first."""
        change = self.change.reshape(-1)
        places = np.flatnonzero(change)
        scale = self._scale()
        return [int(i) for i in places[np.argsort(-np.abs(change[places]) / scale[places], kind="stable")]]

    def _scale(self) -> Array:
        if self.setting.table is not None:
            return np.array(self.setting.table["units"])
        scale = np.abs(self.setting.input).reshape(-1)
        return np.where(scale > 0, scale, 1.0) if self.setting.feature_names is not None else np.ones_like(scale)

    def png(self) -> bytes:
        """The answer drawn on the input, as a PNG file: what was kept in yellow, brighter in orange, darker in blue."""
        return _gradless.draw_overlay(self.setting.shades, settled(self.setting.input).reshape(-1), self._answer)

    def image(self) -> bytes:
        """What the model was shown, as a PNG file."""
        return _gradless.draw_picture(self.setting.shades, settled(self._after).reshape(-1))

    def __repr__(self) -> str:
        return f"<gradless.Explanation {self.question}: {self.sentence} ({self.nfev} queries)>"

    def _body(self) -> str:
        titles = {"part": "What is enough", "change": "What would change it", "attack": "The least change that alters it"}
        title = titles[self.question]
        parts = [f'<div style="font-weight:600">{title}</div><div>{_draw.text(self.sentence)}</div>']
        if self.setting.is_picture:
            original = _gradless.draw_picture(self.setting.shades, settled(self.setting.input).reshape(-1))
            pictures = [("input", original), ("marked", self.png()), ("what the model sees", self.image())]
            heat = self._answer.heat(self.setting.shades, settled(self.setting.input).reshape(-1))
            if heat is not None:
                pictures.append(("how much each region matters", heat))
            parts.append("".join(_figure(name, png) for name, png in pictures))
        elif self.setting.text is not None:
            parts.append(_draw.marked(self._marked()))
        elif self.setting.table is not None:
            parts.append(_draw.table(*self._rows()))
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
        scale, change = self._scale(), self.change.reshape(-1)
        for i, (name, before, after) in list(zip(self._places(), self.changes()))[:SHOWN]:
            beside = f"{_text(before)} → {_text(after)}" if self.question != "part" else _text(after)
            entries.append((name, float(change[i] / scale[i]), beside))
        return entries

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        """A table of what was kept or changed, with what that costs."""
        if self.question == "part":
            return ["column", "kept", "typical"], [[name, _text(after), _text(before)] for name, before, after in self.changes()[:SHOWN]]
        units, change = self._scale(), self.change.reshape(-1)
        levels = self.setting.frame is not None
        rows = []
        for i, (name, before, after) in list(zip(self._places(), self.changes()))[:SHOWN]:
            is_level = levels and isinstance(before, (str, bool)) or levels and isinstance(after, (str, bool))
            rows.append([name, _text(before), _text(after), "1" if is_level else f"{abs(change[i]) / units[i]:.3g}"])
        return ["column", "before", "after", "cost"], rows

    def _levers(self) -> list[dict[str, Any]]:
        """What was kept or changed, for the page."""
        _, rows = self._rows()
        if self.setting.switches:
            kept, gone = ("on", "off") if self.question == "part" else ("off", "on")
            return [{"column": name, "before": gone, "after": kept, "cost": None} for name in self.words[:SHOWN]]
        if self.question == "part":
            return [{"column": name, "after": after, "before": before, "cost": None} for name, after, before in rows]
        return [{"column": name, "before": before, "after": after, "cost": float(cost)} for name, before, after, cost in rows]

    def _marked(self) -> list[tuple[str, str]]:
        """The text in pieces, with what became of each: kept, gone, or another word beside it."""
        text = self.setting.text
        assert text is not None
        states = [int(state) for state in np.rint(self._after)]
        pieces: list[tuple[str, str]] = []
        for piece, switch in text.pieces():
            state = 1 if switch is None else states[switch]
            if switch is None or switch not in self.used:
                pieces.append((piece, "faint" if self.question == "part" and switch is not None else ""))
            elif state == 1:
                pieces.append((piece, "kept"))
            else:
                pieces.append((piece, "gone"))
                if state > 1:
                    pieces.append((text.candidates[switch][state - 2], "new"))
        return pieces

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
    """The answers to both questions about one input: a list of two, ``part`` (``pp``) and ``change`` (``pn``) by name."""

    def __init__(self, found: list[Explanation], setting: Setting) -> None:
        super().__init__(found)
        self.setting = setting

    def __reduce__(self) -> tuple[Any, ...]:
        return (Explanations, (list(self), self.setting))

    @property
    def part(self) -> Explanation:
        """What is enough."""
        return self[0]

    @property
    def change(self) -> Explanation:
        """What would change it."""
        return self[1]

    pp, pn = part, change

    def _repr_html_(self) -> str:
        body = "".join(f'<div style="margin-bottom:12px">{one._body()}</div>' for one in self)
        return f'<div style="{_draw.STYLE}">{body}</div>'

    def to_html(self, path: str | Path | None = None) -> str:
        """A page that stands alone; written to ``path`` if one is given."""
        return _written(self._page(), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """A list of the records as JSON; written to ``path`` if one is given."""
        return _written(f"[{','.join(one.to_json() for one in self)}]", path)

    def plot(self, axes: Any = None) -> Any:
        """Each answer by matplotlib, side by side."""
        if axes is None:
            axes = _pyplot().subplots(1, len(self), squeeze=False, figsize=(5 * len(self), 4))[1][0]
        for one, ax in zip(self, axes):
            one.plot(ax)
        return axes

    def _page(self) -> str:
        setting, first = self.setting, self[0]
        answers = [answer for one in self for answer in (one, *one.alternatives)]
        settings = [
            ("strategy", first.strategy),
            ("method", first.method),
            ("queries allowed per question", str(setting.max_queries)),
            ("seed", str(first.seed)),
        ]
        return _gradless.draw_page(
            setting.shades,
            setting.title,
            json.dumps(self._subject(answers)),
            settled(setting.input).reshape(-1),
            setting.labels or [],
            [one._answer for one in answers],
            settings,
            [("model", setting.model), ("input", str(list(setting.shape)))],
            f"gradless.explain({setting.model}, x, rng={first.seed})",
        )


    def _subject(self, answers: list[Explanation]) -> Any:
        """What the page shows of the input: its picture, its columns, or its words."""
        setting = self.setting
        if setting.is_picture:
            return "picture"
        if setting.text is not None:
            return {"text": {"pieces": setting.text.pieces(), "candidates": setting.text.candidates}}
        values = setting.input.reshape(-1)
        places = range(min(len(values), COLUMNS))
        columns = [(setting.feature(i), _text(setting.value(i, values[i])) if not setting.switches else "on") for i in places]
        return {"table": {"columns": columns, "answers": [one._levers() for one in answers]}}


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _float(value: float | None) -> float:
    """A number of the record, which has none for NaN."""
    return float("nan") if value is None else value


def _floats(values: list[float | None]) -> Array:
    return np.array([_float(value) for value in values], dtype=np.float64)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _figure(name: str, png: bytes) -> str:
    uri = base64.b64encode(png).decode()
    return (
        f'<figure style="display:inline-block;margin:6px 10px 6px 0"><img src="data:image/png;base64,{uri}" '
        f'style="width:150px;height:150px;object-fit:contain;image-rendering:pixelated" alt="{name}">'
        f'<figcaption style="color:#444">{name}</figcaption></figure>'
    )
