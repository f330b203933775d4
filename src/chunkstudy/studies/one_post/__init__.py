"""What do four printed segmentations of one post keep of it, and where do they and ours cut it?

Jina's first post on late chunking, cut by three small language models, which write its segments out
again, and by its segmenter. The post is what the segmenter's 118 segments give when they are put
together. What is kept here are offsets into it, in characters and in words, and digests.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import groupby

import pandas as pd

from chunkstudy.core import tokens
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Span, text_digest
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import MINILM
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.studies.one_post import printed
from chunkstudy.studies.one_post.alignment import align
from chunkstudy.studies.one_post.printed import PrintedSegmentation

CHUNKERS = (
    "segmenter", "paragraph", "sentence-5", "recursive-200-0", "token-200-0", "fixed-256",
    "semantic", "cluster-200",
)  # fmt: skip
"""Ours, on the same text, under the corrected protocol."""


@experiment("one-post")
def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``texts``: a row per printed segmentation; ``left_out``: a row per passage that one lacks;
    ``chunks``: a row per segment or chunk; ``words``: where each word of the post begins and ends.

    Raises:
        ResourceError: if the printed page is not at hand, or is another.
    """
    page = context.read(printed.find(), "the post, segmented four ways").read_text(encoding="utf-8")
    post = printed.source(printed.read(page))
    lines = written(printed.read(page), post)
    spans, embed = word_spans(post), context.store(MINILM).encoder.encode
    ours = [
        _chunk(slug, number, (start, end), spans, post[start:end])
        for slug in CHUNKERS
        for number, span in enumerate(build_chunker(slug, CORRECTED, embed)(post))
        for start, end in [(int(span[0]), int(span[1]))]
    ]
    chunks = pd.concat([lines["chunks"], pd.DataFrame(ours)], ignore_index=True)
    return lines | {"chunks": chunks, "words": pd.DataFrame(spans, columns=["start", "end"])}


def written(segmentations: Sequence[PrintedSegmentation], post: str) -> dict[str, pd.DataFrame]:
    """What each printed segmentation keeps of the post, what it leaves out, and where its segments
    stand."""
    words, spans = post.split(), word_spans(post)
    characters = sum(map(len, words))
    rows, gaps, chunks = [], [], []
    for name, stated, segments, page in map(astuple, segmentations):
        segment_of = [number for number, text in enumerate(segments) for _ in text.split()]
        rewritten = page.split()
        alignment = align(words, rewritten)
        rows.append(
            {
                "segmentation": name,
                "chunks stated": stated,
                "chunks found": len(segments),
                "words": len(rewritten),
                "words of the post": len(words),
                "words kept": len(alignment.words),
                "words glued together": alignment.glued,
                "words added": len(rewritten) - len({place for _, place in alignment.words}),
                "characters of the post": characters,
                "characters kept": alignment.characters,
                "characters lost": characters - alignment.characters,
                "characters added": sum(map(len, rewritten)) - alignment.characters,
                "passages left out": len(alignment.gaps),
                "words of the longest": max((b - a for a, b in alignment.gaps), default=0),
                "sha256": text_digest(page),
            }
        )
        gaps += [(name, *gap) for gap in alignment.gaps]
        for number, matches in groupby(alignment.words, key=lambda match: segment_of[match[1]]):
            inside = [word for word, _ in matches]
            at = spans[inside[0]][0], spans[inside[-1]][1]
            chunks.append(_chunk(name, number, at, spans, segments[number]))
    left_out = pd.DataFrame(gaps, columns=["segmentation", "first word", "after word"])
    return {"texts": pd.DataFrame(rows), "left_out": left_out, "chunks": pd.DataFrame(chunks)}


def word_spans(text: str) -> list[Span]:
    """Where each word begins and ends; a word is what white space surrounds."""
    return [word.span() for word in re.finditer(r"\S+", text)]


def texts(rows: pd.DataFrame) -> pd.DataFrame:
    """What each printed segmentation keeps of the post, characters without white space."""
    share = rows["characters kept"] / rows["characters of the post"]
    table = rows.rename(columns={"words of the longest": "words of the longest passage"})
    return table.assign(**{"share kept": share})[
        ["segmentation", "chunks stated", "chunks found", "words kept", "share kept",
         "characters lost", "characters added", "words glued together", "passages left out",
         "words of the longest passage"]
    ]  # fmt: skip


def sizes(study: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Characters and OpenAI's tokens (cl100k) of the parts, from the tables of ``one-post``."""
    by = study["chunks"].groupby("segmentation", sort=False)
    frame = pd.DataFrame(
        {
            "parts": by.size(),
            "mean tokens": by["tokens"].mean(),
            "tokens least": by["tokens"].min(),
            "tokens most": by["tokens"].max(),
            "mean characters": by["characters"].mean(),
            "below 16 tokens": by["tokens"].agg(lambda counts: int((counts < 16).sum())),
        }
    ).reset_index()
    printed = frame["segmentation"].isin(study["texts"]["segmentation"])
    frame.insert(1, "drawn", printed.map({True: "printed", False: "here"}))
    return frame


def _chunk(
    name: str, number: int, span: Span, words: Sequence[Span], text: str
) -> dict[str, object]:
    """A row: where a chunk stands, in characters and in words, and how long it is."""
    starts = [start for start, _ in words]
    return {
        "segmentation": name,
        "chunk": number + 1,
        "start": span[0],
        "end": span[1],
        "first word": bisect_left(starts, span[0]),
        "after word": bisect_left(starts, span[1]),
        "tokens": tokens.counter("cl100k").count(text),
        "characters": len(text.strip()),
        "sha256": text_digest(text),
    }
