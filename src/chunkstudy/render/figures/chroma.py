"""Figures of Chroma's study, drawn from records and the comparison."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import MINILM, NONE
from chunkstudy.grid.library import Library, Record
from chunkstudy.places import Places
from chunkstudy.protocols import CORRECTED
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import COLORS, LOG, Color, rows_named

FAMILIES = dict(
    zip(("recursive", "token", "cluster", "kamradt", "kamradt-modified"), COLORS, strict=False)
)


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of everything that the records allow."""
    library = Library(places)
    records = [
        record
        for condition in library
        if condition.collection == "chroma"
        and condition.protocol == CORRECTED.name
        and condition.ordering in ("none", "pre_embedding")
        and (record := library.get(condition)) is not None
    ]
    records = [one for one in records if _family(one.run.chunker) in FAMILIES]
    scored = [record for record in records if record.run.encoder == MINILM]
    named = {record.run.chunker for record in scored}
    free = [r for r in records if r.run.encoder == NONE and r.run.chunker not in named]
    yield "chroma_chunk_sizes", chunk_sizes(scored + free)


def chunk_sizes(records: list[Record]) -> Figure:
    """Where chunk sizes lie: 5 to 95% (thin), 25 to 75% (thick), median (bar), mean (dot)."""
    records = sorted(records, key=lambda record: record.run.sizes["cl100k"].mean)
    figure, axes = plt.subplots(figsize=(8.5, 0.3 * len(records) + 1))
    for row, record in enumerate(records):
        size = record.run.sizes["cl100k"]
        at, color = size.percentiles, _color(record.run.chunker)
        axes.plot([at[1], at[19]], [row, row], color=color, lw=1)
        axes.plot([at[5], at[15]], [row, row], color=color, lw=5, solid_capstyle="butt")
        axes.plot(at[10], row, "|", color="black", ms=9)
        axes.plot(size.mean, row, "o", color="black", ms=3.5)
    rows_named(axes, [display_names.chunker(record.run.chunker) for record in records])
    axes.set_xscale(LOG)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("chunk size in OpenAI's tokens: 5-95%, 25-75%, median (bar), mean (dot)")
    return figure


def _family(chunker: str) -> str:
    return catalogue.parse(chunker).name


def _color(chunker: str) -> Color:
    return FAMILIES[_family(chunker)]
