"""Tables of Jina's two posts: printed cells, what follows from them, and MiniLM beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations as pairs_of
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.encoders import models
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.grids import BEIR_AT_HAND, JINA, LATE, OWN, PRE, WIDE
from chunkstudy.published.compare import Library
from chunkstudy.statistics import core as statistics

CHUNKERS = ("fixed-256", "sentence-5", "semantic")
STRENGTH = (
    "jinaai/jina-embeddings-v2-small-en",
    "nomic-ai/nomic-embed-text-v1",
    "jinaai/jina-embeddings-v3",
)
"""The models from weak to strong, as S4:17 orders them."""
CONTEXTUALIZED = "contextualized"
Row = tuple[str, str, str]


def datasets(published: pd.DataFrame, library: Library) -> pd.DataFrame:
    """S1's table, a row per collection: its three arms, what they imply, and MiniLM's arms."""
    wide = _arms(published)
    rows = []
    for name, arm in wide.iterrows():
        rows.append(
            {
                "collection": name,
                "document length": f"{arm['length']:.1f}",
                "plain": f"{arm['plain']:.2f}",
                "late": f"{arm['late']:.2f}",
                "no chunking": f"{arm['none']:.2f}",
                "late - plain": f"{arm['late'] - arm['plain']:.2f}",
                "late - no chunking": f"{arm['late'] - arm['none']:.2f}",
                "best": _best(arm),
                **_minilm_arms(str(name), library),
            }
        )
    return pd.DataFrame(rows)


def berlin(published: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """S1's three sentences: cosine with the word Berlin, printed, and by MiniLM.

    Args:
        published: every printed cell.
        measured: what ``chunkstudy study berlin`` left; may be empty.
    """
    cells = published[(published["work"] == "jina") & (published["table"] == "berlin")]
    rows = []
    for chunk, here in cells.groupby("chunker", sort=False):
        printed = here.set_index("ordering")["printed"]
        row = {
            "sentence": f"{chunk}…",
            "plain": printed[PRE],
            "late": printed[CONTEXTUALIZED],
            "late - plain": f"{float(printed[CONTEXTUALIZED]) - float(printed[PRE]):.3f}",
        }
        if len(measured):
            measured = measured[measured["encoder"] == models.parse_slug(MINILM)[0]]
        found = measured[measured["chunk"] == chunk] if len(measured) else measured
        for one in found.to_dict("records"):
            row |= {
                "MiniLM plain": f"{float(one['plain']):.3f}",
                "MiniLM late, as the notebook": f"{float(one['late as published']):.3f}",
                "MiniLM late": f"{float(one['late']):.3f}",
                "MiniLM late - plain": f"{float(one['late']) - float(one['plain']):.3f}",
            }
        rows.append(row)
    return pd.DataFrame(rows)


def length(published: pd.DataFrame) -> pd.DataFrame:
    """The gain of late chunking against document length (S1:266-270), with what n = 5 can say.

    Intervals are Fisher's; p is exact, over all orders of the gains. Leaving one collection out
    shows what a single point carries.
    """
    wide = _arms(published)
    rows = []
    for left_out in (None, *wide.index):
        part = wide.drop(index=left_out) if left_out else wide
        points = (part["late"] - part["plain"]).to_numpy()
        for unit, gain in (
            ("points", points),
            ("percent of plain", 100 * points / part["plain"].to_numpy()),
        ):
            found = stats.pearsonr(part["length"], gain)
            interval = found.confidence_interval()
            rows.append(
                {
                    "left out": left_out or "",
                    "gain in": unit,
                    "n": len(part),
                    "Pearson r": f"{found.statistic:.3f}",
                    "low": f"{interval.low:.3f}",
                    "high": f"{interval.high:.3f}",
                    "p (exact)": f"{_exact_p(part['length'].to_numpy(), gain):.3f}",
                    "Spearman rho": f"{stats.spearmanr(part['length'], gain).statistic:.3f}",
                }
            )
    return pd.DataFrame(rows)


def combinations(published: pd.DataFrame, library: Library) -> pd.DataFrame:
    """S4's table as encoder x chunker x ordering, MiniLM's rows below, where records exist."""
    printed = _combinations(published)
    rows = [
        {"encoder": encoder, "chunker": chunker, "ordering": ordering}
        | {str(name): f"{value:.1f}" for name, value in cells.items()}
        for (encoder, chunker, ordering), cells in printed.items()
    ]
    collections = list(rows[0])[3:]
    for chunker in CHUNKERS:
        for ordering in (PRE, LATE):
            found = {
                name: f"{100 * values.mean():.1f}"
                for name in collections
                if (values := _scores(library, name, chunker, ordering)) is not None
            }
            if found:
                row = {"encoder": MINILM, "chunker": chunker, "ordering": ordering.split("-")[0]}
                rows.append(row | found)
    return pd.DataFrame(rows).fillna("")


def comparisons(published: pd.DataFrame) -> pd.DataFrame:
    """What S4 says of its table, counted in its table: cells above, equal and below."""
    cells = _combinations(published)
    rows = []
    for encoder in STRENGTH:
        for chunker in CHUNKERS:
            gain = cells[encoder, chunker, CONTEXTUALIZED] - cells[encoder, chunker, PRE]
            rows.append(_counted("late against plain", f"{encoder}, {chunker}", gain))
    for encoder in STRENGTH:
        late = cells[encoder, "fixed-256", CONTEXTUALIZED]
        for chunker in CHUNKERS[1:]:
            other = cells[encoder, chunker, PRE]
            question = f"fixed-256 late against {chunker} plain"
            rows.append(_counted(question, encoder, late - other))
            other = cells[encoder, chunker, CONTEXTUALIZED]
            question = f"fixed-256 late against {chunker} late"
            rows.append(_counted(question, encoder, late - other))
    for weak, strong in pairs_of(STRENGTH, 2):
        for chunker in CHUNKERS:
            difference = cells[weak, chunker, CONTEXTUALIZED] - cells[strong, chunker, PRE]
            where = f"{weak} late, {strong} plain, {chunker}"
            rows.append(_counted("weaker late against stronger plain", where, difference))
    return pd.DataFrame(rows)


def _counted(question: str, where: str, difference: pd.Series) -> dict[str, object]:
    tenths = (10 * difference).round().astype(int)
    return {
        "question": question,
        "where": where,
        "cells": len(tenths),
        "above": int((tenths > 0).sum()),
        "equal": int((tenths == 0).sum()),
        "below": int((tenths < 0).sum()),
        "smallest": f"{difference.min():.1f}",
        "mean": f"{difference.mean():.2f}",
        "largest": f"{difference.max():.1f}",
        "above in": ", ".join(tenths.index[tenths > 0]),
    }


def _arms(published: pd.DataFrame) -> pd.DataFrame:
    """Document length in characters and the three arms in percent, by collection."""
    cells = published[(published["work"] == "jina") & (published["table"] == "beir")]
    arm = {
        ("none", ""): "length",
        ("none", PRE): "none",
        ("fixed-256", PRE): "plain",
        ("fixed-256", CONTEXTUALIZED): "late",
    }
    keys = [arm[key] for key in zip(cells["chunker"], cells["ordering"], strict=True)]
    order = list(dict.fromkeys(cells["collection"]))
    values = cells.assign(arm=keys, value=cells["printed"].astype(float))
    return values.pivot(index="collection", columns="arm", values="value").loc[order]


def _combinations(published: pd.DataFrame) -> dict[Row, pd.Series]:
    """S4's cells in percent by encoder, chunker and ordering, each a series over collections."""
    cells = published[(published["work"] == "jina") & (published["table"] == "combinations")]
    rows = [(e, c, o) for c in CHUNKERS for e in STRENGTH for o in (PRE, CONTEXTUALIZED)]
    found = {}
    for encoder, chunker, ordering in rows:
        here = cells[
            (cells["encoder"] == encoder)
            & (cells["chunker"] == chunker)
            & (cells["ordering"] == ordering)
        ]
        found[encoder, chunker, ordering] = here.set_index("collection")["printed"].astype(float)
    return found


def _minilm_arms(name: str, library: Library) -> dict[str, str]:
    plain, late = (_scores(library, name, "fixed-256", one) for one in (PRE, LATE))
    none = _scores(library, name, "none", PRE)
    if plain is None or late is None or none is None:
        return {f"MiniLM {one}": "" for one in ("plain", "late", "no chunking", "late - plain")}
    found = statistics.paired_difference(late, plain.loc[late.index])
    low, high = (100 * end for end in found.interval)
    return {
        "MiniLM plain": f"{100 * plain.mean():.2f}",
        "MiniLM late": f"{100 * late.mean():.2f}",
        "MiniLM no chunking": f"{100 * none.mean():.2f}",
        "MiniLM late - plain": f"{100 * found.mean:.2f} [{low:.2f}, {high:.2f}]",
    }


def _scores(library: Library, name: str, chunker: str, ordering: str) -> pd.Series | None:
    """nDCG@10 per query under Jina's protocol; plain documents are the same under both."""
    if name not in BEIR_AT_HAND:
        return None
    condition = Condition(name, chunker, WIDE, ordering, JINA)
    if chunker == "none" and ordering == PRE:
        condition = replace(condition, protocol=OWN)
    record = library.get(condition)
    return None if record is None else record.wide["nDCG@10"]


def _best(arm: pd.Series) -> str:
    arms = arm[["plain", "late", "none"]]
    return ", ".join(arms.index[arms == arms.max()])


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Share of all orders of y that correlate with x at least as strongly, either sign."""
    seen = abs(np.corrcoef(x, y)[0, 1])
    orders = [abs(np.corrcoef(x, order)[0, 1]) for order in _orders(y)]
    return float(np.mean([one >= seen - 1e-12 for one in orders]))


def _orders(values: NDArray[np.float64]) -> Iterator[tuple[float, ...]]:
    return permutations(values.tolist())
