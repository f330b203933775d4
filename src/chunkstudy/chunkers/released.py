"""Emma as its authors segmented it: released chunks aligned to offsets of the book.

LumberChunker's example folder holds Gemini's chunks, their propositions, and three baselines. A
released text differs from the book's in white space only, so chunks are aligned by their other
characters; what cannot be aligned is listed, never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chunkstudy.collections import gutenqa
from chunkstudy.spans import RewrittenSpan


@dataclass(frozen=True, slots=True)
class Released:
    """A released segmentation.

    Attributes:
        chunks: (start, end, released text), in the order of release.
        unaligned: numbers of the released chunks that stand nowhere in the book.
    """

    chunks: list[RewrittenSpan]
    unaligned: list[int]


class ReleasedError(ValueError):
    """A released file that cannot be read, or a book that it does not belong to."""


def align(text: str, pieces: Sequence[str]) -> Released:
    """Offsets of pieces that follow one another in a text but for white space.

    A piece stands right after the one before, or at its first place from that one's start on,
    since pieces may overlap. Linear but for pieces that are out of place.
    """
    letters = "".join(text.split())
    places = [place for place, letter in enumerate(text) if not letter.isspace()]
    chunks: list[RewrittenSpan] = []
    unaligned: list[int] = []
    before = expected = 0
    for number, piece in enumerate(pieces):
        wanted = "".join(piece.split())
        start = expected if letters.startswith(wanted, expected) else letters.find(wanted, before)
        if not wanted or start < 0:
            unaligned.append(number)
            continue
        before, expected = start, start + len(wanted)
        chunks.append((places[start], places[expected - 1] + 1, piece))
    return Released(chunks, unaligned)


def propositions(chunks: Sequence[RewrittenSpan], lists: Sequence[str]) -> list[RewrittenSpan]:
    """Propositions, each with the span of its parent chunk.

    Args:
        chunks: the parents.
        lists: of each parent, its propositions as a Python list in text.

    Raises:
        ReleasedError: if a list is not one.
    """
    found = []
    for (start, end, _), text in zip(chunks, lists, strict=True):
        try:
            sentences = ast.literal_eval(text)
        except (ValueError, SyntaxError) as error:
            raise ReleasedError(
                f"the propositions {text[:40]!r} are not a Python list; fetch the file again"
            ) from error
        if not isinstance(sentences, list):
            raise ReleasedError(f"the propositions {text[:40]!r} are not a list")
        found += [(start, end, str(one)) for one in sentences if str(one).strip()]
    return found


@lru_cache(maxsize=8)
def emma(name: str) -> Released:
    """One of Emma's released segmentations, by its chunker's name in ``RELEASED``."""
    return RELEASED[name]()


def chunks_of(name: str, text: str) -> list[RewrittenSpan]:
    """The released chunks, given the book they were made of.

    Raises:
        ReleasedError: if the text is another one.
    """
    if text != gutenqa.load_emma().documents[0].text:
        raise ReleasedError(
            f"chunker {name} is a released segmentation of Emma; use it on gutenqa-emma only"
        )
    return emma(name).chunks


def _aligned(file: str) -> Callable[[], Released]:
    def load() -> Released:
        text = gutenqa.load_emma().documents[0].text
        return align(text, [str(row["Chunk"]) for row in gutenqa.emma_rows(file)])

    return load


def _propositions() -> Released:
    parents = emma("lumberchunker-released")
    rows = gutenqa.emma_rows("gemini_chunks")
    kept = [row for i, row in enumerate(rows) if i not in set(parents.unaligned)]
    lists = [str(row["Propositions"]) for row in kept]
    return Released(propositions(parents.chunks, lists), [])


RELEASED: dict[str, Callable[[], Released]] = {
    "lumberchunker-released": _aligned("gemini_chunks"),
    "proposition-released": _propositions,
    "semantic-released": _aligned("semantic"),
    "recursive-released": _aligned("langchain_recursive"),
    "fixed-released": _aligned("fixed_length_450"),
    "paragraph-released": _aligned("paragraphs"),
}
