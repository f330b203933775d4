"""The best of each ranking, and which arms it is not told apart from."""

from __future__ import annotations

from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics.differences import EQUIVALENT
from chunkstudy.studies.which_chunker.arms import EXCERPTS
from chunkstudy.studies.which_chunker.cost import ENCODED, IOU, OPERATIONS, READ

GROUP = ["task", "collections", "encoder"]
"""What is ranked by itself, as the tables name it."""
AS_GOOD = "shown to be as good within a point"
ADVISED = "enough questions to advise"
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"task": "task", "collections": "collection", "encoder": "model",
              "chunker": "chunker", "ordering": "chunking", "n": "questions", "score": "score",
              "low": "95% interval", READ: "tokens", "behind": "worse", "others": "others"},
    "caption": "The best chunker by task, collection and model among those that were run, under "
    "the corrected protocol: its score in percent (recall of excerpts at five, nDCG@10, DCG@10), "
    "the tokens that a reader gets, and how many of the other arms are significantly worse. Sizes "
    "and windows are in tokens; plain chunks are read up to 512, for excerpts up to 256.",
    "span": "page", "once": "task",
    "shorter": {"Chroma, five corpora together": "Chroma, all corpora",
                "-v2, 512 tokens": "-v2", ", each corpus by itself": ", each corpus",
                ", each paper by itself": ", each paper", " tokens": ""},
}  # fmt: skip
"""How the paper sets what bears advice."""


def advice(ranked: pd.DataFrame, fewest_questions: int = 100) -> pd.DataFrame:
    """A row per task, collections and encoder: the best; what is equivalent to it within a point,
    and what is neither that nor significantly worse; how many are worse and by how much; for
    excerpts, the best where text read in vain is charged; and whether it bears advice.

    Args:
        ranked: as :func:`ranking` gives it.
        fewest_questions: fewer bear no advice: with a hundred no two chunkers of the tutorial's
            comparison could be told apart by five points (``labels_power``).
    """
    rows = []
    for (task, _, encoder), group in ranked.groupby(GROUP, sort=False):
        best = group.iloc[0]
        close, behind = (group[group["behind"] == word] for word in ("no", "yes"))
        equal = close["shown"] == EQUIVALENT
        row = {
            "task": task,
            "encoder": encoder,
            **best[["chunker", "ordering", "credited", "measure", "score", "low", "high"]],
            **best[["n", "collections"]],
            ADVISED: "yes" if best["n"] >= fewest_questions else "no",
            **best[[ENCODED, OPERATIONS, READ]],
            AS_GOOD: _arms(close[equal]),
            "not shown to be worse": _arms(close[~equal]),
            "others": len(group) - 1,
            "behind": len(behind),
            "behind by at least": -behind["difference"].max(),
            "behind by at most": -behind["difference"].min(),
        }
        if task == EXCERPTS:
            by_overlap = group.iloc[int(group[IOU].argmax())]
            row |= {
                f"best by {IOU}": by_overlap["chunker"],
                IOU: by_overlap[IOU],
                "tokens read at 5": by_overlap["tokens read at 5"],
            }
        rows.append(row)
    return pd.DataFrame(rows)


def _arms(rows: pd.DataFrame) -> str:
    return "; ".join(rows["chunker"] + " " + rows["ordering"])


def against_best(ranked: pd.DataFrame, task: str, chunker: str, ordering: str) -> pd.DataFrame:
    """An arm of a task, a row per collections and encoder, with ``low`` and ``high`` those of its
    difference from the best."""
    keys = ["task", "chunker", "ordering"]
    rows = ranked[(ranked[keys] == [task, chunker, ordering]).all(axis=1)]
    return rows.assign(low=rows["difference low"], high=rows["difference high"])
