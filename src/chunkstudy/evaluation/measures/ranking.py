"""Measures of ranked documents, as trec_eval computes them.

Source: ir-measures over pytrec_eval. Its nDCG takes the grade itself as gain (not 2^grade - 1) and
log2(rank + 1) as discount; grades of 0 and below gain nothing. The ideal and the recall count every
judged document of a query, also those that the corpus lacks. A query that retrieves nothing
relevant scores 0; a query without any relevant document has no ideal and is left out. trec_eval
re-sorts a run by score and breaks ties by id; it is given strictly decreasing scores here, so the
order scored is the order of the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ir_measures
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.core.spans import Collection
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking

MEASURES = ("nDCG@10", "R@10", "R@100")


def judged_documents(collection: Collection) -> dict[str, dict[str, int]]:
    """Query id to document id to grade, that of the best judged span; absent documents included.

    Queries stand in the collection's order; those without judgments have an empty mapping.
    """
    grades: dict[str, dict[str, int]] = {query.id: {} for query in collection.queries}
    judged = [(j.query, j.document, j.grade) for j in collection.judgments]
    for query, document, grade in (*judged, *collection.absent):
        grades[query][document] = max(grade, grades[query].get(document, grade))
    return grades


def per_query(
    collection: Collection, ranking: Ranking, measures: Sequence[str] = MEASURES
) -> pd.DataFrame:
    """Score every query that has a relevant document.

    Args:
        ranking: a row for each of the collection's queries, in their order; a row of padding is
            a query that retrieved nothing.
        measures: ir-measures' names, such as ``nDCG@10``.

    Returns:
        A row a query, by its id, and a column a measure; values are fractions.

    Raises:
        ValueError: if the ranking is too shallow for a measure's cut-off, or a measure is not one
            that pytrec_eval computes.
    """
    parsed = {name: _parse(name, ranking) for name in measures}
    judged = {
        query: grades
        for query, grades in judged_documents(collection).items()
        if max(grades.values(), default=0) > 0
    }
    ids = [document.id for document in collection.documents]
    depth = ranking.chunk.shape[1]
    run = {
        query.id: {ids[d]: float(depth - i) for i, d in enumerate(row) if d != NO_CHUNK}
        for query, row in zip(collection.queries, ranking.chunk.tolist(), strict=True)
        if query.id in judged
    }
    evaluator = ir_measures.pytrec_eval.evaluator(set(parsed.values()), judged)
    values = {(str(m.measure), m.query_id): m.value for m in evaluator.iter_calc(run)}
    columns = {
        name: [float(values[str(measure), query]) for query in judged]
        for name, measure in parsed.items()
    }
    return pd.DataFrame(columns, pd.Index(list(judged), name="query_id"))


def tie_bounds(
    collection: Collection, ranking: Ranking, measure: str = "nDCG@10"
) -> tuple[float, float]:
    """The worst and the best mean that any order of documents with equal scores would give.

    Documents that tie with the last one inside the cut-off are candidates too, so the ranking
    must reach past all of them. Documents that a depth of chunks kept out
    are not seen.

    Raises:
        ValueError: as ``per_query``.
    """
    grades = _grades(collection, ranking)
    group = np.zeros(ranking.score.shape, dtype=np.int64)
    group[:, 1:] = np.cumsum(ranking.score[:, 1:] != ranking.score[:, :-1], axis=1)
    means = []
    for gain in (grades, -grades):
        order = np.lexsort((gain, group), axis=1)
        document = np.take_along_axis(ranking.chunk, order, axis=1)
        scores = per_query(collection, replace(ranking, chunk=document), (measure,))
        means.append(float(scores[measure].mean()))
    return means[0], means[1]


def _parse(name: str, ranking: Ranking) -> ir_measures.Measure:
    try:
        measure = ir_measures.parse_measure(name)
        known = ir_measures.pytrec_eval.supports(measure)
    except (NameError, ValueError, AssertionError) as error:
        raise ValueError(f"{name!r} is not the name of a measure; see ir-measures") from error
    if not known:
        raise ValueError(f"{name} is not a measure that pytrec_eval computes; choose another")
    depth = ranking.chunk.shape[1]
    if measure.params.get("cutoff", 0) > depth:
        raise ValueError(f"the ranking holds {depth} documents and {name} needs more; rank deeper")
    return measure


def _grades(collection: Collection, ranking: Ranking) -> NDArray[np.int64]:
    """What each ranked document gains, shape (queries, depth)."""
    positions = collection.positions
    gains = np.zeros(ranking.chunk.shape, dtype=np.int64)
    for row, grades in enumerate(judged_documents(collection).values()):
        for document, grade in grades.items():
            if document in positions:
                gains[row, ranking.chunk[row] == positions[document]] = max(grade, 0)
    return gains
