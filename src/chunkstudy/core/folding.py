"""Texts rewritten for search, with the way back to the offsets of their source.

Quoted passages and released chunks differ from their book in white space, quotation marks, dashes
or the form of a letter; a rewritten text is searched instead, and what is found is mapped back.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from chunkstudy.core.spans import Span

QUOTES = "'\"`´‘’‚‛“”„‟‹›«»′″"
HIDDEN = ("Cf", "Cc")
"""Unicode's categories of signs that show nothing."""
DASHES = "‐‑‒–—―−"
_SIGNS = str.maketrans(dict.fromkeys(QUOTES, "'") | dict.fromkeys(DASHES, "-"))


@dataclass(frozen=True, slots=True)
class View:
    """A rewritten text: its character ``i`` came from ``source[starts[i]:ends[i]]``."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, length: int) -> Span:
        """The source characters behind ``length`` >= 1 characters from ``start``."""
        return self.starts[start], self.ends[start + length - 1]

    def at(self, offset: int) -> int:
        """The first character that came from the source at ``offset`` or later."""
        return bisect_left(self.starts, offset)

    def find_all(self, needle: str) -> list[Span]:
        """The source of every occurrence, in order, none overlapping the one before."""
        spans: list[Span] = []
        start = self.text.find(needle) if needle else -1
        while start >= 0:
            spans.append(self.span(start, len(needle)))
            start = self.text.find(needle, start + len(needle))
        return spans


def lowered(text: str) -> View:
    """The text in lower case, as the published rule of GutenQA compares it."""
    whole = text.lower()
    if len(whole) == len(text):
        return View(whole, range(len(text)), range(1, len(text) + 1))
    return _view([(i, i + 1, char.lower()) for i, char in enumerate(text)])


def solid(text: str) -> View:
    """The characters of the text that are not white space."""
    places = [i for i, char in enumerate(text) if not char.isspace()]
    return View("".join([text[i] for i in places]), places, [i + 1 for i in places])


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space and signs without width at most."""
    return all(char.isspace() or unicodedata.category(char) in HIDDEN for char in text)


def in_short(text: str) -> str:
    """What :func:`folded` leaves without spaces and signs that show nothing, as a string and far
    faster: where it holds no passage, no place of one need be looked for."""
    form = unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold().translate(_SIGNS)
    return "".join(form.translate(_hidden()).split())


@cache
def _hidden() -> dict[int, None]:
    """Every sign that shows nothing, white space aside, for ``str.translate``."""
    return {
        code: None
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in HIDDEN and not chr(code).isspace()
    }


def folded(text: str, *, spaces: bool = True, hidden: bool = True) -> View:
    """The text without the differences that typesetting makes.

    A letter with its combining marks becomes its NFKC form without case, every quotation mark
    (single or double, straight or curly) an apostrophe, every dash a hyphen, and a run of white
    space one space, or nothing without ``spaces``. Signs without width, such as a soft hyphen, are
    left out without ``hidden``.
    """
    parts: list[tuple[int, int, str]] = []
    start, length = 0, len(text)
    while start < length:
        end = start + 1
        while end < length and unicodedata.combining(text[end]):
            end += 1
        for char in _fold(text[start:end]):
            if not hidden and not char.isspace() and unicodedata.category(char) in HIDDEN:
                continue
            if not char.isspace():
                parts.append((start, end, char))
            elif spaces and parts and parts[-1][2] == " ":
                parts[-1] = (parts[-1][0], end, " ")
            elif spaces:
                parts.append((start, end, " "))
        start = end
    return _view(parts)


_lowered, _folded = (lru_cache(maxsize=4)(view) for view in (lowered, folded))


def locate(text: str, passage: str) -> list[Span]:
    """Every place where the passage stands: whatever the case, else folded; none if nowhere."""
    passage = passage.strip()
    spans = _lowered(text).find_all(passage.lower())
    return spans or _folded(text).find_all(folded(passage).text)


@cache
def _fold(letter: str) -> str:
    form = unicodedata.normalize("NFKC", letter.translate(_SIGNS))
    return form.casefold().translate(_SIGNS)


def _view(parts: list[tuple[int, int, str]]) -> View:
    """A view from (start, end, characters) triples."""
    return View(
        "".join([chars for _, _, chars in parts]),
        [start for start, _, chars in parts for _ in chars],
        [end for _, end, chars in parts for _ in chars],
    )
