"""Which chunks does an encoder's window cut, and do they hold the answers?

A chunk that is embedded by itself is read up to the window; what stands beyond it is lost. Where a
document's tokens are read first and pooled afterwards, nothing is. A gain of late chunking over
chunkers whose chunks are cut may thus be a gain of text and not of context. Each model cuts its own
text into tokens, so that one window holds more text with one than with another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.conditions import parse_encoder
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.late_chunking.chunks import recorded, sizes
from chunkstudy.studies.late_chunking.systems import E5, EVERY, MINILM, MPNET, WINDOWS, Systems
from chunkstudy.study.study import Tables

NAME = "cut-chunks"
COLLECTIONS = ("chroma-within",)
DIGITS = 12
"""Of a digest, to tell chunks apart."""
READ = {MINILM: WINDOWS, MPNET: (128, 256, 384, 512), E5: WINDOWS}
"""The windows of each model."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> Tables:
    """``chunkers``: of each model, chunker and window the fraction of chunks longer than the window
    has room for, and the fraction of their tokens beyond it. ``questions``: of each model, chunker
    and question the tokens that a window needs to read the largest chunk that shares a character
    with an excerpt.

    Sizes are the model's own tokens. ``chunks`` are the first digits of the chunks' digest, by
    which a record is found that was made with them.

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    by_chunker, by_question = [], []
    measured: set[tuple[str, str, str]] = set()
    for condition, run in recorded(context, collections):
        name, model = condition.collection, parse_encoder(condition.encoder).model
        if (name, model, run.chunks_sha256) in measured:
            continue
        measured.add((name, model, run.chunks_sha256))
        store = context.store(condition.encoder)
        encoder = cast(TokenEncoder, store.encoder)
        chunks, tokens = sizes(context, condition, run, store)
        beside = len(encoder.ends) + len(encoder.prefix_ids)
        keys = {
            "collection": name, "model": model, "chunker": condition.chunker,
            "chunks": run.chunks_sha256[:DIGITS],
        }  # fmt: skip
        by_chunker += [keys | beyond(tokens, window, beside) for window in READ[model]]
        needed = largest(context.collection(name), chunks, tokens + beside)
        by_question += [keys | {"query_id": query, "needs": n} for query, n in needed.items()]
    return {"chunkers": pd.DataFrame(by_chunker), "questions": pd.DataFrame(by_question)}


def beyond(sizes: NDArray[np.int64], window: int, beside: int = SPECIAL) -> dict[str, object]:
    """The fraction of chunks that a window cuts, and of their tokens that it leaves unread.

    Args:
        sizes: shape (chunks,), in tokens.
        window: tokens read at once, special ones included.
        beside: tokens of every window that are not the chunk's: special ones and a prefix.
    """
    over = np.maximum(sizes - (window - beside), 0)
    return {
        "window": window,
        "cut": float((over > 0).mean()),
        "unread": float(over.sum() / sizes.sum()),
    }


def largest(collection: Collection, chunks: Chunks, sizes: NDArray[np.int64]) -> dict[str, int]:
    """By query the size of the largest chunk that shares a character with what is judged; queries
    that no chunk touches are left out."""
    places = collection.positions
    needed: dict[str, int] = {}
    for judgment in collection.judgments:
        touched = (
            (chunks.document == places[judgment.document])
            & (chunks.start < judgment.end)
            & (chunks.end > judgment.start)
        )
        if touched.any():
            size = int(sizes[touched].max())
            needed[judgment.query] = max(needed.get(judgment.query, 0), size)
    return needed


FIT, CUT = "chunkers whose chunks fit", "chunkers whose chunks are cut"
WHOLE, TRUNCATED = "answers in chunks read whole", "answers in chunks that are cut"


def by_cut(systems: Iterable[Systems], measured: Tables) -> pd.DataFrame:
    """Late minus plain, each question's mean over a group's chunkers, by window: chunkers whose
    chunks all fit a window apart from those with chunks that it cuts, and, question by question,
    answers in chunks that are read whole apart from answers in chunks that are cut. A family is the
    windows of one model by one measure over one group.

    Args:
        systems: of the collection that was measured.
        measured: the tables of the experiment ``cut-chunks``.
    """
    pairs = [
        Pair(
            {"measure": system.measure, "model": system.model, "window": window, "over": over}
            | {"chunkers": int(counted.any().sum())},
            system.today[window].where(counted).mean(axis=1),
            plain.where(counted).mean(axis=1),
        )
        for system in systems
        for window, plain in system.plain.items()
        for over, counted in _groups(system, window, measured).items()
        if counted.any(axis=None)
    ]
    family = "the windows by {measure}, {over}, {model}"
    rows = differences(pairs, family, "contextualized", "plain")
    return rows.sort_values(["measure", "over", "model"], kind="stable", ignore_index=True)


def _groups(system: Systems, window: int, measured: Tables) -> dict[str, pd.DataFrame]:
    """Which scores each group's mean is over, shape (questions, chunkers)."""
    scores = system.plain[window]
    digests = {name: run.chunks_sha256 for name, run in system.records[window].items()}
    chunks = pd.Series(digests).str[:DIGITS]
    cut, needs = (
        table[table["model"] == system.model]
        for table in (measured["chunkers"], measured["questions"])
    )
    share = cut[cut["window"] == window].set_index("chunks")["cut"]
    size = needs.pivot_table(index="query_id", columns="chunks", values="needs")
    size = size.set_axis(size.index.astype(str)).reindex(index=scores.index, columns=chunks)
    size = size.set_axis(chunks.index, axis=1)
    every = scores.notna()
    is_cut = chunks.map(share) > 0
    return {
        EVERY: every,
        FIT: every & ~is_cut,
        CUT: every & is_cut,
        WHOLE: every & (size <= window),
        TRUNCATED: every & (size > window),
    }
