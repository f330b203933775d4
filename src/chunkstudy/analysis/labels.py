"""Tables of precision and recall over chunk labels: the tutorial's worked example, and the same
measures on Chroma's collection, where the judged text stays and the chunks change. All averages
are fractions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy import statistics
from chunkstudy.measures.chunk_labels import (
    GOLD_RULES,
    Averages,
    GoldRule,
    LabelCounts,
    count_ids,
)
from chunkstudy.places import Places
from chunkstudy.studies import results
from chunkstudy.studies.labels import CUTS

Floats = NDArray[np.float64]
RULE: GoldRule = "any"
CUT = 5
SHOWN_BY_SIZE = (
    "chunker", "mean tokens", "gold", "precision", "best precision", "SpanPrecision", "recall",
    "recall low", "recall high", "best recall", "SpanRecall", "f1",
)  # fmt: skip
COUNTS = {"TP": "true_positives", "FP": "false_positives", "FN": "false_negatives"}


@dataclass(frozen=True)
class LabelRecords:
    """What the study ``labels`` left of one collection."""

    rows: pd.DataFrame
    facts: pd.DataFrame

    @classmethod
    def read(cls, places: Places, collection: str = "chroma") -> LabelRecords | None:
        """None where the study was not run."""
        rows, facts = (results.read(places, "labels", name) for name in ("queries", "chunkers"))
        if rows.empty:
            return None
        return cls(
            rows[rows["collection"] == collection],
            facts[facts["collection"] == collection].set_index("chunker"),
        )

    @property
    def chunkers(self) -> list[str]:
        return [str(name) for name in self.facts.index]

    @cached_property
    def mean_tokens(self) -> dict[str, float]:
        """The mean chunk of each chunker, in cl100k tokens."""
        return dict(zip(self.chunkers, self.facts["mean tokens"].astype(float), strict=True))

    @cached_property
    def by_chunker(self) -> dict[str, pd.DataFrame]:
        """Rows of each chunker by query."""
        return {str(name): part.set_index("query") for name, part in self.rows.groupby("chunker")}

    def counts(self, chunker: str, rule: GoldRule = RULE, cut: int = CUT) -> LabelCounts:
        rows = self.by_chunker[chunker]
        return LabelCounts(
            np.minimum(rows["retrieved"].to_numpy(), cut),
            rows[f"gold ({rule})"].to_numpy(),
            rows[f"TP@{cut} ({rule})"].to_numpy(),
        )

    def values(self, chunker: str, measure: str, cut: int = CUT) -> Floats:
        """Per query: ``precision``, ``recall`` of labels, ``SpanRecall`` or ``SpanPrecision``."""
        if measure.startswith("Span"):
            return self.by_chunker[chunker][f"{measure}@{cut}"].to_numpy(dtype=np.float64)
        found = self.counts(chunker, cut=cut)
        return found.precision if measure == "precision" else found.recall


def worked_example(places: Places) -> pd.DataFrame:
    """The tutorial's example: every number as published, as computed, and whether they agree at
    the published digits."""
    cells = pd.read_csv(places.published / "worked_examples" / "chunk_labels.csv", dtype=str)
    is_given = cells["quantity"].isin(["gold", "retrieved"])
    given = cells[is_given].pivot(index="query", columns="quantity", values="published")
    found = count_ids(given["gold"].str.split().tolist(), given["retrieved"].str.split().tolist())
    of_query = {str(name): row for row, name in enumerate(given.index)}
    rows = []
    for cell in cells[~is_given].to_dict("records"):
        computed = _computed(found, of_query, cell["query"], cell["quantity"])
        digits = cell["published"].rstrip("…")
        agrees = f"{computed:.{len(digits.partition('.')[2])}f}" == digits
        rows.append({**cell, "computed": computed, "agrees": "yes" if agrees else "no"})
    return pd.DataFrame(rows)[["query", "quantity", "published", "computed", "agrees", "place"]]


def scores(records: LabelRecords | None) -> pd.DataFrame:
    """Every chunker, rule of what is gold, and cut: macro averages with 95% intervals, micro
    averages, what the best search could reach, and token overlap of the same ranking."""
    if records is None:
        return pd.DataFrame()
    keys = list(product(records.chunkers, GOLD_RULES, CUTS))
    counts = [records.counts(*key) for key in keys]
    per_query = [one for c in counts for one in (c.precision, c.recall)]
    intervals = iter(statistics.bootstrap_intervals(per_query))
    rows = []
    for (chunker, rule, cut), found in zip(keys, counts, strict=True):
        precision, recall = next(intervals), next(intervals)
        rows.append(
            {
                "chunker": chunker,
                "mean tokens": records.mean_tokens[chunker],
                "rule": rule,
                "cut": cut,
                "gold": found.gold.mean(),
                "without gold": int((found.gold == 0).sum()),
                **_named("", found.macro()),
                "precision low": precision.low,
                "precision high": precision.high,
                "recall low": recall.low,
                "recall high": recall.high,
                **_named("micro ", found.micro()),
                **_named("best ", found.best().macro()),
                **_named("skipping ", found.macro("skip")),
                "SpanPrecision": records.values(chunker, "SpanPrecision", cut).mean(),
                "SpanRecall": records.values(chunker, "SpanRecall", cut).mean(),
            }
        )
    return pd.DataFrame(rows)


def by_chunk_size(scored: pd.DataFrame) -> pd.DataFrame:
    """At five chunks, gold if they share a character: labels beside token overlap."""
    if scored.empty:
        return scored
    rows = scored[(scored["rule"] == RULE) & (scored["cut"] == CUT)]
    return rows[list(SHOWN_BY_SIZE)].reset_index(drop=True)


def macro_micro(records: LabelRecords | None) -> pd.DataFrame:
    """Recall at five chunks averaged both ways, with 95% intervals; and how much of all gold
    chunks the tenth of queries with the most of them hold."""
    if records is None:
        return pd.DataFrame()
    rows = []
    for chunker in records.chunkers:
        found = records.counts(chunker)
        recall, positives, gold = statistics.resampled_sums(
            [found.recall, found.true_positives, found.gold]
        )
        macro, micro = recall / len(found.gold), positives / gold
        of_macro, of_micro, of_both = map(
            statistics.percentile_interval, (macro, micro, micro - macro)
        )
        most = np.sort(found.gold)[::-1][: round(len(found.gold) / 10)]
        rows.append(
            {
                "chunker": chunker,
                "gold": found.gold.mean(),
                "held by a tenth": most.sum() / found.gold.sum(),
                "macro": found.macro().recall,
                "macro low": of_macro.low,
                "macro high": of_macro.high,
                "micro": found.micro().recall,
                "micro low": of_micro.low,
                "micro high": of_micro.high,
                "difference": found.micro().recall - found.macro().recall,
                "low": of_both.low,
                "high": of_both.high,
            }
        )
    return pd.DataFrame(rows)


def _computed(found: LabelCounts, of_query: dict[str, int], where: str, quantity: str) -> float:
    if where in ("macro", "micro"):
        averages = found.macro() if where == "macro" else found.micro()
        return float(getattr(averages, quantity))
    values = getattr(found, COUNTS.get(quantity, quantity))
    return float(values.sum() if where == "total" else values[of_query[where]])


def _named(prefix: str, averages: Averages) -> dict[str, float]:
    return {f"{prefix}{one.name}": getattr(averages, one.name) for one in fields(averages)}
