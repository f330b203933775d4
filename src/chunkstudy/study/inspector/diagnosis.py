"""One sentence on why a query was found or missed, and the cause it falls under.

A cause is decided on the excerpt of which most is missed. Whether a chunk dilutes the answer is
measured, not guessed: the excerpt is embedded as a chunk of its own and ranked among the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from chunkstudy.study.inspector.inspection import Excerpt, Inspection, RankedChunk

FOUND = "found"
TRIFLE = "found but for a trifle"
CUT = "cut by a boundary"
DILUTED = "diluted"
ENCODER = "missed by the encoder"
WORDS = "ranked lower by its words"
COPY = "wrong copy"
UNREAD = "beyond the window"
UNCHUNKED = "in no chunk"

CAUSES = {
    FOUND: "every judged character lies in the first chunks",
    TRIFLE: "the missed characters are white space and punctuation",
    CUT: "a boundary runs through the excerpt and part of it was not retrieved",
    DILUTED: "the excerpt alone would be among the first, the chunk around it is not",
    ENCODER: "even the excerpt alone would not be among the first",
    WORDS: "chunks that share more words with the question, or rarer ones, come before it",
    COPY: "a chunk among the first holds the same words at another place",
    UNREAD: "the encoder's window ends before the excerpt begins in its chunk",
    UNCHUNKED: "the missed characters lie in no chunk at all",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A cause (a key of ``CAUSES``) and one sentence."""

    cause: str
    sentence: str


def diagnose(inspection: Inspection) -> Diagnosis:
    """Why the query was found or missed.

    Raises:
        ValueError: if the query has no judged excerpt.
    """
    excerpts = inspection.excerpts
    if not excerpts:
        raise ValueError(
            f"query {inspection.query.id!r} has no judged excerpt; choose one that has"
        )
    worst = max(excerpts, key=lambda excerpt: excerpt.missed)
    if not worst.missed:
        return Diagnosis(FOUND, _found(inspection))
    one = len(excerpts) == 1
    name = "the answer" if one else f"excerpt {worst.number}"
    cause, sentence = _missed(worst, name, inspection.depth)
    if not one:
        whole = sum(not excerpt.missed for excerpt in excerpts)
        sentence = f"{whole} of {len(excerpts)} excerpts found whole; {sentence}"
    return Diagnosis(cause, sentence[0].upper() + sentence[1:] + ".")


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    return f"{number:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _found(inspection: Inspection) -> str:
    total = sum(len(excerpt) for excerpt in inspection.excerpts)
    last = inspection.complete_at
    where = "the first chunk holds" if last == 1 else f"the first {last} chunks hold"
    share = percent(inspection.measures["SpanPrecision"])
    return (
        f"Found: {where} all {total:,} judged characters, which are {share} of what "
        f"{inspection.depth} chunks make one read."
    )


def _missed(excerpt: Excerpt, name: str, depth: int) -> tuple[str, str]:
    lost = "".join(c for c, found in zip(excerpt.text, excerpt.found, strict=True) if not found)
    if excerpt.found.any() and not any(character.isalnum() for character in lost):
        what = f"“{lost.strip()}”" if lost.strip() else "white space"
        return TRIFLE, f"all of {name} is found but {_amount(len(lost), excerpt)}, {what}"
    if not excerpt.chunked[~excerpt.found].any():
        verb = "lies" if excerpt.missed == 1 else "lie"
        return UNCHUNKED, f"{_amount(excerpt.missed, excerpt)} of {name} {verb} in no chunk"
    if excerpt.found.any():
        return CUT, _cut(excerpt, name, depth)
    holding = [c for c in excerpt.chunks if c.holds(excerpt.document, excerpt.start, excerpt.end)]
    best = min(holding or excerpt.chunks, key=lambda chunk: chunk.rank)
    if holding:
        where = f"{name} lies in {_placed(best, depth)}"
        first = min(excerpt.chunks, key=lambda chunk: chunk.rank)
        if first is not best:
            part = _part(first, excerpt)
            where += f" ({_chunk(first)} with {part} of it ranked {ordinal(first.rank)})"
    else:
        where = (
            f"boundaries cut {name} over {len(excerpt.chunks)} chunks, the best of them "
            f"{_placed(best, depth)}"
        )
    if excerpt.copies:
        copy = excerpt.copies[0]
        return COPY, (
            f"the same words stand in {_chunk(copy)} of {copy.document}, which ranked "
            f"{ordinal(copy.rank)}, but {where}"
        )
    if best.read_to <= max(best.start, excerpt.start):
        return UNREAD, (
            f"{where}; the encoder reads only the first {best.read_to - best.start:,} of its "
            f"{best.end - best.start:,} characters, and {name} begins after them"
        )
    if excerpt.alone is None:
        return WORDS, where
    if excerpt.alone.rank > depth:
        return ENCODER, f"{where}; even alone {name} would rank {ordinal(excerpt.alone.rank)}"
    alone = f"although alone {name} would rank {ordinal(excerpt.alone.rank)}"
    if not holding:
        return CUT, f"{where}, {alone}"
    share = percent(len(excerpt) / (best.end - best.start))
    return DILUTED, f"{where}, {alone}; it is {share} of that chunk"


def _cut(excerpt: Excerpt, name: str, depth: int) -> str:
    """Part of the excerpt was retrieved; the rest lies in chunks that were not."""
    missing = excerpt.chunked & ~excerpt.found
    left = []
    for chunk in excerpt.chunks:
        low, high = chunk.shared(excerpt.document, excerpt.start, excerpt.end) or (0, 0)
        if chunk.rank > depth and missing[low - excerpt.start : high - excerpt.start].any():
            left.append(chunk)
    best = min(left, key=lambda chunk: chunk.rank)
    missed = int(missing.sum())
    where = f"{_amount(missed, excerpt)} {'lies' if missed == 1 else 'lie'} in"
    if len(left) == 1:
        return f"a boundary cuts {name}: {where} {_placed(best, depth)}"
    return (
        f"boundaries cut {name}: {where} {len(left)} chunks that were not retrieved, the best of "
        f"them {_placed(best, depth)}"
    )


def _amount(characters: int, excerpt: Excerpt) -> str:
    return f"{characters:,} of {len(excerpt):,} characters"


def _part(chunk: RankedChunk, excerpt: Excerpt) -> str:
    """How much of the excerpt lies in a chunk that shares a character with it."""
    low, high = chunk.shared(excerpt.document, excerpt.start, excerpt.end) or (0, 0)
    return percent((high - low) / len(excerpt))


def _chunk(chunk: RankedChunk) -> str:
    return f"chunk {chunk.place} of {chunk.places}"


def _placed(chunk: RankedChunk, depth: int) -> str:
    below = chunk.rank - depth
    places = "1 place" if below == 1 else f"{below:,} places"
    return f"{_chunk(chunk)}, which ranked {ordinal(chunk.rank)}: {places} too low"


def percent(fraction: float) -> str:
    """A fraction in percent with one decimal, so that 100% means all and 0% nothing."""
    if 0 < fraction < 1:
        return f"{min(max(100 * fraction, 0.1), 99.9):.1f}%"
    return f"{100 * fraction:.0f}%"
