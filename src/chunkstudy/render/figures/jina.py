"""Figures of Jina's two posts, drawn from the tables that stand in results/tables."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from chunkstudy.places import Places

NAMES = {
    "scifact": "SciFact",
    "nfcorpus": "NFCorpus",
    "fiqa": "FiQA",
    "trec-covid": "TREC-COVID",
    "quora": "Quora",
}


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of each table that is there."""
    drawn = {"jina_datasets": gain_by_length, "jina_combinations": combinations}
    for name, draw in drawn.items():
        path = places.tables / f"{name}.csv"
        if path.exists():
            yield name, draw(pd.read_csv(path, keep_default_na=False))


def gain_by_length(table: pd.DataFrame) -> Figure:
    """Late minus plain against document length, MiniLM beside the published points."""
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    colors = sns.color_palette("colorblind")
    length = table["document length"].astype(float)
    gain = table["late - plain"].astype(float)
    axes.axhline(0, color="grey", lw=0.8, zorder=0)
    axes.plot(length, gain, "o", color=colors[0], label="published, jina-embeddings-v2-small-en")
    for x, y, name in zip(length, gain, table["collection"], strict=True):
        axes.annotate(NAMES[name], (x, y), xytext=(-6, 6), textcoords="offset points", ha="right")
    shown = table[table["MiniLM late - plain"] != ""]
    if len(shown):
        parts = shown["MiniLM late - plain"].str.extract(r"(\S+) \[(\S+), (\S+)\]").astype(float)
        beside = shown["document length"].astype(float) + 12
        errors = [(parts[0] - parts[1]).to_numpy(), (parts[2] - parts[0]).to_numpy()]
        label = "all-MiniLM-L6-v2, window 512, 95% interval"
        axes.errorbar(beside, parts[0], yerr=errors, fmt="s", ms=4, color=colors[1], label=label)
    axes.set(xlabel="mean document length (characters)", ylabel="late - plain, nDCG@10 (points)")
    axes.legend(loc="upper left")
    return figure


def combinations(table: pd.DataFrame) -> Figure:
    """Plain and late nDCG@10 of every encoder and chunker, a panel per collection."""
    names = [name for name in NAMES if name in table]
    rows = list(dict.fromkeys(zip(table["encoder"], table["chunker"], strict=True)))
    rows.sort(key=lambda row: list(dict.fromkeys(table["encoder"])).index(row[0]))
    figure, panels = plt.subplots(
        1, len(names), figsize=(3 * len(names) + 1.5, 0.28 * len(rows) + 1.6), sharey=True,
        layout="constrained",
    )  # fmt: skip
    colors = sns.color_palette("colorblind")
    for axes, name in zip(panels, names, strict=True):
        for at, (encoder, chunker) in enumerate(rows):
            here = table[(table["encoder"] == encoder) & (table["chunker"] == chunker)]
            ends = here.set_index("ordering")[name]
            ends = ends[ends != ""].astype(float)
            axes.hlines(at, ends.min(), ends.max(), color="0.8", lw=3, zorder=0)
            for color, (ordering, label) in zip(
                colors, (("pre_embedding", "plain"), ("contextualized", "late")), strict=False
            ):
                if ordering in ends:
                    shown = label if at == 0 else None
                    axes.plot(ends[ordering], at, "o", ms=5, color=color, label=shown)
        axes.set_title(NAMES[name], loc="left")
        axes.set_xlabel("nDCG@10 (%)")
    labels = [f"{encoder.split('/')[-1].split('__')[-1]}, {chunker}" for encoder, chunker in rows]
    panels[0].set_yticks(range(len(rows)), labels, fontsize=7)
    panels[0].invert_yaxis()
    panels[-1].legend(loc="lower right")
    return figure
