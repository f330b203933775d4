"""Precision and recall over chunk labels on a collection, where the judged text stays and the
chunks change, and how many queries it takes to see a difference. All averages are fractions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from chunkstudy.core.errors import StudyError
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.notebook.study import Study
from chunkstudy.studies import labels
from chunkstudy.studies.labels.chunk_labels import GOLD_RULES, GoldRule, macro, micro, rates

MEASURES = ("recall", "SpanRecall")
PAIRS = (
    *(
        (f"{family}-{larger}-0", f"{family}-{smaller}-0")
        for family in ("recursive", "token")
        for smaller, larger in ((50, 100), (100, 200), (200, 250), (250, 400))
    ),
    *((f"{family}-250-125", f"{family}-250-0") for family in ("recursive", "token")),
    *((f"recursive-{size}", f"token-{size}") for size in labels.SIZES),
)
"""What a study of chunking asks: the next size, overlap or none, one family or the other; of
chunkers of which none is here, all pairs."""


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
    """A row per chunker: averages over queries with 95% intervals, and token overlap of the same
    ranking.

    Args:
        records: of :func:`read`.
    """
    rows = []
    for chunker, part in records.groupby("chunker", sort=False):
        mean = part.drop(columns="chunker").mean()
        precision, recall = statistics.bootstrap_intervals([part["precision"], part["recall"]])
        rows.append(
            {
                "chunker": chunker,
                **mean[["mean tokens", "gold"]],
                **statistics.with_interval("precision", mean["precision"], precision),
                "SpanPrecision": mean["SpanPrecision"],
                **statistics.with_interval("recall", mean["recall"], recall),
                **mean[["SpanRecall", "f1"]],
            }
        )
    return pd.DataFrame(rows)


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


def queries_needed(records: pd.DataFrame) -> pd.DataFrame:
    """Paired differences in recall, and the queries it takes to see them, or a
    given difference of the same spread, four times in five; infinitely many for no difference.

    Corrected within each of the two measures.

    Args:
        records: of :func:`read`.

    Raises:
        StudyError: if they are of one chunker only.
    """
    of_each = {
        str(name): rows.reset_index(drop=True)  # in the order of the collection, as draws have it
        for name, rows in records.groupby("chunker", sort=False)
    }
    if len(of_each) < 2:
        raise StudyError("one chunker cannot be told apart from another; name two or more")
    known = [pair for pair in PAIRS if of_each.keys() >= {*pair}]
    pairs = [
        Pair(
            {"a": first, "b": second, "measure": measure},
            of_each[first][measure],
            of_each[second][measure],
        )
        for first, second in known or combinations(of_each, 2)
        for measure in MEASURES
    ]
    table = differences(pairs, "chunkers by {measure}", "recall of a", "recall of b")
    table["std"] = [(pair.first - pair.second).std() for pair in pairs]
    table["shown by them"] = [
        power.detectable(n, std) for n, std in zip(table["n"], table["std"], strict=True)
    ]
    table["needed"] = list(map(power.queries_needed, table["difference"], table["std"]))
    table["needed for 5 points"] = [power.queries_needed(0.05, std) for std in table["std"]]
    return table.rename(columns={"difference": "a minus b", "n": "queries"})
