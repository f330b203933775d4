"""Figures of Chroma's study, drawn from records and the comparison."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import MINILM, NONE
from chunkstudy.grid.library import Library, Record
from chunkstudy.places import Places
from chunkstudy.protocols import CORRECTED
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import COLORS, LOG, Color, names_in_column, rows_named

PARTS = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts", "all")
FAMILIES = dict(
    zip(("recursive", "token", "cluster", "kamradt", "kamradt-modified"), COLORS, strict=False)
)
Point = tuple[float, float, str]


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
    yield "chroma_recall_per_corpus", recall_per_corpus(library, scored)
    yield "chroma_chunk_sizes", chunk_sizes(scored + free)
    comparison = pd.read_csv(places.results / "comparison.csv")
    yield "chroma_published_against_reproduced", published_against_reproduced(comparison)


def recall_per_corpus(library: Library, records: list[Record]) -> Figure:
    """A heat map: chunker by corpus."""
    table = pd.DataFrame(
        {
            display_names.COLLECTIONS[part]: {
                display_names.chunker(record.run.chunker): 100
                * library.values(record, "SpanRecall@5", part).mean()
                for record in records
            }
            for part in PARTS
        }
    ).sort_values(display_names.COLLECTIONS["all"], ascending=False)
    figure, axes = plt.subplots(figsize=(8.5, 0.34 * len(table) + 1.4))
    sns.heatmap(
        table, annot=True, fmt=".1f", cmap="cividis", ax=axes, cbar_kws={"label": "recall at 5 (%)"}
    )
    axes.set_xticklabels(table.columns, rotation=20, ha="right")
    axes.tick_params(axis="y", rotation=0)
    axes.set_title("all-MiniLM-L6-v2", loc="left")
    return figure


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


def published_against_reproduced(comparison: pd.DataFrame) -> Figure:
    """Precision omega of the main table on the identity line, and recall of the MiniLM table row by
    row: printed, by exact search, and over 20 runs of the published search."""
    figure, (left, right) = plt.subplots(2, 1, figsize=(8.3, 9.6))
    run = comparison[(comparison["statistic"] == "mean") & (comparison["verdict"] != "not_run")]
    _on_the_line(left, run[(run["table"] == "main") & (run["measure"] == "PrecisionOmega")])
    _row_by_row(right, run[(run["table"] == "minilm") & (run["measure"] == "SpanRecall@5")])
    return figure


def _on_the_line(axes: Axes, cells: pd.DataFrame) -> None:
    points: list[Point] = []
    for cell in cells.to_dict("records"):
        chunker = str(cell["run"]).split("/")[1]
        x, y = float(cell["value"]), float(cell["reproduced"])
        axes.plot(x, y, "o", color=_color(chunker))
        points.append((x, y, display_names.chunker(chunker)))
    if points:
        bounds = [cells["value"].min() - 4, cells["value"].max() + 4]
        axes.plot(bounds, bounds, color="grey", lw=0.8, zorder=0)
        axes.set(xlim=bounds)
        names_in_column(axes, points)
    axes.set(xlabel="published (%)", ylabel="reproduced (%)")
    axes.set_title(
        "Precision \N{GREEK CAPITAL LETTER OMEGA}, main table: no search takes part", loc="left"
    )


def _row_by_row(axes: Axes, cells: pd.DataFrame) -> None:
    names = []
    for at, cell in enumerate(cells.to_dict("records")):
        chunker = str(cell["run"]).split("/")[1]
        names.append(display_names.chunker(chunker).replace(", WordPiece", ",\nWordPiece"))
        color = _color(chunker)
        if pd.notna(cell["stack_low"]):
            spread = [cell["stack_low"], cell["stack_high"]]
            axes.plot(spread, [at, at], color=color, lw=7, alpha=0.45, solid_capstyle="butt")
        axes.plot(cell["corrected"], at, "o", color=color, ms=6, mfc="white")
        axes.plot(cell["reproduced"], at, "o", color=color, ms=6)
        axes.plot(cell["value"], at, "|", color="black", ms=18, mew=2)
    rows_named(axes, names)
    axes.set_xlabel("recall at 5 (%), all-MiniLM-L6-v2")
    handles = [
        Line2D([], [], marker="|", ms=14, mew=2, ls="", color="black"),
        Line2D([], [], marker="o", ls="", color="grey"),
        Line2D([], [], lw=7, alpha=0.45, color="grey", solid_capstyle="butt"),
        Line2D([], [], marker="o", ls="", color="grey", mfc="white"),
    ]
    said = ["published", "exact search", "published search, 20 runs", "exact search, corrected"]
    axes.legend(handles, said, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=4)
    axes.set_title("Recall, all-MiniLM-L6-v2: print beside the search run again", loc="left")


def _family(chunker: str) -> str:
    return catalogue.parse(chunker).name


def _color(chunker: str) -> Color:
    return FAMILIES[_family(chunker)]
