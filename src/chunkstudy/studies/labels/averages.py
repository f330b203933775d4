"""Precision and recall over chunk labels on a collection, where the judged text stays and the
chunks change. All averages are fractions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies import labels
from chunkstudy.studies.labels.chunk_labels import GOLD_RULES, GoldRule, macro, micro, rates
from chunkstudy.study.study import Study


def read(
    study: Study, collection: str, chunkers: Sequence[str], rule: GoldRule = "any", cut: int = 5
) -> pd.DataFrame:
    """What the experiment ``labels`` says of a collection, from the stored one where it tells.

    Args:
        study: the notebook's.
        collection: its name.
        chunkers: their slugs.
        rule: which chunks are gold.
        cut: how many chunks are retrieved.

    Returns:
        a row per chunker, in the order given, and query: ``chunker`` and its ``mean tokens``; the
        counts ``TP``, ``FP``, ``FN`` and ``gold``; ``precision``, ``recall`` and ``f1``; and of the
        same ranking ``SpanPrecision`` and ``SpanRecall``.

    Raises:
        StudyError: if there is no such rule.
    """
    if rule not in GOLD_RULES:
        raise StudyError(f"unknown rule {rule!r}; use one of {', '.join(GOLD_RULES)}")
    kept = collection in labels.COLLECTIONS and {*chunkers} <= {*labels.CHUNKERS}
    made = study.stored(
        "labels",
        lambda context: labels.tables(context, [collection], chunkers, sorted({*labels.CUTS, cut})),
        kept=kept and cut in labels.CUTS,
    )
    queries, facts = (at(made[name], collection=collection) for name in ("queries", "chunkers"))
    rows = pd.concat([at(queries, chunker=name) for name in chunkers], ignore_index=True)
    both, gold = rows[f"TP@{cut} ({rule})"], rows[f"gold ({rule})"]
    retrieved = rows["retrieved"].clip(upper=cut)
    counts = pd.DataFrame({"TP": both, "FP": retrieved - both, "FN": gold - both, "gold": gold})
    spans = {name: rows[f"{name}@{cut}"] for name in ("SpanPrecision", "SpanRecall")}
    tokens = rows["chunker"].map(facts.set_index("chunker")["mean tokens"])
    of_chunker = pd.DataFrame({"chunker": rows["chunker"], "mean tokens": tokens})
    return pd.concat([of_chunker, counts, rates(counts), pd.DataFrame(spans)], axis=1)


def scores(records: pd.DataFrame) -> pd.DataFrame:
    """A row per chunker: averages over queries with 95% intervals, what the best search could
    reach, and token overlap of the same ranking.

    Args:
        records: of :func:`read`.
    """
    rows = []
    for chunker, part in records.groupby("chunker", sort=False):
        mean, best = part.drop(columns="chunker").mean(), macro(best_search(part))
        precision, recall = statistics.bootstrap_intervals([part["precision"], part["recall"]])
        rows.append(
            {
                "chunker": chunker,
                **mean[["mean tokens", "gold"]],
                **statistics.with_interval("precision", mean["precision"], precision),
                "best precision": best["precision"],
                "SpanPrecision": mean["SpanPrecision"],
                **statistics.with_interval("recall", mean["recall"], recall),
                "best recall": best["recall"],
                **mean[["SpanRecall", "f1"]],
            }
        )
    return pd.DataFrame(rows)


def best_search(counts: pd.DataFrame) -> pd.DataFrame:
    """The counts of a search that retrieves as many chunks and gold ones first."""
    exchanged = counts[["FP", "FN"]].min(axis=1)
    return pd.DataFrame(
        {
            "TP": counts["TP"] + exchanged,
            "FP": counts["FP"] - exchanged,
            "FN": counts["FN"] - exchanged,
        }
    )


def macro_micro(records: pd.DataFrame) -> pd.DataFrame:
    """Recall averaged both ways, with 95% intervals; and how much of all gold chunks the tenth of
    queries with the most of them hold.

    Args:
        records: of :func:`read`.
    """
    rows = []
    for chunker, part in records.groupby("chunker", sort=False):
        recall, both, gold = statistics.resampled_sums(part[["recall", "TP", "gold"]].T)
        drawn = (recall / len(part), both / gold, both / gold - recall / len(part))
        of_macro, of_micro, of_change = map(statistics.percentile_interval, drawn)
        most = np.sort(part["gold"])[::-1][: round(len(part) / 10)]
        by_query, by_chunk = macro(part)["recall"], micro(part)["recall"]
        rows.append(
            {
                "chunker": chunker,
                "gold": part["gold"].mean(),
                "held by a tenth": most.sum() / part["gold"].sum(),
                **statistics.with_interval("macro", by_query, of_macro),
                **statistics.with_interval("micro", by_chunk, of_micro),
                "difference": by_chunk - by_query,
                "low": of_change.low,
                "high": of_change.high,
            }
        )
    return pd.DataFrame(rows)
