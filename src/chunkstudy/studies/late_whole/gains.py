"""What late chunking gains where documents are looked for, and what short last chunks have to do
with it. Differences are fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.evaluation.statistics.differences import (
    HIGHER,
    LOWER,
    NOT_SHOWN,
    Pair,
    at,
    differences,
)
from chunkstudy.runs.conditions import NONE, PRE_EMBEDDING, EncoderName
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.show.formats import (
    Column,
    Columns,
    number,
    whole,
)
from chunkstudy.show.study import Study

WHOLE = (NONE,)
"""The chunkers of documents that are not cut."""


@dataclass(frozen=True)
class Both:
    """Both ways of embedding the same chunks.

    Attributes:
        collection: its name.
        encoder: the slug of the model with its window.
        window: tokens read at once.
        protocol: whose rules.
        measure: such as ``nDCG@10``.
        late: a row a question and a column a chunker; fractions.
        plain: the same of chunks that are embedded by themselves.
        cut: the chunkers of which the window cuts a chunk that is embedded by itself.
    """

    collection: str
    encoder: str
    window: int
    protocol: str
    measure: str
    late: pd.DataFrame
    plain: pd.DataFrame
    cut: frozenset[str]

    def keys(self, **more: object) -> dict[str, object]:
        """The leading columns of a comparison."""
        how = {"protocol": self.protocol, "encoder": self.encoder, "measure": self.measure}
        return {"collection": self.collection, **more, **how}


def read(
    study: Study,
    chunkers: Mapping[str, Sequence[str]],
    encoder: str,
    window: int,
    protocols: Sequence[str],
    k: int,
) -> list[Both]:
    """Both ways, a protocol and collection each.

    Args:
        chunkers: by collection.
        protocols: whose rules. Plain documents that are not cut are the same by Jina's and by the
            corrected ones, which stand for both.
        k: how many documents are retrieved.
    """
    ordering, measure = f"contextualized-{window}", f"nDCG@{k}"
    found = []
    for protocol, (collection, some) in product(protocols, chunkers.items()):
        same = tuple(some) == WHOLE and protocol == AS_PUBLISHED_JINA.name
        of_plain = CORRECTED.name if same else protocol
        late = study.runs(collection, some, encoder, window, protocol, ordering=ordering)
        plain = study.runs(collection, some, encoder, window, of_plain)
        longest = {one.arm.name: one.run.sizes["wordpiece"].percentiles[-1] for one in late}
        found.append(
            Both(
                collection,
                str(EncoderName(encoder, window)),
                window,
                protocol,
                measure,
                late.scores(k=k).wide(measure),
                plain.scores(k=k).wide(measure),
                frozenset(name for name, size in longest.items() if size > window - SPECIAL),
            )
        )
    return found


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
        for ordering, scores in (
            (PRE_EMBEDDING, one.plain),
            (f"contextualized-{one.window}", one.late),
        )
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


AS_SIMILARITY: Columns = {
    **dict.fromkeys(("difference", "contextualized", "pre_embedding"), number),
    "n": Column("documents (of Emma: chunks)", whole),
}
LENGTHS = {
    "collection": "collection",
    "documents": "documents",
    "documents of several paragraphs": "several par.",
    "longer than 126 tokens": "> 126",
    "longer than 254 tokens": "> 254",
    "longer than 510 tokens": "> 510",
    "queries": "questions",
}
"""The heads of the paper's table of lengths."""
SHORTER = {
    "Chroma, each corpus by itself": "Chroma",
    "COVID-QA, each paper by itself": "COVID-QA",
    "GutenQA, Emma": "Emma",
}
TAILED, MERGED = "fixed-256", "fixed-merged-256-64"


def quote(study: Study, found: pd.DataFrame, mended: pd.DataFrame, tails: pd.DataFrame) -> None:
    """Keep what the paper quotes; nothing with other parameters than the study's own.

    Args:
        found: gains of late chunking over plain.
        mended: the same of chunks without short last ones.
        tails: what it changes to merge or drop these.
    """
    if not study.default:
        return
    own = at(found, protocol=CORRECTED.name)
    for word, name in ((HIGHER, "gain"), (NOT_SHOWN, "open")):
        count = int((own["shown"] == word).sum())
        study.number(f"late-in-corpora/{name}", count, holds=LOWER not in set(own["shown"]))
    study.number("late-in-corpora/n", len(own))
    for collection, chunker in (("arguana", "semantic"), ("nfcorpus", TAILED)):
        row = at(own, collection=collection, chunker=chunker).iloc[0]
        study.number(f"late-in-corpora-gains/{collection}", row, outcome=HIGHER)
    where = {"collection": "nfcorpus", "protocol": AS_PUBLISHED_JINA.name}
    plain = at(tails, ordering="pre_embedding", chunker=MERGED, **where)
    for name, frame, word in (
        ("before", at(found, chunker=TAILED, **where), HIGHER),
        ("after", at(mended, chunker=MERGED, **where), "equivalent"),
        ("plain", plain, HIGHER),
    ):
        row = frame.iloc[0]
        study.number(f"short-tails-gain/{name}", row, outcome=word)
