"""Ranked retrieval of documents, measured by ir-measures; ties and absences are counted.

ir-measures receives strictly decreasing scores, so no library orders documents again. nDCG has
trec_eval's linear gain; the ideal and recall's denominator include judged documents that the
corpus lacks.
"""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.document_retrieval import DocumentRanking
from chunkstudy.spans import Collection

MEASURES = ("nDCG@10", "R@10", "R@100")


def judged_documents(collection: Collection) -> dict[str, dict[str, int]]:
    """Query id to its relevant documents and their grades, absent ones included.

    A document's grade is the highest of its judged spans; queries without any are left out.
    """
    judged: dict[str, dict[str, int]] = {}
    spans = [(one.query, one.document, one.grade) for one in collection.judgments]
    for query, document, grade in [*spans, *collection.absent]:
        if grade > 0:
            grades = judged.setdefault(query, {})
            grades[document] = max(grade, grades.get(document, 0))
    return judged


def per_query(
    collection: Collection, ranking: DocumentRanking, measures: Sequence[str] = MEASURES
) -> pd.DataFrame:
    """Every measure of every judged query, as ``query_id, measure, value``.

    A query that retrieves nothing scores 0; one without judgments has no value and no row.

    Args:
        collection: with judged documents.
        ranking: of all its queries, as deep as the deepest measure.
        measures: in ir-measures' names.
    """
    judged = judged_documents(collection)
    run = _run(collection, ranking)
    asked = [ir_measures.parse_measure(name) for name in measures]
    found = {
        (row.query_id, str(row.measure)): row.value
        for row in ir_measures.iter_calc(asked, judged, run)
    }
    rows = [
        (query.id, name, found.get((query.id, str(measure)), 0.0))
        for name, measure in zip(measures, asked, strict=True)
        for query in collection.queries
        if query.id in judged
    ]
    return pd.DataFrame(rows, columns=["query_id", "measure", "value"])


def tie_bounds(
    collection: Collection, ranking: DocumentRanking, measure: str = "nDCG@10"
) -> tuple[float, float]:
    """Worst and best mean of a measure over all orders of documents that score the same.

    The ranking should reach beyond the measure's cut, since ties across it count as well.
    """
    judged = judged_documents(collection)
    names = [document.id for document in collection.documents]
    bounds = []
    for sign in (1, -1):
        document = ranking.document.copy()
        for row, query in enumerate(collection.queries):
            grades = judged.get(query.id, {})
            gain = np.array([grades.get(names[d], 0) if d >= 0 else 0 for d in document[row]])
            document[row] = document[row][np.lexsort((sign * gain, -ranking.score[row]))]
        ordered = DocumentRanking(document, ranking.score, ranking.ties_at_cut)
        bounds.append(float(per_query(collection, ordered, (measure,))["value"].mean()))
    return bounds[0], bounds[1]


def write_trec(ranking: DocumentRanking, collection: Collection, tag: str, depth: int = 20) -> str:
    """The run in TREC's form: query, Q0, document, rank from 1, score, tag."""
    names = [document.id for document in collection.documents]
    lines = [
        f"{query.id} Q0 {names[document]} {rank} {score:.6f} {tag}"
        for query, documents, scores in zip(
            collection.queries, ranking.document, ranking.score, strict=True
        )
        for rank, (document, score) in enumerate(
            zip(documents[:depth].tolist(), scores[:depth].tolist(), strict=True), start=1
        )
        if document >= 0
    ]
    return "\n".join([*lines, ""])


def _run(collection: Collection, ranking: DocumentRanking) -> dict[str, dict[str, float]]:
    """ir-measures' form of a ranking: the better the rank, the higher the score."""
    names = [document.id for document in collection.documents]
    depth = ranking.document.shape[1]

    def scores(documents: NDArray[np.int64]) -> dict[str, float]:
        return {names[d]: float(depth - i) for i, d in enumerate(documents.tolist()) if d >= 0}

    return {
        query.id: scores(documents)
        for query, documents in zip(collection.queries, ranking.document, strict=True)
    }
