"""What both controls compare: overlap and chunk size where every chunker hands over equally much
text, and chunkers that choose their boundaries against the same sizes in another order.

Families: the overlaps, and their mean, by collection, encoder, ordering and way of counting, all
budgets together; the chunkers against the best one by the same and by budget; the methods and
collections, or parts of them, of one encoder, ordering, measure and place of boundaries. The best
is chosen by the same scores, so being behind it is shown a little too easily.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Keys, Pair, differences
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.runs.conditions import PRE_EMBEDDING, ChunkerSpec, parse_chunker, parse_encoder

MEASURE = "SpanRecall(unit=token)"
ARM = ["collection", "encoder", "ordering"]
READ = [*ARM, "counted", "budget"]
WHERE = "{collection}, {encoder}, {ordering}, counted {counted}"
"""Of every family."""
WITH, WITHOUT = "with overlap", "without"
MEAN = "mean over chunkers"
BEST = "best chunker"


def overlaps(questions: pd.DataFrame) -> pd.DataFrame:
    """Every chunker with overlap minus the same without, by budget and way of counting, and each
    question's mean over those chunkers.

    Args:
        questions: of the study ``equal-budget``; may be empty.
    """
    pairs = []
    for keys, recalls, document in _read(questions):
        found = {one: other for one in recalls if (other := without_overlap(one)) in recalls}
        for chunker, other in found.items():
            of_pair = {**keys, "chunker": chunker, "other": other, "measure": MEASURE}
            pairs.append(Pair(of_pair, recalls[chunker], recalls[other], document))
        if found:
            of_mean = {**keys, "chunker": MEAN, "other": "", "measure": MEASURE}
            wide = pd.DataFrame(recalls)
            own, others = (wide[list(one)].mean(axis=1) for one in (found, found.values()))
            pairs.append(Pair(of_mean, own, others, document))

    def family(keys: Keys) -> str:
        of = MEAN if keys["chunker"] == MEAN else "the chunkers"
        return f"overlap, {of}, {WHERE}".format_map(keys)

    return differences(pairs, family, WITH, WITHOUT)


def sizes(questions: pd.DataFrame, chunkers: pd.DataFrame) -> pd.DataFrame:
    """Every chunker by budget and way of counting, against the best of them.

    ``recall`` with its interval ``recall low`` to ``recall high``, over documents where there are
    enough of them; the rest compares it with the best, whose own row has no comparison. ``tokens``
    is the mean of its chunks.

    Args:
        questions: of the study ``equal-budget``; may be empty.
        chunkers: the same study's.
    """
    pairs, rows = [], []
    for keys, recalls, document in _read(questions):
        wide = pd.DataFrame(recalls)
        best = str(wide.mean().idxmax())
        ends = _intervals(wide, document)
        for chunker, interval in zip(wide, ends, strict=True):
            of_one = {**keys, "chunker": chunker}
            recall = statistics.with_interval("recall", wide[chunker].mean(), interval)
            rows.append(of_one | recall | {BEST: best})
            if chunker != best:
                compared = (wide[chunker], wide[best], document)
                pairs.append(Pair({**of_one, "measure": MEASURE}, *compared))
    if not rows:
        return pd.DataFrame()

    behind = differences(
        pairs, f"against the best, {WHERE}, {{budget}}", "mean", "mean of the best"
    )
    behind = behind.drop(columns=["measure", "mean", "mean of the best"])
    together = pd.DataFrame(rows).merge(behind, how="left", on=[*READ, "chunker"])
    of_chunker = [*ARM, "chunker"]
    return together.merge(chunkers[[*of_chunker, "tokens"]], how="left", on=of_chunker)


def without_overlap(chunker: str) -> str:
    """The slug of the same chunker without overlap; empty where it has none."""
    spec = parse_chunker(chunker)
    if not spec.entry.takes("overlap") or not spec.sizes[1]:
        return ""
    return str(ChunkerSpec(spec.name, (spec.sizes[0], 0), spec.length, spec.by))


def _intervals(wide: pd.DataFrame, document: pd.Series) -> list[Interval]:
    """Of each column's mean, drawn as the comparisons draw."""
    if document.nunique() < FEWEST_DOCUMENTS:
        return statistics.bootstrap_intervals(wide.to_numpy().T)
    return [one.interval for one in clustered_means((of, document) for _, of in wide.items())]


def _read(
    questions: pd.DataFrame,
) -> Iterator[tuple[dict[str, object], dict[str, pd.Series], pd.Series]]:
    """The keys, each chunker's recall by query id, and each question's document."""
    if questions.empty:
        return
    for key, part in questions.groupby(READ, sort=False):
        wide = part.set_index("query_id")
        recalls = wide.drop(columns=[*READ, "document"]).dropna(axis=1, how="all")
        columns = {str(name): values for name, values in recalls.items()}
        yield dict(zip(READ, key, strict=True)), columns, wide["document"]


DRAWN = ["collection", "part", "chunker", "encoder", "ordering", "boundaries"]
CHOSEN, RANDOM = "chosen", "random"


def against_chance(questions: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Each question's score under a method against its mean over the draws, a row per collection,
    method, encoder, ordering, place of boundaries and measure. Beside it stands where the method's
    mean lies among the draws' means: were its boundaries as good as any, each place would be as
    likely.

    ``draws`` is their number, ``lowest draw`` and ``highest draw`` are the outermost of their
    means, ``draws below`` is the fraction of draws whose mean is below the method's, and ``p_rank``
    the two-sided p of a place as far out among the draws as the method's.

    Args:
        questions: of the study ``random-boundaries``; may be empty.
        draws: the same study's.
    """
    if questions.empty:
        return pd.DataFrame()
    pairs, places = [], []
    for key, part in questions.groupby(DRAWN, sort=False):
        keys = dict(zip(DRAWN, key, strict=True))
        wide = part.set_index("query_id")
        for column in wide.filter(like="method "):
            measure = str(column).removeprefix("method ")
            if wide[column].isna().all():
                continue
            of_pair = {**keys, "measure": measure}
            draws_mean = wide[f"draws {measure}"]
            pairs.append(Pair(of_pair, wide[column], draws_mean, wide["document"]))
            places.append(_place(draws, keys, measure))
    found = differences(pairs, _of_chance, CHOSEN, RANDOM)
    return pd.concat([found, pd.DataFrame(places)], axis=1)


def _place(draws: pd.DataFrame, keys: Mapping[str, object], measure: str) -> dict[str, float]:
    """Where the method's mean lies among those of the draws."""
    here = np.logical_and.reduce([draws[name] == keys[name] for name in DRAWN[:-1]])
    own = float(draws.loc[here & (draws["draw"] == 0), measure].iloc[0])
    means = draws.loc[here & (draws["boundaries"] == keys["boundaries"]), measure].to_numpy()
    outer = min((means >= own).sum(), (means <= own).sum())
    return {
        "draws": len(means),
        "lowest draw": float(means.min()),
        "highest draw": float(means.max()),
        "draws below": float((means < own).mean()),
        "p_rank": min(1.0, float(2 * (outer + 1) / (len(means) + 1))),
    }


def _of_chance(keys: Mapping[str, object]) -> str:
    ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
    encoder = parse_encoder(str(keys["encoder"])).model
    part = f"{keys['boundaries']}, {keys['part']}"
    return f"random boundaries {part}, {keys['measure']}, {encoder}, {ordering}"
