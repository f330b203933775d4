"""The segmentations that LumberChunker's authors released, of Emma and of all books, aligned to the
books' texts.

The released chunks are texts without offsets, and white space changed on the way (pieces were
joined and split by words); their other characters stand in the book, so they are matched by those.
A chunk that cannot be matched is listed, never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from chunkstudy.base.folding import View, folded, solid
from chunkstudy.base.spans import RewrittenSpan, text_digest
from chunkstudy.collections import emma_files, gutenqa


class ReleasedError(ValueError):
    """A released segmentation that is damaged or is asked about another text."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pieces with their place: (start, end, the piece as given) in the given order, characters of
    the text; and the positions of the pieces that have none."""

    spans: list[RewrittenSpan]
    unaligned: list[int]


@dataclass(frozen=True, slots=True)
class Released:
    """A released segmentation.

    Attributes:
        spans: (start, end, text as released and embedded), in released order; a proposition's
            span is that of the chunk it was drawn from.
        unaligned: positions in the released file that have no span and are left out of ``spans``.
        parents: for propositions, the position of each span's chunk in the released file of
            chunks; else empty.
        mismatches: propositions that their chunk's list does not hold at that place.
        digest: sha256 of the text that the spans refer to.
    """

    name: str
    spans: tuple[RewrittenSpan, ...]
    unaligned: tuple[int, ...]
    digest: str
    parents: tuple[int, ...] = ()
    mismatches: int = 0

    def chunk(self, text: str) -> list[RewrittenSpan]:
        """The spans, as a chunker gives them.

        Raises:
            ReleasedError: if the text is not the one that was segmented.
        """
        if text_digest(text) != self.digest:
            raise ReleasedError(
                f"{self.name} segments {gutenqa.EMMA_DOCUMENT} only; use it with {gutenqa.EMMA}"
            )
        return list(self.spans)


def align(text: str, pieces: Sequence[str]) -> Alignment:
    """The place of each piece in the text by its characters that are not white space.

    A piece is looked for where the one before ended; then so that it overlaps the one before and
    reaches beyond it; then further on, where it must stand only once in the whole text. If its very
    characters are not there, the same is tried with quotation marks, dashes, case and the form of
    letters folded. Spans start and end with a character that is not white space.
    """
    views: list[tuple[View, Callable[[str], str]]] = [
        (solid(text), lambda piece: solid(piece).text)
    ]
    spans: list[RewrittenSpan] = []
    unaligned: list[int] = []
    before = (0, 0)
    for position, piece in enumerate(pieces):
        found = _place(*views[0], piece, before)
        if found is None:
            if len(views) == 1:
                views.append((folded(text, spaces=False), lambda p: folded(p, spaces=False).text))
            found = _place(*views[1], piece, before)
        if found is None:
            unaligned.append(position)
        else:
            before = found
            spans.append((*found, piece))
    return Alignment(spans, unaligned)


def _place(
    view: View, rewrite: Callable[[str], str], piece: str, before: tuple[int, int]
) -> tuple[int, int] | None:
    target = rewrite(piece)
    if not target:
        return None
    start, end = view.at(before[0]), view.at(before[1])
    found = end
    if not view.text.startswith(target, end):
        overlapping = max(start, end - len(target) + 1)
        found = view.text.find(target, overlapping, end + len(target) - 1)
    if found < 0:
        found = view.text.find(target)
        if found < start or view.text.find(target, found + 1) >= 0:
            return None
    return view.span(found, len(target))


def emma(name: str) -> Released:
    """One of the released segmentations of Emma, by its name in ``RELEASED``.

    Raises:
        ReleasedError: if there is none of that name or the propositions are damaged.
        SourceError: if a file is missing or has another digest.
    """
    if name not in RELEASED:
        raise ReleasedError(f"unknown segmentation {name!r}; known are {', '.join(RELEASED)}")
    return RELEASED[name]()


def of_text(name: str, text: str) -> Released:
    """The segmentation of that name in which a text stands: of all books where those are pinned,
    else of Emma, which refuses any other text.

    Raises:
        ReleasedError: if there is none of that name or the propositions are damaged.
        SourceError: if a file is missing or has another digest.
    """
    books = {} if gutenqa.lacks_segmentation(name) else of_books(name)
    return books.get(text_digest(text)) or _of_emma(name)


@lru_cache(maxsize=8)
def _of_emma(name: str) -> Released:
    return emma(name)


@lru_cache(maxsize=4)
def of_books(name: str) -> dict[str, Released]:
    """The segmentation of every book of GutenQA, by the digest of its text.

    Raises:
        ReleasedError: if a proposition names a chunk that is not there.
        SourceError: if a file is not pinned, is missing or has another digest.
    """
    file, *drawn = gutenqa.SEGMENTATIONS[name]
    chunks = gutenqa.segmentation(file)
    propositions = gutenqa.segmentation(drawn[0]) if drawn else {}
    found = {}
    for document in gutenqa.load().documents:
        rows = chunks.get(document.id, [])
        alignment = align(document.text, _texts(rows, "Chunk"))
        digest = text_digest(document.text)
        if drawn:
            parents = [int(row["Chunk ID"]) for row in rows]
            found[digest] = _of_parents(
                name, alignment, parents, propositions.get(document.id, []), digest
            )
        else:
            found[digest] = Released(
                name, tuple(alignment.spans), tuple(alignment.unaligned), digest=digest
            )
    return found


def _of_parents(
    name: str,
    alignment: Alignment,
    parents: Sequence[int],
    rows: Sequence[gutenqa.Row],
    digest: str,
) -> Released:
    """Propositions at the places of the chunks whose ids they name."""
    places = dict(zip(parents, _places(alignment, len(parents)), strict=True))
    spans: list[RewrittenSpan] = []
    kept: list[int] = []
    unaligned: list[int] = []
    for position, (row, text) in enumerate(zip(rows, _texts(rows, "Proposition"), strict=True)):
        parent = int(row["Chunk ID"])
        if parent not in places:
            raise ReleasedError(
                f"proposition {position} of {row['Book Name']} names chunk {parent}, which is not "
                "there; get both released files again"
            )
        if (place := places[parent]) is None:
            unaligned.append(position)
        else:
            spans.append((*place, text))
            kept.append(parent)
    return Released(name, tuple(spans), tuple(unaligned), digest=digest, parents=tuple(kept))


def _texts(rows: Sequence[gutenqa.Row], column: str) -> list[str]:
    return [gutenqa.cell(row, column, i) for i, row in enumerate(rows)]


def _places(alignment: Alignment, count: int) -> list[tuple[int, int] | None]:
    """The span of each piece in the order given, None of one that has none."""
    lost = set(alignment.unaligned)
    aligned = iter(alignment.spans)
    return [None if i in lost else next(aligned)[:2] for i in range(count)]


def _chunks(name: str, file: str) -> Released:
    text = _text()
    alignment = align(text, _column(file, "Chunk"))
    return Released(
        name, tuple(alignment.spans), tuple(alignment.unaligned), digest=text_digest(text)
    )


def _propositions(name: str) -> Released:
    text = _text()
    chunks = _column("gemini_chunks", "Chunk")
    alignment = align(text, chunks)
    places = _places(alignment, len(chunks))
    propositions = _column("propositions", "Propositions")
    parents = match_propositions(_column("gemini_chunks", "Propositions"), propositions)
    spans: list[RewrittenSpan] = []
    kept: list[int] = []
    unaligned: list[int] = []
    for position, (proposition, parent) in enumerate(zip(propositions, parents, strict=True)):
        place = None if parent is None else places[parent]
        if parent is None or place is None:
            unaligned.append(position)
        else:
            spans.append((*place, proposition))
            kept.append(parent)
    return Released(
        name,
        tuple(spans),
        tuple(unaligned),
        digest=text_digest(text),
        parents=tuple(kept),
        mismatches=parents.count(None),
    )


def match_propositions(lists: Sequence[str], propositions: Sequence[str]) -> list[int | None]:
    """For each proposition the position of the list it comes from, going through both in order;
    None where the lists hold another text at that place.

    Raises:
        ReleasedError: naming the list that cannot be read.
    """
    listed = [
        (parent, one)
        for parent, literal in enumerate(lists)
        for one in parse_propositions(literal, parent)
    ]
    return [
        listed[i][0] if i < len(listed) and listed[i][1] == proposition else None
        for i, proposition in enumerate(propositions)
    ]


def parse_propositions(literal: str, row: int) -> list[str]:
    """The propositions of a chunk, stored as a Python list in text; nothing is executed.

    Raises:
        ReleasedError: if it is anything but a list of strings.
    """
    try:
        found = ast.literal_eval(literal)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        found = None
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return found
    raise ReleasedError(
        f"the propositions of chunk {row} are not a list of texts: {literal[:40]!r}; get the "
        "released file again"
    )


def _text() -> str:
    return "\n".join(_column("paragraphs", "Chunk"))


def _column(file: str, column: str) -> list[str]:
    return [gutenqa.cell(row, column, i) for i, row in enumerate(emma_files.read(file))]


RELEASED: dict[str, Callable[[], Released]] = {
    "lumberchunker-released": partial(_chunks, "lumberchunker-released", "gemini_chunks"),
    "proposition-released": partial(_propositions, "proposition-released"),
    "semantic-released": partial(_chunks, "semantic-released", "semantic"),
    "recursive-released": partial(_chunks, "recursive-released", "langchain_recursive"),
    "fixed-released": partial(_chunks, "fixed-released", "fixed_length_450"),
    "paragraph-released": partial(_chunks, "paragraph-released", "paragraphs"),
}
"""Every released segmentation of Emma by its name; ``lumberchunker-released`` was cut by Gemini,
``fixed-released`` every 450 words."""
