"""Blocks of Markdown that a chunk should not break: code, items of lists, and rows of tables, which
take their header to be read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from markdown_it import MarkdownIt

from chunkstudy.chunkers.markup import lines
from chunkstudy.core.spans import Span


def code_blocks(text: str) -> list[Span]:
    """Fenced blocks of code, fences included."""
    return [span for kind, span in _blocks(text) if kind == "fence"]


def list_items(text: str) -> list[Span]:
    """Items of lists, with what is indented below them."""
    return [span for kind, span in _blocks(text) if kind == "list_item_open"]


def table_rows(text: str) -> list[Span]:
    """Of every row of a table (GitHub's form) the text from its header's beginning to its own
    end: what one has to hold to read the row."""
    spans, header, head = [], 0, False
    for kind, (start, end) in _blocks(text):
        if kind == "table_open":
            header, head = start, True
        elif kind == "tr_open" and head:
            head = False
        elif kind == "tr_open":
            spans.append((header, end))
    return spans


def header_above(text: str) -> Callable[[int], str]:
    """From an offset to the header, rule included, of the table in a later row of which it lies;
    to nothing where it lies in none."""
    rows = table_rows(text)
    ends = [end for _, end in rows]
    # the header and the rule under it are the first two lines of what the first row needs
    headers: dict[int, str] = {}
    for start, end in rows:
        if start not in headers:
            headers[start] = text[start : start + lines(text[start:end])[1][1]]

    def header(offset: int) -> str:
        place = bisect_left(ends, offset)
        start = rows[place][0] if place < len(rows) else len(text)
        inside = offset >= start + len(headers.get(start, "")) and offset > start
        return headers[start] if inside else ""

    return header


def _blocks(text: str) -> list[tuple[str, Span]]:
    """The kinds of blocks that Markdown has, as its parser names them, with their lines."""
    spans = lines(text)
    parser = MarkdownIt("commonmark").disable("inline").enable("table")
    tokens = parser.parse("\n".join(text[start:end] for start, end in spans))
    return [
        (token.type, (spans[token.map[0]][0], spans[token.map[1] - 1][1]))
        for token in tokens
        if token.map and token.map[0] < token.map[1] <= len(spans)
    ]
