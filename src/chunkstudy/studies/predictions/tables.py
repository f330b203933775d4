"""The tables of predictions: each with its outcome, by rule, and those to bet on."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.predictions.outcomes import (
    CAME_TRUE,
    UNDECIDED,
    Evidence,
    ids,
    number,
    outcome,
)
from chunkstudy.published.predictions.register import Prediction, Registered

CELL = ["work", "table", "collection", "chunker", "encoder", "ordering", "part", "measure",
        "statistic"]  # fmt: skip
COLUMNS = ["id", "rule", "kind", *CELL, "protocol", "conditions", "cells", "unit", "published",
           "at least", "at most", "probability", "surprise", "number", "outcome",
           "registered"]  # fmt: skip
BETS = 10


def every(registered: Registered, evidence: Evidence) -> dict[str, pd.DataFrame]:
    """The tables of predictions by name."""
    found = predictions(registered, evidence)
    return {
        "predictions": found,
        "predictions_by_kind": by_kind(found),
        "predictions_by_rule": by_rule(found, registered),
        "predictions_to_bet_on": to_bet_on(found, registered),
        "predictions_coverage": coverage(registered, evidence),
    }


def predictions(registered: Registered, evidence: Evidence) -> pd.DataFrame:
    """A row per registered prediction with the columns `COLUMNS`; ``number`` is the one that
    decided it. What is open has no bound."""
    rows = [_row(one, registered, evidence) for one in registered.predictions]
    numbers = ["published", "at least", "at most", "probability", "surprise", "number"]
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(numbers, float))


def _row(one: Prediction, registered: Registered, evidence: Evidence) -> dict[str, object]:
    cell = evidence.by_id[one.cells[0]]
    found = number(one, evidence)
    return {
        **{name: cell[name] for name in CELL},
        **one.model_dump(exclude={"cells", "conditions", "measure", "low", "high"}),
        "at least": one.low,
        "at most": one.high,
        "conditions": " ".join(one.conditions),
        "cells": len(one.cells),
        "number": found,
        "outcome": outcome(one, found),
        "registered": registered.dates[one.id].isoformat(),
    }


def by_kind(found: pd.DataFrame) -> pd.DataFrame:
    """Predictions by the kind of number that decides them, and how many of them come true if their
    probabilities are right."""
    kinds = found.groupby("kind", sort=False)
    counts = {
        "predictions": kinds.size(),
        "against print": kinds["surprise"].agg(lambda values: int((values > 0).sum())),
        "expected to come true": kinds["probability"].sum(),
        "decided": kinds["outcome"].agg(lambda values: int((values != UNDECIDED).sum())),
        "came true": kinds["outcome"].agg(lambda values: int((values == CAME_TRUE).sum())),
    }
    return pd.DataFrame(counts).reset_index()


def by_rule(found: pd.DataFrame, registered: Registered) -> pd.DataFrame:
    """A row per rule: what it says and why, how probable it is, and how it did.

    ``Brier score`` is the mean squared distance of the probability from what happened, 0 or 1; NaN
    as long as nothing of the rule is decided.
    """
    rows = []
    for rule, part in found.groupby("rule", sort=False):
        decided = part[part["outcome"] != UNDECIDED]
        happened = (decided["outcome"] == CAME_TRUE).astype(float)
        said = registered.rules[str(rule)]
        rows.append(
            {
                "rule": rule,
                "says": said.says,
                "why": said.why,
                "basis": ", ".join(said.basis),
                "kind": part["kind"].iloc[0],
                "protocol": "corrected" if (part["protocol"] == "corrected").all() else "published",
                "predictions": len(part),
                "against print": int((part["surprise"] > 0).sum()),
                "probability": part["probability"].mean(),
                "decided": len(decided),
                "came true": int(happened.sum()),
                "Brier score": ((decided["probability"] - happened) ** 2).mean(),
            }
        )
    return pd.DataFrame(rows)


def to_bet_on(found: pd.DataFrame, registered: Registered) -> pd.DataFrame:
    """The ten predictions with the highest product of probability and surprise, one of a rule."""
    repeats = {name for name, said in registered.rules.items() if said.repeats is not None}
    once = found[~found["rule"].isin(repeats) & (found["surprise"] > 0)]
    once = once.assign(bet=once["probability"] * once["surprise"])
    best = once.sort_values("bet", ascending=False, kind="stable").drop_duplicates("rule")
    best = best.head(BETS)
    says = [registered.rules[rule].says for rule in best["rule"]]
    columns = ["id", "says", "collection", "chunker", "encoder", "unit", "published", "at least",
               "at most", "probability", "surprise", "number", "outcome"]  # fmt: skip
    return best.assign(says=says)[columns].reset_index(drop=True)


def coverage(registered: Registered, evidence: Evidence) -> pd.DataFrame:
    """How many published cells that are not run have a prediction, by work and table."""
    about = {name for one in registered.predictions for name in one.cells}
    cells = evidence.comparison.assign(
        predicted=[name in about for name in ids(evidence.comparison)]
    )
    waiting = cells[cells["verdict"] == "not_run"]
    counts = {
        "cells": cells.groupby(["work", "table"]).size(),
        "not run": waiting.groupby(["work", "table"]).size(),
        "predicted": waiting[waiting["predicted"]].groupby(["work", "table"]).size(),
        "not predicted": waiting[~waiting["predicted"]].groupby(["work", "table"]).size(),
    }
    return pd.DataFrame(counts).fillna(0).astype(int).reset_index()
