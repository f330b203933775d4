"""The segmentations of Emma that LumberChunker's authors released, aligned to the book's text.

The released chunks are texts without offsets, and white space changed on the way (pieces were
joined and split by words); their other characters stand in the book, so they are matched by those.
A chunk that cannot be matched is listed, never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache

from chunkstudy.collections import gutenqa
from chunkstudy.core.errors import UserError
from chunkstudy.core.folding import View, folded, solid
from chunkstudy.core.spans import RewrittenSpan, Span

Pieces = list[RewrittenSpan | None]
"""Pieces of a text in the given order: (start, end, the piece as released and embedded), and None
for one that has no place. A proposition's span is that of the chunk it was drawn from."""
PROPOSITION = "proposition-released"
CHUNKS = "gemini_chunks"
RELEASED = {
    "lumberchunker-released": CHUNKS,
    PROPOSITION: CHUNKS,
    "semantic-released": "semantic",
    "recursive-released": "langchain_recursive",
    "fixed-released": "fixed_length_450",
}
"""Every released segmentation of Emma and the sheet that holds its chunks; those of
``lumberchunker-released`` were cut by Gemini, of ``fixed-released`` every 450 words."""


def segmentation(name: str, text: str) -> list[RewrittenSpan]:
    """The released segmentation of Emma.

    Raises:
        UserError: if they segmented other texts.
        ResourceError: if a file is missing or has another digest.
    """
    if text != gutenqa.emma_text():
        raise UserError(f"{name} segments {gutenqa.EMMA_DOCUMENT} only; use it with {gutenqa.EMMA}")
    return [piece for piece in emma(name) if piece]


@lru_cache(maxsize=8)
def emma(name: str) -> Pieces:
    """One of the released segmentations of Emma.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    released = gutenqa.sheet(RELEASED[name])
    chunks = align(gutenqa.emma_text(), released["Chunk"].tolist())
    if name != PROPOSITION:
        return chunks
    propositions = gutenqa.sheet("propositions")["Propositions"].tolist()
    parents = match_propositions(released["Propositions"].tolist(), propositions)
    places = [None if parent is None else chunks[parent] for parent in parents]
    drawn = zip(propositions, places, strict=True)
    return [place and (*place[:2], proposition) for proposition, place in drawn]


def align(text: str, pieces: Sequence[str]) -> Pieces:
    """The place of each piece in the text by its characters that are not white space.

    A piece is looked for where the one before ended; then so that it overlaps the one before and
    reaches beyond it; then further on, where it must stand only once in the whole text. If its very
    characters are not there, the same is tried with quotation marks, dashes, case and the form of
    letters folded. Spans start and end with a character that is not white space.
    """
    views: list[tuple[View, Callable[[str], str]]] = [
        (solid(text), lambda piece: solid(piece).text)
    ]
    placed: Pieces = []
    before = (0, 0)
    for piece in pieces:
        span = _place(*views[0], piece, before)
        if span is None:
            if len(views) == 1:
                views.append((folded(text, spaces=False), lambda p: folded(p, spaces=False).text))
            span = _place(*views[1], piece, before)
        before = span or before
        placed.append(span and (*span, piece))
    return placed


def _place(view: View, rewrite: Callable[[str], str], piece: str, before: Span) -> Span | None:
    target = rewrite(piece)
    if not target:
        return None
    start, end = view.at(before[0]), view.at(before[1])
    place = end
    if not view.text.startswith(target, end):
        overlapping = max(start, end - len(target) + 1)
        place = view.text.find(target, overlapping, end + len(target) - 1)
    if place < 0:
        place = view.text.find(target)
        if place < start or view.text.find(target, place + 1) >= 0:
            return None
    return view.span(place, len(target))


def match_propositions(lists: Sequence[str], propositions: Sequence[str]) -> list[int | None]:
    """For each proposition the position of the list it comes from, going through both in order;
    None where the lists hold another text at that place. A list is stored as Python writes it, and
    nothing in it is executed.
    """
    listed = [
        (parent, statement)
        for parent, literal in enumerate(lists)
        for statement in ast.literal_eval(literal)
    ]
    return [
        listed[i][0] if i < len(listed) and listed[i][1] == proposition else None
        for i, proposition in enumerate(propositions)
    ]
