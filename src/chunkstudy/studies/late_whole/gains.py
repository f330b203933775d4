"""What late chunking gains where documents are looked for, and what short last chunks have to do
with it. Differences are fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.late_whole.reading import Both


def gains(arms: Iterable[Both], kind: str) -> pd.DataFrame:
    """Late minus plain chunking, a row a collection, chunker, window and protocol; corrected over
    the rows of one protocol and window.

    Args:
        arms: both ways.
        kind: what is embedded, as the family of these comparisons calls it.
    """
    pairs = [
        Pair(
            one.keys(
                chunker=chunker,
                window=one.window,
                cut="yes" if chunker in one.cut else "no",
                ordering=f"contextualized-{one.window}",
            ),
            one.late[chunker],
            one.plain[chunker],
        )
        for one in arms
        for chunker in one.late
    ]
    family = f"{kind}, {{protocol}}, {{window}} tokens"
    found = differences(pairs, family, "contextualized", "plain")
    return found.sort_values(["collection", "chunker"], kind="stable", ignore_index=True)


def without_tails(arms: Iterable[Both], cut: str, remedies: Sequence[str]) -> pd.DataFrame:
    """Chunks whose short last ones are merged or dropped minus the same with them, late and plain;
    corrected over the rows of one protocol and ordering.

    Args:
        arms: with all these chunkers.
        cut: the chunker that leaves short last chunks.
        remedies: those that do not.
    """
    pairs = [
        Pair(one.keys(chunker=remedy, ordering=ordering), scores[remedy], scores[cut])
        for one in arms
        for ordering, scores in one.by_ordering.items()
        for remedy in remedies
    ]
    family = "short last chunks, {ordering}, {protocol}"
    return differences(pairs, family, "without short tails", "with short tails")


def left_of_gains(arms: Iterable[Both], cut: str, remedies: Sequence[str]) -> pd.DataFrame:
    """The gain of late chunking with short last chunks minus that without them, question by
    question; corrected over the rows of one protocol. Arguments as of :func:`without_tails`."""
    pairs = [
        Pair(
            {
                "collection": one.collection,
                "protocol": one.protocol,
                "encoder": one.encoder,
                "remedy": remedy,
            },
            (one.late - one.plain)[cut],
            (one.late - one.plain)[remedy],
        )
        for one in arms
        for remedy in remedies
    ]
    family = "gain lost with short last chunks, {protocol}"
    return differences(pairs, family, "gain", "gain without short tails")
