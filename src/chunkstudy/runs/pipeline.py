"""One run in its steps: a collection is cut, embedded, searched and scored, each by a function."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import places
from chunkstudy.base.protocols import CORRECTED, PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.chunkers.own import OwnChunker, checked
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.retrieval.chunks import Ranking
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs import records, scoring
from chunkstudy.runs.chunking import chunk as cut
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.encoding import encode as encode_chunks
from chunkstudy.runs.names import PRE_EMBEDDING, EncoderName, parse_encoder, parse_ordering
from chunkstudy.runs.run import load_collection, load_store
from chunkstudy.runs.store import VectorStore

DEFAULT = parse_encoder(MINILM).model
STAND_IN = "recursive-200-0"
"""The chunker that a condition names where the reader's own function cuts."""


class Vectors(NamedTuple):
    """``queries``, (queries, dimension), and ``chunks``, (chunks, dimension); float32, length 1."""

    queries: NDArray[np.float32]
    chunks: NDArray[np.float32]


def collection(name: str = "builtin") -> Collection:
    """Documents, queries and judgments; ``chunkstudy list`` shows the names.

    Raises:
        SourceError: if its files are neither here nor to be had.
    """
    return replace(load_collection(name), name=name)


def chunk(
    of: Collection,
    chunker: str | OwnChunker,
    encoder: str = DEFAULT,
    protocol: str = CORRECTED.name,
) -> Chunks:
    """Spans of every document, in their order.

    Args:
        of: the collection.
        chunker: a name that ``chunkstudy chunkers`` shows, or a function from a text to spans or
            strings.
        encoder: hub id of the model that draws boundaries, for chunkers that embed.
        protocol: whose rules; see ``protocols``.

    Raises:
        ValueError: for a name that is none.
        ChunkerError: naming the document, if the function fails on it.
    """
    slug = str(EncoderName(encoder))
    name = chunker if isinstance(chunker, str) else STAND_IN
    own = None if isinstance(chunker, str) else checked(chunker, of.documents)
    return cut(Condition(of.name, name, slug, PRE_EMBEDDING, protocol), of, _store(slug), own)


def encode(
    of: Collection,
    chunks: Chunks,
    encoder: str = DEFAULT,
    window: int | None = None,
    ordering: str = PRE_EMBEDDING,
    protocol: str = CORRECTED.name,
) -> Vectors:
    """Vectors of the queries and the chunks; what was encoded before is read.

    Args:
        of: the collection.
        chunks: of the collection.
        encoder: hub id of a model that ``chunkstudy models`` shows.
        window: tokens read at once; the model's own where none is given.
        ordering: ``pre_embedding``, or late chunking as in ``contextualized-256``.
        protocol: whose rules.

    Raises:
        ModelError: if the model is unknown or not here.
    """
    store = _store(str(EncoderName(encoder, window)))
    found, _ = encode_chunks(
        store, of.documents, chunks, parse_ordering(ordering), PROTOCOLS[protocol]
    )
    return Vectors(store.encode([query.text for query in of.queries], "query"), found)


def search(vectors: Vectors, k: int = 5) -> Ranking:
    """The ``k`` chunks most similar to each query by cosine, exact; of equal ones the first."""
    return retrieval.search(*vectors, k)


def score(
    of: Collection, chunks: Chunks, vectors: Vectors, protocol: str = CORRECTED.name
) -> pd.DataFrame:
    """Every measure of the collection's task, fractions, a row a query and a column a measure."""
    return records.rounded(scoring.score(of.name, of, chunks, vectors, PROTOCOLS[protocol]).scores)


def compare(first: pd.DataFrame, second: pd.DataFrame, *measures: str) -> pd.DataFrame:
    """First minus second, query by query, a row a measure: means, difference with its 95% interval,
    paired t-test with Holm's correction over the measures, and in a word what is shown.

    Args:
        first: what :func:`score` gives.
        second: the same of another run.
        measures: columns of both; all common ones where none is named.
    """
    named = measures or tuple(str(one) for one in first if one in second)
    pairs = [Pair({"measure": one}, first[one], second[one]) for one in named]
    return differences(pairs, f"{len(named)} measures", "first", "second")


def _store(slug: str) -> VectorStore:
    return load_store(slug, places.find().vectors)
