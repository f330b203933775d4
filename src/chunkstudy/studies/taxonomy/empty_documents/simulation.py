"""Empty documents put into real rankings and scored by pytrec_eval, as the taxonomy's code does it.

The first 20 documents of each query are those of a record; below them come all others in an order
drawn by chance for each query, and last the empty ones, whose score is NaN (beir_evaluator.py,
``sort_values``). trec_eval sorts once more, and where a score is NaN it compares ids only. Such
comparisons contradict those of scores, so that documents from far below come first, and how many
depends on the ids of the empty ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pytrec_eval
from numpy.random import Generator

from chunkstudy.evaluation.measures.ranking import judged_documents
from chunkstudy.runs import rankings
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.grids import IELAB, LATE, WIDE
from chunkstudy.runs.library import Library
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context

Ranked = dict[str, list[str]]
"""The first documents of each query by id, the best first."""
Judged = Mapping[str, Mapping[str, int]]
FIQA, TREC_COVID = 57_638, 171_332
"""Documents, counted by MTEB (descriptive_stats/Retrieval)."""
EMPTY = {"FiQA": 38, "TREC-COVID": 1}
"""Empty documents: by how many Pyserini's flat indexes are smaller."""
KNOWN = ("7915", "12229", "14135", "33445", "40982")
"""Ids of FiQA's empty documents that public issue 158 of beir-cellar/beir lets one read."""
HIGHEST_ID = 600_000
"""FiQA's ids are numbers; the five of the issue stand at 10.4 to 10.7 times their row."""
SEEDS = 20
QUERIES, QUERIES_AT_FIQAS_SIZE = 100, 30


def draws(context: Context, collections: Sequence[str]) -> pd.DataFrame:
    """Mean nDCG@10 with and without the guard, a row per collection, arm and draw.

    Arms: as large a part of the collection's documents as are empty in FiQA or TREC-COVID; as many
    as in FiQA; and as many among as many documents as FiQA has, with ids like FiQA's, where the
    collection is filled up with documents that no query finds.
    """
    library = Library(context.places)
    rows = []
    for name in collections:
        context.say(f"empty documents in {name}")
        ids, ranked, judged = read(context, library, name)
        own = {
            "FiQA": max(1, round(len(ids) * EMPTY["FiQA"] / FIQA)),
            "TREC-COVID": max(1, round(len(ids) * EMPTY["TREC-COVID"] / TREC_COVID)),
            "FiQA, as many": EMPTY["FiQA"],
        }
        many = dict(list(ranked.items())[:QUERIES])
        for seed in range(SEEDS):
            generator = np.random.default_rng(seed)
            for arm, empties in own.items():
                added = empty_documents(ids, empties, generator)
                scored = score(many, judged, ids, added, generator)
                rows.append((name, arm, len(ids), empties, seed, *scored))
            few = dict(list(ranked.items())[:QUERIES_AT_FIQAS_SIZE])
            names, others, added = numbered(ids, generator)
            everything = [*names.values(), *others]
            scored = score(*renamed(few, judged, names), everything, added, generator)
            rows.append((name, "FiQA, as many among as many", FIQA, len(added), seed, *scored))
    columns = ["collection", "proportion", "documents", "empty documents", "seed", "queries",
               "guarded", "NaN kept"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def read(context: Context, library: Library, name: str) -> tuple[list[str], Ranked, Judged]:
    """A collection's ids, its ranking by semantic chunks as the taxonomy's code embeds them late,
    and its judgments, of the queries that have one.

    Raises:
        StudyError: if there is no such record.
    """
    collection = context.collection(name)
    condition = Condition(name, "semantic", WIDE, LATE, IELAB)
    record = library.get(condition)
    kept = record.run.ranking if record else None
    path = rankings.find(record.folder, context.places.rankings, kept) if record and kept else None
    if kept is None or path is None:
        raise StudyError(f"{condition} has no ranking; run that condition first")
    context.read(path, f"ranking of {name}")
    ids = [document.id for document in collection.documents]
    judged = {q: grades for q, grades in judged_documents(collection).items() if grades}
    found: Ranked = {}
    for query, rows in rankings.read(path, kept).groupby("query"):
        asked = collection.queries[int(str(query))].id
        if asked in judged:
            found[asked] = [ids[d] for d in rows["document"]]
    return ids, found, judged


def score(
    ranked: Ranked,
    judged: Judged,
    ids: Sequence[str],
    empties: Sequence[str],
    generator: Generator,
) -> tuple[int, float, float]:
    """Queries, and their mean nDCG@10 where the score of an empty document is -1 and where it is
    NaN. With -1 they stand last, so the first documents alone decide."""
    everything = np.asarray(ids)
    lower = np.linspace(0, -0.5, len(ids)).tolist()
    top = {
        query: {one: 1 - rank / 100 for rank, one in enumerate(documents)}
        for query, documents in ranked.items()
    }

    def whole(first: dict[str, float]) -> dict[str, float]:
        below = dict(zip(generator.permutation(everything).tolist(), lower, strict=True))
        return first | below | first | dict.fromkeys(empties, math.nan)

    guarded = mean_ndcg(judged, iter(top.items()))
    return len(top), guarded, mean_ndcg(judged, ((q, whole(one)) for q, one in top.items()))


def mean_ndcg(judged: Judged, runs: Iterator[tuple[str, dict[str, float]]]) -> float:
    """Mean nDCG@10 by pytrec_eval itself, query by query."""
    found = []
    for query, run in runs:
        evaluator = pytrec_eval.RelevanceEvaluator({query: dict(judged[query])}, {"ndcg_cut.10"})
        found.append(evaluator.evaluate({query: run})[query]["ndcg_cut_10"])
    return float(np.mean(found))


def empty_documents(ids: Sequence[str], empties: int, generator: Generator) -> list[str]:
    """The ids of as many empty documents: those of documents drawn by chance, a letter longer."""
    drawn = generator.choice(len(ids), size=empties, replace=False)
    return [f"{ids[i]}e" for i in drawn]


def numbered(
    ids: Sequence[str], generator: Generator
) -> tuple[dict[str, str], list[str], list[str]]:
    """FiQA's numbers as ids: of a collection's documents, of those that fill it up to FiQA's size,
    and of the empty ones, among which are the known."""
    drawn = generator.choice(HIGHEST_ID, size=FIQA + len(KNOWN), replace=False).astype(str)
    free = [one for one in drawn.tolist() if one not in KNOWN]
    unknown = EMPTY["FiQA"] - len(KNOWN)
    empties, others = [*KNOWN, *free[:unknown]], free[unknown : FIQA - len(KNOWN)]
    return dict(zip(ids, others, strict=False)), others[len(ids) :], empties


def renamed(ranked: Ranked, judged: Judged, names: Mapping[str, str]) -> tuple[Ranked, Judged]:
    """Rankings and judgments with other ids; a judged document that is absent keeps its own."""
    return (
        {query: [names[one] for one in documents] for query, documents in ranked.items()},
        {q: {names.get(d, d): grade for d, grade in judged[q].items()} for q in ranked},
    )
