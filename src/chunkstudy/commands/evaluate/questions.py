"""Question by question: why the worst ones are missed, where excerpts are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.commands.evaluate.arms import OwnCondition
from chunkstudy.commands.evaluate.running import Ran, label
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.runs.encoding import encode, parse_ordering
from chunkstudy.show.inspector import pages as inspector
from chunkstudy.show.inspector.inspection import Searched, only_queries, search_chunks

WORST = 20
MOST_ARMS = 4
"""Columns that a page can be read with: the best arms."""
FILE = "questions.html"


def write(texts: Texts, ran: Sequence[Ran], measure: str, k: int, vectors: Path, to: Path) -> Path:
    """Pages of the questions that are answered worst, and their index.

    Args:
        texts: judged by excerpts.
        ran: the arms, best first; the first few are shown.
        measure: what tells the worst, its mean over all arms.
        k: chunks that count as read.
        vectors: the folder of the stores, which hold all vectors by now.
        to: the folder to write into.
    """
    mean = pd.concat([one.outcome.scores[measure] for one in ran], axis=1).mean(axis=1)
    worst = mean.sort_values(kind="stable").index[:WORST].tolist()
    among = [one.arm for one in ran]
    few = only_queries(texts.collection, worst)
    searched: dict[str, dict[str, Searched]] = {}
    for one in ran[:MOST_ARMS]:
        condition: OwnCondition = one.arm.condition
        store = one.arm.encoder.open(vectors)
        protocol = PROTOCOLS[condition.protocol]
        chunks, ordering = one.outcome.chunks, parse_ordering(condition.ordering)
        found, _ = encode(store, few.documents, chunks, ordering, protocol)
        result = search_chunks(condition, few, store, chunks, found)
        searched[label(one.arm, among)] = {condition.protocol: result}
    pages = inspector.pages_of(few, searched, ran[0].arm.condition.protocol, k)
    by_id = {document.id: document.text for document in texts.collection.documents}
    return inspector.write_worst(pages, by_id, to / FILE, WORST, len(texts.collection.queries))
