"""How many chunks are gold and how many of those are retrieved, for chunks of several sizes?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.core import tokens
from chunkstudy.core.protocols import CORRECTED, PROTOCOLS
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import Ranking
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.studies.labels.chunk_labels import GOLD_RULES, count_ids, gold_chunks

COLLECTIONS = ("chroma",)
CUTS = (1, 3, 5, 10)
SIZES = ("50-0", "100-0", "200-0", "250-0", "250-125", "400-0")
CHUNKERS = tuple(f"{family}-{size}" for family in ("recursive", "token") for size in SIZES)
"""Two families from 50 to 400 tokens; those of 200 and 250 have records under the same slugs."""


@experiment("labels", collections=COLLECTIONS)
def tables(
    context: Context,
    collections: Sequence[str],
    chunkers: Sequence[str] | None = None,
    cuts: Sequence[int] = CUTS,
) -> dict[str, pd.DataFrame]:
    """``queries`` and ``chunkers``, of ``CHUNKERS`` unless others are named.

    The first has a row per collection, chunker and query: ``retrieved`` chunks; ``gold`` ones and
    ``TP@k`` for every rule of what is gold; ``SpanRecall@k`` and ``SpanPrecision@k`` of the same
    ranking. The second has a row per collection and chunker: the chunks' digest and number, their
    mean size in cl100k tokens, and how many the encoder reads only in part.
    """
    store = context.store(MINILM)
    of_queries, of_chunkers = [], []
    for name in collections:
        collection = context.collection(name)
        for slug in chunkers or CHUNKERS:
            context.say(f"labels of {slug} in {name}")
            condition = Condition(name, slug, MINILM, PRE_EMBEDDING, CORRECTED.name)
            chunks = context.chunks(condition, store)
            key = {"collection": name, "chunker": slug}
            vectors = engine.encode(collection, chunks, store)
            table = _counted(collection, chunks, engine.search(vectors, max(cuts)), cuts)
            of_queries.append(table.assign(**key)[[*key, *table]])
            texts = chunks.texts(collection.documents)
            read = np.asarray(tokens.counter("wordpiece-special").count_many(texts))
            of_chunkers.append(
                {
                    **key,
                    "chunks_sha256": chunks.digest(),
                    "chunks": len(chunks),
                    "mean tokens": np.mean(tokens.counter("cl100k").count_many(texts)),
                    "cut by the window": int((read > store.encoder.describe()["window"]).sum()),
                }
            )
    return {
        "queries": pd.concat(of_queries, ignore_index=True),
        "chunkers": pd.DataFrame(of_chunkers),
    }


def _counted(
    collection: Collection, chunks: Chunks, ranking: Ranking, cuts: Sequence[int]
) -> pd.DataFrame:
    """A row per query, as the table ``queries`` holds them."""
    columns: dict[str, object] = {
        "query": [query.id for query in collection.queries],
        "retrieved": (ranking.chunk >= 0).sum(axis=1),
    }
    for rule in GOLD_RULES:
        gold = gold_chunks(collection, chunks, rule)
        columns[f"gold ({rule})"] = [len(labels) for labels in gold]
        for cut in cuts:  # what pads a ranking is no chunk's index, and so never gold
            counts = count_ids(gold, ranking.chunk[:, :cut].tolist())
            columns[f"TP@{cut} ({rule})"] = counts["TP"]
    overlap = TokenOverlap.of(collection, chunks, CORRECTED.hit)
    for cut in cuts:
        scores = overlap.at(ranking.chunk, cut)
        for measure_name in ("SpanRecall", "SpanPrecision"):
            columns[f"{measure_name}@{cut}"] = scores[measure_name]
    return pd.DataFrame(columns)
