"""Question by question: why the worst ones are missed, where excerpts are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.evaluation.measures.excerpts import found_first
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.user_data.chunk_index import Ints
from chunkstudy.user_data.inspector import pages as inspector
from chunkstudy.user_data.inspector.inspection import inspect
from chunkstudy.user_data.pipeline import Pipeline, Result
from chunkstudy.user_data.systems import labels

FILE = "questions.html"


def write(pipeline: Pipeline, ranked: Sequence[Result], folder: Path) -> Path:
    """Write pages of the questions that are answered worst in the first k chunks, and their index.

    Args:
        pipeline: questions that are judged by excerpts.
        ranked: the systems, best first.
        folder: the folder to write into.
    """
    collection = pipeline.collection
    recall = f"SpanRecall@{pipeline.cutoff}"
    scores = pd.concat([result.scores[recall] for result in ranked], axis=1)
    hardest = scores.mean(axis=1).sort_values(kind="stable")
    few = collection.only(hardest.index[: inspector.WORST].tolist())
    names = labels([result.system.keys for result in ranked])
    inspected = []
    for name, result in zip(names, ranked, strict=True):
        index = result.index
        every = pipeline.search(result.system, index, few)(len(index))
        ranking = best_of_each(every, index.returned_index)
        judged = found_first(few, pipeline.texts.copies, index.returned, ranking)
        found = inspect(name, judged, index.returned, ranking, _read_to(result), pipeline.cutoff)
        inspected.append(found)
    pages = list(zip(*inspected, strict=True))
    return inspector.write_worst(pages, few, folder / FILE, len(collection.queries))


def _read_to(result: Result) -> Ints:
    """Where the encoder's window ends in what is returned; at its end where another text is
    matched."""
    index, returned = result.index, result.index.returned
    rewritten = index.matched.text is not None
    if result.read is None or rewritten or index.is_small_to_large or len(returned) != len(index):
        return returned.end.copy()
    return np.minimum(returned.start + result.read, returned.end)
