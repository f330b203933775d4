"""Another measure of a run, from its kept ranking; nothing is encoded.

Chroma's rankings are too big to lie with its records (``rankings.py``). Of those that pages show,
the first ten chunks a question do; with the judged spans in ``results/facts`` they give another
cut-off without a text. Nothing in them is believed unless it gives the record's own scores.

Ranked documents take every measure that ``measures.ranking`` knows, by ir-measures' names. Ranked
chunks take ``SpanRecall@k``, ``SpanPrecision@k``, ``SpanIoU@k`` and ``SpanF1@k``, also with
``(unit=token)``, and, where chunks were judged one by one, ``DCG@k``.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from chunkstudy.collections.registry import load_collection
from chunkstudy.core import tokens
from chunkstudy.core.errors import RecordError, UserError
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection
from chunkstudy.evaluation.measures import ranking as document_measures
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, in_tokens
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.pipeline import facts, rankings, records, scoring
from chunkstudy.pipeline.conditions import Condition

SPAN = re.compile(r"(Span(?:Recall|Precision|IoU|F1))(\(unit=token\))?@([1-9]\d*)")
FIRST_HIT = re.compile(r"DCG@([1-9]\d*)")
CHECKED = "SpanRecall@5"


def values(run: records.Run, measure: str, ranking: pd.DataFrame) -> pd.Series:
    """Another measure of a run by query id, unrounded.

    Raises:
        UserError: if the collection here is another one, or the ranking does not give it.
    """
    collection = load_collection(run.collection)
    if collection.digest() != run.collection_sha256:
        raise UserError(
            f"the collection {run.collection} that is here is not the one of {run.path}; "
            "fetch the one whose digest its record holds, or run the condition again"
        )
    if "start" in ranking:
        return of_chunks(collection, run.path, measure, ranking)
    return of_documents(collection, measure, ranking)


def first_chunks(places: Project, run: records.Run) -> pd.DataFrame | None:
    """The first chunks of a record, ``query, document, start, end``, best first; None where none
    are kept.

    Raises:
        RecordError: if they do not give the record's scores.
    """
    record = records.read(places.runs, run.condition)
    chunks = record.first_chunks()
    if chunks is None:
        return None
    scores = without_texts(places, record.run, CHECKED, chunks)
    if scores is None or not np.array_equal(scores, record.scores[CHECKED]):
        raise RecordError(
            f"{records.rankings_path(places.runs, run)} holds chunks that are not of the record of "
            f"{run.condition}; run it again"
        )
    return chunks


def without_texts(
    places: Project, run: records.Run, measure: str, ranking: pd.DataFrame
) -> pd.Series | None:
    """A measure of spans by query id, six decimals, from what is stored of the collection; None
    where that is nothing, or where the measure needs the text."""
    judged = facts.judged(places, run.collection)
    match = SPAN.fullmatch(measure)
    if judged is None or match is None or match[2] or int(match[3]) > rankings.DEPTH:
        return None
    scores = of_spans(judged, ranking, match[1], int(match[3]))
    ids = facts.read(places, run.collection)["query_id"]
    return scoring.six_decimals(pd.Series(scores, ids))


def of_documents(collection: Collection, measure: str, ranking: pd.DataFrame) -> pd.Series:
    """A measure of ranked documents by query id."""
    if "@" not in measure:
        raise UserError(
            f"{measure} reads a whole ranking and {rankings.DEPTH} documents are kept of each; "
            f"name a cut-off, such as {measure}@{rankings.DEPTH}"
        )
    chunks = rankings.every_row(len(collection.queries), ranking)
    documents = best_of_each(chunks, ranking["document"].to_numpy(np.int64))
    return document_measures.per_query(collection, documents, (measure,))[measure]


def of_chunks(
    collection: Collection, condition: Condition | str, measure: str, ranking: pd.DataFrame
) -> pd.Series:
    """A measure of ranked chunks by query id."""
    ids = [query.id for query in collection.queries]
    span, first_hit = SPAN.fullmatch(measure), FIRST_HIT.fullmatch(measure)
    cut = int(span[3] if span else first_hit[1] if first_hit else 0)
    if cut > rankings.DEPTH:
        raise UserError(f"{measure} reads {cut} chunks and {rankings.DEPTH} are kept of each")
    if span and span[2]:
        offsets = [tokens.cl100k_offsets(document.text) for document in collection.documents]
        overlap = in_tokens(collection, rankings.spans(ranking), offsets)
        return pd.Series(overlap.at(rankings.rows(len(ids), ranking), cut)[span[1]], ids)
    if span:
        return pd.Series(of_spans(JudgedSpans.of(collection), ranking, span[1], cut), ids)
    if first_hit and "relevant" in ranking:
        rank = ranking.groupby("query").cumcount()[ranking["relevant"]] + 1
        best = rank.groupby(ranking["query"]).min().reindex(range(len(ids))).to_numpy()
        return pd.Series(np.where(best <= cut, 1 / np.log2(best + 1), 0.0), ids)
    known = "SpanRecall@k, SpanPrecision@k, SpanIoU@k, SpanF1@k, also as SpanRecall(unit=token)@k"
    raise UserError(
        f"{condition} keeps ranked chunks, which do not give {measure}; use {known}"
        + (", or DCG@k" if "relevant" in ranking else "")
    )


def of_spans(judged: JudgedSpans, ranking: pd.DataFrame, name: str, cut: int) -> np.ndarray:
    """A measure of ranked chunks, shape (queries,), from spans alone, whatever a hit is.

    Args:
        judged: in characters.
        ranking: ``query, document, start, end``, best first.
        name: ``SpanRecall``, ``SpanPrecision``, ``SpanIoU`` or ``SpanF1``.
    """
    overlap = TokenOverlap(judged, rankings.spans(ranking), "overlap")
    return overlap.at(rankings.rows(judged.queries, ranking), cut)[name]
