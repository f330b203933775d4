"""The ledger at a glance: verdicts per work, by how strictly a claim is read."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from chunkstudy.places import Places

VERDICTS = ("holds", "partly", "contradicted", "open")
WORKS = {
    "chroma": "Chroma's report",
    "jina": "Jina's posts",
    "taxonomy": "Beyond Chunk-Then-Embed",
    "tutorial": "tutorial",
}
READINGS = {"strict": "charitable", "charitable": "strict"}
"""How claims are read, and the reading that is then left out; plain ones have only one."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the ledger is there."""
    path = places.results / "claims.csv"
    if path.exists():
        yield "claims", verdicts(pd.read_csv(path, keep_default_na=False))


def verdicts(ledger: pd.DataFrame) -> Figure:
    """Stacked bars of the claims of each work, a panel per way to read loose sentences."""
    palette = sns.color_palette("colorblind")
    colors = dict(zip(VERDICTS, (palette[2], palette[1], palette[3], "0.8"), strict=True))
    figure, panels = plt.subplots(1, 2, figsize=(9, 2.6), sharey=True, layout="constrained")
    kinds = ledger["reading"].str.split(":").str[0]
    for axes, (reading, left_out) in zip(panels, READINGS.items(), strict=True):
        part = ledger[kinds != left_out]
        counts = pd.crosstab(part["work"], part["verdict"])
        counts = counts.reindex(index=list(WORKS), columns=list(VERDICTS), fill_value=0)
        left = pd.Series(0, index=counts.index)
        for verdict, color in colors.items():
            width = counts[verdict]
            axes.barh(list(WORKS.values()), width, left=left, color=color, label=verdict)
            for at, (start, count) in enumerate(zip(left, width, strict=True)):
                if count:
                    axes.text(start + count / 2, at, str(count), ha="center", va="center")
            left = left + width
        axes.set_title(f"{reading} where a sentence is loose", loc="left", fontsize=10)
        axes.set_xlabel("claims")
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure
