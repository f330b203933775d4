"""Jina's two posts: published cells, what follows from them, and every recorded encoder beside.

Record and differences are fractions, published ones as far as they were printed.
"""

from __future__ import annotations

from itertools import combinations as pairs_of
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.analysis.recorded import (
    JINA,
    METHODS,
    OWN,
    UNCHUNKED,
    Block,
    Layout,
    blocks,
)
from chunkstudy.analysis.taxonomy import PUBLISHED, RECORDS
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library

CHUNKERS = ("fixed-256", "sentence-5", "semantic")
COLLECTIONS = ("scifact", "trec-covid", "fiqa", "nfcorpus", "quora")
LAYOUT = Layout(COLLECTIONS, {name: METHODS[name] for name in (UNCHUNKED, *CHUNKERS)}, (JINA,))
STRENGTH = (
    "jinaai/jina-embeddings-v2-small-en",
    "nomic-ai/nomic-embed-text-v1",
    "jinaai/jina-embeddings-v3",
)
"""The models from weak to strong, as the second post orders them."""
ARMS = ["plain", "late", "no chunking"]
ARM_OF = {
    ("none", ""): "document length",
    ("none", PRE_EMBEDDING): "no chunking",
    ("fixed-256", PRE_EMBEDDING): "plain",
    ("fixed-256", CONTEXTUALIZED): "late",
}
GAIN = ["late - plain", "low", "high", "p", "p_holm", "family", "family_size", "interval",
        "margin", "p_equivalent", "p_equivalent_holm", "shown"]  # fmt: skip


def datasets(cells: pd.DataFrame, library: Library) -> pd.DataFrame:
    """The first post's table, a row per source and collection: three arms and what they imply.

    ``document length`` is the published mean in characters; ``plain`` and ``late`` are chunks of
    256 tokens; ``low`` to ``high`` is the interval of ``late - plain`` where there are scores per
    query; ``best`` names the arms that no other exceeds.
    """
    printed = _arms(cells)
    rows = printed.assign(source=PUBLISHED, encoder=STRENGTH[0], protocol=JINA).reset_index()
    recorded = [_recorded_arms(block, library) for block in blocks(library, LAYOUT)]
    table = pd.concat([rows, *filter(len, recorded)], ignore_index=True)
    table["document length"] = table["collection"].map(printed["document length"])
    table["late - plain"] = table["late"] - table["plain"]
    table["late - no chunking"] = table["late"] - table["no chunking"]
    table["best"] = [", ".join(row.index[row == row.max()]) for _, row in table[ARMS].iterrows()]
    keys = ["source", "encoder", "protocol", "collection", "document length", "n", *ARMS]
    table = table.reindex(columns=[*keys, *GAIN, "late - no chunking", "best"])
    return table.astype({"n": "Int64", "family_size": "Int64"})


def berlin(cells: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Three sentences' cosine with the word Berlin, published, and by each encoder measured.

    Args:
        cells: published cells.
        measured: what the study ``berlin`` left: ``encoder, chunk, plain, late as published,
            late``; may be empty.

    Returns:
        ``late`` is late chunking as the notebook does it, ``late corrected`` without its slips;
        ``late - plain`` is of the latter where there is one.
    """
    own = cells[(cells["work"] == "jina") & (cells["table"] == "berlin")]
    printed = own.pivot(index=["encoder", "chunker"], columns="ordering", values="value")
    printed = printed.loc[list(dict.fromkeys(zip(own["encoder"], own["chunker"], strict=True)))]
    published = printed.reset_index().set_axis(["encoder", "sentence", "late", "plain"], axis=1)
    columns = ["encoder", "chunk", "plain", "late as published", "late"]
    names = ["encoder", "sentence", "plain", "late", "late corrected"]
    recorded = measured.reindex(columns=columns).set_axis(names, axis=1)
    table = pd.concat(
        [published.assign(source=PUBLISHED), recorded.assign(source=RECORDS)], ignore_index=True
    ).astype(dict.fromkeys(names[2:], float))
    table["late - plain"] = table["late corrected"].fillna(table["late"]) - table["plain"]
    return table[["source", *names, "late - plain"]]


def length(cells: pd.DataFrame) -> pd.DataFrame:
    """The published gain of late chunking against document length, with what five points can say.

    Intervals are Fisher's; p is exact, over all orders of the gains. Leaving one collection out
    shows what a single point carries.
    """
    wide = _arms(cells)
    rows = []
    for left_out in (None, *wide.index):
        part = wide.drop(index=left_out) if left_out else wide
        gain = (part["late"] - part["plain"]).to_numpy()
        relative = gain / part["plain"].to_numpy()
        for kind, gains in (("points", gain), ("percent of plain", relative)):
            found = stats.pearsonr(part["document length"], gains)
            low, high = found.confidence_interval()
            rows.append(
                {
                    "left out": left_out or "",
                    "gain in": kind,
                    "n": len(part),
                    "Pearson r": float(found.statistic),
                    "low": low,
                    "high": high,
                    "interval": "Fisher's z, 95%",
                    "p (exact)": _exact_p(part["document length"].to_numpy(), gains),
                    "Spearman rho": float(
                        stats.spearmanr(part["document length"], gains).statistic
                    ),
                }
            )
    return pd.DataFrame(rows)


def combinations(cells: pd.DataFrame, library: Library) -> pd.DataFrame:
    """The second post's table, a row per encoder, chunker and ordering, recorded ones below."""
    printed = _combinations(cells)
    rows = [
        {"source": PUBLISHED, "encoder": encoder, "protocol": JINA, "chunker": chunker,
         "ordering": ordering} | values.to_dict()
        for (encoder, chunker, ordering), values in printed.items()
    ]  # fmt: skip
    names = [str(name) for name in list(rows[0])[5:]]
    for block in blocks(library, LAYOUT):
        for chunker in CHUNKERS:
            for late in (False, True):
                ordering, arm = block.arm(late)
                found = {
                    one: float(arm[chunker, one].mean()) for one in names if (chunker, one) in arm
                }
                if found:
                    keys = (RECORDS, block.encoder, block.protocol, chunker, ordering)
                    rows.append(dict(zip(list(rows[0])[:5], keys, strict=True)) | found)
    return pd.DataFrame(rows)


def comparisons(cells: pd.DataFrame) -> pd.DataFrame:
    """What the second post says of its table, counted in its table: cells above, equal and below.

    A row holds ``first`` less ``second``, each an encoder, a chunker and an ordering, over the four
    collections, and names the question that it counts for.
    """
    plain, late = PRE_EMBEDDING, CONTEXTUALIZED
    asked = [
        *(("late against plain", (e, c, late), (e, c, plain)) for e in STRENGTH for c in CHUNKERS),
        *(
            (f"fixed-256 late against {c} {arm}", (e, "fixed-256", late), (e, c, ordering))
            for e in STRENGTH
            for c in CHUNKERS[1:]
            for arm, ordering in (("plain", plain), ("late", late))
        ),
        *(
            ("weaker late against stronger plain", (weak, c, late), (strong, c, plain))
            for weak, strong in pairs_of(STRENGTH, 2)
            for c in CHUNKERS
        ),
    ]
    values = _combinations(cells)
    names = [f"{side} {key}" for side in ("first", "second")
             for key in ("encoder", "chunker", "ordering")]  # fmt: skip
    rows = []
    for question, first, second in asked:
        difference = values[first] - values[second]
        thousandths = (1000 * difference).round().astype(int)
        rows.append(
            {"question": question}
            | dict(zip(names, (*first, *second), strict=True))
            | {
                "cells": len(difference),
                "above": int((thousandths > 0).sum()),
                "equal": int((thousandths == 0).sum()),
                "below": int((thousandths < 0).sum()),
                "smallest": float(difference.min()),
                "mean": float(difference.mean()),
                "largest": float(difference.max()),
                "above in": ", ".join(difference.index[thousandths > 0]),
            }
        )
    return pd.DataFrame(rows)


def _arms(cells: pd.DataFrame) -> pd.DataFrame:
    """Document length in characters and the three arms, by collection in the post's order."""
    own = cells[(cells["work"] == "jina") & (cells["table"] == "beir")]
    arms = [ARM_OF[key] for key in zip(own["chunker"], own["ordering"], strict=True)]
    wide = own.assign(arm=arms).pivot(index="collection", columns="arm", values="value")
    wide[ARMS] /= 100
    return wide.loc[list(dict.fromkeys(own["collection"]))]


def _recorded_arms(block: Block, library: Library) -> pd.DataFrame:
    """An encoder's three arms, and late less plain, on each collection where it has both.

    Protocols agree on documents that are encoded whole, so that the corrected record serves.
    """
    pairs, none = [], {}
    for name in COLLECTIONS:
        chunked = ("fixed-256", name)
        if chunked not in block.plain or chunked not in block.late:
            continue
        whole = Condition(name, "none", block.encoder, PRE_EMBEDDING, OWN)
        record = library.get(whole)
        if record is not None:
            none[name] = float(record.wide["nDCG@10"].mean())
        keys = (RECORDS, block.encoder, block.protocol, name)
        named = dict(zip(("source", "encoder", "protocol", "collection"), keys, strict=True))
        pairs.append(Pair(named, block.late[chunked], block.plain[chunked]))
    family = f"late against plain chunks of 256 tokens, {block.encoder}, {block.protocol}"
    table = differences(pairs, family, "late", "plain")
    return table.assign(**{"no chunking": table["collection"].map(none)}) if len(table) else table


def _combinations(cells: pd.DataFrame) -> dict[tuple[str, str, str], pd.Series]:
    """The second post's cells by encoder, chunker and ordering, each a series over collections."""
    own = cells[(cells["work"] == "jina") & (cells["table"] == "combinations")]
    keyed = own.set_index(["encoder", "chunker", "ordering"]).sort_index()
    return {
        (encoder, chunker, ordering): keyed.loc[[(encoder, chunker, ordering)]].set_index(
            "collection"
        )["value"]
        / 100
        for chunker in CHUNKERS
        for encoder in STRENGTH
        for ordering in (PRE_EMBEDDING, CONTEXTUALIZED)
    }


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Share of all orders of y that correlate with x at least as strongly, either sign."""
    seen = abs(np.corrcoef(x, y)[0, 1])
    orders = [abs(np.corrcoef(x, order)[0, 1]) for order in permutations(y.tolist())]
    return float(np.mean([one >= seen - 1e-12 for one in orders]))
