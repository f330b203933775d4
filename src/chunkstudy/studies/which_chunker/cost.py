"""What an arm costs, counted and not timed: tokens encoded, chunks kept, tokens that are read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.library import Record
from chunkstudy.runs.names import parse_chunker, parse_ordering
from chunkstudy.studies.which_chunker.arms import EXCERPTS, IN_DOCUMENT, MEASURES, Method

IOU = "SpanIoU@5"
LLM_GUIDED = ("lumberchunker-released", "proposition-released")
ENCODED = "tokens encoded a token of text"
OPERATIONS = "million operations a token"
READ = "tokens that a reader gets"
"""Of the five chunks retrieved where excerpts are looked for, measured; of ten chunks of mean size
within a document; missing where whole documents are looked for."""
AVERAGED = "averaged"
"""The layout whose windows share half; others share what their ordering says, or nothing."""
SAME_TEXT = {"chroma": "chroma-within"}
"""Collections whose text was counted under another name."""


def of_chunks(
    task: str, method: Method, records: Sequence[Record], cost: pd.DataFrame
) -> dict[str, object]:
    """Chunks, their mean size in the task's tokens, what a reader gets, and what drawing boundaries
    needs."""
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    chunks = sum(record.run.counts.chunks for record in records)
    weighted = sum(r.run.sizes[unit].mean * r.run.counts.chunks for r in records) / chunks
    row: dict[str, object] = {"chunks": chunks, "mean tokens": weighted}
    if task == IN_DOCUMENT:
        row[READ] = int(MEASURES[task].partition("@")[2]) * weighted
    if task == EXCERPTS:
        row[IOU] = statistics.mean(records[0].wide[IOU])
        row["tokens read at 5"] = statistics.mean(records[0].wide["TokensRead@5"])
        row[READ] = row["tokens read at 5"]
        seen = cost[cost["chunker"] == method[0]]
        row["chunking s/M tokens"] = seen["chunking s/M tokens"].iloc[0] if len(seen) else np.nan
    return row | {"needs": _needs(method[0])}


def encoded(method: Method, records: Mapping[str, Record], sizes: pd.DataFrame) -> float:
    """Tokens that the encoder reads for every token of text: chunks with their two special tokens,
    or a mean document's windows. What a window cuts off a chunk is counted all the same. NaN where
    the size of a collection is not recorded."""
    if sizes.empty:
        return np.nan
    known = sizes.set_index("collection").to_dict("index")
    read = text = 0.0
    for name, record in records.items():
        counted = known.get(SAME_TEXT.get(name, name))
        if counted is None:
            return np.nan
        tokens, documents = counted["wordpiece_tokens"], counted["documents"]
        ordering = parse_ordering(method[1])
        if ordering.window:
            room = ordering.window - SPECIAL
            overlap = room - room // 2 if ordering.layout == AVERAGED else ordering.overlap
            windows = 1 + max(0, math.ceil((tokens / documents - room) / (room - overlap)))
            read += tokens + documents * ((windows - 1) * overlap + windows * SPECIAL)
        else:
            size = record.run.sizes["wordpiece"].mean
            read += record.run.counts.chunks * (size + SPECIAL)
        text += tokens
    return read / text


def _needs(chunker: str) -> str:
    spec = parse_chunker(chunker)
    if spec.llm or spec.name in LLM_GUIDED:
        return "an LLM"
    if spec.reader:
        return "a causal model"
    return "an encoder" if spec.needs_encoder else "nothing"
