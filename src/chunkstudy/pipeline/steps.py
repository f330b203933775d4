"""One run in its six steps, each a function over plain values: documents and queries, spans,
arrays, a ranking, a frame.

:func:`collection`, :func:`chunk`, :func:`encode`, :func:`search`, :func:`score`, :func:`compare`.
How chunks are drawn stands in ``chunking``, how they are embedded in ``encoding``, what is measured
in ``scoring``; ``run`` takes the same steps and writes a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, overload

import numpy as np
import pandas as pd

from chunkstudy.chunkers.user_chunker import OwnChunker, checked
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.project import find_project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import ChunkIndex, Chunks, Collection, chunk_documents
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25
from chunkstudy.evaluation.retrieval.chunks import Limit, Ranking, Search
from chunkstudy.evaluation.retrieval.fusion import FUSED, fused
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.pipeline import chunking, encoding, scoring
from chunkstudy.pipeline.conditions import (
    MINILM,
    PRE_EMBEDDING,
    EncoderName,
    parse_chunker,
    parse_encoder,
    parse_method,
    rules,
)
from chunkstudy.pipeline.encoding import Vectors as Vectors
from chunkstudy.pipeline.vector_store import VectorStore, load_store

DEFAULT = parse_encoder(MINILM).model


class StepError(ValueError):
    """What a step is given does not belong together; the message says what does."""


class Words(NamedTuple):
    """The texts of the queries and of the chunks, of which BM25 counts the words, and the scripts
    whose words these are (``bm25.words``)."""

    queries: Sequence[str]
    chunks: Sequence[str]
    scripts: str = "latin"


class IndexedWords(NamedTuple):
    """The texts of the queries, and the BM25 index of the chunks."""

    queries: Sequence[str]
    chunks: BM25


def collection(name: str = "builtin") -> Collection:
    """Documents, queries and judgments; ``chunkstudy list`` shows the names.

    Raises:
        SourceError: if its files are neither here nor to be had.
    """
    return replace(load_collection(name), name=name)


@overload
def chunk(
    of: Collection,
    chunker: str | OwnChunker,
    encoder: str = DEFAULT,
    protocol: str = CORRECTED.name,
    returned: None = None,
) -> Chunks: ...


@overload
def chunk(
    of: Collection,
    chunker: str | OwnChunker,
    encoder: str = DEFAULT,
    protocol: str = CORRECTED.name,
    *,
    returned: str | OwnChunker | int,
) -> ChunkIndex: ...


def chunk(
    of: Collection,
    chunker: str | OwnChunker,
    encoder: str = DEFAULT,
    protocol: str = CORRECTED.name,
    returned: str | OwnChunker | int | None = None,
) -> Chunks | ChunkIndex:
    """Spans of every document, in their order.

    Args:
        of: the collection.
        chunker: a name that ``chunkstudy chunkers`` shows, or a function from a text to spans or
            strings.
        encoder: hub id of the model that draws boundaries, for chunkers that embed.
        protocol: whose rules; see ``protocols``.
        returned: larger unit to return for a matched chunk (small-to-large): a second chunker, or
            the number of neighbours on each side.

    Returns:
        The chunks; with ``returned`` an index of the matched chunks and what they return.

    Raises:
        ValueError: for a name that is none.
        ChunkerError: naming the document, if the function fails on it.
    """
    if not isinstance(chunker, str):
        chunks = chunk_documents(checked(chunker, of.documents), of.documents)
    else:
        spec, vectors = parse_chunker(chunker), find_project().vectors
        store = load_store(str(EncoderName(encoder)), vectors)
        chunks = chunking.cut(of, spec, rules(protocol), store)
    if returned is None:
        return chunks
    if isinstance(returned, int):
        return small_to_large.around(chunks, returned)
    return small_to_large.within(chunks, chunk(of, returned, encoder, protocol), of.documents)


def encode(
    of: Collection,
    chunks: Chunks | ChunkIndex,
    encoder: str | VectorStore = DEFAULT,
    window: int | None = None,
    ordering: str = PRE_EMBEDDING,
    protocol: str = CORRECTED.name,
) -> Vectors:
    """Vectors of the queries and the chunks; what was encoded before is read.

    Args:
        of: the collection.
        chunks: of the collection; of an index its matched chunks.
        encoder: hub id of a model that ``chunkstudy models`` shows; or a model with what it has
            computed, of which window and place of vectors are then decided already.
        window: tokens read at once; the model's own where none is given.
        ordering: the embedding method: ``pre_embedding``, late chunking as in
            ``contextualized-256``, or a context put before each chunk as in ``prepended-title``.
        protocol: whose rules.

    Raises:
        StepError: if the chunks are of another collection.
        ModelError: if the model is unknown or not here.
    """
    chunks = _matched(chunks)
    _check_chunks(of, chunks)
    method, store = parse_method(ordering), encoder
    if isinstance(store, str):
        slug = str(EncoderName(store, window))
        store = load_store(slug, find_project().vectors, rules(protocol).newlines)
    before = encoding.contexts_of(method, of, chunks)
    return encoding.encode_both(store, of, chunks, method, rules(protocol), before)


def words(of: Collection, chunks: Chunks | ChunkIndex) -> Words:
    """What :func:`search` counts words of; of an index the texts of its matched chunks.

    Raises:
        StepError: if the chunks are of another collection.
    """
    chunks = _matched(chunks)
    _check_chunks(of, chunks)
    return Words([query.text for query in of.queries], chunks.texts(of.documents))


def search(
    vectors: Vectors | None,
    k: int = 5,
    words: Words | None = None,
    returned: ChunkIndex | Chunks | None = None,
    allowed: Limit | None = None,
) -> Ranking:
    """The ``k`` best chunks of each query, exactly searched; of equal ones the first.

    Args:
        vectors: ranked by cosine; None where words alone rank.
        k: how many chunks.
        words: ranked by BM25; with vectors too, both rankings are made into one by their
            reciprocal ranks.
        returned: index of chunks that return a larger span (small-to-large): each span counts
            once, at the rank of its best chunk, and the ranking holds indices of
            :func:`handed_over`.
        allowed: limits each query to its own document, as ``Limit.of(collection, chunks)`` does.

    Raises:
        StepError: if neither vectors nor words are given, or of different queries or chunks.
        ModuleNotFoundError: for words, if bm25s is not installed.
    """
    sizes = {(len(by.queries), len(by.chunks)) for by in (vectors, words) if by is not None}
    if not sizes:
        raise StepError("nothing is given to search by; give vectors, words, or both")
    if len(sizes) > 1 or (returned is not None and {len(returned)} != {n for _, n in sizes}):
        given = " and ".join(f"{q} queries and {c} chunks" for q, c in sorted(sizes))
        small = f", and {len(returned)} chunks to return" if returned is not None else ""
        raise StepError(f"{given} are given{small}; search by what is of the same chunks")
    indexed = None
    if words is not None:
        indexed = IndexedWords(words.queries, BM25(words.chunks, words.scripts))
    ranked = to_any_depth(vectors, indexed, allowed)
    if returned is None:
        return ranked(k)
    if isinstance(returned, Chunks):
        returned = small_to_large.index_chunks(returned)
    group = returned.returned_index
    return small_to_large.search_groups(ranked, group, k, first=max(k, FUSED)).of_depth(k)


def to_any_depth(
    vectors: Vectors | None, words: IndexedWords | None, allowed: Limit | None = None
) -> Search:
    """A search by vectors, by words, or by both, of which at least one is given: a function from a
    depth to the ranking."""
    ways: list[Search] = []
    if vectors is not None:
        ways.append(partial(retrieval.search, *vectors, allowed=allowed))
    if words is not None:
        ways.append(partial(words.chunks.search, words.queries, allowed=allowed))
    return fused(ways, max(len(by.chunks) for by in (vectors, words) if by is not None))


def handed_over(chunks: ChunkIndex | Chunks) -> Chunks:
    """Return the distinct spans that the chunks return."""
    index = small_to_large.index_chunks(chunks) if isinstance(chunks, Chunks) else chunks
    return index.returned


def score(
    of: Collection,
    chunks: Chunks | ChunkIndex,
    by: Vectors | Ranking | None,
    protocol: str = CORRECTED.name,
) -> pd.DataFrame:
    """Every measure of the collection's task, fractions, a row a query and a column a measure.

    Args:
        of: the collection.
        chunks: of the collection; of an index the spans that it returns.
        by: what ranks them: vectors, or a ranking at least as deep as the measures read; None for
            what no search decides.
        protocol: whose rules.

    Raises:
        StepError: if the chunks are of another collection, or the vectors or the ranking of other
            chunks or queries, or the ranking is not deep enough.
    """
    if isinstance(chunks, ChunkIndex):
        chunks = chunks.returned
    _check_chunks(of, chunks)
    if by is not None:
        _check_ranked(of, chunks, by)
    scored = scoring.score(of.name, of, chunks, by, rules(protocol))
    return scoring.rounded(scored.scores)


def compare(first: pd.DataFrame, second: pd.DataFrame, *measures: str) -> pd.DataFrame:
    """First minus second, query by query, a row a measure: means, difference with its 95% interval,
    paired t-test with Holm's correction over the measures, and in a word what is shown.

    Args:
        first: what :func:`score` gives.
        second: the same of another run.
        measures: columns of both; all common ones where none is named.
    """
    named = measures or tuple(str(measure) for measure in first if measure in second)
    pairs = [Pair({"measure": measure}, first[measure], second[measure]) for measure in named]
    return differences(pairs, f"{len(named)} measures", "first", "second")


def _matched(chunks: Chunks | ChunkIndex) -> Chunks:
    return chunks.matched if isinstance(chunks, ChunkIndex) else chunks


def _check_chunks(of: Collection, chunks: Chunks) -> None:
    """Refuse chunks that do not lie in the collection's documents."""
    lengths = np.array([len(document.text) for document in of.documents], dtype=np.int64)
    inside = chunks.document < len(lengths)
    inside[inside] = chunks.end[inside] <= lengths[chunks.document[inside]]
    if not inside.all():
        i = int(inside.argmin())
        raise StepError(
            f"the chunks are of another collection than {of.name}: chunk {i} ends at character "
            f"{chunks.end[i]} of document {chunks.document[i]}, which is not there; chunk "
            f"{of.name} and give what that returns"
        )


def _check_ranked(of: Collection, chunks: Chunks, by: Vectors | Ranking) -> None:
    """Refuse vectors or a ranking of other queries or chunks, or of too few chunks a query."""
    expected = (len(of.queries), len(chunks))
    if isinstance(by, Vectors):
        given = (len(by.queries), len(by.chunks))
        if given != expected:
            raise StepError(
                f"the vectors are of {given[0]} queries and {given[1]} chunks, and {of.name} has "
                f"{expected[0]} queries and is given with {expected[1]} chunks; encode these"
            )
        return
    queries, depth = by.chunk.shape
    if queries != expected[0] or by.chunk.max(initial=-1) >= expected[1]:
        raise StepError(
            f"the ranking is of other chunks or queries than the {expected[1]} chunks and "
            f"{expected[0]} queries of {of.name} given with it; search these"
        )
    read = min(scoring.depth_read(of.name), expected[1])
    if depth < read:
        raise StepError(
            f"the ranking has {depth} chunks a query, and the measures of {of.name} read {read}; "
            f"search with k={read} or more"
        )
