"""Trained late chunking: what it still costs, what training is good for, and how many triples it
takes; over the folds that are recorded, which every row counts.

A question's score is its mean over the two chunkers. Questions are compared where both models have
them, so two models are held against each other on the same folds.

Families, each for one collection, measure and window: late against plain chunking, model by model;
what training changes of the cost of late chunking; what it changes of the scores; what context in
training changes against training without; another seed against the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Keys, Pair, differences
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking.parts import (
    ALONE,
    CONTEXT,
    MIXED,
    STEPS,
    UNTRAINED,
)
from chunkstudy.studies.trained_late_chunking.scores import (
    ARMS,
    COST,
    LATE,
    PLAIN,
    WITHIN,
    Key,
    Models,
    Scored,
    chosen,
    family_of,
    places,
    scored,
)

ELSEWHERE = "nDCG@10"
TRAINED, AGAINST_ONE = "trained on", "against one trained on"
AGAINST: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (
    *(((arm, how), (UNTRAINED, how)) for how, arm in product((LATE, PLAIN, COST), ARMS[1:])),
    *(((arm, how), (ALONE, how)) for how, arm in product((LATE, PLAIN, COST), (CONTEXT, MIXED))),
    ((CONTEXT, LATE), (ALONE, PLAIN)),
    ((CONTEXT, LATE), (UNTRAINED, PLAIN)),
)
"""What is held against what, each an arm and what is counted of it."""
ELSEWHERE_READ = (
    (UNTRAINED, UNTRAINED, PLAIN),
    (CONTEXT, CONTEXT, PLAIN),
    (CONTEXT, UNTRAINED, LATE),
    (CONTEXT, ALONE, PLAIN),
)
"""Late chunking by one arm against either ordering by another: what it costs, what training in
context changes of its score, and whether it then beats plain chunking after training on passages
alone."""
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"trained on": "trained on", "plain": "plain", "late": "late", "difference": "gain",
              "low": "95% interval", "shown": "shown"},
    "caption": "all-MiniLM-L6-v2 by what it was trained on, window of 512 tokens, on papers of "
    "COVID-QA that it was not trained on: DCG@10 in percent, plain and late, and late minus plain "
    r"in points; \val{training/untrained.n} questions.",
}  # fmt: skip
"""How the paper sets the costs."""


def again(_: Context) -> dict[str, pd.DataFrame]:
    """Training takes hours and comes in parts, which a notebook does not run.

    Raises:
        StudyError: always, with the command that trains.
    """
    raise StudyError(
        "the models are trained for hours and part by part: `chunkstudy study "
        'trained-late-chunking` does it, and says the price with `--dry-run`; use compute="stored"'
    )


def costs(models: Models) -> pd.DataFrame:
    """Late minus plain chunking with the same model, all triples, by arm, window and collection."""
    pairs = [
        _pair(_place(key) | {"folds": one.folds.nunique()}, one, LATE, one, PLAIN)
        for key, one in models.items()
        if key[2] == 1 and not key[3]
    ]
    return differences(pairs, family_of("late against plain"), LATE, PLAIN)


def other_windows(made: Mapping[str, pd.DataFrame], first: int) -> pd.DataFrame:
    """Windows read otherwise than the page's: see ``ELSEWHERE_READ``. A model that was trained on
    passages alone knows no layout."""
    pairs = []
    parts = made["parts"].fillna({"layout": ""})
    ways = sorted(set(zip(parts["window"], parts["layout"], strict=True)) - {(first, "")})
    for window, layout in ways:
        models, alone = (scored(made, window, layout=one) for one in (layout, ""))
        for (_, collection), (arm, other, how) in product(places(models), ELSEWHERE_READ):
            one = models.get((arm, window, 1.0, 0, collection))
            against = (alone if other == ALONE else models).get((other, window, 1.0, 0, collection))
            keys = {"collection": collection, "window": window, "layout": layout or "most context"}
            pairs += _on_both(keys, (arm, LATE), (other, how), one, against)
    found = differences(pairs, family_of("other windows"), LATE, "the other")
    return found.drop(columns="counted")


def by_fold(models: Models) -> pd.DataFrame:
    """The means of each fold, a training each: how far they lie apart, which an interval over
    questions leaves out."""
    rows = []
    for key, one in models.items():
        if key[2] != 1 or key[3]:
            continue
        for fold, values in one.values.groupby(one.folds):
            keys = {"measure": WITHIN, **_place(key), "fold": fold, "n": len(values)}
            keys |= {"documents": one.documents.loc[values.index].nunique()}
            means = values[[LATE, PLAIN]].mean()
            rows.append(keys | {**means, "difference": means[LATE] - means[PLAIN]})
    return pd.DataFrame(rows)


def arms(models: Models) -> pd.DataFrame:
    """One model against another on the folds of both; see ``AGAINST``. Where ``counted`` is ``late
    minus plain``, what late chunking costs the one is held against what it costs the other."""
    pairs = []
    for (window, collection), (first, second) in product(places(models), AGAINST):
        both = (models.get((arm, window, 1.0, 0, collection)) for arm, _ in (first, second))
        pairs += _on_both({"collection": collection, "window": window}, first, second, *both)

    def family(keys: Keys) -> str:
        if keys[AGAINST_ONE] == ALONE:
            question = "context in training"
        else:
            question = "change of the cost" if keys["counted"] == COST else "change of the scores"
        return family_of(question).format_map(keys)

    return differences(pairs, family, "first", "second")


def longer(models: Models, more: Models) -> pd.DataFrame:
    """What three times the steps change: late against plain chunking after them, either score and
    the cost against the same after the usual steps, and late chunking after training in context
    against plain chunking after training on passages alone."""
    pairs = []
    for key, one in more.items():
        arm, usual = key[0], models.get(key)
        if arm == UNTRAINED or usual is None:
            continue
        of_others = [(how, arm, how, usual) for how in (LATE, PLAIN, COST)]
        of_others.append((LATE, arm, PLAIN, one))
        if arm == CONTEXT and (other := more.get((ALONE, *key[1:]))):
            of_others.append((LATE, ALONE, PLAIN, other))
        for counted, against, of_other, second in of_others:
            named = {"counted": counted, AGAINST_ONE: against, "against": of_other}
            named["steps of the other"] = "a third" if second is usual else "as many"
            pairs.append(_pair(_place(key) | named, one, counted, second, of_other))
    return differences(pairs, family_of("longer training"), "first", "second")


def seeds(models: Models) -> pd.DataFrame:
    """Each model trained from another seed against the one from the first, on the questions of
    both: how far a training by itself moves the scores, which no other interval holds."""
    pairs = [
        _pair(_place(key) | {"counted": counted, "seed": key[3]}, again, counted, first, counted)
        for key, again in models.items()
        if key[3] and (first := models.get((*key[:3], 0, key[4])))
        for counted in (LATE, PLAIN, COST)
    ]
    return differences(pairs, family_of("another seed"), "by this seed", "by the first seed")


def triples(models: Models, parts: pd.DataFrame) -> pd.DataFrame:
    """The arm pooled in context by how many triples it saw, on the folds that all shares have:
    late against plain chunking; none seen is the model as it was."""
    shares = sorted({key[2] for key in models if key[0] == CONTEXT})
    pairs = []
    for window, collection in places(models):
        asked = [(UNTRAINED, 1.0), *((CONTEXT, share) for share in shares)]
        curve = [models.get((arm, window, share, 0, collection)) for arm, share in asked]
        known = [one for one in curve if one]
        folds = set.intersection(*({*one.folds} for one in known[1:])) if known[1:] else set()
        if len(shares) < 2 or len(known) < len(asked) or not folds:
            continue
        seen = [0, *(_seen(parts, window, share, folds) for share in shares)]
        keys = {"measure": WITHIN, "collection": collection, "window": window, "folds": len(folds)}
        for count, one in zip(seen, known, strict=True):
            values = one.values[one.folds.isin(folds)]
            named = keys | {"triples": count}
            pairs.append(Pair(named, values[LATE], values[PLAIN], one.documents))
    return differences(pairs, family_of("by triples"), LATE, PLAIN)


def on_others(parts: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Each trained model against the model as it was, and against the one trained on passages
    alone, on whole documents of other collections."""
    if rows.empty:
        return differences([], ELSEWHERE, "trained", "the other")
    rows = rows.merge(parts[["part", "arm"]], on="part")
    values = {
        key: of.set_index("query_id")[ELSEWHERE] for key, of in rows.groupby(["collection", "arm"])
    }
    pairs = []
    for collection in sorted(set(rows["collection"])):
        for other, arm in product((UNTRAINED, ALONE), ARMS[1:]):
            first, second = values.get((collection, arm)), values.get((collection, other))
            if arm == other or first is None or second is None:
                continue
            keys = {"measure": ELSEWHERE, "collection": collection, TRAINED: arm}
            pairs.append(Pair(keys | {AGAINST_ONE: other}, first, second))

    family = f"trained on other collections, {{collection}}, against {{{AGAINST_ONE}}}"
    return differences(pairs, family, "trained", "the other")


def trained(parts: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """Each trained model: its triples, steps, and the loss on the validation part before the first
    step and at the step whose weights were kept."""
    if parts.empty or curves.empty:
        return pd.DataFrame()
    models = parts[(parts["arm"] != UNTRAINED) & (parts["test"] == "within")]
    models = models.fillna({"layout": "most context"})
    looks = curves.dropna(subset="validation loss").set_index(["part", "step"])["validation loss"]
    kept = list(zip(models["part"], models["best step"], strict=True))
    counts = ["training triples", "triples left out", "triples seen", "steps", "best step"]
    table = models[
        ["arm", "window", "layout", "fold", "share", "seed", "steps at most", *counts]
    ].copy()
    table["loss before"] = [looks.get((part, 0)) for part in models["part"]]
    table["loss kept"] = [looks.get(one) for one in kept]
    table = table.rename(columns={"arm": TRAINED})
    return table.assign(weights=models["weights_sha256"].str[:12])


def _place(key: Key) -> dict[str, object]:
    """The columns that name a model."""
    arm, window, _, _, collection = key
    return {"collection": collection, "window": window, TRAINED: arm}


def _pair(keys: Keys, one: Scored, counted: str, other: Scored, against: str) -> Pair:
    """What is counted of one model against what is counted of another."""
    values = one.values[counted], other.values[against]
    return Pair({"measure": WITHIN, **keys}, *values, one.documents)


def _on_both(
    keys: Keys,
    first: tuple[str, str],
    second: tuple[str, str],
    one: Scored | None,
    other: Scored | None,
) -> list[Pair]:
    """What is counted of one model against what is counted of another, on the folds of both; none
    where there are no such.

    Args:
        keys: collection and window.
        first: the arm of the one and what is counted of it; ``second`` likewise.
    """
    if one is None or other is None or not (folds := {*one.folds} & {*other.folds}):
        return []
    named = {TRAINED: first[0], "counted": first[1], AGAINST_ONE: second[0], "against": second[1]}
    return [_pair({**keys, **named, "folds": len(folds)}, one, first[1], other, second[1])]


def _seen(parts: pd.DataFrame, window: int, share: float, folds: set[int]) -> int:
    """Triples that a model trained in context on a share of them saw, the mean over folds."""
    parts = chosen(parts, window, STEPS, "")
    here = (parts["arm"] == CONTEXT) & (parts["test"] == "within") & parts["fold"].isin(folds)
    here &= (parts["share"] == share) & (parts["seed"] == 0)
    return round(float(parts.loc[here, "triples seen"].mean()))
