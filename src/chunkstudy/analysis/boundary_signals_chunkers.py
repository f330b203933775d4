"""Chunkers that cut by a causal model's signals, against the others on the same collection."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from chunkstudy.analysis.paired import Keys, Pair, differences
from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.library import Library, Record
from chunkstudy.protocols import CORRECTED

EXCERPTS = ("SpanRecall@5", "SpanIoU@5")
MEASURES = {"builtin": EXCERPTS, "chroma": EXCERPTS, "builtin-graded": ("nDCG@10",)}
SIGNAL, OTHER = "by the signal", "by the other"


def table(library: Library) -> pd.DataFrame:
    """The signal chunker's score minus another's, a row per pair, ordering and measure; chunkers
    without overlap, under the corrected protocol, with the same encoder. A family is one
    collection, ordering and measure."""
    found = {
        condition: record
        for condition in library
        if condition.collection in MEASURES
        and condition.protocol == CORRECTED.name
        and not _overlaps(condition.chunker)
        and (record := library.get(condition)) is not None
    }
    return differences(_pairs(found), _family, SIGNAL, OTHER)


def _pairs(found: dict[Condition, Record]) -> Iterator[Pair]:
    for own, record in found.items():
        if not catalogue.parse(own.chunker).reader:
            continue
        for other, against in found.items():
            same = all(
                getattr(own, one) == getattr(other, one)
                for one in ("collection", "encoder", "ordering")
            )
            if not same or catalogue.parse(other.chunker).reader:
                continue
            for measure in MEASURES[own.collection]:
                keys = {
                    "collection": own.collection,
                    "encoder": own.encoder,
                    "ordering": own.ordering,
                    "chunker": own.chunker,
                    "other": other.chunker,
                    "measure": measure,
                    "tokens": record.run.sizes["cl100k"].mean,
                    "other tokens": against.run.sizes["cl100k"].mean,
                }
                if measure in record.wide and measure in against.wide:
                    yield Pair(keys, record.wide[measure], against.wide[measure])


def _overlaps(slug: str) -> bool:
    spec = catalogue.parse(slug)
    return spec.entry.overlaps and spec.sizes[1] > 0


def _family(keys: Keys) -> str:
    return f"signal chunker, {keys['collection']}, {keys['ordering']}, {keys['measure']}"
