"""What Chroma's own search explains of its published cells, and what it leaves.

A setting is whose offsets count, how chunks come into the graph and how long the search list is.
Exact search is a setting too, in which nothing varies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.published.cells import Cell
from chunkstudy.published.verdicts import Stack, printed_range, within
from chunkstudy.studies.chroma_search import OFFICIAL

TABLES = ("minilm", "appendix")
KEYS = ["chunker", "part", "measure", "statistic"]
SETTING = ["offsets", "insertion", "search list"]
EXACT = "exact search"
BESIDE = {
    "official": OFFICIAL,
    "on disk": OFFICIAL | {"insertion": "official, on disk"},
    "list 20": OFFICIAL | {"search list": 20},
    "list 10": OFFICIAL | {"search list": 10},
    "true offsets": OFFICIAL | {"offsets": "true"},
}
"""Settings that stand beside each cell: the official one, and it with one thing changed."""


@dataclass(frozen=True)
class Searched:
    """The published cells that search can move and every setting was measured for, and what was
    measured of them.

    Attributes:
        rows: of the comparison, ``chunker`` being the one that was run.
        cells: as published.
        spread: ``low``, ``mean`` and ``high`` in percent by `SETTING` and `KEYS`.
    """

    rows: pd.DataFrame
    cells: list[Cell]
    spread: pd.DataFrame

    @classmethod
    def of(cls, comparison: pd.DataFrame, cells: Sequence[Cell], spread: pd.DataFrame) -> Searched:
        """Put together what was published, compared and searched.

        Args:
            comparison: a row per cell, in their order.
            cells: every published cell.
            spread: the study's table of that name.
        """
        rows = comparison.assign(chunker=comparison["run"].str.split("/").str[1])
        measured = spread.groupby(KEYS).size()
        measured = measured[measured == measured.max()]
        searched = pd.MultiIndex.from_frame(rows[KEYS]).isin(measured.index)
        searched &= comparison["stack_low"].notna().to_numpy()
        chosen = [cell for cell, one in zip(cells, searched, strict=True) if one]
        return cls(rows[searched].reset_index(drop=True), chosen, _percent(spread))

    @property
    def missed(self) -> NDArray[np.bool_]:
        """Whether exact search does not give the cell."""
        return (self.rows["verdict"] != "exact").to_numpy()

    def settings(self) -> Iterator[tuple[dict[str, object], pd.DataFrame]]:
        """Every setting with its spread of each cell, in the order of the rows."""
        keys = pd.MultiIndex.from_frame(self.rows[KEYS])
        for setting, own in self.spread.groupby(SETTING, sort=False):
            yield dict(zip(SETTING, setting, strict=True)), own.set_index(KEYS).loc[keys]

    def inside(self, spread: pd.DataFrame) -> NDArray[np.bool_]:
        """Whether each cell could have been printed from its spread."""
        ends = zip(spread["low"], spread["high"], self.cells, strict=True)
        return np.array([within(cell, Stack(low, high, "")) for low, high, cell in ends])


def cells(found: Searched) -> pd.DataFrame:
    """Every cell that search can move, with its spread in percent under each of `BESIDE`."""
    kept = ["table", *KEYS, "published", "reproduced"]
    table = found.rows[kept].copy()
    for name, wanted in BESIDE.items():
        for setting, own in found.settings():
            if setting == wanted:
                table[[f"{name} least", f"{name} most"]] = own[["low", "high"]].to_numpy()
    return table.assign(verdict=found.rows["verdict"])


def settings(found: Searched) -> pd.DataFrame:
    """By setting: cells within its spread, of all that search can move and of those that exact
    search does not give; and by how much the mean recalls at five lie above the printed ones."""
    rows = []
    printed = _printed_recalls(found)
    for setting, own in found.settings():
        inside = found.inside(own)
        row: dict[str, object] = dict(setting)
        for table in TABLES:
            here = (found.rows["table"] == table).to_numpy()
            row |= {
                f"{table} inside": int(inside[here].sum()),
                f"{table} cells": int(here.sum()),
                f"{table} explained": int(inside[here & found.missed].sum()),
                f"{table} missed": int((here & found.missed).sum()),
            }
        above = own["mean"].to_numpy()[printed] - found.rows["value"].to_numpy()[printed]
        row |= {"rows above print": int((above > 0).sum()), "rows": len(above)}
        rows.append(row | {"mean above print": float(above.mean()) / 100})
    return pd.DataFrame(rows)


def recalls(found: Searched) -> pd.DataFrame:
    """The printed mean recalls at five beside exact search and the official setting's runs, a row
    per chunker, fractions."""
    (official,) = [spread for setting, spread in found.settings() if setting == OFFICIAL]
    kept = _printed_recalls(found)
    rows, runs = found.rows[kept], official[kept]
    return pd.DataFrame(
        {
            "chunker": rows["chunker"],
            "published": rows["value"] / 100,
            "exact": rows["reproduced"] / 100,
            "runs least": runs["low"].to_numpy() / 100,
            "runs most": runs["high"].to_numpy() / 100,
            "exact - published": (rows["reproduced"] - rows["value"]) / 100,
            "mean - published": (runs["mean"].to_numpy() - rows["value"]) / 100,
            "verdict": rows["verdict"],
        }
    ).reset_index(drop=True)


def _printed_recalls(found: Searched) -> NDArray[np.bool_]:
    """The mean recalls of the MiniLM table."""
    rows = found.rows
    return ((rows["table"] == "minilm") & (rows["statistic"] == "mean")).to_numpy()


def corpora(found: Searched, missed: pd.DataFrame, moved: pd.DataFrame) -> pd.DataFrame:
    """By corpus: cells that exact search does not give, how they lie, how many of them the official
    setting explains, and what could have moved them.

    Args:
        found: cells and spreads.
        missed: the share of the five nearest chunks that are not returned, by setting and corpus.
        moved: chunks located elsewhere than they stand, by corpus.
    """
    official = missed[missed["insertion"] == OFFICIAL["insertion"]]
    lost = official.pivot_table(index="part", columns="search list", values="missed")
    counts = moved.groupby("part")[["chunks", "moved"]].sum()
    counts.loc["all"] = counts.sum()
    ends = np.array([printed_range(cell)[1] for cell in found.cells])
    below = found.rows["reproduced"].to_numpy() >= ends
    of_means = (found.rows["statistic"] == "mean").to_numpy() & found.missed
    rows = []
    for part in dict.fromkeys(found.rows["part"]):
        here = (found.rows["part"] == part).to_numpy()
        explained = (found.rows["verdict"] == "within_stack").to_numpy()
        rows.append(
            {
                "part": part,
                "cells": int(here.sum()),
                "not by exact search": int((here & found.missed).sum()),
                "means": int((here & of_means).sum()),
                "printed lower": int((here & of_means & below).sum()),
                "explained": int((here & explained).sum()),
                "missed, list 50": lost.loc[part, 50],
                "missed, list 10": lost.loc[part, 10],
                "located elsewhere": counts.loc[part, "moved"] / counts.loc[part, "chunks"],
            }
        )
    return pd.DataFrame(rows)


def _percent(spread: pd.DataFrame) -> pd.DataFrame:
    """The spread in percent, exact search added as a setting of its own."""
    kept = [*SETTING, *KEYS, "low", "mean", "high"]
    exact = spread.drop_duplicates(["offsets", *KEYS]).copy()
    exact["insertion"], exact["search list"] = EXACT, 0
    for end in ("low", "mean", "high"):
        exact[end] = exact["exact"]
    both = pd.concat([exact, spread], ignore_index=True)[kept]
    both[["low", "mean", "high"]] *= 100
    return both
