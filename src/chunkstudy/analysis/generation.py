"""What the generation of questions brought, from the study of generated questions."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.generation.filters import ALIKE, UNLIKE
from chunkstudy.generation.replies import REASONS

ACCEPTED = "accepted"
Frames = Mapping[str, pd.DataFrame]
PASSED_ON = ("released", "thresholds", "places", "shifted", "candidates")
"""Tables of the study that are shown as they are."""


def tables(study: Frames) -> dict[str, pd.DataFrame]:
    """Every table, empty where the study was not run.

    Args:
        study: the tables of ``generated-questions`` by name.
    """
    empty = pd.DataFrame()
    made = {f"generation_{name}": study.get(name, empty) for name in PASSED_ON}
    if not study:
        return made | dict.fromkeys(
            (f"generation_{name}" for name in ("outcomes", "cost", "filters")), empty
        )
    return made | {
        "generation_outcomes": outcomes(study["requests"]),
        "generation_cost": cost(study["requests"]),
        "generation_filters": filtered(study["candidates"]),
    }


def outcomes(requests: pd.DataFrame) -> pd.DataFrame:
    """How many replies were accepted, and how many rejected for each reason; a column per origin of
    the replies."""
    said = requests.assign(outcome=requests["rejected"].replace("", ACCEPTED))
    counts = pd.crosstab(said["outcome"], said["replies"])
    order = [name for name in (ACCEPTED, *REASONS) if name in counts.index]
    origins = list(dict.fromkeys(requests["replies"]))
    return counts.loc[order, origins].reset_index().rename_axis(columns=None)


def cost(requests: pd.DataFrame) -> pd.DataFrame:
    """Requests, tokens and seconds by origin of the replies."""
    by = requests.groupby("replies", sort=False)
    return pd.DataFrame(
        {
            "requests": by.size(),
            "questions": by["rejected"].agg(lambda why: int((why == "").sum())),
            "tokens in, a request": by["input tokens"].mean(),
            "tokens out, a request": by["output tokens"].mean(),
            "seconds a request": by["seconds"].mean(),
        }
    ).reset_index()


def filtered(candidates: pd.DataFrame) -> pd.DataFrame:
    """What the filters did with questions of each kind, as their author meant them."""
    rows = []
    for (replies, meant), of in candidates.groupby(["replies", "meant"], sort=False):
        rows.append(
            {
                "replies": replies,
                "meant": meant,
                "questions": len(of),
                "dropped: unlike an excerpt": int((of["dropped"] == UNLIKE).sum()),
                "dropped: like an earlier one": int((of["dropped"] == ALIKE).sum()),
                "kept": int((of["dropped"] == "").sum()),
                "least similar excerpt, from": float(of["least similar excerpt"].min()),
                "to": float(of["least similar excerpt"].max()),
            }
        )
    return pd.DataFrame(rows)
