"""Whether the reproduced recalls of Chroma's MiniLM table are off to one side, and which protocol
lies nearer to print.

A printed mean and ours are over the same questions, so that what would differ if the published
stack ran again is its search alone, and not which questions were drawn. The tests here are thus
over the rows of the table: how many lie above print, by an exact sign test, and whether their mean
shift could be 0, by giving the shifts every combination of signs. Both take the rows for
independent, though they share the questions and some of the text; they are generous. The interval
of a mean shift, over questions drawn anew for all rows together, says how wide a reading passes
that calls a mean reproduced when it lies inside its own sampling interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from chunkstudy import statistics
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, CORRECTED, Protocol
from chunkstudy.studies.chroma_search import OFFICIAL, SEEDS

MEASURE = "SpanRecall@5"
HALF = 0.0005
"""Half of the last printed digit, a tenth of a point: nearer to print than this is at it."""
AS_PUBLISHED, SEARCHED = "as published", "as published, Chroma's own search"
TRUE_OFFSETS = "true offsets, Chroma's own search"
"""The official code with nothing changed but that chunks are where they stand."""
EXACT, OWN = "exact search", "Chroma's own search"
ABOVE, NEARER, OUTSIDE = (
    "above print",
    "nearer to print than as published",
    "print below every search",
)
COLUMNS = ["question", "protocol", "rows", "against", "of", "mean", "low", "high", "p",
           "p of the mean", "p_holm", "family", "family_size"]  # fmt: skip


def rows(comparison: pd.DataFrame, spread: pd.DataFrame) -> pd.DataFrame:
    """The table's mean recalls, a row each: printed, under the official protocol and the corrected
    one by exact search, and the range of Chroma's own search where that was run; fractions.

    Args:
        comparison: a row per published cell.
        spread: the table of that name of the study ``chroma-search``; may be empty.
    """
    cells = comparison[
        (comparison["work"] == "chroma")
        & (comparison["table"] == "minilm")
        & (comparison["measure"] == MEASURE)
        & (comparison["statistic"] == "mean")
        & (comparison["verdict"] != "not_run")
    ].reset_index(drop=True)
    table = pd.DataFrame({"chunker": cells["run"].str.split("/").str[1]})
    for name, column in (
        ("published", "value"), (AS_PUBLISHED, "reproduced"), (CORRECTED.name, "corrected")
    ):  # fmt: skip
        table[name] = cells[column].astype(float) / 100
    for name in (AS_PUBLISHED, CORRECTED.name):
        table[f"{name} - published"] = table[name] - table["published"]
    searched = _setting(spread, OFFICIAL)
    for end in ("low", "mean", "high"):
        table[f"search {end}"] = table["chunker"].map(searched[end]).astype(float)
    at_home = table["chunker"].map(_setting(spread, OFFICIAL | {"offsets": "true"})["mean"])
    table[f"{SEARCHED} - published"] = table["search mean"] - table["published"]
    table[f"{TRUE_OFFSETS} - published"] = at_home.astype(float) - table["published"]
    return table


def tests(table: pd.DataFrame, library: Library) -> pd.DataFrame:
    """What the rows say together: how many are to one side (``rows``) and to the other
    (``against``), the mean of what they are to one side by, with its interval over questions drawn
    anew, and both exact p. A family is one question by one search.

    Args:
        table: what :func:`rows` gives.
        library: the records.
    """
    if table.empty:
        return pd.DataFrame(columns=COLUMNS)
    found = [
        _above(AS_PUBLISHED, table) | _redrawn(table, library, AS_PUBLISHED_CHROMA),
        _above(CORRECTED.name, table) | _redrawn(table, library, CORRECTED),
        _nearer(table, AS_PUBLISHED, CORRECTED.name),
    ]
    if table["search mean"].notna().all():
        found += [_above(one, table) for one in (SEARCHED, TRUE_OFFSETS)]
        found += [_nearer(table, SEARCHED, TRUE_OFFSETS), _outside(table)]
    made = pd.DataFrame(found).reindex(columns=COLUMNS[:-3])
    searched = made["protocol"].isin([SEARCHED, TRUE_OFFSETS]).map({True: OWN, False: EXACT})
    made["family"] = "rows of Chroma's MiniLM table, " + made["question"] + ", " + searched
    families = made.groupby("family", sort=False)["p"]
    made["p_holm"] = families.transform(statistics.holm)
    made["family_size"] = families.transform("count").astype(int)
    return made[COLUMNS]


def every_sign(values: ArrayLike) -> float:
    """Two-sided exact p that values are symmetric around 0: of all combinations of their signs, the
    share whose mean is as far from 0."""
    array = np.asarray(values, dtype=np.float64)
    sums = np.array(list(product((-1.0, 1.0), repeat=len(array)))) @ array
    return float(np.mean(np.abs(sums) >= abs(array.sum()) * (1 - 1e-12)))


def _above(name: str, table: pd.DataFrame) -> dict[str, object]:
    shift = table[f"{name} - published"]
    above, below = int((shift > HALF).sum()), int((shift < -HALF).sum())
    return _counted(ABOVE, name, above, below, shift)


def _nearer(table: pd.DataFrame, one: str, other: str) -> dict[str, object]:
    """How many rows of ``other`` are nearer to print than those of ``one``; a row counts where
    every value that rounds to the printed one says the same."""
    official, own = (table[f"{name} - published"] for name in (one, other))
    gain = official.abs() - own.abs()
    sure = ((official + own) / 2).abs() > HALF
    nearer, farther = int((sure & (gain > 0)).sum()), int((sure & (gain < 0)).sum())
    return _counted(NEARER, other, nearer, farther, gain)


def _counted(
    question: str, protocol: str, rows: int, against: int, values: pd.Series
) -> dict[str, object]:
    counted = rows + against
    return {
        "question": question,
        "protocol": protocol,
        "rows": rows,
        "against": against,
        "of": len(values),
        "mean": float(values.mean()),
        "p": float(stats.binomtest(rows, counted).pvalue) if counted else 1.0,
        "p of the mean": every_sign(values),
    }


def _outside(table: pd.DataFrame) -> dict[str, object]:
    """Rows whose print lies below every run of Chroma's own search. If print were one run more, it
    would be the lowest of all once in ``SEEDS + 1`` times."""
    outside = int((table["published"] + HALF < table["search low"]).sum())
    n = len(table)
    return {
        "question": OUTSIDE,
        "protocol": SEARCHED,
        "rows": outside,
        "against": n - outside,
        "of": n,
        "mean": float((table["search low"] - table["published"]).mean()),
        "p": float(stats.binomtest(outside, n, 1 / (SEEDS + 1), alternative="greater").pvalue),
    }


def _redrawn(table: pd.DataFrame, library: Library, protocol: Protocol) -> dict[str, float]:
    """The interval of the mean shift if other questions were drawn, the same for all rows."""
    scores = []
    for chunker in table["chunker"]:
        record = library.get(Condition("chroma", chunker, MINILM, PRE_EMBEDDING, protocol.name))
        if record is None:
            return {}
        scores.append(record.wide[MEASURE])
    of_question = pd.concat(scores, axis=1).mean(axis=1)
    low, high = statistics.bootstrap_interval(of_question - table["published"].mean())
    return {"low": low, "high": high}


def _setting(spread: pd.DataFrame, setting: Mapping[str, object]) -> pd.DataFrame:
    """Lowest, mean and highest recall by chunker over the runs of one setting of search."""
    ends = ["low", "mean", "high"]
    if spread.empty:
        return pd.DataFrame(columns=ends, dtype=float)
    own = (
        (spread["part"] == "all") & (spread["measure"] == MEASURE) & (spread["statistic"] == "mean")
    )
    for name, value in setting.items():
        own &= spread[name].astype(str) == str(value)
    return spread[own].set_index("chunker")[ends]
