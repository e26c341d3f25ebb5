"""Small pictures in plain SVG and HTML: notebooks show them without matplotlib."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# From Okabe and Ito's palette: told apart with any of the common colour blindnesses.
LINE = "#0072B2"
UP = "#E69F00"
DOWN = "#56B4E9"
INK = "#444"

STYLE = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;color:#222;background:#fff;"
    "padding:8px 12px;border-radius:6px;max-width:760px"
)


def text(value: Any) -> str:
    """Anything as text that a page can hold."""
    return html.escape(str(value))


def number(value: float | None) -> str:
    """A number with the digits that count; a dash for what is not known."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, one below the other."""
    rows = "".join(
        f'<tr><td style="text-align:left;color:{INK};padding:1px 12px 1px 0">{text(name)}</td>'
        f'<td style="text-align:left;padding:1px 0">{text(value)}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="border-collapse:collapse">{rows}</table>'


def trace(x: Any, y: Any, title: str, width: int = 360, height: int = 140) -> str:
    """A curve over the queries; logarithmic where it falls over decades."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if len(x) < 2:
        return ""
    if len(x) > 400:
        kept = np.unique(np.linspace(0, len(x) - 1, 400).astype(int))
        x, y = x[kept], y[kept]
    log = bool(y.min() > 0 and y.max() > 100 * y.min())
    shown = np.log10(y) if log else y
    left, top, bottom = 56, 18, 20
    spread = shown.max() - shown.min() or 1.0
    px = left + (x - x.min()) / (x.max() - x.min() or 1.0) * (width - left - 8)
    py = top + (shown.max() - shown) / spread * (height - top - bottom)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py))
    label = f'fill="{INK}" font-size="10" font-family="system-ui,sans-serif"'
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="{text(title)}">'
        f'<text x="{left}" y="12" {label}>{text(title)}{" (log)" if log else ""}</text>'
        f'<line x1="{left}" y1="{height - bottom}" x2="{width - 8}" y2="{height - bottom}" stroke="#bbb"/>'
        f'<line x1="{left}" y1="{top}" x2="{left}" y2="{height - bottom}" stroke="#bbb"/>'
        f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5"/>'
        f'<text x="{left - 4}" y="{top + 8}" text-anchor="end" {label}>{number(float(y.max()))}</text>'
        f'<text x="{left - 4}" y="{height - bottom}" text-anchor="end" {label}>{number(float(y.min()))}</text>'
        f'<text x="{width - 8}" y="{height - 6}" text-anchor="end" {label}>{number(int(x.max()))} queries</text>'
        "</svg>"
    )


def bars(entries: Sequence[tuple[str, float, str]], width: int = 520) -> str:
    """Signed bars: a name, a length, and what to write beside it."""
    if not entries:
        return ""
    largest = max(abs(length) for _, length, _ in entries) or 1.0
    row, left, right = 20, 150, 190
    middle = left + (width - left - right) / 2
    half = (width - left - right) / 2
    height = row * len(entries) + 4
    signed = any(length < 0 for _, length, _ in entries)
    zero, reach = (middle, half) if signed else (left, 2 * half)
    font = 'font-size="12" font-family="system-ui,sans-serif" fill="#222"'
    parts = []
    for index, (name, length, beside) in enumerate(entries):
        y = index * row + 4
        size = abs(length) / largest * reach
        start = zero - size if length < 0 else zero
        short = name if len(name) <= 22 else name[:21] + "…"
        parts.append(
            f'<text x="{left - 6}" y="{y + 12}" text-anchor="end" {font}>{text(short)}<title>{text(name)}</title></text>'
            f'<rect x="{start:.1f}" y="{y + 2}" width="{max(size, 1):.1f}" height="{row - 6}" fill="{DOWN if length < 0 else UP}"/>'
            f'<text x="{width - right + 8}" y="{y + 12}" {font}>{text(beside)}</text>'
        )
    axis = f'<line x1="{zero}" y1="2" x2="{zero}" y2="{height}" stroke="#999"/>'
    return f'<svg width="{width}" height="{height}" role="img">{"".join(parts)}{axis}</svg>'


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with a line of names above it."""
    if not rows:
        return ""
    cell = 'style="text-align:left;padding:2px 14px 2px 0;border-bottom:1px solid #ddd"'
    head = "".join(f'<th {cell} scope="col">{text(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td {cell}>{text(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f'<table style="border-collapse:collapse;margin:6px 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


#: How a piece of a text is shown, by what became of it.
MARKS = {
    "kept": "background:#F0E442;color:#000",
    "gone": "background:#56B4E9;color:#000;text-decoration:line-through",
    "new": "background:#E69F00;color:#000",
    "faint": "color:#767676",
}


def marked(pieces: Sequence[tuple[str, str]]) -> str:
    """A text with its pieces marked."""
    shown = []
    for piece, mark in pieces:
        style = MARKS.get(mark)
        tag = {"gone": "del", "new": "ins", "kept": "mark"}.get(mark, "span")
        shown.append(f'<{tag} style="{style}">{text(piece)}</{tag}>' if style else text(piece))
    return f'<p style="white-space:pre-wrap;max-width:70ch;line-height:1.7">{"".join(shown)}</p>'


def page(title: str, body: str) -> str:
    """A whole page that fetches nothing and runs nothing."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>'
        '<meta name="viewport" content="width=device-width"></head>'
        f'<body style="margin:24px;background:#fff"><h1 style="font:600 20px system-ui,sans-serif">{text(title)}</h1>{body}'
        "</body></html>\n"
    )
