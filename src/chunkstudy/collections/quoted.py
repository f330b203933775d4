"""Where quoted words stand in documents, although white space, quotation marks, dashes or the form
of letters differ; and, where they stand nowhere, the text that is nearest to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import regex

from chunkstudy.core.folding import View, folded, in_short

LEAST = 8
"""Signs that words must have to be searched without any white space: shorter ones stand by chance
inside others."""
SHARED = 0.5
"""The part of its words that a nearest text shares at least."""
WORD = regex.compile(r"\w[\w\p{M}]*")


class ExcerptPlace(NamedTuple):
    """An excerpt's document, and its characters there."""

    document: str
    start: int
    end: int


def letter_by_letter(words: str, texts: Mapping[str, str]) -> list[ExcerptPlace]:
    """Every place of some words, none of which overlap."""
    holding = {name: text for name, text in texts.items() if words in text}
    return [
        ExcerptPlace(name, *match.span())
        for name, text in holding.items()
        for match in re.finditer(re.escape(words), text)
    ]


def whatever_the_form(words: str, texts: Mapping[str, str]) -> list[ExcerptPlace]:
    """The same whatever the white space, quotation marks, dashes, case, normal form and signs that
    show nothing; if need be, with white space left out altogether."""
    short = in_short(words)
    holding = {name: text for name, text in texts.items() if short in _in_short(text)}
    for spaces in (True, False):
        needle = folded(words.strip(), spaces=spaces, hidden=False).text.strip()
        if not needle or (not spaces and len(needle) < LEAST):
            continue
        places = [
            ExcerptPlace(name, *span)
            for name, text in holding.items()
            for span in _view(text, spaces).find_all(needle)
        ]
        if places:
            return places
    return []


def same_but_for_form(first: str, second: str) -> bool:
    """Whether two texts differ by no more than :func:`whatever_the_form` passes over."""
    left, right = (folded(text, spaces=False, hidden=False).text for text in (first, second))
    return left == right


def nearest(words: str, texts: Mapping[str, str]) -> ExcerptPlace | None:
    """The run of as many words that shares most of them; None where that is under half."""
    wanted = Counter(WORD.findall(folded(words, hidden=False).text))
    count = sum(wanted.values())
    best: tuple[int, ExcerptPlace] | None = None
    for name, text in texts.items():
        matches = [(m[0].casefold(), m.start(), m.end()) for m in WORD.finditer(text)]
        held: Counter[str] = Counter()
        shared = 0
        for i, (word, _, end) in enumerate(matches):
            held[word] += 1
            shared += held[word] <= wanted[word]
            if i >= count:
                gone = matches[i - count][0]
                shared -= held[gone] <= wanted[gone]
                held[gone] -= 1
            if shared > (best[0] if best else 0):
                best = (shared, ExcerptPlace(name, matches[max(0, i - count + 1)][1], end))
    return best[1] if best and count and best[0] / count >= SHARED else None


_in_short = lru_cache(maxsize=100_000)(in_short)


@lru_cache(maxsize=4)
def _view(text: str, spaces: bool) -> View:
    return folded(text, spaces=spaces, hidden=False)
