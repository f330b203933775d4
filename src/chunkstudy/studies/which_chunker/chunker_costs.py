"""What each chunker costs on Chroma's corpora: to cut them, to encode its chunks, and to read
them."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.runs import records
from chunkstudy.runs.conditions import PRE_EMBEDDING, Condition, parse_chunker
from chunkstudy.runs.library import Library, Record

COUNTED = ("chroma", PRE_EMBEDDING, CORRECTED.name)
"""The collection, ordering and protocol of the records that tell."""
NEARLY_ALL = 0.9
"""Share of the chunks that must have been encoded for the seconds to be those of the chunker: the
rest were found in the store, encoded for another one."""


def table(library: Library) -> pd.DataFrame:
    """Seconds per million tokens, chunks indexed and tokens the reader gets, a row a chunker and
    encoder.

    Seconds are missing where vectors came from the store, so that nothing was measured.
    """
    rows = []
    for condition in library:
        record = library.get(condition)
        told = (condition.collection, condition.ordering, condition.protocol)
        if told != COUNTED or record is None:
            continue
        timing = [records.read_timing(record.folder)]
        twin = library.get(replace(condition, protocol=AS_PUBLISHED_CHROMA.name))
        if twin is not None:
            timing.append(records.read_timing(twin.folder))
        rows.append(_row(condition, record, timing))
    return pd.DataFrame(rows)


def _row(condition: Condition, record: Record, timing: list[dict[str, float]]) -> dict[str, object]:
    millions = timing[0]["collection_tokens"] / 1e6
    encoded = max(timing, key=lambda t: t["encoded_texts"])
    whole = encoded["encoded_texts"] >= NEARLY_ALL * record.run.counts.chunks
    drawing = max(timing, key=lambda t: t["chunking_encoded_texts"])
    needs_encoder = parse_chunker(condition.chunker).needs_encoder
    drawn = drawing["chunking_encoded_texts"] > 0 or not needs_encoder
    return {
        "chunker": condition.chunker,
        "encoder": condition.encoder,
        "needs encoder": needs_encoder,
        "chunks": record.run.counts.chunks,
        "mean chunk tokens": record.run.sizes["cl100k"].mean,
        "chunking s/M tokens": timing[0]["chunking_seconds_without_encoding"] / millions,
        "chunking's encoding s/M tokens": (
            drawing["chunking_encoding_seconds"] / millions if drawn else None
        ),
        "encoding s/M tokens": encoded["encoding_seconds"] / millions if whole else None,
        "TokensRead@5": statistics.mean(record.wide["TokensRead@5"]),
        "TokensRead@10": statistics.mean(record.wide["TokensRead@10"]),
    }
