"""What of a text a rewritten one keeps: words in order, then characters between them.

Runs of equal words are matched by Python's ``difflib``, the longest first; between them, where both
texts have some left, characters are matched the same way. Words that were written as one, without
their spaces, are divided before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

Match = tuple[int, int]
LONGEST = 8
"""Words of a text that may have become one word at most."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """What became of a text's words.

    Attributes:
        words: places of equal words, in the text and in the rewritten one, where words that were
            glued together have one place.
        glued: words of the text that are glued to others.
        characters: of the text that are matched, without white space.
        gaps: runs of words of the text that nothing matches: the first and the one after the last.
    """

    words: tuple[Match, ...]
    glued: int
    characters: int
    gaps: tuple[Match, ...]


def align(text: Sequence[str], rewritten: Sequence[str]) -> Alignment:
    """What a rewritten text keeps of a text; both as words."""
    known = {*text}
    joined = {
        "".join(text[first : first + size]): text[first : first + size]
        for size in range(2, LONGEST + 1)
        for first in range(len(text) - size + 1)
    }
    divided = [
        (part, place)
        for place, word in enumerate(rewritten)
        for part in ([word] if word in known else joined.get(word, [word]))
    ]
    matches = matched(text, [word for word, _ in divided])
    characters = sum(len(text[place]) for place, _ in matches)
    ends = [(-1, -1), *matches, (len(text), len(divided))]
    for (ours, theirs), (next_ours, next_theirs) in pairwise(ends):
        left = "".join(text[ours + 1 : next_ours])
        right = "".join(word for word, _ in divided[theirs + 1 : next_theirs])
        characters += len(matched(left, right))
    words = tuple((ours, divided[theirs][1]) for ours, theirs in matches)
    at_place = Counter(place for _, place in words)
    gaps = tuple((a + 1, b) for (a, _), (b, _) in pairwise(ends) if b > a + 1)
    return Alignment(words, sum(size for size in at_place.values() if size > 1), characters, gaps)


def matched(first: Sequence[str], second: Sequence[str]) -> list[Match]:
    """Project of equal items, in order in both."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]
