"""What others do otherwise where they chunk late, and what it costs by DCG@10 or nDCG@10.

Families: the decisions of one tool on one collection; the layouts of windows there; the chunkers of
one collection and window with a [SEP] between chunks, against late chunking as it comes and against
plain; an official protocol against the corrected one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import HIGHER, Pair, at, differences
from chunkstudy.runs.conditions import NONE
from chunkstudy.show.scores import Scores
from chunkstudy.show.study import Study
from chunkstudy.studies.conformance.arms import (
    APART,
    APART_CLS,
    DISJOINT,
    MEASURE,
    OURS,
    SIDE,
)
from chunkstudy.studies.conformance.readings import AFTERTHOUGHTS, CHONKIE, CONTEB

K = 10
EVERYTHING = "all of them"
UNREAD = "what lies beyond the window has no vector"


DECISIONS = (
    (CHONKIE, EVERYTHING, CHONKIE, OURS[256]),
    (CHONKIE, "neighbouring windows share no tokens", DISJOINT, OURS[256]),
    (
        CHONKIE,
        "special tokens for two tokens of every window, counts for offsets, and chunks read by "
        "themselves where counts run over",
        CHONKIE,
        DISJOINT,
    ),
    (CONTEB, EVERYTHING, CONTEB, OURS[256]),
    (CONTEB, "whole chunks in windows that share nothing", SIDE, OURS[256]),
    (CONTEB, "a [SEP] between chunks", APART, SIDE),
    (CONTEB, "[CLS] counts to the first chunk", APART_CLS, APART),
    (CONTEB, UNREAD, CONTEB, APART_CLS),
    (AFTERTHOUGHTS, EVERYTHING, AFTERTHOUGHTS, OURS[512]),
)
"""What a tool does otherwise: the tool, the decision, and two ways to read that differ in nothing
else, with it and without."""


def decisions(scores: pd.DataFrame) -> pd.DataFrame:
    """The score with a decision minus the score without it, a row per tool, decision, collection
    and chunker.

    Args:
        scores: the table ``scores`` of the experiment.
    """
    pairs = [
        Pair(
            {"measure": MEASURE, "tool": tool, "decision": what} | keys,
            arms[arm],
            arms[against],
        )
        for keys, arms in _measured(scores)
        for tool, what, arm, against in DECISIONS
    ]

    family = "decisions of {tool} on a part of {collection}"
    return differences(pairs, family, "with", "without")


def separated(
    study: Study,
    collections: Sequence[str],
    chunkers: Sequence[str],
    encoder: str,
    windows: Sequence[int],
    protocol: str,
) -> pd.DataFrame:
    """The score with a [SEP] between chunks minus late chunking as it comes and minus plain."""
    pairs = []
    for collection in collections:
        for window in windows:
            late = f"contextualized-{window}"
            apart, other, plain = (
                study.runs(
                    collection, chunkers, encoder, window, protocol, ordering=ordering
                ).scores(K)
                for ordering in (f"{late}-separated", late, "pre_embedding")
            )
            for against, second in (("late", other), ("plain", plain)):
                keys = {"collection": collection, "model": encoder, "window": window}
                pairs += _paired(apart, second, keys | {"against": against})

    family = "a separator between chunks, {against}, {collection}, {window}"
    return differences(pairs, family, "separated", "other")


def protocols(
    study: Study,
    chunkers: Mapping[str, Sequence[str]],
    encoder: str,
    window: int,
    published: str,
    corrected: str,
) -> pd.DataFrame:
    """An official protocol minus the corrected one, plain and late, the same chunker.

    Args:
        chunkers: by collection; whole documents differ where they are read late only.
        published: a protocol; ``corrected`` the other.
    """
    pairs = []
    for collection, every in chunkers.items():
        for ordering in ("pre_embedding", f"contextualized-{window}"):
            some = [one for one in every if one != NONE or ordering != "pre_embedding"]
            ours, theirs = (
                study.runs(collection, some, encoder, window, one, ordering=ordering).scores(K)
                for one in (corrected, published)
            )
            pairs += _paired(theirs, ours, {"collection": collection, "ordering": ordering})
    name = f"{published} against {corrected}"
    return differences(pairs, name, "as_published", "corrected")


def quote(study: Study, averaged: pd.DataFrame) -> None:
    """Keep what the paper says of the one tool that averages.

    Args:
        averaged: the rows of :func:`decisions` of it.
    """
    ends = {"least": ("covid-qa-within", "sentence-5"), "most": ("chroma-within", "fixed-64")}
    for name, (collection, chunker) in ends.items():
        for _, row in at(averaged, collection=collection, chunker=chunker).iterrows():
            study.estimate(f"tools/{name}", row, HIGHER)
    study.says("tools-that-ship-late-chunking")


def _measured(scores: pd.DataFrame) -> Iterator[tuple[dict[str, object], pd.DataFrame]]:
    """By collection and chunker, a row a question and a column a way to read."""
    keys = ["collection", "chunker"]
    for of, one in scores.groupby(keys, sort=False):
        arms = one.set_index(one["query_id"].astype(str))
        yield dict(zip(keys, map(str, of), strict=True)), arms


def _paired(first: Scores, second: Scores, keys: Mapping[str, object]) -> list[Pair]:
    measure = first.measures[0]
    return [
        Pair(
            {"measure": measure, **keys, "chunker": one},
            first.of(one, measure),
            second.of(one, measure),
            first.documents,
        )
        for one in first.runs
    ]
