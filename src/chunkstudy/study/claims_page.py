"""What the page of claims needs beyond a cell: their counts, a figure, and the paper's tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.published import sources
from chunkstudy.study.drawing import COLORS, one_legend, style
from chunkstudy.study.study import Study

VERDICTS = {"holds": (COLORS[2], ""), "partly": (COLORS[1], "//"),
            "contradicted": (COLORS[3], "xx"), "open": ("0.85", "")}  # fmt: skip
"""Colours and hatches, so that verdicts differ in grey print too."""
LEGIBLE = 2
"""Claims of a bar that is wide enough for its count."""
READINGS = {"fair": "as a fair reader takes them", "strict": "word for word"}
WHOSE = {"chroma": "Chroma's report", "jina": "Jina's posts", "taxonomy": "the taxonomy",
         "tutorial": "the tutorial"}  # fmt: skip
SHORTER = sources.SHORTER | {READINGS["fair"]: "fairly"}
SHOWN = ["id", "claim", "reading", "verdict", "basis", "numbers", "place"]


def both(claims: pd.DataFrame) -> pd.DataFrame:
    """A claim a row with its two verdicts, ``fair`` and ``strict``; one that is read in one way has
    the same twice."""
    kind = claims["reading"].str.split(":").str[0]
    rows = claims.drop_duplicates("id")[["id", "work", "place", "claim"]].set_index("id")
    for reading, other in zip(READINGS, reversed(READINGS), strict=True):
        rows[reading] = claims[kind != other].drop_duplicates("id").set_index("id")["verdict"]
    return rows.reset_index()


def counts(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims by work, a row for each way of reading them: how many hold, and so on."""
    rows = [
        {"work": work, "read": READINGS[reading], "claims": len(part)}
        | {verdict: int((part[reading] == verdict).sum()) for verdict in VERDICTS}
        for work, part in both(claims).groupby("work", sort=False)
        for reading in READINGS
    ]
    return pd.DataFrame(rows, columns=["work", "read", "claims", *VERDICTS])


@style()
def figure_verdicts(claims: pd.DataFrame) -> Figure:
    """Stacked bars of the claims of each work, a panel for each way of reading them."""
    figure, panels = plt.subplots(1, 2, figsize=(8.3, 2.8), sharey=True)
    found = both(claims)
    for axes, (reading, title) in zip(panels, READINGS.items(), strict=True):
        by_work = pd.crosstab(found["work"], found[reading])
        by_work = by_work.reindex(
            index=found["work"].unique(), columns=list(VERDICTS), fill_value=0
        )
        left = pd.Series(0, index=by_work.index)
        names = [sources.WORKS[str(work)].title for work in by_work.index]
        for verdict, (color, hatch) in VERDICTS.items():
            width = by_work[verdict]
            axes.barh(names, width, left=left, color=color, hatch=hatch, edgecolor="white",
                      label=verdict)  # fmt: skip
            for at, (start, count) in enumerate(zip(left, width, strict=True)):
                if count >= LEGIBLE:
                    box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
                    axes.text(start + count / 2, at, str(count), ha="center", va="center", bbox=box)
            left = left + width
        axes.set_title(f"read {title}", loc="left")
        axes.set_xlabel("claims")
    panels[0].invert_yaxis()
    one_legend(figure, panels[:1], columns=4)
    return figure


def paper_tables(study: Study, claims: pd.DataFrame) -> None:
    """The paper's tables of claims: their counts, and each work's in the appendix; none where there
    is no claim."""
    if claims.empty:
        return
    heads = {name: name for name in ("work", "read", "claims", *VERDICTS)}
    study.paper_table(
        "claims", counts(claims), heads,
        "Claims by work and verdict, as a fair reader takes them and word for word. Open: waits "
        "for a model that was not at hand.",
        once="work", shorter=SHORTER,
    )  # fmt: skip
    heads = {"place": "where it stands", "claim": "claim, in short", "fair": "fairly read",
             "strict": "word for word"}  # fmt: skip
    for work, part in both(claims).groupby("work", sort=False):
        caption = f"Claims of {WHOSE[str(work)]}."
        study.paper_table(f"claims_{work}", part, heads, caption, span="appendix")
