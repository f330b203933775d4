"""Tables of precision and recall over chunk labels: the tutorial's worked example, and the same
measures on a collection, where the judged text stays and the chunks change. All averages
are fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.evaluation import statistics
from chunkstudy.studies.labels.chunk_labels import Floats, GoldRule, LabelCounts, count_ids

COUNTS = {"TP": "true_positives", "FP": "false_positives", "FN": "false_negatives"}


@dataclass(frozen=True)
class LabelRecords:
    """What the experiment ``labels`` says of one collection.

    Attributes:
        rows: its table ``queries``, of this collection.
        facts: its table ``chunkers``, of this collection and by chunker.
        rule: which chunks are gold.
        cut: how many chunks are retrieved.
    """

    rows: pd.DataFrame
    facts: pd.DataFrame
    rule: GoldRule = "any"
    cut: int = 5

    @classmethod
    def of(
        cls,
        tables: Mapping[str, pd.DataFrame],
        collection: str = "chroma",
        chunkers: Sequence[str] = (),
        rule: GoldRule = "any",
        cut: int = 5,
    ) -> LabelRecords:
        """Those of some chunkers, or of all."""
        rows, facts = tables["queries"], tables["chunkers"]
        facts = facts[facts["collection"] == collection].set_index("chunker")
        facts = facts.loc[list(chunkers)] if chunkers else facts
        return cls(rows[rows["collection"] == collection], facts, rule, cut)

    @property
    def chunkers(self) -> list[str]:
        return [str(name) for name in self.facts.index]

    @cached_property
    def by_chunker(self) -> dict[str, pd.DataFrame]:
        """Rows of each chunker by query."""
        return {str(name): part.set_index("query") for name, part in self.rows.groupby("chunker")}

    def counts(self, chunker: str) -> LabelCounts:
        rows = self.by_chunker[chunker]
        return LabelCounts(
            np.minimum(rows["retrieved"].to_numpy(), self.cut),
            rows[f"gold ({self.rule})"].to_numpy(),
            rows[f"TP@{self.cut} ({self.rule})"].to_numpy(),
        )

    def recall(self, chunker: str, measure: str) -> pd.Series:
        """Per query, in the order of the collection: ``recall`` of labels, or ``SpanRecall``."""
        if measure == "recall":
            return pd.Series(self.counts(chunker).recall)
        return self.by_chunker[chunker][f"{measure}@{self.cut}"].reset_index(drop=True)


def worked_example(places: Places) -> pd.DataFrame:
    """The tutorial's example: every number as published, as computed, and whether they agree at
    the published digits."""
    cells = pd.read_csv(places.published / "worked_examples" / "chunk_labels.csv", dtype=str)
    is_given = cells["quantity"].isin(["gold", "retrieved"])
    given = cells[is_given].pivot(index="query", columns="quantity", values="published")
    counts = count_ids(*(given[kind].str.split().tolist() for kind in ("gold", "retrieved")))
    table = cells[~is_given].copy()
    table["computed"] = [
        _computed(counts, list(given.index), where, quantity)
        for where, quantity in zip(table["query"], table["quantity"], strict=True)
    ]
    digits = table["published"].str.rstrip("…")
    rounded = [
        f"{value:.{len(text.partition('.')[2])}f}"
        for value, text in zip(table["computed"], digits, strict=True)
    ]
    table["agrees"] = np.where(digits == rounded, "yes", "no")
    return table[["query", "quantity", "published", "computed", "agrees", "place"]]


def _computed(counts: LabelCounts, queries: list[str], where: str, quantity: str) -> float:
    """A number of the example: an average, a count over all queries, or a value of a query."""
    if where in ("macro", "micro"):
        averages = counts.macro() if where == "macro" else counts.micro()
        return float(getattr(averages, quantity))
    values: Floats = getattr(counts, COUNTS.get(quantity, quantity))
    return float(values.sum() if where == "total" else values[queries.index(where)])


def scores(records: LabelRecords) -> pd.DataFrame:
    """A row per chunker: averages over queries with 95% intervals, what the best search could
    reach, and token overlap of the same ranking."""
    rows = []
    for chunker in records.chunkers:
        counts = records.counts(chunker)
        precision, recall = statistics.bootstrap_intervals([counts.precision, counts.recall])
        macro, best = counts.macro(), counts.best().macro()
        spans = records.by_chunker[chunker].filter(like="Span").mean()
        rows.append(
            {
                "chunker": chunker,
                "mean tokens": records.facts["mean tokens"][chunker],
                "k": records.cut,
                "gold": counts.gold.mean(),
                **statistics.with_interval("precision", macro.precision, precision),
                "best precision": best.precision,
                "SpanPrecision": spans[f"SpanPrecision@{records.cut}"],
                **statistics.with_interval("recall", macro.recall, recall),
                "best recall": best.recall,
                "SpanRecall": spans[f"SpanRecall@{records.cut}"],
                "f1": macro.f1,
            }
        )
    return pd.DataFrame(rows)


def macro_micro(records: LabelRecords) -> pd.DataFrame:
    """Recall averaged both ways, with 95% intervals; and how much of all gold
    chunks the tenth of queries with the most of them hold."""
    rows = []
    for chunker in records.chunkers:
        counts = records.counts(chunker)
        recall, positives, gold = statistics.resampled_sums(
            [counts.recall, counts.true_positives, counts.gold]
        )
        macro, micro = recall / len(counts.gold), positives / gold
        of_macro, of_micro, of_both = map(
            statistics.percentile_interval, (macro, micro, micro - macro)
        )
        most = np.sort(counts.gold)[::-1][: round(len(counts.gold) / 10)]
        rows.append(
            {
                "chunker": chunker,
                "gold": counts.gold.mean(),
                "held by a tenth": most.sum() / counts.gold.sum(),
                **statistics.with_interval("macro", counts.macro().recall, of_macro),
                **statistics.with_interval("micro", counts.micro().recall, of_micro),
                "difference": counts.micro().recall - counts.macro().recall,
                "low": of_both.low,
                "high": of_both.high,
            }
        )
    return pd.DataFrame(rows)
