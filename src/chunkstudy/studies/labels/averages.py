"""Tables of precision and recall over chunk labels: the tutorial's worked example, and the same
measures on a collection, where the judged text stays and the chunks change. All averages
are fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.places import Places
from chunkstudy.evaluation import statistics
from chunkstudy.studies.labels.chunk_labels import (
    GoldRule,
    LabelCounts,
    count_ids,
)

Floats = NDArray[np.float64]
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
        return cls(
            rows[rows["collection"] == collection],
            facts.loc[list(chunkers)] if chunkers else facts,
            rule,
            cut,
        )

    @property
    def chunkers(self) -> list[str]:
        return [str(name) for name in self.facts.index]

    @cached_property
    def by_chunker(self) -> dict[str, pd.DataFrame]:
        """Rows of each chunker by query."""
        return {str(name): part.set_index("query") for name, part in self.rows.groupby("chunker")}

    @property
    def cuts(self) -> list[int]:
        """At which chunks are counted."""
        found = (str(name).partition("SpanRecall@") for name in self.rows)
        return [int(cut) for start, _, cut in found if not start]

    def counts(self, chunker: str, cut: int | None = None) -> LabelCounts:
        rows, cut = self.by_chunker[chunker], cut or self.cut
        return LabelCounts(
            np.minimum(rows["retrieved"].to_numpy(), cut),
            rows[f"gold ({self.rule})"].to_numpy(),
            rows[f"TP@{cut} ({self.rule})"].to_numpy(),
        )

    def values(self, chunker: str, measure: str, cut: int | None = None) -> Floats:
        """Per query: ``precision``, ``recall`` of labels, ``SpanRecall`` or ``SpanPrecision``."""
        if measure.startswith("Span"):
            at = f"{measure}@{cut or self.cut}"
            return self.by_chunker[chunker][at].to_numpy(dtype=np.float64)
        found = self.counts(chunker, cut)
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


def scores(records: LabelRecords, cuts: Sequence[int] = ()) -> pd.DataFrame:
    """Every chunker and cut, that of the records unless others are named: averages over queries
    with 95% intervals, what the best search could reach, and token overlap of the same ranking."""
    keys = list(product(records.chunkers, cuts or [records.cut]))
    counts = [records.counts(*key) for key in keys]
    per_query = [one for c in counts for one in (c.precision, c.recall)]
    intervals = iter(statistics.bootstrap_intervals(per_query))
    rows = []
    for (chunker, cut), found in zip(keys, counts, strict=True):
        precision, recall = next(intervals), next(intervals)
        macro, best = found.macro(), found.best().macro()
        rows.append(
            {
                "chunker": chunker,
                "mean tokens": records.facts["mean tokens"][chunker],
                "k": cut,
                "gold": found.gold.mean(),
                **statistics.with_interval("precision", macro.precision, precision),
                "best precision": best.precision,
                "SpanPrecision": records.values(chunker, "SpanPrecision", cut).mean(),
                **statistics.with_interval("recall", macro.recall, recall),
                "best recall": best.recall,
                "SpanRecall": records.values(chunker, "SpanRecall", cut).mean(),
                "f1": macro.f1,
            }
        )
    return pd.DataFrame(rows)


def macro_micro(records: LabelRecords) -> pd.DataFrame:
    """Recall averaged both ways, with 95% intervals; and how much of all gold
    chunks the tenth of queries with the most of them hold."""
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
                **statistics.with_interval("macro", found.macro().recall, of_macro),
                **statistics.with_interval("micro", found.micro().recall, of_micro),
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
