"""Jina's segmenter: rules for how text is laid out, tried in order wherever the chunk before ends.

The rules are public as one regular expression (Han Xiao, gist 3f60354cf6dc5ac698bc9154163b4e6a, as
of 15 August 2024, "used in jina.ai/tokenizer"). Here each is an expression of its own, and places
at which none can hold are passed over, so that a long line without marks takes a few looks where
the one expression takes hundreds of steps at each of its characters. What is odd about the rules is
kept: "1. item" is no list item, "- item" is a heading.

What no rule takes, the middle of a line of more than 800 characters without a mark, the expression
leaves out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import regex

from chunkstudy.core.spans import Drawn, Span, stripped

AHEAD = 100
"""Characters that a phrase may go beyond its limit to reach a sentence's end."""
LONGEST = 1000
"""Characters of a chunk at most where no rule cuts, as the segmenter's page offers at first."""
SENTENCE, LINE, PARAGRAPH, ITEM = 400, 800, 1000, 200
"""Characters up to which a phrase, a line, a paragraph and a list item are looked for."""

MARK = r"(?:\.\.\.|[.!?…\u2047-\u2049\p{Emoji_Presentation}\p{Extended_Pictographic}])"
SPACE = r"[\s\x1c-\x1f]"
"""What ``str.isspace`` takes for one."""
BLANK, WORD = r"[\t-\r ]", "[0-9A-Za-z_]"
"""ASCII's."""
END = rf"{MARK}(?={SPACE}|\Z)"
"""A mark that ends a sentence."""
BREAK, LINE_END = r"\r?\n", r"(?=[\r\n]|\Z)"
BEGINS = r"(?<![^\r\n])"
"""Where a line begins."""
BULLET = rf"(?>(?:[-*+•]|[0-9]{{1,3}}\.{WORD}\.|\[[ xX]\])[ \t]+)"
BREAKS = regex.compile(r"[\r\n]+")
SPECIAL = regex.compile(r"[\[('\"`$<]")
"""How rules begin that hold within a line, other than those for phrases."""


def phrase(limit: int, of_words: bool = False) -> str:
    """Up to the last end of a sentence within the limit; else up to the line's end, if that is
    within it; else up to the last mark within it, or a little further to a sentence's end.

    ``of_words``: only where words begin and end.
    """
    within, first, last = rf"[^\r\n]{{1,{limit}}}", "", ""
    if of_words:
        first, last = f"(?={WORD})", f"(?<={WORD})"
    line = rf"{within}+{last}{LINE_END}"
    further = rf"[^\r\n]{{1,{AHEAD}}}{END}"
    return rf"(?>{first}(?:{within}{last}{END}|{line}|{within}{last}(?={MARK})(?:{further})?))"


def _whole_line(limit: int) -> str:
    """Up to the line's end, if it is within the limit or a little beyond it behind a mark."""
    within, near = rf"[^\r\n]{{1,{limit}}}", rf"[^\r\n]{{1,{limit + AHEAD + 3}}}+{LINE_END}"
    further = rf"(?={MARK})[^\r\n]{{1,{AHEAD}}}"
    return rf"(?:{within}+{LINE_END}|(?={near}){within}(?:{further})?{MARK}{LINE_END})"


def _item(fewest: int, most: int) -> str:
    return rf"(?>[ \t]{{{fewest},{most}}}){BULLET}{phrase(ITEM, of_words=True)}"


def _nested(opens: str, closes: str) -> str:
    """Up to 200 characters between brackets, five times with bracketed ones among them."""
    inside = rf"[^\r\n\{opens}\{closes}]{{0,200}}"
    return rf"\{opens}{inside}(?:\{opens}{inside}\{closes}{inside}){{0,5}}\{closes}"


AFTER_BREAK = rf"(?:{BEGINS}|{BREAK})"
"""Where a line begins, or at the break before it."""
RULES: tuple[regex.Pattern[str], ...] = tuple(
    regex.compile(rule)
    for rule in (
        rf"{BEGINS}(?:[#*=-]{{1,7}}|{WORD}[^\r\n]{{0,200}}\r?\n[-=]{{2,200}}|<h[1-6][^>]{{0,100}}>)"
        r"[^\r\n]{1,200}(?:\r?\n|(?=[\r\n])|\Z)",
        r"\[[0-9]+\][^\r\n]{1,800}",
        rf"{AFTER_BREAK}{_item(0, 3)}"
        rf"(?:{BREAK}{_item(2, 5)}){{0,6}}(?:{BREAK}{_item(4, 7)}){{0,6}}",
        rf"(?:{BEGINS}(?>>(?:>|{SPACE}{{2,}}){{0,2}}){phrase(ITEM, of_words=True)}(?:{BREAK})?)"
        r"{1,15}",
        AFTER_BREAK + rf"(?:```|~~~){WORD}{{0,20}}\r?\n[\s\S]{{0,1500}}?(?:```|~~~)(?:\r?\n)?",
        AFTER_BREAK
        + r"(?: {4}|\t)[^\r\n]{0,200}(?:\r?\n(?: {4}|\t)[^\r\n]{0,200}){0,20}(?:\r?\n)?",
        r"<pre>[\s\S]{0,1513}?</pre>",
        AFTER_BREAK
        + r"(?:\|[^\r\n]{0,200}\|(?:\r?\n\|[-:]{1,200}\|)?(?:\r?\n\|[^\r\n]{0,200}\|){0,20}"
        r"|<table>[\s\S]{0,2000}?</table>)",
        rf"{BEGINS}[-*_]{{3,}}{BLANK}*(?=[\r\n]|\Z)",
        rf"<hr{BLANK}{{0,100}}/?>",
        rf"{BEGINS}(?:<[a-zA-Z][^>]{{0,100}}>)?{_whole_line(LINE)}(?:{BREAK})?",
        phrase(SENTENCE),
        rf"(?<!{WORD})\"\"\"[^\"]{{0,300}}\"\"\"(?!{WORD})",
        rf"(?<!{WORD})['\"`][^\r\n]{{0,300}}(?!{WORD})",
        _nested("(", ")"),
        _nested("[", "]"),
        r"\$[^\r\n$]{0,100}\$",
        r"`[^`\r\n]{0,100}`",
        rf"(?:{BEGINS}|{BREAK}{BREAK})(?:<p>)?{_whole_line(PARAGRAPH)}",
        r"<[a-zA-Z][^>]{0,100}>[\s\S]{0,1000}?</[a-zA-Z]+>",
        rf"<[a-zA-Z][^>]{{0,100}}{BLANK}{{0,100}}/>",
        r"\$\$[\s\S]{0,500}?\$\$",
        phrase(LINE),
    )
)
"""Headings; citations; lists, with the items below an item and those below them, six of each;
quotations of fifteen lines; code; tables; rules across the page; lines, with a tag that opens them;
sentences; what stands in quotation marks, brackets or dollar signs; paragraphs, with the blank line
before them; tags; formulas; the rest."""


class Stops:
    """Where a text's lines end, and where marks and special signs stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._stops = [match.start() for match in regex.finditer(r"[\r\n]", text)]
        self._marks = [match.start() for match in regex.finditer(MARK, text, overlapped=True)]
        self._specials = [match.start() for match in SPECIAL.finditer(text)]

    def after(self, at: int) -> int:
        """The first place behind this one at which a rule may hold, where none did here."""
        stop = self._first(self._stops, at)
        if at == stop:
            run = BREAKS.match(self.text, at)
            return max(at + 1, (run.end() if run else at) - 4)
        mark = self._first(self._marks, at + 1)
        return min(max(at + 1, min(mark, stop) - LINE), stop, self._first(self._specials, at + 1))

    def _first(self, places: Sequence[int], at: int) -> int:
        index = bisect_left(places, at)
        return places[index] if index < len(places) else len(self.text)


def taken(text: str, rules: Sequence[regex.Pattern[str]] = RULES) -> list[Span]:
    """What the rules take, in order and with the line breaks that go with it."""
    places = Stops(text)
    spans: list[Span] = []
    at = 0
    while at < len(text):
        match = next((match for rule in rules if (match := rule.match(text, at))), None)
        if match is None:
            at = places.after(at)
        else:
            spans.append(match.span())
            at = match.end()
    return spans


def segments(text: str, *, quirks: bool = False) -> Drawn[Span]:
    """The chunks without the white space around them.

    What the rules leave out becomes chunks of :data:`LONGEST` characters, counted as fallbacks;
    with ``quirks`` it is left out.
    """
    chunks: list[Span] = []
    by_none = reached = 0
    for start, end in [*taken(text), (len(text), len(text))]:
        if not quirks:
            begun, last = stripped(text, reached, start)
            left = [
                stripped(text, first, min(first + LONGEST, last))
                for first in range(begun, last, LONGEST)
            ]
            left = [span for span in left if span[0] < span[1]]
            by_none += len(left)
            chunks += left
        reached = end
        span = stripped(text, start, end)
        if span[0] < span[1]:
            chunks.append(span)
    return Drawn(chunks, by_none)
