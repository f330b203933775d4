"""Jina's segmenter: each rule by hand, looks against steps, and what no rule takes."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.chunkers import segmenter
from chunkstudy.chunkers.segmenter import AHEAD, LONGEST, segments, taken

BY_HAND = {
    "a heading, a line and another": ("# Title\nOne. line\nTwo", ["# Title", "One. line", "Two"]),
    "an item with a sign is a heading": ("- one\n- two", ["- one", "- two"]),
    "one with another sign is an item, and holds those below it": (
        "• one\n  • two\n  • three\n• four", ["• one\n  • two\n  • three", "• four"]),
    "a number and a full stop are no sign": ("1. one\n  2. two", ["1. one", "2. two"]),
    "a fence holds blank lines": ("```py\na\n\nb\n```\nend", ["```py\na\n\nb\n```", "end"]),
    "indented lines are one block": ("x\n\n\ta\tb\n\tc\ny", ["x", "a\tb\n\tc", "y"]),
    "a table is one": ("|a|b|\n|---|\n|c|d|\nend", ["|a|b|\n|---|\n|c|d|", "end"]),
    "a citation takes 800 characters": (
        "[1] " + "yy. " * 230, ["[1] " + "yy. " * 199 + "yy.", ("yy. " * 30).strip()]),
    "a short paragraph stays whole": ("A. B. C.\n\nD? E!", ["A. B. C.", "D? E!"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND)
def test_the_rules_by_hand(case: str) -> None:
    text, expected = BY_HAND[case]
    found = segments(text)
    assert [text[start:end] for start, end in found] == expected
    assert found.fallbacks == 0


def _slow_phrase(text: str, at: int, limit: int) -> int | None:
    """The same by steps, longest first."""
    marks = [(s, e) for s in range(len(text)) for e in _marks(text, s)]
    within = {n for n in range(1, limit + 1) if not set(text[at : at + n]) & set("\r\n")}
    within = {n for n in within if at + n <= len(text)}

    def ends(end: int) -> bool:
        return end == len(text) or text[end].isspace()

    for n in sorted(within, reverse=True):
        for start, end in marks:
            if start == at + n and ends(end):
                return end
    for n in sorted(within, reverse=True):
        if at + n == len(text) or text[at + n] in "\r\n":
            return at + n
    for n in sorted(within, reverse=True):
        if any(start == at + n for start, _ in marks):
            for m in range(AHEAD, 0, -1):
                for start, end in marks:
                    if start == at + n + m and ends(end) and "\n" not in text[at:start]:
                        return end
            return at + n
    return None


def _marks(text: str, at: int) -> list[int]:
    """Where a mark ends that begins here: a single sign, or three full stops."""
    single = [at + 1] if text[at] in ".!?…©😀" else []
    return single + ([at + 3] if text.startswith("...", at) else [])


@settings(max_examples=400)
@given(st.text("ab .!\n©…😀", max_size=40), st.integers(0, 39), st.integers(1, 12))
def test_looking_marks_up_gives_what_steps_give(text: str, at: int, limit: int) -> None:
    at = min(at, len(text))
    found = regex.compile(segmenter.phrase(limit)).match(text, at)
    assert (found.end() if found else None) == _slow_phrase(text, at, limit)


PIECES = st.sampled_from(
    ["a", "word ", ". ", ".", "\n", "\n\n", "\r\n", "- ", "• ", "  ", "\t", "> ", ">", "```", "|",
     "---", "#", "(", ")", "[", "]", "[1]", "<a>", "</a>", "$", '"', "'", "`", "é", "😀", "©",
     "x" * 99, "y" * 399, "z" * 795, "w " * 90]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_places_that_are_passed_over_are_places_where_no_rule_holds(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = taken(text)
        patch.setattr(segmenter.Stops, "after", lambda _, at: at + 1)
        assert found == taken(text)


def test_what_no_rule_takes_is_kept_and_counted_or_left_out_as_the_expression_does() -> None:
    text = "x" * 3000
    found = segments(text)
    assert found == [(0, LONGEST), (LONGEST, 2 * LONGEST), (2000, 2200), (2200, 3000)]
    assert found.fallbacks == 3
    assert segments(text, quirks=True) == [(2200, 3000)]
