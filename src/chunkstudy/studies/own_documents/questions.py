"""Question by question: why the worst ones are missed, where excerpts are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.evaluation.measures.excerpts import found_first
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.studies.own_documents.pipeline import Ints, Pipeline, Result
from chunkstudy.study.inspector import pages as inspector
from chunkstudy.study.inspector.inspection import RERANKER, WORDS, Searched

WORST = 20
FILE = "questions.html"


def write(pipeline: Pipeline, ranked: Sequence[Result], scores: pd.DataFrame, folder: Path) -> Path:
    """Pages of the questions that are answered worst over all systems, and their index.

    Args:
        pipeline: of questions that are judged by excerpts.
        ranked: the systems, best first.
        scores: of every question under each of them.
        folder: to write into.
    """
    collection = pipeline.collection
    hardest = scores.drop(columns="question").mean(axis=1).sort_values(kind="stable")
    few = collection.only(hardest.index[:WORST].tolist())
    systems = [result.system for result in ranked]
    inspected = []
    for result in ranked:
        system, index = result.system, result.index
        every = pipeline.search(system, index, few)(len(index.chunks))
        ranking = best_of_each(every, index.place)
        by = system.retriever
        store = None if by.words or by.reranker else pipeline.store(by)
        searched = Searched(
            by.slug,
            found_first(few, pipeline.texts.copies, index.returned, ranking),
            index.returned,
            ranking,
            CORRECTED,
            _read_to(result),
            store,
            store.encode([query.text for query in few.queries], "query") if store else None,
            RERANKER if by.reranker else WORDS,
        )
        inspected.append(searched.inspect(system.label(systems), pipeline.cutoff))
    pages = list(zip(*inspected, strict=True))
    return inspector.write_worst(pages, few, folder / FILE, WORST, len(collection.queries))


def _read_to(result: Result) -> Ints:
    """Where the encoder's window ends in what is returned; at its end where another text is
    matched."""
    returned, chunks = result.index.returned, result.index.chunks
    if result.read is None or chunks.text is not None or len(returned) != len(chunks):
        return returned.end.copy()
    return np.minimum(returned.start + result.read, returned.end)
