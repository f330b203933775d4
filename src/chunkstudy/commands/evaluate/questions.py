"""Question by question: why the worst ones are missed, where excerpts are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.commands.evaluate.running import Ran, label, searching
from chunkstudy.commands.evaluate.scores import found_first
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from chunkstudy.show.inspector import pages as inspector
from chunkstudy.show.inspector.inspection import Searched

WORST = 20
FILE = "questions.html"


def write(texts: Texts, ran: Sequence[Ran], measure: str, k: int, vectors: Path, to: Path) -> Path:
    """Pages of the questions that are answered worst, and their index.

    Args:
        texts: judged by excerpts.
        ran: the arms, best first.
        measure: what tells the worst, its mean over all arms.
        k: chunks that count as read.
        vectors: the folder of the stores, which hold all vectors by now.
        to: the folder to write into.
    """
    mean = pd.concat([one.scores[measure] for one in ran], axis=1).mean(axis=1)
    worst = mean.sort_values(kind="stable").index[:WORST].tolist()
    among = [one.arm for one in ran]
    few = texts.collection.only(worst)
    first = ran[0].judged.only(worst)
    searched: dict[str, dict[str, Searched]] = {}
    for one in ran:
        arm, (returned, which) = one.arm, one.indexed.returned
        store = arm.encoder.open(vectors)
        search, of_queries = searching(texts, arm, store, one.indexed, few.queries)
        ranking = best_of_each(search(len(one.indexed.chunks)), which)
        searched[label(arm, among)] = {
            arm.condition.protocol: Searched(
                arm.condition,
                first,
                None if arm.encoder.words else store,
                returned,
                of_queries,
                ranking,
                _read_to(one),
                found=found_first(few, texts.copies, returned, ranking),
            )
        }
    pages = inspector.pages_of(few, searched, ran[0].arm.condition.protocol, k)
    by_id = {document.id: document.text for document in texts.collection.documents}
    return inspector.write_worst(pages, by_id, to / FILE, WORST, len(texts.collection.queries))


def _read_to(one: Ran) -> np.ndarray:
    """Where the encoder's window ends in what is returned; at its end where another text is
    matched."""
    (returned, _), chunks = one.indexed.returned, one.indexed.chunks
    if one.read is None or chunks.text is not None or len(returned) != len(chunks):
        return returned.end.copy()
    return np.minimum(returned.start + one.read, returned.end)
