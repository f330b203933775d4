"""What the tools gave, kept as a few coordinates of each vector, beside what we make of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.spans import Document
from chunkstudy.encoders.contextualized import in_sequence, most_context
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.conformance import readings
from chunkstudy.studies.conformance.readings import CONTEB, TOOLS, WINDOWS, Text

RECORDED = Path(__file__).with_name("recorded.csv")
"""A row per chunk: what a tool's own code gave, written by ``tests/late_chunking_elsewhere.py``."""
EVERY = 24
"""Each 24th of a vector's 384 coordinates is kept."""
COORDINATES = [f"coordinate {i}" for i in range(0, 384, EVERY)]
EQUAL = 1e-5
"""Vectors have length 1; two that differ by less in every coordinate count as the same."""


def compared(context: Context, collections: Sequence[str]) -> pd.DataFrame:
    """A row per tool, collection, chunker and whether a text fits one of the tool's windows.

    ``given`` of the ``chunks`` have a vector; ``apart`` is the largest difference of a coordinate
    between what the tool gave and what our reading of its decisions gives, of the coordinates kept,
    ``apart when recorded`` of all; ``equal to ours`` counts the vectors that late chunking as done
    here gives too (with a [SEP] between chunks for the tool that puts one), ``apart from ours`` is
    the largest difference from these.
    """
    recorded = pd.read_csv(context.read(RECORDED), dtype={"version": str})
    encoder = cast(TransformerEncoder, context.store(MINILM).encoder)
    documents = {
        (name, document.id): document
        for name in collections
        for document in context.collection(name).documents
    }
    rows = []
    by = ["tool", "version", "collection", "chunker", "document"]
    for of, one in recorded.groupby(by, sort=False):
        tool, version, name, chunker, document = map(str, of if isinstance(of, tuple) else (of,))
        if (name, document) not in documents:
            continue
        text, theirs = as_tool(encoder, tool, documents[name, document], one)
        ours = as_here(encoder, text, tool)
        given = one["given"].to_numpy(dtype=bool)
        few = one.loc[given, COORDINATES].to_numpy()
        rows.append(
            {
                "tool": tool,
                "version": version,
                "collection": name,
                "chunker": chunker,
                "windows": "one" if len(text.content) + 2 <= WINDOWS[tool] else "several",
                "texts": 1,
                "chunks": len(one),
                "given": int(given.sum()),
                "apart": float(np.abs(few - theirs[given][:, ::EVERY]).max()),
                "apart when recorded": float(one["apart"].max()),
                "equal to ours": int((np.abs(theirs - ours)[given].max(axis=1) < EQUAL).sum()),
                "apart from ours": float(np.abs(theirs - ours)[given].max()),
            }
        )
    keys = ["tool", "version", "collection", "chunker", "windows"]
    largest = dict.fromkeys(("apart", "apart when recorded", "apart from ours"), "max")
    added = dict.fromkeys(("texts", "chunks", "given", "equal to ours"), "sum")
    table = pd.DataFrame(rows)
    found = table.groupby(keys, sort=False).agg(added | largest).reset_index()
    return found[[*keys, *(name for name in table.columns if name not in keys)]]


def as_tool(
    encoder: TransformerEncoder, tool: str, document: Document, chunks: pd.DataFrame
) -> tuple[Text, NDArray[np.float32]]:
    """A document's tokens and the vectors that a tool's decisions give, (chunks, dimension).

    Args:
        tool: one of ``TOOLS``.
        chunks: ``start`` and ``end`` of each.
    """
    starts, stops = (chunks[name].to_numpy(dtype=np.int64) for name in ("start", "end"))
    text = Text.of(encoder, document.text, starts, stops)
    read = TOOLS[tool](encoder, text, WINDOWS[tool])
    return text, read.pool(encoder.states([read.layout])[0].cpu().numpy())


def as_here(encoder: TransformerEncoder, text: Text, tool: str) -> NDArray[np.float32]:
    """The vectors of late chunking as it is done here, at the tool's window."""
    window = WINDOWS[tool]
    if tool == CONTEB:
        read = readings.apart(encoder, text, window)
        return encoder.pool([read.layout], [read.spans])[0]
    layout = most_context(text.content, frame_of(encoder, window), window // 4)
    return encoder.pool([layout], [in_sequence(text.places, document_ends=False)])[0]
