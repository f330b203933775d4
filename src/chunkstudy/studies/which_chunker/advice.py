"""The best of each ranking, and which arms it is not told apart from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics.differences import EQUIVALENT
from chunkstudy.runs.conditions import PRE_EMBEDDING
from chunkstudy.studies.which_chunker.ranking import IN_CORPUS, READ
from chunkstudy.study import titles
from chunkstudy.study.formats import Column, Columns, points, whole

GROUP = ["task", "collections", "encoder"]
"""What is ranked by itself, as the tables name it."""
ARM = ["chunker", "ordering", "window"]
AS_GOOD = "shown to be as good within a point"
ADVISED = "enough questions to advise"
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"task": "task", "collections": "collection", "encoder": "model",
              "chunker": "chunker", "ordering": "chunking", "window": "window", "n": "questions",
              "score": "score", "low": "95% interval", READ: "tokens", "behind": "worse",
              "others": "others"},
    "caption": "The best chunker by task, collection and model among those that were run, under "
    "the corrected protocol: its score in percent (recall of excerpts at five, nDCG@10, DCG@10), "
    "the tokens that a reader gets, and how many of the other arms are significantly worse. Sizes "
    "and windows, which the model reads at once, are in tokens.",
    "span": "page", "once": "task",
    "shorter": {"Chroma, five corpora together": "Chroma, all corpora",
                "-v2, 512 tokens": "-v2", ", each corpus by itself": ", each corpus",
                ", each paper by itself": ", each paper", " tokens": "",
                "all-MiniLM-L6-v2": "MiniLM", "all-mpnet-base-v2": "mpnet",
                "two windows averaged": "averaged"},
}  # fmt: skip
"""How the paper sets what bears advice."""
WINDOW = re.compile(r"(?<=late|lain), (\d+) tokens")
"""What one that reads chunks of as many tokens is not to be taken for."""


def arm(chunker: str, ordering: str, window: object) -> str:
    """An arm by its names; late chunking says its window itself."""
    plain = ordering == PRE_EMBEDDING
    read = f"plain, {window} tokens" if plain else titles.ordering(ordering)
    read = WINDOW.sub(r" in windows of \1", read)
    return f"{titles.shown('chunker', chunker)}, {read}"


def arms(text: str) -> str:
    """``chunker ordering window; …`` by their names."""
    return "; ".join(arm(*slugs.split(" ")) for slugs in text.split("; ") if slugs)


COLUMNS: Columns = {
    "window": Column("read at once, tokens", whole),
    **dict.fromkeys((AS_GOOD, "not shown to be worse"), arms),
}


def advice(ranked: pd.DataFrame, fewest_questions: int = 100) -> pd.DataFrame:
    """A row per task, collections and encoder: the best; what is equivalent to it within a point,
    and what is neither that nor significantly worse; how many are worse and by how much; and
    whether it bears advice.

    Args:
        ranked: as :func:`ranking` gives it.
        fewest_questions: fewer bear no advice: with a hundred no two chunkers of the tutorial's
            comparison could be told apart by five points (``labels_power``).
    """
    rows = []
    for _, group in ranked.groupby(GROUP, sort=False):
        best = group.iloc[0]
        close, behind = (group[group["behind"] == word] for word in ("no", "yes"))
        equal = close["shown"] == EQUIVALENT
        rows.append(
            {
                **best[["task", "encoder", *ARM, "credited", "measure", "score", "low", "high"]],
                **best[["n", "collections"]],
                ADVISED: "yes" if best["n"] >= fewest_questions else "no",
                READ: best[READ],
                AS_GOOD: _arms(close[equal]),
                "not shown to be worse": _arms(close[~equal]),
                "others": len(group) - 1,
                "behind": len(behind),
                "behind by at least": -behind["difference"].max(),
                "behind by at most": -behind["difference"].min(),
            }
        )
    return pd.DataFrame(rows)


def _arms(rows: pd.DataFrame) -> str:
    return "; ".join(" ".join(map(str, arm)) for arm in rows[ARM].itertuples(index=False))


def whole_documents(ranked: pd.DataFrame) -> Iterator[tuple[pd.Series[Any], pd.Series[Any]]]:
    """Of every model the best arm where documents are looked for, and the best that cuts them, with
    ``low`` and ``high`` those of its difference."""
    for _, group in ranked[ranked["task"] == IN_CORPUS].groupby(GROUP, sort=False):
        cut = group[group["chunker"] != "none"].iloc[0].copy()
        cut["low"], cut["high"] = cut["difference low"], cut["difference high"]
        yield group.iloc[0], cut


def trails(row: pd.Series[Any]) -> str:
    """By how many points a row trails, with the interval."""
    return f"{-100 * row['difference']:.1f} [{points(-row['high'])}, {points(-row['low'])}]"
