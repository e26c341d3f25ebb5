"""Rules between columns as people write them: ``rent <= income``, ``a + b + c == 1``, ``2 * rooms - baths >= 0``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

#: A rule as Rust takes it: its name, which number counts how much, the least and the most of the sum.
Rule = tuple[str, list[tuple[int, float]], float, float]

_SIGNS = re.compile(r"(<=|>=|==|=|<|>)")
_NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+")


def rules_of(rules: Any, names: Sequence[str]) -> list[Rule]:
    """All rules, parsed."""
    given = [rules] if isinstance(rules, str) else list(rules or [])
    return [_rule(str(rule), names) for rule in given]


def _rule(text: str, names: Sequence[str]) -> Rule:
    parts = _SIGNS.split(text)
    if len(parts) != 3:
        raise ValueError(f"the rule {text!r} is not understood: one of <=, >= and == between two sums of columns and numbers is needed")
    left, sign, right = parts
    terms, constant = _sum(left, text, names)
    others, other_constant = _sum(right, text, names)
    for column, weight in others.items():
        terms[column] = terms.get(column, 0.0) - weight
    limit = other_constant - constant
    terms = {column: weight for column, weight in terms.items() if weight}
    if not terms:
        raise ValueError(f"the rule {text!r} names no column")
    least = -math.inf if sign.startswith("<") else limit
    most = math.inf if sign.startswith(">") else limit
    return text.strip(), sorted(terms.items()), least, most


def _sum(text: str, rule: str, names: Sequence[str]) -> tuple[dict[int, float], float]:
    """Weights of columns and the constant of a sum such as ``2 * a - b + 3``."""
    known = sorted(range(len(names)), key=lambda i: -len(names[i]))
    terms: dict[int, float] = {}
    constant, sign, at, waits = 0.0, 1.0, 0, True
    text = text.strip()
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if text[at] in "+-":
            sign = -1.0 if text[at] == "-" else 1.0
            at, waits = at + 1, True
            continue
        if not waits:
            raise ValueError(f"the rule {rule!r} is not understood at {text[at:]!r}: + or - is needed between its terms")
        weight = sign
        number = _NUMBER.match(text, at)
        column, after = _column(text, at, names, known)
        if column is None and number:
            weight, after = sign * float(number.group()), number.end()
            rest = text[after:].lstrip()
            if rest.startswith("*"):
                start = text.index("*", after) + 1
                start += len(text[start:]) - len(text[start:].lstrip())
                column, after = _column(text, start, names, known)
                if column is None:
                    raise ValueError(f"the rule {rule!r} is not understood: there is no column at {text[start:]!r}")
        if column is None and not number:
            raise ValueError(f"the rule {rule!r} is not understood: there is no column at {text[at:]!r}")
        if column is None:
            constant += weight
        else:
            terms[column] = terms.get(column, 0.0) + weight
        sign, at, waits = 1.0, after, False
    if waits:
        raise ValueError(f"the rule {rule!r} is not understood: a sum of columns and numbers is needed on both sides")
    return terms, constant


def _column(text: str, at: int, names: Sequence[str], known: Sequence[int]) -> tuple[int | None, int]:
    """The column whose name stands here, the longest that fits; names may be set in backticks."""
    if text[at : at + 1] == "`":
        end = text.find("`", at + 1)
        name = text[at + 1 : end]
        return (list(names).index(name), end + 1) if end > 0 and name in names else (None, at)
    for i in known:
        name = names[i]
        end = at + len(name)
        follows = text[end : end + 1]
        if name and text.startswith(name, at) and not (follows.isalnum() or follows == "_"):
            return i, end
    return None, at
