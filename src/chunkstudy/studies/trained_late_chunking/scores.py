"""The scores of trained models: a model's questions over all its folds, in both orderings.

A question's score is its mean over the two chunkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import pandas as pd

from chunkstudy.studies.trained_late_chunking.parts import ARMS, STEPS

LATE, PLAIN, COST = "late", "plain", "late minus plain"
WITHIN = "DCG@10"
MODEL = ["arm", "window", "share", "seed"]


@dataclass(frozen=True)
class Scored:
    """The questions of one model in one collection.

    Attributes:
        values: a row per question: ``late``, ``plain`` and ``late minus plain``.
        documents: that each question is asked of.
        folds: of each question.
    """

    values: pd.DataFrame
    documents: pd.Series
    folds: pd.Series


Key = tuple[str, int, float, int, str]
"""Arm, window, share of triples, seed, and collection."""
Models = Mapping[Key, Scored]


def chosen(parts: pd.DataFrame, window: int, steps: int, layout: str) -> pd.DataFrame:
    """The parts of models trained for at most so many steps, and of the one that was not trained,
    of one way to read windows."""
    here = parts["steps at most"].isin((0, steps)) & (parts["window"] == window)
    return parts[here & (parts["layout"].fillna("") == layout)]


def scored(
    made: Mapping[str, pd.DataFrame], window: int, steps: int = STEPS, layout: str = ""
) -> Models:
    """The models that have questions, over all their folds, in the order of the arms: those trained
    for at most so many steps, and the one that was not trained.

    Args:
        made: what the experiment left, its tables ``parts`` and ``questions``.
        window: tokens that late chunking reads together.
        steps: 120, or three times as many.
        layout: of the windows.
    """
    parts, questions = chosen(made["parts"], window, steps, layout), made["questions"]
    rows = questions.merge(parts[["part", "fold", *MODEL]], on="part")
    found: dict[Key, Scored] = {}
    for key, of_model in rows.groupby([*MODEL, "collection"]):
        by_question = of_model.groupby("query_id")
        values = by_question[[PLAIN, LATE]].mean()
        values[COST] = values[LATE] - values[PLAIN]
        documents, folds = by_question["document"].first(), by_question["fold"].first()
        found[cast(Key, key)] = Scored(values, documents, folds)

    def order(key: Key) -> tuple[object, ...]:
        arm, window, share, seed, collection = key
        return collection, -window, ARMS.index(arm), -share, seed

    return {key: found[key] for key in sorted(found, key=order)}


def places(models: Models) -> list[tuple[int, str]]:
    """The windows and collections that any model has, the widest window first."""
    found = {(window, collection) for _, window, _, _, collection in models}
    return sorted(found, key=lambda place: (-place[0], place[1]))


def family_of(question: str) -> str:
    return f"trained late chunking, {question}, {{collection}}, window of {{window}} tokens"
