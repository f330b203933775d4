"""Overlap and chunk size where every chunker hands over equally much text.

Families: the overlaps, and their mean, by collection, encoder, ordering and way of counting, all
budgets together; the chunkers against the best one by the same and by budget. The best is chosen by
the same scores, so being behind it is shown a little too easily.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import FEWEST_DOCUMENTS, Pair, differences
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.runs.names import ChunkerSpec, parse_chunker

MEASURE = "SpanRecall(unit=token)"
ARM = ["collection", "encoder", "ordering"]
READ = [*ARM, "counted", "budget"]
WHERE = "{collection}, {encoder}, {ordering}, counted {counted}"
"""Of every family."""
WITH, WITHOUT = "with overlap", "without"
MEAN = "mean over chunkers"
BEST = "best chunker"
Keys = Mapping[str, object]


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
