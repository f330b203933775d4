"""Figures of the Chroma study, drawn from records; the same records give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from chunkstudy import statistics
from chunkstudy.files import write_bytes
from chunkstudy.grid.conditions import MINILM, NONE
from chunkstudy.places import Places
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.compare import Library, Scores
from chunkstudy.render.figures import claims as claims_figure
from chunkstudy.render.figures import jina as jina_figures
from chunkstudy.render.figures import labels as labels_figures
from chunkstudy.render.figures import late_chunking as late_chunking_figures
from chunkstudy.render.figures import taxonomy as taxonomy_figures
from chunkstudy.render.figures import which_chunker as which_chunker_figure

STYLE = Path(__file__).with_name("style.mplstyle")
PARTS = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts", "all")
Point = tuple[float, float, str]
FAMILIES = ("recursive", "token", "cluster", "kamradt-modified", "kamradt")


def write_all(places: Places) -> list[Path]:
    """Draw every figure into ``figures`` as PNG and PDF."""
    written = []
    library = Library(places)
    comparison = pd.read_csv(places.results / "comparison.csv")
    with plt.style.context(STYLE):
        drawn = chain(
            _figures(library, comparison),
            late_chunking_figures.figures(places),
            jina_figures.figures(places),
            which_chunker_figure.figures(places),
            taxonomy_figures.figures(places),
            claims_figure.figures(places),
            labels_figures.figures(places),
        )
        for name, figure in drawn:
            written += [
                _write_png(figure, places.figures / f"{name}.png"),
                _write_pdf(figure, places.figures / f"{name}.pdf"),
            ]
            plt.close(figure)
    return written


def _write_pdf(figure: Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"CreationDate": None})
    return path


def _write_png(figure: Figure, path: Path) -> Path:
    """With a palette of 256 colours: a third of the bytes, which notebooks hold once more."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    with Image.open(drawn) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    drawn = io.BytesIO()
    few.save(drawn, format="png", optimize=True)
    write_bytes(path, drawn.getvalue())
    return path


def recall_against_tokens(records: list[Scores]) -> Figure:
    """Recall at 5 against the tokens the reader gets, with 95% intervals over queries."""
    figure, axes = plt.subplots(figsize=(8.5, 5.5))
    points: list[Point] = []
    palette = dict(zip(FAMILIES, sns.color_palette("colorblind"), strict=False))
    for record in records:
        values = record.wide["SpanRecall@5"]
        low, high = statistics.bootstrap_interval(values)
        x, y = float(record.wide["TokensRead@5"].mean()), 100 * float(values.mean())
        family = _family(record.run.chunker)
        axes.errorbar(
            x, y, [[y - 100 * low], [100 * high - y]], fmt="o", color=palette[family], alpha=0.8
        )
        points.append((x, y, record.run.chunker))
    _label_in_column(axes, points)
    handles = [mpl.lines.Line2D([], [], marker="o", ls="", color=c) for c in palette.values()]
    axes.legend(handles, list(palette), loc="lower left")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set(xlabel="tokens of the five chunks retrieved (mean, cl100k)", ylabel="recall at 5 (%)")
    axes.set_title("all-MiniLM-L6-v2, corrected protocol, 472 queries", loc="left")
    return figure


def recall_per_corpus(library: Library, records: list[Scores]) -> Figure:
    """A heat map: chunker by corpus."""
    table = pd.DataFrame(
        {
            part: {
                record.run.chunker: 100 * library.values(record, "SpanRecall@5", part).mean()
                for record in records
            }
            for part in PARTS
        }
    ).sort_values("all", ascending=False)
    figure, axes = plt.subplots(figsize=(7.5, 0.34 * len(table) + 1.2))
    sns.heatmap(
        table, annot=True, fmt=".1f", cmap="cividis", ax=axes, cbar_kws={"label": "recall at 5 (%)"}
    )
    axes.set_xticklabels([part.replace("_", " ") for part in PARTS], rotation=20, ha="right")
    axes.tick_params(axis="y", rotation=0)
    return figure


def chunk_sizes(records: list[Scores]) -> Figure:
    """Where chunk sizes lie: 5 to 95% (thin), 25 to 75% (thick), median (bar), mean (dot)."""
    records = sorted(records, key=lambda record: record.run.sizes["cl100k"].mean)
    figure, axes = plt.subplots(figsize=(7.5, 0.3 * len(records) + 1))
    for row, record in enumerate(records):
        size = record.run.sizes["cl100k"]
        at = size.percentiles
        color = sns.color_palette("colorblind")[FAMILIES.index(_family(record.run.chunker))]
        axes.plot([at[1], at[19]], [row, row], color=color, lw=1)
        axes.plot([at[5], at[15]], [row, row], color=color, lw=5, solid_capstyle="butt")
        axes.plot(at[10], row, "|", color="black", ms=9)
        axes.plot(size.mean, row, "o", color="black", ms=3.5)
    axes.set_yticks(range(len(records)), [record.run.chunker for record in records], fontsize=7)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("chunk size in cl100k tokens: 5-95%, 25-75%, median (bar), mean (dot)")
    return figure


def published_against_reproduced(comparison: pd.DataFrame) -> Figure:
    """PrecisionOmega of the main table and recall of the MiniLM table on the identity line."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.4))
    whole = comparison[
        (comparison["state"] == "whole")
        & (comparison["statistic"] == "mean")
        & (comparison["verdict"] != "not_run")
    ]
    for axes, measure, title in zip(
        panels,
        ("PrecisionOmega", "SpanRecall@5"),
        ("PrecisionOmega, main table", "recall at 5, MiniLM table"),
        strict=True,
    ):
        cells = whole[whole["measure"] == measure].copy()
        cells["published"] = cells["published"].astype(float)
        points: list[Point] = []
        for _, cell in cells.iterrows():
            x, y = cell["published"], cell["reproduced"]
            errors = [[y - cell["low"]], [cell["high"] - y]]
            color = sns.color_palette("colorblind")[FAMILIES.index(_family(cell["chunker"]))]
            axes.errorbar(x, y, errors, fmt="o", color=color, lw=0.8)
            points.append((x, y, cell["chunker"]))
        bounds = [cells["published"].min() - 4, cells["published"].max() + 4]
        axes.plot(bounds, bounds, color="grey", lw=0.8, zorder=0)
        axes.set(xlabel="published (%)", ylabel="reproduced (%), 95% interval", xlim=bounds)
        axes.set_title(title, loc="left")
        _label_in_column(axes, points)
    return figure


def _figures(library: Library, comparison: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
    records = [
        record
        for condition in library
        if condition.collection == "chroma"
        and condition.protocol == CORRECTED.name
        and (record := library.get(condition)) is not None
    ]
    scored = [record for record in records if record.run.encoder == MINILM]
    free = [record for record in records if record.run.encoder == NONE]
    named = {record.run.chunker for record in scored}
    sized = scored + [record for record in free if record.run.chunker not in named]
    usual = [record for record in scored if "wordpiece" not in record.run.chunker]
    yield "chroma_recall_against_tokens", recall_against_tokens(usual)
    yield "chroma_recall_per_corpus", recall_per_corpus(library, scored)
    yield "chroma_chunk_sizes", chunk_sizes(sized)
    yield "chroma_published_against_reproduced", published_against_reproduced(comparison)


def _label_in_column(axes: Axes, points: list[Point]) -> None:
    """Name the points in a column right of the axes, so that no two names overlap."""
    ordered = sorted(points, key=lambda point: point[1])
    for n, (x, y, name) in enumerate(ordered):
        axes.annotate(
            name,
            xy=(x, y),
            xytext=(1.03, (n + 0.5) / len(ordered)),
            textcoords="axes fraction",
            fontsize=7,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": "grey", "shrinkB": 3},
        )


def _family(chunker: str) -> str:
    return next(name for name in ("kamradt-modified", *FAMILIES) if chunker.startswith(name))
