"""Question by question: why the worst ones are missed, where excerpts are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.evaluation.measures.copies import found_first
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.runs.conditions import Condition
from chunkstudy.show.inspector import pages as inspector
from chunkstudy.show.inspector.inspection import Searched
from chunkstudy.studies.own_documents.experiment import Experiment, Result, Settings

WORST = 20
FILE = "questions.html"


class OwnCondition(Condition):
    """What the inspector calls a system; its parts may stand in no table of the study, and none is
    looked up."""

    def __post_init__(self) -> None:
        pass


def write(
    experiment: Experiment, ranked: Sequence[Result], settings: Settings, folder: Path
) -> Path:
    """Pages of the questions that are answered worst over all systems, and their index.

    Args:
        experiment: judged by excerpts.
        ranked: the systems, best first.
        settings: what is measured.
        folder: to write into.
    """
    collection, measure = experiment.collection, settings.measures[0]
    mean = pd.concat([result.scores[measure] for result in ranked], axis=1).mean(axis=1)
    worst = mean.sort_values(kind="stable").index[:WORST].tolist()
    few, first = collection.only(worst), ranked[0].judged.only(worst)
    systems = [result.system for result in ranked]
    searched: dict[str, dict[str, Searched]] = {}
    for result in ranked:
        system, index = result.system, result.index
        search, of_queries = experiment.search(system, index, few)
        ranking = best_of_each(search(len(index.chunks)), index.place)
        searched[system.label(systems)] = {
            CORRECTED.name: Searched(
                OwnCondition(
                    collection.name,
                    system.chunker.slug,
                    system.retriever.slug,
                    str(system.method),
                    CORRECTED.name,
                ),
                first,
                None if system.retriever.words else experiment.store(system),
                index.returned,
                of_queries,
                ranking,
                _read_to(result),
                found=found_first(few, experiment.texts.copies, index.returned, ranking),
            )
        }
    pages = inspector.pages_of(few, searched, CORRECTED.name, settings.k)
    texts = {document.id: document.text for document in collection.documents}
    return inspector.write_worst(pages, texts, folder / FILE, WORST, len(collection.queries))


def _read_to(result: Result) -> np.ndarray:
    """Where the encoder's window ends in what is returned; at its end where another text is
    matched."""
    returned, chunks = result.index.returned, result.index.chunks
    if result.read is None or chunks.text is not None or len(returned) != len(chunks):
        return returned.end.copy()
    return np.minimum(returned.start + result.read, returned.end)
