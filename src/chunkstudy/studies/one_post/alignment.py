"""What of a text a rewritten one keeps: words in order, then characters between them.

Of all ways to match equal words in order the one that matches most characters is taken, so that no
other could count less as lost. Between matched words, where both texts have some left, characters
are matched the same way. Words that were written as one, without their spaces, are divided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

Match = tuple[int, int]
LONGEST = 8
"""Words of a text that may have become one word at most."""


@dataclass(frozen=True, slots=True)
class Kept:
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


def align(text: Sequence[str], rewritten: Sequence[str]) -> Kept:
    """What a rewritten text keeps of a text; both as words."""
    divided = divide(text, rewritten)
    matches = matched(text, [word for word, _ in divided])
    characters = sum(len(text[place]) for place, _ in matches)
    ends = [(-1, -1), *matches, (len(text), len(divided))]
    for (ours, theirs), (next_ours, next_theirs) in pairwise(ends):
        left = "".join(text[ours + 1 : next_ours])
        right = "".join(word for word, _ in divided[theirs + 1 : next_theirs])
        characters += len(matched(left, right)) if right else 0
    gaps = [(a + 1, b) for (a, _), (b, _) in pairwise(ends) if b > a + 1]
    words = tuple((ours, divided[theirs][1]) for ours, theirs in matches)
    by_place = [len([*group]) for _, group in groupby(place for _, place in words)]
    return Kept(words, sum(size for size in by_place if size > 1), characters, tuple(gaps))


def divide(text: Sequence[str], rewritten: Sequence[str]) -> list[tuple[str, int]]:
    """The words of a rewritten text with their places, those of several words of the text, which
    does not have them as they are, divided into these."""
    known = {*text}
    joined = {
        "".join(text[first : first + size]): text[first : first + size]
        for size in range(2, LONGEST + 1)
        for first in range(len(text) - size + 1)
    }
    return [
        (part, place)
        for place, word in enumerate(rewritten)
        for part in ([word] if word in known else joined.get(word, [word]))
    ]


def matched(first: Sequence[str], second: Sequence[str]) -> list[Match]:
    """Places of equal items, in order in both, that hold as many characters as possible."""
    head = 0  # what both begin with alike is matched in any case
    while head < min(len(first), len(second)) and first[head] == second[head]:
        head += 1
    rows = [[0] * (len(second) - head + 1)]
    for item in first[head:]:
        above, row = rows[-1], [0]
        for column, other in enumerate(second[head:]):
            both = above[column] + len(item) if item == other else 0
            row.append(max(above[column + 1], row[column], both))
        rows.append(row)
    pairs: list[Match] = []
    ours, theirs = len(first) - head, len(second) - head
    while ours and theirs:
        item = first[head + ours - 1]
        both = rows[ours - 1][theirs - 1] + len(item)
        if item == second[head + theirs - 1] and rows[ours][theirs] == both:
            ours, theirs = ours - 1, theirs - 1
            pairs.append((head + ours, head + theirs))
        elif rows[ours][theirs] == rows[ours - 1][theirs]:
            ours -= 1
        else:
            theirs -= 1
    return [(place, place) for place in range(head)] + pairs[::-1]
