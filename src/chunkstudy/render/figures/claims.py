"""The ledger at a glance: verdicts per work, by how strictly a claim is read."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import COLORS, one_legend

VERDICTS = {"holds": (COLORS[2], ""), "partly": (COLORS[1], "//"),
            "contradicted": (COLORS[3], "xx"), "open": ("0.85", "")}  # fmt: skip
"""Colours and hatches, so that verdicts differ in grey print too."""
READINGS = {"strict": "charitable", "charitable": "strict"}
"""How claims are read, and the reading that is then left out; plain ones have only one."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the ledger is there."""
    path = places.results / "claims.csv"
    if path.exists():
        yield "claims", verdicts(pd.read_csv(path, keep_default_na=False))


def verdicts(ledger: pd.DataFrame) -> Figure:
    """Stacked bars of the claims of each work, a panel per way to read loose sentences."""
    works = list(dict.fromkeys(ledger["work"]))
    figure, panels = plt.subplots(1, 2, figsize=(9, 2.8), sharey=True, layout="constrained")
    kinds = ledger["reading"].str.split(":").str[0]
    for axes, (reading, left_out) in zip(panels, READINGS.items(), strict=True):
        part = ledger[kinds != left_out]
        counts = pd.crosstab(part["work"], part["verdict"])
        counts = counts.reindex(index=works, columns=list(VERDICTS), fill_value=0)
        left = pd.Series(0, index=counts.index)
        for verdict, (color, hatch) in VERDICTS.items():
            width = counts[verdict]
            names = [display_names.WORKS[work] for work in works]
            axes.barh(names, width, left=left, color=color, hatch=hatch, edgecolor="white",
                      label=verdict)  # fmt: skip
            for at, (start, count) in enumerate(zip(left, width, strict=True)):
                if count:
                    box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
                    axes.text(start + count / 2, at, str(count), ha="center", va="center", bbox=box)
            left = left + width
        axes.set_title(f"read at their word ({reading})" if reading == "strict"
                       else f"read as a fair reader would ({reading})", loc="left")  # fmt: skip
        axes.set_xlabel("claims")
    panels[0].invert_yaxis()
    one_legend(figure, panels[:1], columns=4)
    return figure
