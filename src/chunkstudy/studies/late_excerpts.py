"""Late chunking within documents where there are questions enough to tell: Chroma's excerpts.

The taxonomy finds that it harms within a document (S2:343-345), on books; Emma, the one at hand,
has 30 questions. Chroma's corpora are five long texts with 472 questions and exact excerpts, so
that each corpus, searched alone, is such a document; searched together they are Chroma's task. One
is a single speech, the others are texts of a kind laid end to end.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, encode, jobs, parse_ordering, read_once
from chunkstudy.grid.grids import OWN, PRE, WINDOWS
from chunkstudy.grid.run import chunk, load_collection, load_store
from chunkstudy.grid.store import VectorStore
from chunkstudy.measures import first_hit
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.retrieval import chunks as retrieval
from chunkstudy.spans import Chunks, Collection
from chunkstudy.studies.similarity import per_document

CHUNKERS = ("paragraph", "sentence-5", "fixed-64", "fixed-256", "recursive-200-0", "cluster-200")
ARMS = ("plain", "contextualized")
ELSEWHERE = {
    256: ("256 to 511", (0, *range(257, 512))),
    512: ("0 to 255", tuple(place // 2 for place in range(512))),
}
"""By window, positions that tell what they do from what context does: a narrow window where only
a wide one reaches, and a wide one, two tokens a position, where a narrow one reads.
all-MiniLM-L6-v2 was tuned on texts of at most 128 tokens, its model card says."""
RECALL, DCG = 5, 10
MEASURES = (f"DCG@{DCG}", f"SpanRecall@{RECALL}", f"SpanRecall@{RECALL}, all corpora")
"""The first two within the query's own corpus."""


def measure(places: Places, names: Sequence[str]) -> pd.DataFrame:
    """Write ``results/experiments/late_excerpts.csv`` under the corrected protocol, and
    ``late_excerpts_alike.csv``: how alike neighbouring chunks are, mean cosine over documents.

    A row per collection, window, chunker and query: each measure under both orderings, a fraction
    with four decimals. One pass over the documents a window serves all chunkers. Where
    ``positions`` names some, the contextualized arm is read at these (see ELSEWHERE).
    """
    tables, alike = [], []
    protocol = PROTOCOLS[OWN]
    plain = parse_ordering(PRE)
    for name in names:
        collection = within_documents(load_collection(name))
        documents = collection.documents
        for window, encoder in WINDOWS.items():
            late = parse_ordering(f"{CONTEXTUALIZED}-{window}")
            store = load_store(encoder, places.vectors)
            asked = store.encode([query.text for query in collection.queries], "query")
            chunked = {
                slug: chunk(Condition(name, slug, encoder, PRE, OWN), collection, store)
                for slug in CHUNKERS
            }
            apart = {
                slug: encode(store, documents, chunks, plain, protocol)[0]
                for slug, chunks in chunked.items()
            }
            for label, reader in readers(store, encoder, window, places).items():
                wanted = [jobs(reader, documents, one, late, protocol) for one in chunked.values()]
                read_once(reader, wanted, f"{name}, {late} {label}")
                for slug, chunks in chunked.items():
                    print(f"excerpts of {slug} in {name}, {late} {label}", file=sys.stderr)
                    arms = apart[slug], encode(reader, documents, chunks, late, protocol)[0]
                    found = per_query(collection, chunks, asked, dict(zip(ARMS, arms, strict=True)))
                    key: dict[str, Any] = {
                        "collection": name, "window": window, "positions": label, "chunker": slug
                    }  # fmt: skip
                    tables.append(found.assign(**key)[[*key, *found]])
                    likeness = [
                        f"{per_document(one, chunks.document)['neighbours'].mean():.4f}"
                        for one in arms
                    ]
                    alike.append({**key, **dict(zip(ARMS, likeness, strict=True))})
    table = pd.concat(tables, ignore_index=True)
    folder = places.results / "experiments"
    for file, frame in (("late_excerpts", table), ("late_excerpts_alike", pd.DataFrame(alike))):
        text = frame.to_csv(index=False, lineterminator="\n", float_format="%.4f")
        write_text(folder / f"{file}.csv", text)
    return table


def readers(
    store: VectorStore, encoder: str, window: int, places: Places
) -> dict[str, VectorStore]:
    """What reads the contextualized arm, by the positions it reads at; in order under no name."""
    found = {"": store}
    if window in ELSEWHERE:
        name, positions = ELSEWHERE[window]
        spec = models.spec(models.parse_slug(encoder)[0])
        moved = TransformerEncoder(spec, window, positions=positions)
        found[name] = VectorStore(moved, places.vectors)
    return found


def within_documents(collection: Collection) -> Collection:
    """The same, each query naming the document it is judged on.

    Raises:
        ValueError: if a query is judged on several documents, or on none.
    """
    judged: dict[str, set[str]] = {query.id: set() for query in collection.queries}
    for judgment in collection.judgments:
        judged[judgment.query].add(judgment.document)
    for query, documents in judged.items():
        if len(documents) != 1:
            raise ValueError(
                f"query {query} of {collection.name} is judged on {len(documents)} documents; "
                "within a document it takes exactly one"
            )
    queries = [replace(query, document=min(judged[query.id])) for query in collection.queries]
    return replace(collection, queries=tuple(queries))


def per_query(
    collection: Collection,
    chunks: Chunks,
    asked: NDArray[np.float32],
    arms: Mapping[str, NDArray[np.float32]],
) -> pd.DataFrame:
    """A row per query with every measure of every arm.

    Args:
        collection: whose queries name their document.
        chunks: of the collection.
        asked: shape (queries, dimension).
        arms: name to vectors of the chunks, shape (chunks, dimension).
    """
    places = collection.positions
    named = np.array([places[str(query.document)] for query in collection.queries], dtype=np.int64)
    limit = retrieval.Limit(named, chunks.document)
    overlap = TokenOverlap.of(collection, chunks, PROTOCOLS[OWN].hit)
    relevant = first_hit.relevant_chunks(collection, chunks, (), "overlap")
    columns: dict[str, object] = {"query": [query.id for query in collection.queries]}
    for arm, vectors in arms.items():
        own = retrieval.search(asked, vectors, DCG, limit)
        every = retrieval.search(asked, vectors, RECALL)
        values = (
            first_hit.dcg_first_hit(own, relevant, DCG),
            overlap.at(own.chunk, RECALL)["SpanRecall"],
            overlap.at(every.chunk, RECALL)["SpanRecall"],
        )
        columns |= {f"{name}, {arm}": one for name, one in zip(MEASURES, values, strict=True)}
    return pd.DataFrame(columns)
