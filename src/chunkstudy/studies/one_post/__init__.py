"""What do four printed segmentations of one post keep of it, and where do they and ours cut it?

Jina's first post on late chunking, cut by three small language models, which write its segments out
again, and by its segmenter. The post is what the segmenter's 118 segments give when they are put
together. What is kept here are offsets into it, in characters and in words, and digests.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.base.encoding import Embed
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import text_digest
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.one_post import printed
from chunkstudy.studies.one_post.alignment import align
from chunkstudy.studies.one_post.printed import Segmentation

COLLECTIONS: tuple[str, ...] = ()
CHUNKERS = (
    "segmenter", "paragraph", "sentence-5", "recursive-200-0", "token-200-0", "fixed-256",
    "semantic", "cluster-200",
)  # fmt: skip
"""Ours, on the same text, under the corrected protocol."""


def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``texts``: a row per printed segmentation; ``left_out``: a row per passage that one lacks;
    ``chunks``: a row per segment or chunk; ``words``: where each word of the post begins and ends.

    Raises:
        SourceError: if the printed page is not at hand.
    """
    page = context.read(printed.find(), "the post, segmented four ways")
    found = printed.read(page.read_text(encoding="utf-8"))
    post = printed.source(found)
    store = context.store(MINILM)
    texts, left_out, chunks = written(found, post)
    ours = [drawn(slug, post, store.encoder.encode) for slug in CHUNKERS]
    return {
        "texts": texts,
        "left_out": left_out,
        "chunks": pd.concat([chunks, *ours], ignore_index=True),
        "words": pd.DataFrame(word_spans(post), columns=["start", "end"]),
    }


def written(
    found: Sequence[Segmentation], post: str
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """What each printed segmentation keeps of the post, what it leaves out, and where its segments
    stand."""
    words, spans = post.split(), word_spans(post)
    rows, gaps, chunks = [], [], []
    for one in found:
        by_segment = [segment.split() for segment in one.segments]
        flat = [word for segment in by_segment for word in segment]
        kept = align(words, flat)
        glued = sum(after - first for first, after, _ in kept.glued)
        lengths = [after - first for first, after in kept.gaps]
        rows.append(
            {
                "segmentation": one.name,
                "chunks stated": one.stated,
                "chunks found": len(one.segments),
                "words": len(flat),
                "words of the post": len(words),
                "words kept": len(kept.words) + glued,
                "words glued together": glued,
                "words added": len(flat) - len(kept.words) - len(kept.glued),
                "characters of the post": sum(map(len, words)),
                "characters kept": kept.characters,
                "characters lost": kept.lost,
                "characters added": kept.added,
                "passages left out": len(lengths),
                "words of the longest": max(lengths, default=0),
                "sha256": text_digest(one.printed),
            }
        )
        gaps += [(one.name, *gap) for gap in kept.gaps]
        places, begin = kept.places(), 0
        for number, (segment, text) in enumerate(zip(by_segment, one.segments, strict=True)):
            held = [places[at] for at in range(begin, begin + len(segment)) if at in places]
            begin += len(segment)
            if held:
                first, after = held[0][0], held[-1][1]
                chunks.append(_chunk_row(one.name, number, first, after, spans, text))
    left_out = pd.DataFrame(gaps, columns=["segmentation", "first word", "after word"])
    return pd.DataFrame(rows), left_out, pd.DataFrame(chunks)


def drawn(slug: str, post: str, embed: Embed) -> pd.DataFrame:
    """Where a chunker of ours cuts the post."""
    spans, starts = word_spans(post), [start for start, _ in word_spans(post)]
    rows = []
    for number, chunk in enumerate(build_chunker(slug, CORRECTED, embed)(post)):
        first, after = bisect_left(starts, chunk[0]), bisect_left(starts, chunk[1])
        text = post[int(chunk[0]) : int(chunk[1])]
        row = _chunk_row(slug, number, first, after, spans, text)
        rows.append({**row, "start": chunk[0], "end": chunk[1]})
    return pd.DataFrame(rows)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each word begins and ends; a word is what white space surrounds."""
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((at, at + len(word)))
        at += len(word)
    return found


def _chunk_row(
    name: str, number: int, first: int, after: int, spans: Sequence[tuple[int, int]], text: str
) -> dict[str, object]:
    return {
        "segmentation": name,
        "chunk": number + 1,
        "start": spans[min(first, len(spans) - 1)][0],
        "end": spans[max(after, 1) - 1][1],
        "first word": first,
        "after word": after,
        "tokens": tokens.counter("cl100k").count(text),
        "characters": len(text.strip()),
        "sha256": text_digest(text),
    }
