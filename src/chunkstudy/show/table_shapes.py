"""How a table is set so that it fits a line, whatever it holds.

Texts wrap and share what the numbers leave; heads wrap over their numbers. Columns that still do
not fit stand in a further panel below, behind the columns that say what a row is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

LINE, GAP, RULE = 489.0, 6.0, 6.0
"""Points of the paper's appendix: a line, between two columns, and kept free at its end."""
DIGIT, LETTER, CAPITAL = 4.2, 4.4, 6.2
"""Points of a figure, a letter and a capital in the table's small type, generously."""
WIDEST_KEYS = 0.6
"""Of the line that the columns which name a row may take where a table has several panels."""
LONGEST = 46
"""Characters beyond which a text asks for no more room on one line."""
BREAKS = re.compile(r"(?<=[/_])(?=\S)|(?<=[a-z])(?=[A-Z][a-z])")
"""Where paths and names may break besides white space and hyphens."""
NUMBERS = re.compile(r"[-+\N{MINUS SIGN}<>\s\d.,%\[\]]*")


@dataclass(frozen=True, slots=True)
class Panel:
    """Columns that stand beside each other: their names, and how each is set."""

    columns: tuple[int, ...]
    formats: tuple[str, ...]


def panels(found: pd.DataFrame) -> list[Panel]:
    """The columns of a table of text in as few panels as fit the line.

    Raises:
        ValueError: if one column alone is wider than the line.
    """
    texts = [[str(name), *found.iloc[:, at].astype(str)] for at, name in enumerate(found)]
    numeric = [all(NUMBERS.fullmatch(cell) for cell in cells[1:]) for cells in texts]
    least = np.array([_least(*one) for one in zip(texts, numeric, strict=True)])
    wanted = np.array([_wanted(*one) for one in zip(texts, numeric, strict=True)])
    groups = _groups(least, _keys(numeric, least))
    return [Panel(tuple(at), _formats(at, numeric, least, wanted)) for at in groups]


def pieces(text: str) -> list[str]:
    """What does not break."""
    return [part for word in re.split(r"[\s-]+", text) for part in BREAKS.split(word)]


@lru_cache(maxsize=100_000)
def widest(text: str) -> float:
    """Points of what is widest of its pieces."""
    return max(map(points, pieces(text)))


def points(word: str) -> float:
    """How wide a word comes out."""
    return sum(CAPITAL if one.isupper() or one in "@%&" else LETTER for one in word)


def _least(cells: Sequence[str], numeric: bool) -> float:
    """Points that a column needs: its numbers whole, of its texts and its head the longest word."""
    head = widest(cells[0])
    if numeric:
        return max(head, max(map(len, cells[1:]), default=0) * DIGIT)
    return max(head, *map(widest, cells[1:]))


def _wanted(cells: Sequence[str], numeric: bool) -> float:
    """Points that it would take more of, had it the room: nothing for numbers."""
    return 0.0 if numeric else min(max(map(len, cells)), LONGEST) * LETTER


def _keys(numeric: Sequence[bool], least: np.ndarray) -> int:
    """How many leading columns say what a row is: the first, and texts before the next number."""
    rest = enumerate(numeric[1:], start=1)
    keys = next((at for at, one in rest if one), len(numeric))
    while keys > 1 and _taken(least[:keys]) > WIDEST_KEYS * LINE:
        keys -= 1
    return keys


def _groups(least: np.ndarray, keys: int) -> list[list[int]]:
    everything = list(range(len(least)))
    if _taken(least) <= LINE:
        return [everything]
    found: list[list[int]] = []
    here = everything[:keys]
    for at in everything[keys:]:
        if _taken(least[[*here, at]]) > LINE and len(here) > keys:
            found.append(here)
            here = everything[:keys]
        here = [*here, at]
        if _taken(least[here]) > LINE:
            raise ValueError(f"column {at + 1} of a table is wider than a line")
    return [*found, here]


def _formats(
    columns: Sequence[int], numeric: Sequence[bool], least: np.ndarray, wanted: np.ndarray
) -> tuple[str, ...]:
    """Each column's width as a part of the line: what it needs, and of what is left a part by what
    it would take more of."""
    at = list(columns)
    more = np.clip(wanted[at] - least[at], 0, None)
    left = LINE - _taken(least[at])
    widths = least[at] + more * (min(1.0, left / more.sum()) if more.sum() else 0.0)
    sides = [r"\raggedleft" if numeric[one] else r"\raggedright" for one in at]
    return tuple(
        rf">{{{side}\arraybackslash}}p{{{width / LINE:.4f}\linewidth}}"
        for side, width in zip(sides, widths, strict=True)
    )


def _taken(widths: np.ndarray) -> float:
    return float(widths.sum()) + GAP * (len(widths) - 1) + RULE
