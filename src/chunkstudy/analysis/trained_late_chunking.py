"""Trained late chunking: what it still costs, what training is good for, and how many triples it
takes; over the folds that are recorded, which every row counts.

A question's score is its mean over the two chunkers. Questions are compared where both models have
them, so two models are held against each other on the same folds.

Families, each for one collection, measure and window: late against plain chunking, model by model;
what training changes of the cost of late chunking; what it changes of the scores; what context in
training changes against training without; the learning curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import cast

import pandas as pd

from chunkstudy.analysis.paired import Keys, Pair, differences
from chunkstudy.training.recipe import ALONE, CONTEXT, MIXED, UNTRAINED

LATE, PLAIN, COST = "late", "plain", "late minus plain"
WITHIN, ELSEWHERE = "DCG@10", "nDCG@10"
ARMS = (UNTRAINED, ALONE, CONTEXT, MIXED)
TRAINED, AGAINST_ONE = "trained on", "against one trained on"
MODEL = ["arm", "window", "share", "seed"]
AGAINST: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (
    *(((arm, how), (UNTRAINED, how)) for how, arm in product((LATE, PLAIN, COST), ARMS[1:])),
    *(((arm, how), (ALONE, how)) for how, arm in product((LATE, PLAIN, COST), (CONTEXT, MIXED))),
    ((CONTEXT, LATE), (ALONE, PLAIN)),
    ((CONTEXT, LATE), (UNTRAINED, PLAIN)),
)
"""What is held against what, each an arm and what is counted of it."""


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


def tables(study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Every table of the study, empty where it was not run.

    Args:
        study: the tables ``parts``, ``questions``, ``elsewhere`` and ``curves`` of
            ``trained-late-chunking``.
    """
    nothing = pd.DataFrame()
    parts = study.get("parts", nothing)
    models = scored(parts, study.get("questions", nothing))
    return {
        "trained_models": trained(parts, study.get("curves", nothing)),
        "trained_costs": costs(models),
        "trained_arms": arms(models),
        "trained_triples": triples(models, parts),
        "trained_elsewhere": elsewhere(parts, study.get("elsewhere", nothing)),
    }


def scored(parts: pd.DataFrame, questions: pd.DataFrame) -> Models:
    """The models that have questions, over all their folds, in the order of the arms."""
    if questions.empty:
        return {}
    rows = questions.merge(parts[["part", "fold", *MODEL]], on="part")
    found: dict[Key, Scored] = {}
    for key, of_model in rows.groupby([*MODEL, "collection"]):
        by_question = of_model.groupby("query_id")
        values = by_question[[PLAIN, LATE]].mean()
        values[COST] = values[LATE] - values[PLAIN]
        documents, folds = by_question["document"].first(), by_question["fold"].first()
        found[cast(Key, key)] = Scored(values, documents, folds)
    return dict(sorted(found.items(), key=lambda one: _order(one[0])))


def costs(models: Models) -> pd.DataFrame:
    """Late minus plain chunking with the same model, all triples, by arm, window and collection."""
    pairs = []
    for (arm, window, share, seed, collection), one in models.items():
        if share == 1 and not seed:
            keys = {"measure": WITHIN, "collection": collection, "window": window, TRAINED: arm}
            keys |= {"folds": one.folds.nunique()}
            pairs.append(Pair(keys, one.values[LATE], one.values[PLAIN], one.documents))
    return differences(pairs, _family("late against plain"), LATE, PLAIN)


def arms(models: Models) -> pd.DataFrame:
    """One model against another on the folds of both; see ``AGAINST``. Where ``counted`` is ``late
    minus plain``, what late chunking costs the one is held against what it costs the other."""
    pairs = []
    places = sorted({(window, collection) for _, window, _, _, collection in models}, key=_wide)
    for (window, collection), against in product(places, AGAINST):
        (arm, counted), (other, of_other) = against
        first = models.get((arm, window, 1.0, 0, collection))
        second = models.get((other, window, 1.0, 0, collection))
        if first is None or second is None:
            continue
        both = first.values.index.intersection(second.values.index)
        if not len(both):
            continue
        keys = {"measure": WITHIN, "collection": collection, "window": window}
        keys |= {TRAINED: arm, "counted": counted, AGAINST_ONE: other, "against": of_other}
        keys |= {"folds": first.folds.loc[both].nunique()}
        pairs.append(
            Pair(keys, first.values[counted], second.values[of_other], first.documents.loc[both])
        )

    def family(keys: Keys) -> str:
        if keys[AGAINST_ONE] == ALONE:
            question = "context in training"
        else:
            question = "change of the cost" if keys["counted"] == COST else "change of the scores"
        return _family(question)(keys)

    return differences(pairs, family, "first", "second")


def triples(models: Models, parts: pd.DataFrame) -> pd.DataFrame:
    """The arm pooled in context by how many triples it saw, on the folds that all shares have:
    late against plain chunking; none seen is the model as it was."""
    shares = {key[2] for key in models if key[0] == CONTEXT}
    pairs = []
    for (arm, window, share, seed, collection), one in models.items():
        known = [models.get((CONTEXT, window, other, seed, collection)) for other in shares]
        if len(shares) < 2 or arm not in (UNTRAINED, CONTEXT) or not all(known):
            continue
        folds = set.intersection(*(set(of.folds) for of in known if of))
        here = one.folds.index[one.folds.isin(folds)]
        if not len(here):
            continue
        keys = {"measure": WITHIN, "collection": collection, "window": window}
        keys |= {"triples": _seen(parts, arm, window, share, seed, folds), "folds": len(folds)}
        values = one.values.loc[here]
        pairs.append(Pair(keys, values[LATE], values[PLAIN], one.documents.loc[here]))
    table = differences(pairs, _family("by triples"), LATE, PLAIN)
    order = ["collection", "window", "triples"]
    return table.sort_values(order, kind="stable", ignore_index=True) if len(table) else table


def elsewhere(parts: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Each trained model against the model as it was, on whole documents of other collections."""
    if rows.empty:
        return differences([], ELSEWHERE, "trained", "as it was")
    rows = rows.merge(parts[["part", "fold", *MODEL]], on="part")
    pairs = []
    for (collection, arm), of_arm in rows.groupby(["collection", "arm"]):
        before = rows[(rows["collection"] == collection) & (rows["arm"] == UNTRAINED)]
        if arm == UNTRAINED or before.empty:
            continue
        keys = {"measure": ELSEWHERE, "collection": collection, TRAINED: arm}
        after, was = (one.set_index("query_id")[ELSEWHERE] for one in (of_arm, before))
        pairs.append(Pair(keys, after, was))

    def family(keys: Keys) -> str:
        return f"trained on other collections, {keys['collection']}, {keys['measure']}"

    return differences(pairs, family, "trained", "as it was")


def trained(parts: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """Each trained model: its triples, steps, and the loss on the validation part before the first
    step and at the step whose weights were kept."""
    if parts.empty or curves.empty:
        return pd.DataFrame()
    models = parts[(parts["arm"] != UNTRAINED) & (parts["test"] == "within")]
    looks = curves.dropna(subset="validation loss").set_index(["part", "step"])["validation loss"]
    kept = list(zip(models["part"], models["best step"], strict=True))
    counts = ["training triples", "triples left out", "triples seen", "steps", "best step"]
    table = models[["arm", "window", "fold", "seed", *counts]].copy()
    table["loss before"] = [looks.get((part, 0)) for part in models["part"]]
    table["loss kept"] = [looks.get(one) for one in kept]
    table = table.rename(columns={"arm": TRAINED})
    return table.assign(weights=models["weights_sha256"].str[:12])


def _seen(
    parts: pd.DataFrame, arm: str, window: int, share: float, seed: int, folds: set[int]
) -> int:
    here = (parts["arm"] == arm) & (parts["window"] == window) & (parts["test"] == "within")
    here &= (parts["share"] == share) & (parts["seed"] == seed) & parts["fold"].isin(folds)
    return round(float(parts.loc[here, "triples seen"].mean()))


def _family(question: str) -> Callable[[Keys], str]:
    def family(keys: Keys) -> str:
        where = f"{keys['collection']}, window of {keys['window']} tokens"
        return f"trained late chunking, {question}, {where}"

    return family


def _wide(place: tuple[int, str]) -> tuple[int, str]:
    return -place[0], place[1]


def _order(key: Key) -> tuple[object, ...]:
    arm, window, share, seed, collection = key
    return collection, -window, ARMS.index(arm), -share, seed
