"""What late chunking gains: over plain chunks of the same window, over plain chunks that are read
whole, with one model more than with another, in a wide window more than in a narrow one, and with
short last chunks more than without. Differences are fractions.

Every comparison is paired by question. A family that Holm's correction is taken within is one
question of one collection and measure: the windows of a model, or of two models; where documents
are looked for, the collections and chunkers of one protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import NOT_SHOWN, SIGNIFICANT, Pair, differences
from chunkstudy.runs.conditions import PRE_EMBEDDING
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.studies.late_chunking.systems import (
    TODAY,
    Systems,
    late_ordering,
    slug,
)

CONFIRMED = ["collection", "measure", "over", "window"]
"""What one result of two models is told by."""
WHERE = "{collection}, {measure}, {over}"
"""Of every family."""
READ_WHOLE = ", against plain chunks read whole"


def by_window(systems: Iterable[Systems], whole: bool = False) -> pd.DataFrame:
    """Late minus plain by window, each question's mean over the chunkers.

    Args:
        systems: within documents.
        whole: whether plain chunks are read in the widest window, which cuts no chunk but long
            paragraphs, and not in the same.
    """
    pairs = [
        Pair(
            _keys(system) | {"window": window, "chunkers": late.shape[1]},
            late.mean(axis=1),
            (system.read_whole if whole else system.plain[window]).mean(axis=1),
            system.documents,
        )
        for system in systems
        for window, late in system.today.items()
        if whole or window in system.plain
    ]
    family = f"the windows{READ_WHOLE if whole else ''}, {WHERE}, {{model}}"
    return differences(pairs, family, "contextualized", "plain")


def read_whole_by_chunker(systems: Iterable[Systems]) -> pd.DataFrame:
    """Late minus plain chunks read whole, of every chunker; a family is the chunkers and windows of
    a model."""
    pairs = [
        Pair(
            _keys(system) | {"window": window, "chunker": chunker},
            scores,
            system.read_whole[chunker],
            system.documents,
        )
        for system in systems
        for window, late in system.today.items()
        for chunker, scores in late.items()
    ]
    family = f"the chunkers and windows{READ_WHOLE}, {{collection}}, {{measure}}, {{model}}"
    return differences(pairs, family, "contextualized", "plain").drop(columns="over")


def by_layout(systems: Iterable[Systems], chunkers: Sequence[str]) -> pd.DataFrame:
    """Late minus plain chunks read whole, each question's mean over those of ``chunkers`` that the
    collection has, of the layouts that all of these are read in."""
    pairs = []
    for system in systems:
        known = {name for late in system.late.values() for name in late.columns}
        wanted = [name for name in chunkers if name in known]
        for (layout, window), late in system.late.items():
            if not wanted or not set(wanted) <= set(late.columns):
                continue
            keys = {"layout": layout, "window": window, "chunkers": len(wanted)}
            first, second = (read[wanted].mean(axis=1) for read in (late, system.read_whole))
            pairs.append(Pair(system.keys | keys, first, second, system.documents))
    family = "layouts and windows against plain chunks, {collection}, {model}"
    return differences(pairs, family, "late", "plain")


def lost_together(rows: pd.DataFrame) -> int:
    """How many comparisons are significantly lower where all of them are one family."""
    corrected = statistics.holm(rows["p"].to_numpy())
    return int(((corrected < SIGNIFICANT) & (rows["difference"] < 0)).sum())


def best(systems: Iterable[Systems]) -> pd.DataFrame:
    """What has the highest score, late or plain, of every chunker and window that was run, a row
    per collection, measure and model; what is highest of so many is so by chance in part."""
    rows = []
    for system in systems:
        plain = system.read_whole.mean()
        means = {("plain", system.widest, chunker): mean for chunker, mean in plain.items()}
        for window, late in system.today.items():
            means |= {("late", window, chunker): mean for chunker, mean in late.mean().items()}
        way, window, chunker = max(means, key=lambda key: means[key])
        rows.append(
            {"collection": system.collection, "measure": system.measure, "model": system.model}
            | {"arm": way, "window": window, "chunker": chunker}
            | {"score": means[way, window, chunker], "best plain": plain.max()}
        )
    return pd.DataFrame(rows)


def changes(systems: Iterable[Systems]) -> pd.DataFrame:
    """The gain at the widest window minus the gain at the narrowest, by model."""
    pairs = [
        Pair(
            _keys(system) | {"from": system.narrowest, "to": system.widest},
            system.gain(system.widest),
            system.gain(system.narrowest),
            system.documents,
        )
        for system in systems
    ]
    how = f"the change with the window, {WHERE}, {{model}}"
    return differences(pairs, how, "gain at the wider", "at the narrower")


def between_models(
    systems: Sequence[Systems], gain: Callable[[Systems], pd.Series]
) -> pd.DataFrame:
    """What one model gains minus what another gains; a family is all pairs of models.

    Args:
        systems: of every model that is compared.
        gain: a question's gain, or how it changes with the window.
    """
    pairs = [
        Pair(
            _keys(second) | {"other model": first.model},
            gain(second),
            gain(first),
            second.documents,
        )
        for first, second in combinations(systems, 2)
        if (first.collection, first.measure) == (second.collection, second.measure)
    ]
    return differences(pairs, f"two models, {WHERE}", "gain", "gain against")


def confirmed(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """What one model shows and a second was asked, side by side, and whether it ``held``: ``yes``,
    ``no`` where the second shows something else, ``open`` where it shows nothing.

    Args:
        rows: of :func:`by_window`.
        first: a model; ``second`` another.
    """
    shown = rows.set_index(CONFIRMED)[["model", "shown"]]
    result, other = (shown.loc[shown["model"] == model, "shown"] for model in (first, second))
    both = pd.DataFrame({"shown": result, "second model shown": other}).dropna()
    both = both[both["shown"] != NOT_SHOWN]
    words = (both["shown"] == both["second model shown"]).map({True: "yes", False: "no"})
    return both.assign(held=words.mask(both["second model shown"] == NOT_SHOWN, "open"))


def by_chunker(systems: Iterable[Systems], kind: str) -> pd.DataFrame:
    """Late minus plain chunking, a row a collection, chunker, window and protocol; corrected over
    the rows of one protocol and window.

    Args:
        systems: both ways.
        kind: what is embedded, as the family of these comparisons calls it.
    """
    pairs = []
    for system in systems:
        for window, plain in system.plain.items():
            late = system.late[TODAY, window]
            for chunker, record in system.records[window].items():
                cut = record.sizes["wordpiece"].percentiles[-1] > window - SPECIAL
                keys = {
                    "collection": system.collection,
                    "chunker": chunker,
                    "window": window,
                    "cut": "yes" if cut else "no",
                    "ordering": late_ordering(window),
                    **_condition(system, window),
                }
                pairs.append(Pair(keys, late[chunker], plain[chunker]))
    family = f"{kind}, {{protocol}}, {{window}} tokens"
    rows = differences(pairs, family, "contextualized", "plain")
    return rows.sort_values(["collection", "chunker"], kind="stable", ignore_index=True)


def without_tails(systems: Iterable[Systems], cut: str, remedies: Sequence[str]) -> pd.DataFrame:
    """Chunks whose short last ones are merged or dropped minus the same with them, late and plain;
    corrected over the rows of one protocol and ordering.

    Args:
        systems: with all these chunkers, in one window.
        cut: the chunker that leaves short last chunks.
        remedies: those that do not.
    """
    pairs = [
        Pair(
            {"collection": system.collection, "chunker": remedy, "ordering": ordering}
            | _condition(system, system.widest),
            scores[remedy],
            scores[cut],
        )
        for system in systems
        for ordering, scores in (
            (PRE_EMBEDDING, system.read_whole),
            (late_ordering(system.widest), system.late[TODAY, system.widest]),
        )
        for remedy in remedies
    ]
    family = "short last chunks, {ordering}, {protocol}"
    return differences(pairs, family, "without short tails", "with short tails")


def lost_with_tails(systems: Iterable[Systems], cut: str, remedies: Sequence[str]) -> pd.DataFrame:
    """The gain of late chunking with short last chunks minus that without them, question by
    question; corrected over the rows of one protocol. Arguments as of :func:`without_tails`."""
    pairs = []
    for system in systems:
        gain = system.late[TODAY, system.widest] - system.read_whole
        keys = {"collection": system.collection, "protocol": system.protocol}
        keys |= {"encoder": slug(system.model, system.widest)}
        pairs += [Pair(keys | {"remedy": remedy}, gain[cut], gain[remedy]) for remedy in remedies]
    family = "gain lost with short last chunks, {protocol}"
    return differences(pairs, family, "gain", "gain without short tails")


def _keys(system: Systems) -> dict[str, object]:
    """The leading columns within documents."""
    measured = {"measure": system.measure, "over": system.over}
    return {"collection": system.collection, **measured, "model": system.model}


def _condition(system: Systems, window: int) -> dict[str, object]:
    """The last keys where documents are looked for."""
    encoder = slug(system.model, window)
    return {"protocol": system.protocol, "encoder": encoder, "measure": system.measure}
