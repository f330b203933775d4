"""Trained late chunking: what it still costs, and what training is good for, over the folds that
are recorded, which every row counts.

A question's score is its mean over the two chunkers. Questions are compared where both models have
them, so two models are held against each other on the same folds.

Families, each for one collection, measure and window: late against plain chunking, model by model;
what training changes of the cost of late chunking; what it changes of the scores; what context in
training changes against training without.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Keys, Pair, differences
from chunkstudy.studies.trained_late_chunking.parts import (
    ALONE,
    CONTEXT,
    MIXED,
    SYSTEMS,
    UNTRAINED,
    WINDOW,
)

LATE, PLAIN, COST = "late", "plain", "late minus plain"
MEASURE = "DCG@10"
TRAINED, AGAINST_MODEL = "trained on", "against one trained on"
FAMILY = f"trained late chunking, {{}}, {{}}, window of {WINDOW} tokens"
AGAINST: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (
    *(
        ((system, score), (other, score))
        for other, systems in ((UNTRAINED, SYSTEMS[1:]), (ALONE, (CONTEXT, MIXED)))
        for score, system in product((LATE, PLAIN, COST), systems)
    ),
    ((CONTEXT, LATE), (ALONE, PLAIN)),
    ((CONTEXT, LATE), (UNTRAINED, PLAIN)),
)
"""What is held against what, each a system and what is counted of it."""
Tables = Mapping[str, pd.DataFrame]
Models = Mapping[tuple[str, str], pd.DataFrame]
"""By collection and system, the questions of a model: see :func:`scored`."""


def scored(tables: Tables) -> Models:
    """The models that have questions, over all their folds, in the order of the systems: of each
    a row per question with ``late``, ``plain``, ``late minus plain``, ``document`` and ``fold``.

    Args:
        tables: what the experiment left, its tables ``parts`` and ``questions``.
    """
    rows = tables["questions"].merge(tables["parts"][["part", "arm", "fold"]], on="part")
    by_question = rows.groupby(["collection", "arm", "query_id"])
    questions = by_question[[PLAIN, LATE]].mean()
    questions[COST] = questions[LATE] - questions[PLAIN]
    questions[["document", "fold"]] = by_question[["document", "fold"]].first()
    models = dict(iter(questions.groupby(["collection", "arm"])))
    ordered = product(sorted(set(rows["collection"])), SYSTEMS)
    return {key: models[key].droplevel([0, 1]) for key in ordered if key in models}


def costs(models: Models) -> pd.DataFrame:
    """Late minus plain chunking with the same model, by system and collection."""
    pairs = [
        Pair(
            _keys(collection) | {TRAINED: system, "folds": rows["fold"].nunique()},
            rows[LATE], rows[PLAIN], rows["document"],
        )
        for (collection, system), rows in models.items()
    ]  # fmt: skip
    return differences(pairs, FAMILY.format("late against plain", "{collection}"), LATE, PLAIN)


def by_fold(models: Models) -> pd.DataFrame:
    """The means of each fold, a training each: how far they lie apart, which an interval over
    questions leaves out."""
    means = []
    for (collection, system), rows in models.items():
        for fold, of_fold in rows.groupby("fold"):
            keys = _keys(collection) | {TRAINED: system, "fold": fold, "n": len(of_fold)}
            keys |= {"documents": of_fold["document"].nunique(), **of_fold[[LATE, PLAIN]].mean()}
            means.append(keys)
    table = pd.DataFrame(means)
    return table.assign(difference=table[LATE] - table[PLAIN])


def between(models: Models) -> pd.DataFrame:
    """One model against another on the folds of both; see ``AGAINST``. Where ``counted`` is ``late
    minus plain``, what late chunking costs the one is held against what it costs the other."""
    pairs = []
    for collection, pair in product(dict.fromkeys(name for name, _ in models), AGAINST):
        (system, counted), (other, against) = pair
        first, second = models.get((collection, system)), models.get((collection, other))
        if first is None or second is None or not (folds := {*first["fold"]} & {*second["fold"]}):
            continue
        keys = _keys(collection) | {TRAINED: system, "counted": counted, AGAINST_MODEL: other}
        keys |= {"against": against, "folds": len(folds)}
        pairs.append(Pair(keys, first[counted], second[against], first["document"]))
    return differences(pairs, _family, "first", "second")


def trained(tables: Tables) -> pd.DataFrame:
    """Each trained model: its triples, steps, and the loss on the validation part before the first
    step and at the step whose weights were kept."""
    parts = tables["parts"]
    parts = parts[parts["arm"] != UNTRAINED].rename(columns={"arm": TRAINED})
    looks = tables["curves"].set_index(["part", "step"])["validation loss"]
    kept = pd.MultiIndex.from_frame(parts[["part", "best step"]])
    table = parts[[TRAINED, "fold", "triples seen", "steps", "best step"]].copy()
    table["loss before"] = looks.xs(0, level="step").reindex(parts["part"]).to_numpy()
    table["loss kept"] = looks.reindex(kept).to_numpy()
    return table


def _keys(collection: str) -> dict[str, object]:
    return {"measure": MEASURE, "collection": collection, "window": WINDOW}


def _family(keys: Keys) -> str:
    """What a comparison of two models answers."""
    if keys[AGAINST_MODEL] == ALONE:
        question = "context in training"
    else:
        question = "change of the cost" if keys["counted"] == COST else "change of the scores"
    return FAMILY.format(question, keys["collection"])
