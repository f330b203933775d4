"""What does one empty document do to a ranking that does not guard against NaN?

An empty document gives the semantic chunker of the taxonomy paper one empty chunk, its late
encoder a zero vector, cosine similarity 0/0, and pytrec_eval a NaN to sort by.
MTEB turns NaN into -1. Both ways are scored here on real rankings with empty documents added at
FiQA's and TREC-COVID's proportions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytrec_eval

from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import encode, parse_ordering
from chunkstudy.grid.grids import BEIR_AT_HAND, LATE, OWN, WIDE
from chunkstudy.measures.ranking import judged_documents
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.retrieval.documents import search_documents
from chunkstudy.studies.runner import Context

COLLECTIONS = BEIR_AT_HAND
PACKAGES = ("pytrec_eval-terrier",)
EMPTY_SHARE = {"FiQA": 38 / 57_638, "TREC-COVID": 1 / 171_332}
"""Empty documents among all, by the gap between corpora and Pyserini's flat indexes."""
EMPTY_NUMBER = {"FiQA, as many": 38}
"""FiQA's own number too: each NaN disturbs the sort anew, however many documents there are."""
SEEDS = 10
QUERIES = 323
"""At most, so that ArguAna does not take an hour."""


def tables(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """``draws``: mean nDCG@10 with and without the guard, a row per collection, proportion and draw
    of the empty documents' ids.

    The rankings are those of the corrected protocol, semantic chunks, contextualized.
    """
    rows = []
    for name in collections:
        context.say(f"empty documents in {name}")
        collection = context.collection(name)
        condition = Condition(name, "semantic", WIDE, LATE, OWN)
        store = context.store(WIDE)
        chunks = context.chunks(condition, store)
        protocol = PROTOCOLS[OWN]
        ordering = parse_ordering(LATE)
        vectors, _ = encode(store, collection.documents, chunks, ordering, protocol)
        queries = collection.queries[:QUERIES]
        asked = store.encode([query.text for query in queries], "query")
        ids = [document.id for document in collection.documents]
        found = search_documents(asked, vectors, chunks.document, len(ids))
        runs = {
            query.id: {ids[d]: s for d, s in zip(documents, scores, strict=True) if d >= 0}
            for query, documents, scores in zip(
                queries, found.document.tolist(), found.score.tolist(), strict=True
            )
        }
        judged = judged_documents(collection)
        shares = {of: max(1, round(share * len(ids))) for of, share in EMPTY_SHARE.items()}
        for proportion, empties in (shares | EMPTY_NUMBER).items():
            for seed in range(SEEDS):
                added = empty_documents(ids, empties, seed)
                kept, guarded = (
                    mean_ndcg(judged, runs, added, value) for value in (math.nan, -1.0)
                )
                rows.append((name, proportion, empties, seed, guarded, kept))
    columns = ["collection", "proportion", "empty documents", "seed", "guarded", "NaN kept"]
    return {"draws": pd.DataFrame(rows, columns=columns)}


def empty_documents(ids: list[str], empties: int, seed: int) -> list[str]:
    """The ids of as many empty documents: those of documents drawn by chance, a letter longer.

    Where NaN is compared, trec_eval falls back on the ids, so their place among the others decides.
    """
    drawn = np.random.default_rng(seed).choice(len(ids), size=empties, replace=False)
    return [f"{ids[i]}e" for i in drawn]


def mean_ndcg(
    judged: Mapping[str, Mapping[str, int]],
    runs: Mapping[str, dict[str, float]],
    empties: Sequence[str],
    empty_score: float,
) -> float:
    """Mean nDCG@10 by pytrec_eval itself, documents handed over as ielab's code does.

    That is by score descending with NaN last (beir_evaluator.py: ``sort_values``); an equal id is
    dropped, as both official evaluators do.

    Args:
        judged: grades by query and document.
        runs: scores by query and document, the best first.
        empties: documents that all queries score ``empty_score``.
        empty_score: NaN, or what a guard makes of it.
    """
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: dict(judged[query]) for query in runs if query in judged}, {"ndcg_cut.10"}
    )
    last = dict.fromkeys(empties, empty_score)
    found = evaluator.evaluate(
        {
            query: {one: score for one, score in (scores | last).items() if one != query}
            for query, scores in runs.items()
        }
    )
    return float(np.mean([value["ndcg_cut_10"] for value in found.values()]))
