"""Which chunks are gold and which are retrieved, per query, for chunks of several sizes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy import tokens
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.encoding import encode, parse_ordering
from chunkstudy.grid.grids import OWN, PRE
from chunkstudy.grid.run import chunk, load_collection, load_store
from chunkstudy.grid.store import VectorStore
from chunkstudy.measures.chunk_labels import GOLD_RULES, count, gold_chunks
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.retrieval import chunks as retrieval
from chunkstudy.spans import Chunks, Collection

CUTS = (1, 3, 5, 10)
CHUNKERS = (
    "recursive-50-0",
    "recursive-100-0",
    "recursive-200-0",
    "recursive-250-0",
    "recursive-250-125",
    "recursive-400-0",
    "token-50-0",
    "token-100-0",
    "token-200-0",
    "token-250-0",
    "token-250-125",
    "token-400-0",
)
"""Two families from 50 to 400 tokens; those of 200 and 250 have records under the same slugs."""


def measure(places: Places, names: Sequence[str]) -> pd.DataFrame:
    """Write ``results/experiments/labels.csv`` and ``labels_chunks.csv`` and return the second.

    The first has a row per collection, chunker and query: ``retrieved`` chunks; ``gold`` ones and
    ``TP@k`` for every rule of what is gold; ``SpanRecall@k`` and ``SpanPrecision@k`` of the same
    ranking, six digits. The second has a row per collection and chunker: the chunks' digest and
    number, their mean size, and how many the encoder reads only in part.
    """
    store = load_store(MINILM, places.vectors)
    of_queries, of_chunkers = [], []
    for name in names:
        collection = load_collection(name)
        for slug in CHUNKERS:
            print(f"labels of {slug} in {name}", file=sys.stderr)
            condition = Condition(name, slug, MINILM, PRE, OWN)
            chunks = chunk(condition, collection, store)
            key = {"collection": name, "chunker": slug}
            table = label_counts(collection, chunks, rank(collection, chunks, store))
            of_queries.append(table.assign(**key)[[*key, *table]])
            of_chunkers.append({**key, **_facts(collection, chunks, store)})
    folder = places.results / "experiments"
    facts = pd.DataFrame(of_chunkers)
    for file, frame in (("labels", pd.concat(of_queries)), ("labels_chunks", facts)):
        text = frame.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        write_text(folder / f"{file}.csv", text)
    return facts


def rank(collection: Collection, chunks: Chunks, store: VectorStore) -> retrieval.Ranking:
    """The best chunks of every query, as deep as the deepest cut, under the corrected protocol."""
    ordering, protocol = parse_ordering(PRE), PROTOCOLS[OWN]
    vectors, _ = encode(store, collection.documents, chunks, ordering, protocol)
    asked = store.encode([query.text for query in collection.queries], "query")
    return retrieval.search(asked, vectors, max(CUTS))


def label_counts(
    collection: Collection, chunks: Chunks, ranking: retrieval.Ranking
) -> pd.DataFrame:
    """A row per query, as ``labels.csv`` holds them."""
    columns: dict[str, object] = {
        "query": [query.id for query in collection.queries],
        "retrieved": (ranking.chunk >= 0).sum(axis=1),
    }
    for rule in GOLD_RULES:
        gold = gold_chunks(collection, chunks, rule)
        counts = {cut: count(ranking.chunk, gold, cut) for cut in CUTS}
        columns[f"gold ({rule})"] = counts[CUTS[0]].gold
        for cut, found in counts.items():
            columns[f"TP@{cut} ({rule})"] = found.true_positives
    overlap = TokenOverlap.of(collection, chunks, PROTOCOLS[OWN].hit)
    for cut in CUTS:
        scores = overlap.at(ranking.chunk, cut)
        for measure_name in ("SpanRecall", "SpanPrecision"):
            columns[f"{measure_name}@{cut}"] = scores[measure_name]
    return pd.DataFrame(columns)


def _facts(collection: Collection, chunks: Chunks, store: VectorStore) -> dict[str, object]:
    texts = chunks.texts(collection.documents)
    read = np.asarray(tokens.counter("wordpiece-special").count_many(texts))
    return {
        "chunks_sha256": chunks.digest(),
        "chunks": len(chunks),
        "mean tokens": np.mean(tokens.counter("cl100k").count_many(texts)),
        "cut by the window": int((read > store.encoder.describe()["window"]).sum()),
    }
