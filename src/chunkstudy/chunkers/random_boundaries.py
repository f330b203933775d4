"""Boundaries at random: a text's chunks keep their number and sizes and come in another order.

The control for chunkers that choose where to cut. A chunker of its own this is not, since it takes
the chunks of another one: what is left of them is how many there are and how large, and what is
gone is the choice of places.

LumberChunker has two of its own, which draw its windows and ask nobody: cut at the last candidate,
and at any of them.

Two rules say where a cut may fall. At the *units* of the method (sentences, pieces, paragraphs) it
falls at the unit's start that is nearest to where the sizes say; sizes then hold to within a unit.
*Anywhere* it falls at the very character, within a word too; sizes then hold exactly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers import lumberchunker
from chunkstudy.core.spans import Chunks, Document, Span

UNITS, ANYWHERE = "at its units", "anywhere"
Ints = NDArray[np.int64]


def generator(draw: int, document: str) -> np.random.Generator:
    """The random numbers of one draw for one document, whatever else is drawn beside it."""
    digest = hashlib.sha256(document.encode("utf-8", errors="surrogatepass")).digest()
    return np.random.default_rng([draw, int.from_bytes(digest[:8], "little")])


def drawn(
    documents: Sequence[Document],
    chunks: Chunks,
    draw: int,
    units: Sequence[Sequence[Span]] | None,
) -> Chunks:
    """A collection's chunks with the sizes of each document in another order.

    Args:
        documents: of the collection.
        chunks: the method's.
        draw: its number; the same number gives the same boundaries.
        units: of each document, what the method cannot cut through; None to cut anywhere.
    """
    index, first = np.unique(chunks.document, return_index=True)
    limits = [*first.tolist(), len(chunks)]
    rows: list[tuple[int, int, int]] = []
    for i, low, high in zip(index.tolist(), limits, limits[1:], strict=False):
        starts, ends = chunks.start[low:high].tolist(), chunks.end[low:high].tolist()
        of_document = list(zip(starts, ends, strict=True))
        random = generator(draw, documents[i].id)
        spans = at_units(of_document, units[i], random) if units else anywhere(of_document, random)
        rows += [(i, start, end) for start, end in spans]
    return Chunks(*np.asarray(rows, dtype=np.int64).reshape(-1, 3).T)


def at_units(
    chunks: Sequence[Span], units: Sequence[Span], random: np.random.Generator
) -> list[Span]:
    """The chunks' sizes in another order, each cut moved to the nearest start of a unit.

    A chunk runs from its first unit's start to its last unit's end, as the method's own do.

    Args:
        chunks: the method's chunks of one text, ascending.
        units: what the method cannot cut through, ascending; they cover all chunks.

    Raises:
        ValueError: if there are more chunks than units.
    """
    if len(chunks) < 2:
        return list(chunks)
    starts, ends = np.asarray(units, dtype=np.int64).T
    inside = np.flatnonzero((ends > chunks[0][0]) & (starts < chunks[-1][1]))
    places = starts[inside[1:]]
    if len(places) < len(chunks) - 1:
        raise ValueError(
            f"{len(chunks)} chunks cannot be cut at {len(inside)} units; give the units that the "
            "method cuts at"
        )
    cuts = inside[1:][nearest(_cuts(chunks, random), places)]
    bounds = [inside[0], *cuts, inside[-1] + 1]
    return [(int(starts[first]), int(ends[after - 1])) for first, after in pairwise(bounds)]


def anywhere(chunks: Sequence[Span], random: np.random.Generator) -> list[Span]:
    """The chunks' sizes in another order, end to end; what lies between two chunks counts to the
    first of them."""
    if len(chunks) < 2:
        return list(chunks)
    bounds = [chunks[0][0], *_cuts(chunks, random).tolist(), chunks[-1][1]]
    return list(pairwise(bounds))


def nearest(wanted: Ints, places: Ints) -> Ints:
    """For each wanted cut the index of a place, all different and ascending.

    From left to right each takes the nearest place that is still free and leaves enough for the
    rest, the earlier one of two that are equally near.

    Args:
        wanted: shape (cuts,), ascending.
        places: shape (places,), ascending, at least as many.
    """
    chosen = np.zeros(len(wanted), dtype=np.int64)
    free = 0
    for i, cut in enumerate(wanted.tolist()):
        enough = len(places) - (len(wanted) - i) + 1
        chosen[i] = free + np.abs(places[free:enough] - cut).argmin()
        free = chosen[i] + 1
    return chosen


def _cuts(chunks: Sequence[Span], random: np.random.Generator) -> Ints:
    """Where cuts fall when the sizes, from one chunk's start to the next one's, are reordered."""
    bounds = np.asarray([start for start, _ in chunks] + [chunks[-1][1]], dtype=np.int64)
    if (np.diff(bounds) <= 0).any():
        raise ValueError("chunks must start one after the other; give them in ascending order")
    sizes = random.permutation(np.diff(bounds))
    return bounds[0] + np.cumsum(sizes)[:-1]


def last_candidate(text: str) -> list[Span]:
    """What LumberChunker is worth without a language model: cut at the last candidate of every
    window, which a model that prefers late ones comes near to."""
    return _by_rule(text, lambda first, shown: first + len(shown) - 1)


def any_candidate(text: str, *, draw: int) -> list[Span]:
    """The same, cut at a candidate of each window, every one as likely; the same draw gives a text
    the same ones."""
    random = generator(draw, text)
    return _by_rule(text, lambda first, shown: first + int(random.integers(1, len(shown))))


def _by_rule(text: str, choose: lumberchunker.Choose) -> list[Span]:
    _, spans = lumberchunker.units(text)
    cut = lumberchunker.blocks([text[start:end] for start, end in spans], choose)
    return [(spans[first][0], spans[after - 1][1]) for first, after in cut]
