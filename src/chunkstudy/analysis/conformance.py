"""Late chunking as others ship it against ours: which vectors are equal, and what differs costs.

Families: the decisions of one tool on one collection; the chunkers of one encoder, collection and
window where a [SEP] between chunks is compared with late chunking as it comes, and with plain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.analysis.papers import with_papers
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.grids import WIDE
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED
from chunkstudy.studies.conformance.arms import (
    APART,
    APART_CLS,
    DISJOINT,
    MEASURE,
    OURS,
    SIDE,
)
from chunkstudy.studies.conformance.readings import AFTERTHOUGHTS, CHONKIE, CONTEB

Keys = Mapping[str, object]


@dataclass(frozen=True)
class Decision:
    """What a tool does otherwise, as two ways to read that differ in nothing else."""

    tool: str
    what: str
    arm: str
    against: str


DECISIONS = (
    Decision(CHONKIE, "all of them", CHONKIE, OURS[256]),
    Decision(CHONKIE, "neighbouring windows share no tokens", DISJOINT, OURS[256]),
    Decision(
        CHONKIE,
        "special tokens for two tokens of every window, counts for offsets, and chunks read by "
        "themselves where counts run over",
        CHONKIE,
        DISJOINT,
    ),
    Decision(CONTEB, "all of them", CONTEB, OURS[256]),
    Decision(CONTEB, "whole chunks in windows that share nothing", SIDE, OURS[256]),
    Decision(CONTEB, "a [SEP] between chunks", APART, SIDE),
    Decision(CONTEB, "[CLS] counts to the first chunk", APART_CLS, APART),
    Decision(CONTEB, "what lies beyond the window has no vector", CONTEB, APART_CLS),
    Decision(AFTERTHOUGHTS, "all of them", AFTERTHOUGHTS, OURS[512]),
)


def decisions(scores: pd.DataFrame) -> pd.DataFrame:
    """DCG@10 with a decision minus without it, a row per tool, decision, collection and chunker.

    Args:
        scores: the table ``scores`` of the study ``conformance``; may be empty.
    """
    pairs = []
    groups = scores.groupby(["collection", "chunker"], sort=False) if len(scores) else ()
    for (collection, chunker), one in groups:
        arms = one.set_index("query_id")
        for decision in DECISIONS:
            keys = {
                "measure": MEASURE,
                "tool": decision.tool,
                "decision": decision.what,
                "collection": collection,
                "chunker": chunker,
            }
            pairs.append(Pair(keys, arms[decision.arm], arms[decision.against]))

    def family(keys: Keys) -> str:
        return f"decisions of {keys['tool']} on a part of {keys['collection']}"

    return differences(pairs, family, "with", "without")


def against_plain(scores: pd.DataFrame, library: Library) -> pd.DataFrame:
    """DCG@10 of late chunking in windows of 512 minus plain chunking of the same text, by where the
    state of a token comes from: one window, ours, or all that read it, as AfterThoughts does.

    Args:
        scores: the table ``scores`` of the study ``conformance``; may be empty.
        library: the records.
    """
    pairs = []
    groups = scores.groupby(["collection", "chunker"], sort=False) if len(scores) else ()
    for key, one in groups:
        collection, chunker = map(str, key)
        arms = one.set_index(one["query_id"].astype(str))
        plain = library.get(Condition(collection, chunker, WIDE, PRE_EMBEDDING, CORRECTED.name))
        if plain is None:
            continue
        for layout in (OURS[512], AFTERTHOUGHTS):
            keys = {"measure": MEASURE, "layout": layout}
            keys |= {"collection": collection, "chunker": chunker}
            pairs.append(Pair(keys, arms[layout], plain.wide[MEASURE]))

    def family(keys: Keys) -> str:
        return f"layouts of windows against plain on a part of {keys['collection']}"

    return differences(pairs, family, "late", "plain")


def separated(library: Library, papers: pd.DataFrame) -> pd.DataFrame:
    """DCG@10 with a [SEP] between chunks minus late chunking as it comes and minus plain, wherever
    the records of both are there; ``against`` says which of the two.

    Args:
        library: the records.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA; may be empty.
    """
    pairs = []
    for one in library:
        apart = library.get(one) if one.ordering.startswith(CONTEXTUALIZED) else None
        if apart is None or not parse_ordering(one.ordering).apart:
            continue
        window = reading.window(one.ordering)
        for against in (f"{CONTEXTUALIZED}-{window}", PRE_EMBEDDING):
            other = library.get(replace(one, ordering=against))
            if other is None:
                continue
            keys = {
                "measure": MEASURE,
                "collection": one.collection,
                "encoder": one.encoder,
                "window": window,
                "against": "plain" if against == PRE_EMBEDDING else "late",
                "chunker": one.chunker,
            }
            pairs.append(Pair(keys, apart.wide[MEASURE], other.wide[MEASURE]))

    def family(keys: Keys) -> str:
        return (
            f"a separator between chunks against {keys['against']} chunking in "
            f"{keys['collection']}, {reading.model(str(keys['encoder']))} reading "
            f"{keys['window']} tokens"
        )

    return differences(with_papers(pairs, papers), family, "separated", "other")
