"""What late chunking gains: over plain chunks of the same window, over plain chunks that are read
whole, with one model more than with another, with a wide window more than with a narrow one.

Every comparison is paired by question. A family that Holm's correction is taken within is one
question of one collection and measure: the windows of a model, or of two models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import NOT_SHOWN, SIGNIFICANT, Pair, differences
from chunkstudy.studies.late_within.reading import EVERY, Arms, Cell

HELD = ["collection", "measure", "over", "window"]
WHERE = "{collection}, {measure}, {over}"
"""Of every family."""
READ_WHOLE = ", against plain chunks read whole"


def by_window(arms: Iterable[Arms]) -> pd.DataFrame:
    """Late minus plain at the same window, each question's mean over the chunkers."""
    return _over_plain(arms, lambda one, cell: one.plain.get(cell), "")


def read_whole(arms: Iterable[Arms]) -> pd.DataFrame:
    """Late chunking in each window minus plain chunks in the widest, which cuts no chunk but long
    paragraphs; each question's mean over the chunkers."""
    return _over_plain(arms, lambda one, cell: one.read_whole(cell[0]), READ_WHOLE)


def _over_plain(
    arms: Iterable[Arms], plain: Callable[[Arms, Cell], pd.DataFrame | None], against: str
) -> pd.DataFrame:
    pairs = [
        Pair(
            one.keys | {"model": cell[0], "window": cell[1], "chunkers": len(one.chunkers)},
            late.mean(axis=1),
            other.mean(axis=1),
            one.documents,
        )
        for one in arms
        for cell, late in one.late.items()
        if (other := plain(one, cell)) is not None
    ]
    family = f"the windows{against}, {WHERE}, {{model}}"
    return differences(pairs, family, "contextualized", "plain")


def read_whole_by_chunker(arms: Iterable[Arms]) -> pd.DataFrame:
    """The same of every chunker; a family is the chunkers and windows of a model."""
    pairs = [
        Pair(
            one.keys | {"model": model, "window": window, "chunker": chunker},
            late[chunker],
            one.read_whole(model)[chunker],
            one.documents,
        )
        for one in arms
        for (model, window), late in one.late.items()
        for chunker in one.chunkers
    ]
    family = f"the chunkers and windows{READ_WHOLE}, {{collection}}, {{measure}}, {{model}}"
    return differences(pairs, family, "contextualized", "plain").drop(columns="over")


def lost_together(rows: pd.DataFrame) -> int:
    """How many comparisons are significantly lower where all of them are one family."""
    corrected = statistics.holm(rows["p"].to_numpy())
    return int(((corrected < SIGNIFICANT) & (rows["difference"] < 0)).sum())


def ends(rows: pd.DataFrame, measure: str) -> list[pd.DataFrame]:
    """Of the rows over all chunkers those of the narrowest window and of the widest."""
    rows = rows[(rows["measure"] == measure) & (rows["over"] == EVERY)]
    return [rows[rows["window"] == size] for size in (rows["window"].min(), rows["window"].max())]


def best(arms: Iterable[Arms]) -> pd.DataFrame:
    """The arm of the highest score, late or plain, of every chunker and window that was run, a row
    per collection, measure and model; what is highest of so many is so by chance in part."""
    rows: list[dict[str, object]] = []
    for one in arms:
        for model in one.models:
            plain = one.read_whole(model).mean()
            found = {("plain", one.windows[-1], name): mean for name, mean in plain.items()}
            for (of, window), scores in one.late.items():
                means = scores.mean().items() if of == model else ()
                found |= {("late", window, name): mean for name, mean in means}
            arm, window, chunker = max(found, key=lambda key: found[key])
            rows.append(
                {"collection": one.collection, "measure": one.measure, "model": model}
                | {"arm": arm, "window": window, "chunker": chunker}
                | {"score": found[arm, window, chunker], "best plain": plain.max()}
            )
    return pd.DataFrame(rows)


def between_models(arms: Iterable[Arms]) -> pd.DataFrame:
    """The gain with one model minus the gain with another at each window."""
    pairs = [
        Pair(
            one.keys | {"model": model, "other model": other, "window": window},
            one.gain(model, window),
            one.gain(other, window),
            one.documents,
        )
        for one in arms
        for other, model in combinations(one.models, 2)
        for window in one.windows
    ]
    return differences(
        pairs, f"the windows, {WHERE}, {{model}} against {{other model}}", "gain", "gain against"
    )


def changes(arms: Iterable[Arms]) -> pd.DataFrame:
    """The gain at the widest window minus the gain at the narrowest, by model."""
    pairs = [
        Pair(one.keys | {"model": model} | one.ends, *_at_the_ends(one, model), one.documents)
        for one in arms
        for model in one.models
    ]
    how = f"the change with the window, {WHERE}, {{model}}"
    return differences(pairs, how, "gain at the wider", "at the narrower")


def changes_between_models(arms: Iterable[Arms]) -> pd.DataFrame:
    """The change of the gain with one model minus its change with another."""
    pairs = []
    for one in arms:
        for other, model in combinations(one.models, 2):
            first, second = (
                wide - narrow for wide, narrow in (_at_the_ends(one, m) for m in (model, other))
            )
            keys = one.keys | {"model": model, "other model": other} | one.ends
            pairs.append(Pair(keys, first, second, one.documents))
    how = f"the change with the window, {WHERE}, two models"
    return differences(pairs, how, "change", "change against")


def held(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """What one model shows and a second was asked, side by side, and whether it ``held``: ``yes``,
    ``no`` where the second shows something else, ``open`` where it shows nothing.

    Args:
        rows: of :func:`by_window`.
        first: a model; ``second`` another.
    """
    shown = rows.set_index(HELD)[["model", "shown"]]
    one, other = (shown.loc[shown["model"] == model, "shown"] for model in (first, second))
    both = pd.DataFrame({"shown": one, "second model shown": other}).dropna()
    both = both[both["shown"] != NOT_SHOWN]
    same = both["shown"] == both["second model shown"]
    words = same.map({True: "yes", False: "no"})
    return both.assign(held=words.mask(both["second model shown"] == NOT_SHOWN, "open"))


def _at_the_ends(one: Arms, model: str) -> tuple[pd.Series, pd.Series]:
    """The gain at the widest window and at the narrowest."""
    return one.gain(model, one.windows[-1]), one.gain(model, one.windows[0])
