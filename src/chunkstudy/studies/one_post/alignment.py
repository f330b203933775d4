"""What of a text a rewritten one keeps: words in order, then characters between them.

Of all ways to match equal words in order the one that matches most characters is taken, so that no
other could count less as lost. Between matched words, where both texts have some left, characters
are matched the same way; white space counts nowhere but in words that were glued together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Match = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a text's words.

    Attributes:
        words: places of equal words, in the text and in the rewritten one.
        glued: of rewritten words that are two or more consecutive ones without their spaces: the
            first word of the text, the one after the last, and the rewritten word.
        characters: of the text that are matched, without white space.
        lost: characters of the text without a match.
        added: characters of the rewritten text without one.
        gaps: runs of words of the text that nothing matches.
    """

    words: tuple[Match, ...]
    glued: tuple[tuple[int, int, int], ...]
    characters: int
    lost: int
    added: int
    gaps: tuple[tuple[int, int], ...]

    def places(self) -> dict[int, tuple[int, int]]:
        """Rewritten word to the words of the text it stands for, as first and after."""
        found = {theirs: (ours, ours + 1) for ours, theirs in self.words}
        return found | {theirs: (first, after) for first, after, theirs in self.glued}


def align(text: Sequence[str], rewritten: Sequence[str]) -> Kept:
    """What a rewritten text keeps of a text; both as words."""
    matches = matched(text, rewritten)
    glued: list[tuple[int, int, int]] = []
    between = 0
    gaps: list[tuple[int, int]] = []
    ends = [(-1, -1), *matches, (len(text), len(rewritten))]
    for (ours, theirs), (next_ours, next_theirs) in pairwise(ends):
        left, right = text[ours + 1 : next_ours], rewritten[theirs + 1 : next_theirs]
        found = _glued(left, right)
        glued += [(a + ours + 1, b + ours + 1, c + theirs + 1) for a, b, c in found]
        taken = {word for first, after, _ in found for word in range(first, after)}
        between += len(matched("".join(left), "".join(right))) if right else 0
        gaps += [(a + ours + 1, b + ours + 1) for a, b in _runs(len(left), taken)]
    characters = between + sum(len(text[ours]) for ours, _ in matches)
    return Kept(
        tuple(matches),
        tuple(glued),
        characters,
        sum(map(len, text)) - characters,
        sum(map(len, rewritten)) - characters,
        tuple(gaps),
    )


def matched(first: Sequence[str], second: Sequence[str]) -> list[Match]:
    """Places of equal items, in order in both, that hold as many characters as possible."""
    head = 0
    while head < min(len(first), len(second)) and first[head] == second[head]:
        head += 1
    rows = [[0] * (len(second) - head + 1)]
    for item in first[head:]:
        above, row, worth = rows[-1], [0], len(item)
        for column, other in enumerate(second[head:]):
            best = max(above[column + 1], row[column])
            if item == other:
                best = max(best, above[column] + worth)
            row.append(best)
        rows.append(row)
    found: list[Match] = []
    ours, theirs = len(first) - head, len(second) - head
    while ours and theirs:
        one = first[head + ours - 1]
        same = one == second[head + theirs - 1]
        if same and rows[ours][theirs] == rows[ours - 1][theirs - 1] + len(one):
            ours, theirs = ours - 1, theirs - 1
            found.append((head + ours, head + theirs))
        elif rows[ours][theirs] == rows[ours - 1][theirs]:
            ours -= 1
        else:
            theirs -= 1
    return [(place, place) for place in range(head)] + found[::-1]


def _glued(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int]]:
    """Words on the right that are consecutive ones of the left in one, in order."""
    found: list[tuple[int, int, int]] = []
    begin = 0
    for theirs, word in enumerate(right):
        for first in range(begin, len(left)):
            after, whole = first, ""
            while after < len(left) and len(whole) < len(word):
                whole += left[after]
                after += 1
            if whole == word and after > first + 1:
                found.append((first, after, theirs))
                begin = after
                break
    return found


def _runs(length: int, taken: set[int]) -> list[tuple[int, int]]:
    """Runs of numbers below ``length`` that are not taken."""
    found: list[tuple[int, int]] = []
    for one in range(length):
        if one not in taken:
            if found and found[-1][1] == one:
                found[-1] = (found[-1][0], one + 1)
            else:
                found.append((one, one + 1))
    return found
