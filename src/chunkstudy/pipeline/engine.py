"""The engine: the functions that chunk, encode, search and score, for every run of the project.

:func:`load_collection`, :func:`chunk`, :func:`encode`, :func:`search`, :func:`score` and
:func:`compare` take and return plain values: a collection, chunks, vectors, a ranking, a frame.
``run`` takes these steps and writes a record; ``user_data`` takes them on a user's documents.
``chunking`` draws boundaries, ``encoding`` embeds, ``scoring`` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, overload

import numpy as np
import pandas as pd

from chunkstudy.chunkers.user_chunker import OwnChunker, checked
from chunkstudy.collections import registry
from chunkstudy.core.deprecation import accept_old_names
from chunkstudy.core.errors import UserError
from chunkstudy.core.project import project_or_working_folder
from chunkstudy.core.protocols import CORRECTED, Protocol
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
    PLAIN,
    ChunkerSpec,
    EmbeddingMethod,
    EncoderName,
    get_protocol,
    parse_chunker,
    parse_encoder,
    parse_method,
)
from chunkstudy.pipeline.encoding import Vectors as Vectors
from chunkstudy.pipeline.vector_store import VectorStore, load_store

DEFAULT = parse_encoder(MINILM).model
ChunkerName = str | ChunkerSpec | OwnChunker
"""A name of the catalogue, the same parsed, or a user's function."""


class Words(NamedTuple):
    """Texts that BM25 searches: those of the queries and of the chunks.

    ``scripts`` says whose words count (``bm25.words``).
    """

    queries: Sequence[str]
    chunks: Sequence[str]
    scripts: str = "latin"


class IndexedWords(NamedTuple):
    """The texts of the queries and the BM25 index of the chunks."""

    queries: Sequence[str]
    chunks: BM25


def load_collection(name: str = "builtin") -> Collection:
    """Load documents, queries and judgments; ``chunkstudy list`` shows the names.

    Raises:
        ResourceError: if its files are neither here nor can be fetched.
    """
    return replace(registry.load_collection(name), name=name)


@overload
def chunk(
    collection: Collection,
    chunker: ChunkerName,
    encoder: str | VectorStore | None = DEFAULT,
    protocol: str | Protocol = CORRECTED,
    returned: None = None,
) -> Chunks: ...


@overload
def chunk(
    collection: Collection,
    chunker: ChunkerName,
    encoder: str | VectorStore | None = DEFAULT,
    protocol: str | Protocol = CORRECTED,
    *,
    returned: ChunkerName | int,
) -> ChunkIndex: ...


@accept_old_names(of="collection")
def chunk(
    collection: Collection,
    chunker: ChunkerName,
    encoder: str | VectorStore | None = DEFAULT,
    protocol: str | Protocol = CORRECTED,
    returned: ChunkerName | int | None = None,
) -> Chunks | ChunkIndex:
    """Chunk every document of a collection.

    Args:
        collection: the collection.
        chunker: a name that ``chunkstudy chunkers`` shows, or a function from a text to spans or
            strings.
        encoder: hub id of the model that draws boundaries, for chunkers that embed; or an open
            model with its stored vectors.
        protocol: the evaluation protocol, or its name.
        returned: larger unit to return for a matched chunk (small-to-large): a second chunker, or
            the number of neighbours on each side.

    Returns:
        The chunks in the order of the documents; with ``returned`` an index of the matched chunks
        and what they return.

    Raises:
        ValueError: if a name is unknown.
        ChunkerError: if the function fails on a document, which the message names.
    """
    chunks = _chunk(collection, chunker, encoder, protocol)
    if returned is None:
        return chunks
    if isinstance(returned, int):
        return small_to_large.around(chunks, returned)
    larger = _chunk(collection, returned, encoder, protocol)
    return small_to_large.within(chunks, larger, collection.documents)


def _chunk(
    collection: Collection,
    chunker: ChunkerName,
    encoder: str | VectorStore | None,
    protocol: str | Protocol,
) -> Chunks:
    if not isinstance(chunker, str | ChunkerSpec):
        return chunk_documents(checked(chunker, collection.documents), collection.documents)
    spec = parse_chunker(chunker) if isinstance(chunker, str) else chunker
    store = encoder
    if isinstance(store, str):
        store = load_store(str(EncoderName(store)), project_or_working_folder().vectors)
    return chunking.cut(collection, spec, get_protocol(protocol), store)


@accept_old_names(of="collection", ordering="embedding")
def encode(
    collection: Collection,
    chunks: Chunks | ChunkIndex,
    encoder: str | VectorStore = DEFAULT,
    window: int | None = None,
    embedding: str | EmbeddingMethod = PLAIN,
    protocol: str | Protocol = CORRECTED,
) -> Vectors:
    """Encode the queries and the chunks; vectors that are stored are read.

    Args:
        collection: the collection.
        chunks: chunks of the collection; of an index, the matched chunks are encoded.
        encoder: hub id of a model that ``chunkstudy models`` shows; or an open model with its
            stored vectors; ``window`` is then ignored.
        window: tokens read at once; the model's own if None.
        embedding: ``plain``, late chunking as in ``late-256``, or a context before each chunk as
            in ``prepended-title``.
        protocol: the evaluation protocol, or its name.

    Raises:
        UserError: if the chunks are of another collection.
        ResourceError: if the model is unknown or not installed.
    """
    chunks = _matched(chunks)
    _check_chunks(collection, chunks)
    method = parse_method(embedding) if isinstance(embedding, str) else embedding
    rules, store = get_protocol(protocol), encoder
    if isinstance(store, str):
        slug = str(EncoderName(store, window))
        store = load_store(slug, project_or_working_folder().vectors, rules.newlines)
    contexts = encoding.contexts_of(method, collection, chunks)
    return encoding.encode_both(store, collection, chunks, method, rules, contexts)


@accept_old_names(of="collection")
def collect_words(collection: Collection, chunks: Chunks | ChunkIndex) -> Words:
    """Collect the texts that BM25 searches; of an index those of its matched chunks.

    Raises:
        UserError: if the chunks are of another collection.
    """
    chunks = _matched(chunks)
    _check_chunks(collection, chunks)
    return Words([query.text for query in collection.queries], chunks.texts(collection.documents))


def search(
    vectors: Vectors | None,
    k: int = 5,
    words: Words | None = None,
    returned: ChunkIndex | Chunks | None = None,
    allowed: Limit | None = None,
) -> Ranking:
    """Rank the ``k`` best chunks of each query by exact search; of equal ones the first wins.

    Args:
        vectors: ranked by cosine; None if words alone rank.
        k: number of chunks.
        words: ranked by BM25; with vectors too, both rankings are fused by reciprocal ranks.
        returned: index of chunks that return a larger span (small-to-large): each span counts
            once, at the rank of its best chunk, and the ranking holds indices of
            :func:`returned_chunks`.
        allowed: limits each query to its own document, as ``Limit.of(collection, chunks)`` does.

    Raises:
        UserError: if neither vectors nor words are given, or of different queries or chunks.
        ModuleNotFoundError: for words, if bm25s is not installed.
    """
    indexed = [each for each in (vectors, words) if each is not None]
    sizes = {(len(each.queries), len(each.chunks)) for each in indexed}
    if not sizes:
        raise UserError("nothing is given to search by; give vectors, words, or both")
    if len(sizes) > 1 or (returned is not None and {len(returned)} != {n for _, n in sizes}):
        given = " and ".join(f"{q} queries and {c} chunks" for q, c in sorted(sizes))
        small = f", and {len(returned)} chunks to return" if returned is not None else ""
        raise UserError(f"{given} are given{small}; search by what is of the same chunks")
    index = None
    if words is not None:
        index = IndexedWords(words.queries, BM25(words.chunks, words.scripts))
    searcher = make_searcher(vectors, index, allowed)
    if returned is None:
        return searcher(k)
    if isinstance(returned, Chunks):
        returned = small_to_large.index_chunks(returned)
    group = returned.returned_index
    return small_to_large.search_groups(searcher, group, k, first=max(k, FUSED)).of_depth(k)


def make_searcher(
    vectors: Vectors | None, words: IndexedWords | None, allowed: Limit | None = None
) -> Search:
    """Build a search over vectors, BM25, or their fusion: a function from a depth to a ranking."""
    searches: list[Search] = []
    if vectors is not None:
        searches.append(partial(retrieval.search, *vectors, allowed=allowed))
    if words is not None:
        searches.append(partial(words.chunks.search, words.queries, allowed=allowed))
    return fused(searches, max(len(each.chunks) for each in (vectors, words) if each is not None))


def returned_chunks(chunks: ChunkIndex | Chunks) -> Chunks:
    """Return the distinct spans that the chunks return."""
    index = small_to_large.index_chunks(chunks) if isinstance(chunks, Chunks) else chunks
    return index.returned


@accept_old_names(of="collection", by="ranking")
def score(
    collection: Collection,
    chunks: Chunks | ChunkIndex,
    ranking: Vectors | Ranking | None,
    protocol: str | Protocol = CORRECTED,
) -> pd.DataFrame:
    """Score a ranking by every measure of the collection's task.

    Args:
        collection: the collection.
        chunks: chunks of the collection; of an index the spans that it returns.
        ranking: a ranking at least as deep as the measures read, or vectors. If None, compute only
            measures that need no ranking.
        protocol: the evaluation protocol, or its name.

    Returns:
        Fractions: one row per query, one column per measure.

    Raises:
        UserError: if the chunks are of another collection, or the vectors or the ranking of other
            chunks or queries, or the ranking is not deep enough.
    """
    if isinstance(chunks, ChunkIndex):
        chunks = chunks.returned
    _check_chunks(collection, chunks)
    if ranking is not None:
        _check_ranking(collection, chunks, ranking)
    rules = get_protocol(protocol)
    scored = scoring.score(collection.name, collection, chunks, ranking, rules)
    return scoring.rounded(scored.scores)


def compare(first: pd.DataFrame, second: pd.DataFrame, *measures: str) -> pd.DataFrame:
    """Compare two systems query by query: first minus second.

    Args:
        first: scores as :func:`score` returns them.
        second: scores of another system on the same queries.
        measures: columns of both; all common ones if none is named.

    Returns:
        One row per measure: means, difference with its 95% confidence interval, paired t-test with
        Holm's correction over the measures, and the outcome.
    """
    selected = measures or tuple(str(measure) for measure in first if measure in second)
    pairs = [Pair({"measure": measure}, first[measure], second[measure]) for measure in selected]
    return differences(pairs, f"{len(selected)} measures", "first", "second")


def _matched(chunks: Chunks | ChunkIndex) -> Chunks:
    return chunks.matched if isinstance(chunks, ChunkIndex) else chunks


def _check_chunks(collection: Collection, chunks: Chunks) -> None:
    """Refuse chunks that do not lie in the collection's documents."""
    lengths = np.array([len(document.text) for document in collection.documents], dtype=np.int64)
    inside = chunks.document < len(lengths)
    inside[inside] = chunks.end[inside] <= lengths[chunks.document[inside]]
    if not inside.all():
        i = int(inside.argmin())
        raise UserError(
            f"the chunks are of another collection than {collection.name}: chunk {i} ends at "
            f"character {chunks.end[i]} of document {chunks.document[i]}, which is not there; "
            f"chunk {collection.name} and give what that returns"
        )


def _check_ranking(collection: Collection, chunks: Chunks, ranking: Vectors | Ranking) -> None:
    """Refuse vectors or a ranking of other queries or chunks, or of too few chunks a query."""
    expected, name = (len(collection.queries), len(chunks)), collection.name
    if isinstance(ranking, Vectors):
        given = (len(ranking.queries), len(ranking.chunks))
        if given != expected:
            raise UserError(
                f"the vectors are of {given[0]} queries and {given[1]} chunks, and {name} has "
                f"{expected[0]} queries and is given with {expected[1]} chunks; encode these"
            )
        return
    queries, depth = ranking.chunk.shape
    if queries != expected[0] or ranking.chunk.max(initial=-1) >= expected[1]:
        raise UserError(
            f"the ranking is of other chunks or queries than the {expected[1]} chunks and "
            f"{expected[0]} queries of {name} given with it; search these"
        )
    needed = min(scoring.depth_read(name), expected[1])
    if depth < needed:
        raise UserError(
            f"the ranking has {depth} chunks a query, and the measures of {name} read {needed}; "
            f"search with k={needed} or more"
        )
