"""One decision after the other: the questions' DCG@10 of a part of each collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection, Document
from chunkstudy.collections import covid_qa
from chunkstudy.encoders.contextualized import Layout, separated
from chunkstudy.encoders.contextualized_elsewhere import Readings
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs import scoring
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.grids import OWN, PRE
from chunkstudy.runs.names import CONTEXTUALIZED, parse_ordering
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.conformance import readings
from chunkstudy.studies.conformance.readings import AFTERTHOUGHTS, CHONKIE, CONTEB, WINDOWS, Text

MEASURE = "DCG@10"
CHUNKERS = ("sentence-5", "fixed-64")
PARTS: dict[str, Callable[[Sequence[Document]], list[Document]]] = {
    "chroma-within": lambda documents: [
        one for one in documents if one.id in ("chatlogs", "state_of_the_union", "wikitexts")
    ],
    covid_qa.WITHIN: lambda documents: list(documents[::6]),
}
"""Whole documents that are a part of each collection, so that reading them anew for each decision
takes minutes: Chroma's three smaller corpora, and every sixth paper in the order of their ids."""
OURS = {window: f"{CONTEXTUALIZED}-{window}" for window in (256, 512)}
APART, APART_CLS, DISJOINT, SIDE = (
    "separated-256",
    "separated-256, [CLS] to the first chunk",
    "windows that share nothing-256",
    "whole chunks side by side-256",
)


def scores(context: Context, name: str) -> pd.DataFrame:
    """A row per chunker and question, a column per way to read."""
    collection = part(context.collection(name), PARTS[name])
    store = context.store(MINILM)
    queries = store.encode([query.text for query in collection.queries], "query")
    rows = []
    for slug in CHUNKERS:
        chunks = chunk(Condition(name, slug, MINILM, PRE, OWN), collection, store)
        context.cut(f"{name}, a part/{slug}/{MINILM}/{OWN}", chunks)
        columns = {}
        for arm, (read, vectors) in _arms(context, store, collection, chunks).items():
            protocol = PROTOCOLS[OWN]
            scored = scoring.in_document(
                collection, read, (queries, vectors), protocol, None, False
            )
            of_measure = scored.scores[scored.scores["measure"] == MEASURE]
            columns[arm] = of_measure.set_index("query_id")["value"]
        wide = pd.DataFrame(columns).rename_axis("query_id").reset_index()
        wide.insert(0, "collection", name)
        wide.insert(1, "chunker", slug)
        rows.append(wide)
    return pd.concat(rows, ignore_index=True)


def part(collection: Collection, of: Callable[[Sequence[Document]], list[Document]]) -> Collection:
    """A collection of some of its documents, with the questions asked of them."""
    documents = tuple(of(collection.documents))
    asked = collection.asked_of({document.id for document in documents})
    return replace(asked, documents=documents)


def _arms(
    context: Context, store: VectorStore, collection: Collection, chunks: Chunks
) -> dict[str, tuple[Chunks, NDArray[np.float32]]]:
    """What is searched and its vectors, by way to read."""
    encoder = cast(TransformerEncoder, store.encoder)
    texts = [
        Text.of(encoder, document.text, chunks.start[own], chunks.end[own])
        for i, document in enumerate(collection.documents)
        for own in [chunks.document == i]
    ]
    found: dict[str, tuple[Chunks, NDArray[np.float32]]] = {}
    for ordering in OURS.values():
        context.say(f"{collection.name}, {ordering}")
        vectors, _ = encode(
            store, collection.documents, chunks, parse_ordering(ordering), PROTOCOLS[OWN]
        )
        found[ordering] = chunks, vectors
    ways = {
        DISJOINT: (readings.disjoint, 256),
        CHONKIE: (readings.chonkie, WINDOWS[CHONKIE]),
        SIDE: (readings.side_by_side, 256),
        APART: (readings.apart, 256),
        CONTEB: (readings.conteb, WINDOWS[CONTEB]),
    }
    for arm, (read, window) in ways.items():
        context.say(f"{collection.name}, {arm}")
        every = [read(encoder, text, window) for text in texts]
        vectors = store.pool([one.layout for one in every], [one.spans for one in every], arm)
        there = np.concatenate([one.spans[:, 1] > one.spans[:, 0] for one in every])
        found[arm] = chunks.only(there), vectors[there]
    found[APART_CLS] = chunks, _first_with_cls(store, texts, chunks, found[APART][1])
    context.say(f"{collection.name}, {AFTERTHOUGHTS}")
    every = [readings.afterthoughts(encoder, text, WINDOWS[AFTERTHOUGHTS]) for text in texts]
    found[AFTERTHOUGHTS] = (
        _of_tokens(texts, every),
        np.concatenate([one.pool(encoder.states([one.layout])[0].cpu().numpy()) for one in every]),
    )
    return found


def _first_with_cls(
    store: VectorStore, texts: Sequence[Text], chunks: Chunks, vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The vectors with the first chunk of every document pooled anew, [CLS] included.

    Only the first window is read again, which holds all of the chunk unless that is longer.
    """
    encoder = cast(TransformerEncoder, store.encoder)
    layouts, spans = [], []
    for text in texts:
        layout, places = separated(text.alone, frame_of(encoder, 256))
        window = layout.windows[0]
        layouts.append(Layout((window,), ((0, len(window)),)))
        spans.append(np.asarray([[0, min(int(places[0, 1]), len(window) - 1)]]))
    moved = vectors.copy()
    firsts = np.unique(chunks.document, return_index=True)[1]
    moved[firsts] = store.pool(layouts, spans, APART_CLS)
    return moved


def _of_tokens(texts: Sequence[Text], every: Sequence[Readings]) -> Chunks:
    """What afterthoughts' vectors stand for, which are the chunks unless one was cut."""
    document, start, end = [], [], []
    for i, (text, one) in enumerate(zip(texts, every, strict=True)):
        document += [i] * len(one.tokens)
        start += text.offsets[one.tokens[:, 0], 0].tolist()
        end += text.offsets[one.tokens[:, 1] - 1, 1].tolist()
    return Chunks(
        np.asarray(document, dtype=np.int64),
        np.asarray(start, dtype=np.int64),
        np.asarray(end, dtype=np.int64),
    )
