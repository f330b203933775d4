"""Figures of the taxonomy, drawn from the tables that stand in results/tables."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chunkstudy.places import Places

IN_CORPUS = ("nfcorpus", "scifact", "arguana", "scidocs", "fiqa", "trec-covid")
PUBLISHED = ("Jina-v2", "Jina-v3", "Nomic", "E5-Large")
ARMS = {
    "pre_embedding": "plain",
    "contextualized": "contextualized",
    "relative change": "relative change",
}
SIDES = {"in-document": ("gutenqa", "gutenqa-emma"), "in-corpus": ("beir", "in-corpus, pooled")}


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of each table that is there."""
    drawn = {
        "taxonomy_rankings": ("taxonomy_table3", rankings),
        "taxonomy_changes": ("taxonomy_table4", changes),
        "taxonomy_chunk_size": ("chunk_size_correlations", chunk_size),
    }
    for name, (table, draw) in drawn.items():
        path = places.tables / f"{table}.csv"
        if path.exists():
            yield name, draw(pd.read_csv(path, dtype=str, keep_default_na=False))


def rankings(table: pd.DataFrame) -> Figure:
    """RQ2: ranks of the six methods in corpora and within books, a panel per published model."""
    figure, panels = plt.subplots(
        1, len(PUBLISHED), figsize=(2.6 * len(PUBLISHED) + 1, 3.2), sharey=True,
        layout="constrained",
    )  # fmt: skip
    methods = [m for m in dict.fromkeys(table["method"]) if m not in ("Avg", "No chunking")]
    palette = dict(zip(methods, sns.color_palette("colorblind"), strict=False))
    for axes, model in zip(panels, PUBLISHED, strict=True):
        part = table[(table["model"] == model) & table["method"].isin(methods)]
        ranks = part.set_index("method")[["average", "gutenqa"]].apply(_numbers).rank(
            ascending=False
        )  # fmt: skip
        for method, row in ranks.iterrows():
            axes.plot([0, 1], row, "-o", color=palette[str(method)], label=str(method))
        axes.set_xticks([0, 1], ["in-corpus", "GutenQA"])
        axes.set_xlim(-0.3, 1.3)
        axes.set_title(model, loc="left")
    panels[0].set(ylabel="rank", ylim=(6.3, 0.7))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)
    return figure


def changes(table: pd.DataFrame) -> Figure:
    """RQ3: printed relative change by late chunking; on the right collections with empty documents.

    Colours end at 30 percent either side; the numbers are as printed.
    """
    columns = ["gutenqa", *IN_CORPUS]
    part = table[table["model"].isin(PUBLISHED) & (table["method"] != "Avg")]
    values = part[columns].apply(_numbers)
    names = [
        f"{model}, {method}" for model, method in zip(part["model"], part["method"], strict=True)
    ]
    figure, axes = plt.subplots(figsize=(8, 0.27 * len(part) + 1.2), layout="constrained")
    sns.heatmap(
        values.set_axis(names), ax=axes, cmap="RdBu", center=0, vmin=-30, vmax=30, annot=True,
        fmt="+.1f", annot_kws={"fontsize": 7}, cbar_kws={"label": "relative change (%)"},
        linewidths=0.5,
    )  # fmt: skip
    axes.axvline(1, color="black", lw=1.5)
    axes.axvline(5, color="black", lw=1.5)
    axes.tick_params(axis="y", labelsize=7)
    axes.set_title("within books | in corpora | in corpora with empty documents", fontsize=9)
    return figure


def chunk_size(table: pd.DataFrame) -> Figure:
    """RQ4 in Figure 2's layout: correlation of chunk size with effectiveness, arm by arm.

    Grey: the four published models. Colour: MiniLM under the corrected protocol, by the text's
    definition and by the code's, with 95% intervals.
    """
    figure, panels = plt.subplots(
        len(ARMS), 2, figsize=(9, 7.5), sharex=True, layout="constrained"
    )  # fmt: skip
    methods = [m for m in dict.fromkeys(table["method"]) if m != "No chunking"]
    colors = dict(zip(("text", "code"), sns.color_palette("colorblind"), strict=False))
    for (arm, name), row in zip(ARMS.items(), panels, strict=True):
        for axes, (side, (printed, measured)) in zip(row, SIDES.items(), strict=True):
            here = table[(table["ordering"] == arm) & table["method"].isin(methods)]
            old = here[(here["source"] == "published") & (here["collection"] == printed)]
            for model, part in old.groupby("model", sort=False):
                at = [methods.index(m) for m in part["method"]]
                label = "published, four models" if model == old["model"].iloc[0] else None
                axes.plot(_numbers(part["r"]), at, "|", color="0.5", ms=9, mew=2, label=label)
            own = here[here["model"].str.contains("corrected") & (here["collection"] == measured)]
            for offset, definition in enumerate(colors):
                part = own[(own["definition"] == definition) & (own["r"] != "")]
                _intervals(axes, part, methods, 0.16 - 0.32 * offset, colors[definition])
            axes.axvline(0, color="grey", lw=0.8, zorder=0)
            axes.set_yticks(range(len(methods)), methods, fontsize=7)
            axes.set_ylim(len(methods) - 0.5, -0.5)
            axes.set_title(f"{side}, {name}", loc="left", fontsize=9)
    for axes in panels[-1]:
        axes.set_xlabel("Pearson's r of chunk size and effectiveness")
    found: dict[str, Artist] = {}
    for axes in panels.flat:
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    labels, handles = list(found), list(found.values())
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _intervals(
    axes: Axes, part: pd.DataFrame, methods: list[str], shift: float,
    color: tuple[float, float, float],
) -> None:  # fmt: skip
    if part.empty:
        return
    low, r, high = (_numbers(part[name]) for name in ("low", "r", "high"))
    at = [methods.index(m) + shift for m in part["method"]]
    errors = [(r - low).clip(lower=0), (high - r).clip(lower=0)]
    label = f"MiniLM, as the {part['definition'].iloc[0]} defines it"
    axes.errorbar(r, at, xerr=errors, fmt="o", ms=4, lw=1.2, color=color, label=label)


def _numbers(column: pd.Series) -> pd.Series:
    """Numbers out of cells that may carry marks of significance, best and worst."""
    return pd.to_numeric(column.str.replace(r"\^.*|[*_]", "", regex=True), errors="coerce")
