"""Jina's segmenter: rules for how text is laid out, tried in order wherever the chunk before ends.

The rules are public as one regular expression (Han Xiao, gist 3f60354cf6dc5ac698bc9154163b4e6a, as
of 15 August 2024, "used in jina.ai/tokenizer"). Here each is a function of a text and a place that
gives where the chunk ends. Marks and line ends are found once, so that a long line without them
takes a few looks where the expression takes hundreds of steps at each of its characters. What is
odd about the rules is kept: "1. item" is no list item, "- item" is a heading.

What no rule takes, the middle of a line of more than 800 characters without a mark, the expression
leaves out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property

import regex

from chunkstudy.base.spans import Drawn, Span

AHEAD = 100
"""Characters that a phrase may go beyond its limit to reach a sentence's end."""
LONGEST = 1000
"""Characters of a chunk at most where no rule cuts, as the segmenter's page offers at first."""
SENTENCE, LINE, PARAGRAPH, ITEM = 400, 800, 1000, 200
"""Characters up to which a phrase, a line, a paragraph and a list item are looked for."""
MARK = regex.compile(r"\.\.\.|[.!?…\u2047-\u2049\p{Emoji_Presentation}\p{Extended_Pictographic}]")
BREAK = re.compile(r"\r?\n")
BREAKS = re.compile(r"[\r\n]+")
BULLET = re.compile(r"(?:[-*+•]|[0-9]{1,3}\.\w\.|\[[ xX]\])[ \t]+", re.ASCII)
SPECIAL = re.compile(r"[\[('\"`$<]")
"""How rules begin that hold within a line, other than those for phrases."""

Rule = Callable[["Layout", int], int | None]
"""Where the chunk ends that begins at a place, None where the rule does not hold there."""


class Layout:
    """A text with its line ends and the marks that may end a sentence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._stops = [found.start() for found in re.finditer(r"[\r\n]", text)]
        self._marks: list[int] = []
        self._ends: list[Span] = []
        for found in MARK.finditer(text, overlapped=True):
            start, end = found.span()
            self._marks.append(start)
            if end == len(text) or text[end].isspace():
                self._ends.append((start, end))

    @cached_property
    def _specials(self) -> list[int]:
        return [found.start() for found in SPECIAL.finditer(self.text)]

    @cached_property
    def _marks_of_words(self) -> list[int]:
        return [at for at in self._marks if self.after_word(at)]

    @cached_property
    def _ends_of_words(self) -> list[Span]:
        return [span for span in self._ends if self.after_word(span[0])]

    def begins_line(self, at: int) -> bool:
        return at == 0 or self.text[at - 1] in "\r\n"

    def after_word(self, at: int) -> bool:
        """Whether an ASCII letter, digit or underscore stands before."""
        return at > 0 and _is_word(self.text[at - 1])

    def stop(self, at: int) -> int:
        """Where the line ends that the place is in."""
        found = bisect_left(self._stops, at)
        return self._stops[found] if found < len(self._stops) else len(self.text)

    def past_break(self, at: int) -> int:
        """The place after a line break that stands here, if one does."""
        found = BREAK.match(self.text, at)
        return found.end() if found else at

    def mark(self, low: int, high: int, of_words: bool = False) -> int | None:
        """The last mark that begins between two places, both included."""
        marks = self._marks_of_words if of_words else self._marks
        found = bisect_right(marks, high) - 1
        return marks[found] if found >= 0 and marks[found] >= low else None

    def end(self, low: int, high: int, of_words: bool = False) -> int | None:
        """Where the last sentence ends whose mark begins between two places, both included."""
        ends = self._ends_of_words if of_words else self._ends
        found = bisect_right(ends, (high, len(self.text))) - 1
        return ends[found][1] if found >= 0 and ends[found][0] >= low else None

    def phrase(self, at: int, limit: int, of_words: bool = False) -> int | None:
        """Up to the last end of a sentence within the limit; else up to the line's end, if that is
        within it; else up to the last mark within it, or a little further to a sentence's end.

        ``of_words``: only where words begin and end.
        """
        stop = self.stop(at)
        if at >= stop or (of_words and not _is_word(self.text[at])):
            return None
        if ended := self.end(at + 1, min(at + limit, stop - 1), of_words):
            return ended
        if stop - at <= limit and (not of_words or self.after_word(stop)):
            return stop
        mark = self.mark(at + 1, min(at + limit, stop - 1), of_words)
        if mark is None:
            return None
        return self.end(mark + 1, min(mark + AHEAD, stop - 1)) or mark

    def whole_line(self, at: int, limit: int) -> int | None:
        """The end of the line, if it is within the limit or a little beyond it behind a mark."""
        stop = self.stop(at)
        if at >= stop:
            return None
        if stop - at <= limit:
            return stop
        for width in (1, 3):
            last = stop - width
            if self.end(last, last) == stop and (
                last - at <= limit
                or self.mark(max(at + 1, last - AHEAD), min(last - 1, at + limit)) is not None
            ):
                return stop
        return None

    def next_place(self, at: int) -> int:
        """The first place behind this one at which a rule may hold, where none did here."""
        stop = self.stop(at)
        if at == stop:
            run = BREAKS.match(self.text, at)
            return max(at + 1, (run.end() if run else at) - 4)
        found = bisect_left(self._marks, at + 1)
        mark = self._marks[found] if found < len(self._marks) else stop
        special = bisect_left(self._specials, at + 1)
        places = [max(at + 1, min(mark, stop) - LINE), stop]
        return min(places + self._specials[special : special + 1])


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _expression(pattern: str, at_line: bool = False) -> Rule:
    """A rule that a short expression tells; ``at_line``: only where a line begins."""
    compiled = re.compile(pattern, re.ASCII)

    def rule(layout: Layout, at: int) -> int | None:
        if at_line and not layout.begins_line(at):
            return None
        found = compiled.match(layout.text, at)
        return found.end() if found else None

    return rule


def _after_break(pattern: str) -> Rule:
    """The same where a line begins, or at the break before it."""
    here, beyond = _expression(pattern, at_line=True), _expression(r"\r?\n" + pattern)
    return lambda layout, at: here(layout, at) or beyond(layout, at)


def _list(layout: Layout, at: int) -> int | None:
    """An item, with the items below it and those below them, six of each at most."""
    starts = [at] if layout.begins_line(at) else []
    if (beyond := layout.past_break(at)) > at:
        starts.append(beyond)
    end = next((end for one in starts if (end := _item(layout, one, 0, 3))), None)
    for fewest, most in ((2, 5), (4, 7)):
        for _ in range(6):
            below = layout.past_break(end) if end else 0
            if not end or below == end or (further := _item(layout, below, fewest, most)) is None:
                break
            end = further
    return end


def _item(layout: Layout, at: int, fewest: int, most: int) -> int | None:
    first = at
    while first < len(layout.text) and first - at < most and layout.text[first] in " \t":
        first += 1
    bullet = BULLET.match(layout.text, first)
    if bullet is None or first - at < fewest:
        return None
    return layout.phrase(bullet.end(), ITEM, of_words=True)


QUOTING = re.compile(r">(?:>|\s{2,}){0,2}")


def _quotation(layout: Layout, at: int) -> int | None:
    """Fifteen quoted lines at most; a word must follow the sign without a space."""
    end = None
    for _ in range(15):
        begun = QUOTING.match(layout.text, at) if layout.begins_line(at) else None
        said = layout.phrase(begun.end(), ITEM, of_words=True) if begun else None
        if said is None:
            break
        end = at = layout.past_break(said)
    return end


OPENING = re.compile(r"<[a-zA-Z][^>]{0,100}>")


def _line(layout: Layout, at: int) -> int | None:
    """A line with its break; a tag that opens it does not count."""
    if not layout.begins_line(at):
        return None
    tag = OPENING.match(layout.text, at)
    ended = (layout.whole_line(tag.end(), LINE) if tag else None) or layout.whole_line(at, LINE)
    return layout.past_break(ended) if ended else None


def _sentence(layout: Layout, at: int) -> int | None:
    return layout.phrase(at, SENTENCE)


PARAGRAPH_TAG = "<p>"


def _paragraph(layout: Layout, at: int) -> int | None:
    """A whole line, or one with the blank line before it."""
    starts = [at] if layout.begins_line(at) else []
    first = layout.past_break(at)
    if at < first < (second := layout.past_break(first)):
        starts.append(second)
    for one in starts:
        tagged = layout.text.startswith(PARAGRAPH_TAG, one)
        inner = layout.whole_line(one + len(PARAGRAPH_TAG), PARAGRAPH) if tagged else None
        if ended := inner or layout.whole_line(one, PARAGRAPH):
            return ended
    return None


def _rest(layout: Layout, at: int) -> int | None:
    return layout.phrase(at, LINE)


def _nested(opens: str, closes: str) -> str:
    """Up to 200 characters between brackets, five times with bracketed ones among them."""
    inside = rf"[^\r\n\{opens}\{closes}]{{0,200}}"
    return rf"\{opens}{inside}(?:\{opens}{inside}\{closes}{inside}){{0,5}}\{closes}"


RULES: tuple[Rule, ...] = (
    _expression(
        r"(?:[#*=-]{1,7}|\w[^\r\n]{0,200}\r?\n[-=]{2,200}|<h[1-6][^>]{0,100}>)"
        r"[^\r\n]{1,200}(?:\r?\n|(?=[\r\n])|\Z)",
        at_line=True,
    ),
    _expression(r"\[[0-9]+\][^\r\n]{1,800}"),
    _list,
    _quotation,
    _after_break(r"(?:```|~~~)\w{0,20}\r?\n[\s\S]{0,1500}?(?:```|~~~)(?:\r?\n)?"),
    _after_break(r"(?: {4}|\t)[^\r\n]{0,200}(?:\r?\n(?: {4}|\t)[^\r\n]{0,200}){0,20}(?:\r?\n)?"),
    _expression(r"<pre>[\s\S]{0,1513}?</pre>"),
    _after_break(
        r"(?:\|[^\r\n]{0,200}\|(?:\r?\n\|[-:]{1,200}\|)?(?:\r?\n\|[^\r\n]{0,200}\|){0,20}"
        r"|<table>[\s\S]{0,2000}?</table>)"
    ),
    _expression(r"[-*_]{3,}\s*(?=[\r\n]|\Z)", at_line=True),
    _expression(r"<hr\s{0,100}/?>"),
    _line,
    _sentence,
    _expression(r"(?<!\w)\"\"\"[^\"]{0,300}\"\"\"(?!\w)"),
    _expression(r"(?<!\w)['\"`][^\r\n]{0,300}(?!\w)"),
    _expression(_nested("(", ")")),
    _expression(_nested("[", "]")),
    _expression(r"\$[^\r\n$]{0,100}\$"),
    _expression(r"`[^`\r\n]{0,100}`"),
    _paragraph,
    _expression(r"<[a-zA-Z][^>]{0,100}>[\s\S]{0,1000}?</[a-zA-Z]+>"),
    _expression(r"<[a-zA-Z][^>]{0,100}\s{0,100}/>"),
    _expression(r"\$\$[\s\S]{0,500}?\$\$"),
    _rest,
)
"""Headings; citations; lists; quotations; code; tables; rules across the page; lines; sentences;
what stands in quotation marks, brackets or dollar signs; paragraphs; tags; formulas; the rest."""


def taken(text: str, rules: Sequence[Rule] = RULES) -> list[Span]:
    """What the rules take, in order and with the line breaks that go with it."""
    layout = Layout(text)
    found: list[Span] = []
    at = 0
    while at < len(text):
        end = next((end for rule in rules if (end := rule(layout, at))), None)
        if end is None:
            at = layout.next_place(at)
        else:
            found.append((at, end))
            at = end
    return found


def segments(text: str, *, quirks: bool = False) -> Drawn[Span]:
    """The chunks without the white space around them.

    What the rules leave out becomes chunks of :data:`LONGEST` characters, counted as fallbacks;
    with ``quirks`` it is left out.
    """
    chunks: list[Span] = []
    by_none = reached = 0
    for start, end in [*taken(text), (len(text), len(text))]:
        if not quirks:
            begun, last = _bare(text, reached, start)
            left = [
                _bare(text, first, min(first + LONGEST, last))
                for first in range(begun, last, LONGEST)
            ]
            left = [span for span in left if span[0] < span[1]]
            by_none += len(left)
            chunks += left
        reached = end
        span = _bare(text, start, end)
        if span[0] < span[1]:
            chunks.append(span)
    return Drawn(chunks, by_none)


def _bare(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return first, max(first, start + len(part.rstrip()))
