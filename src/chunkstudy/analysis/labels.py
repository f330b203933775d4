"""Tables of precision and recall over chunk labels: the tutorial's example (S3), and the same
measures on Chroma's collection, where the judged text stays and the chunks change."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.measures.chunk_labels import (
    GOLD_RULES,
    Averages,
    GoldRule,
    LabelCounts,
    count_ids,
)
from chunkstudy.places import Places
from chunkstudy.statistics import core as statistics
from chunkstudy.studies import results
from chunkstudy.studies.labels import CUTS

Floats = NDArray[np.float64]
RULE: GoldRule = "any"
CUT = 5
RESAMPLES = 10_000
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
    """The tutorial's example: every number as printed, as computed, and whether they agree."""
    path = places.published / "worked_examples" / "chunk_labels.csv"
    cells = pd.read_csv(path, dtype=str)
    given = cells[cells["quantity"].isin(["gold", "retrieved"])].pivot(
        index="query", columns="quantity", values="printed"
    )
    found = count_ids(given["gold"].str.split().tolist(), given["retrieved"].str.split().tolist())
    of_query = {str(name): row for row, name in enumerate(given.index)}
    cells = cells[~cells["quantity"].isin(["gold", "retrieved"])].reset_index(drop=True)
    computed = [
        _computed(found, of_query, row["query"], row["quantity"])
        for row in cells.to_dict("records")
    ]
    shown = [
        f"{value:.{_decimals(printed)}f}"
        for value, printed in zip(computed, cells["printed"], strict=True)
    ]
    agrees = [
        "yes" if one == printed.rstrip("…") else "no"
        for one, printed in zip(shown, cells["printed"], strict=True)
    ]
    return cells.assign(computed=shown, agrees=agrees)[
        ["query", "quantity", "printed", "computed", "agrees", "line"]
    ]


def scores(records: LabelRecords | None) -> pd.DataFrame:
    """Every chunker, rule of what is gold, and cut: macro averages with 95% intervals, micro
    averages, what the best search could reach, and token overlap of the same ranking; percent."""
    if records is None:
        return pd.DataFrame()
    keys = list(product(records.chunkers, GOLD_RULES, CUTS))
    counts = [records.counts(*key) for key in keys]
    per_query = np.stack([one for c in counts for one in (c.precision, c.recall)], axis=1)
    resampled = iter(_intervals(_sums(per_query) / len(per_query)))
    rows = []
    for (chunker, rule, cut), found in zip(keys, counts, strict=True):
        precision, recall = next(resampled), next(resampled)
        rows.append(
            {
                "chunker": chunker,
                "mean tokens": f"{records.mean_tokens[chunker]:.1f}",
                "rule": rule,
                "cut": cut,
                "gold": f"{found.gold.mean():.2f}",
                "without gold": int((found.gold == 0).sum()),
                **_named("", found.macro()),
                "precision low": percent(precision.low),
                "precision high": percent(precision.high),
                "recall low": percent(recall.low),
                "recall high": percent(recall.high),
                **_named("micro ", found.micro()),
                **_named("best ", found.best().macro()),
                **_named("skipping ", found.macro("skip")),
                "SpanPrecision": percent(records.values(chunker, "SpanPrecision", cut).mean()),
                "SpanRecall": percent(records.values(chunker, "SpanRecall", cut).mean()),
            }
        )
    return pd.DataFrame(rows)


def by_chunk_size(scored: pd.DataFrame) -> pd.DataFrame:
    """At five chunks, gold if they share a character: labels beside token overlap, in percent."""
    if scored.empty:
        return scored
    rows = scored[(scored["rule"] == RULE) & (scored["cut"] == CUT)]
    return pd.DataFrame(
        {
            "chunker": rows["chunker"],
            "mean tokens": rows["mean tokens"],
            "gold": rows["gold"],
            "precision": rows["precision"],
            "best precision": rows["best precision"],
            "SpanPrecision": rows["SpanPrecision"],
            "recall": rows["recall"],
            "recall 95%": _interval_text(rows, "recall"),
            "best recall": rows["best recall"],
            "SpanRecall": rows["SpanRecall"],
            "f1": rows["f1"],
        }
    ).reset_index(drop=True)


def macro_micro(records: LabelRecords | None) -> pd.DataFrame:
    """Recall at five chunks averaged both ways, with 95% intervals, in percent; and how much of
    all gold chunks the tenth of queries with the most of them hold."""
    if records is None:
        return pd.DataFrame()
    rows = []
    for chunker in records.chunkers:
        found = records.counts(chunker)
        sums = _sums(np.stack([found.recall, found.true_positives, found.gold], axis=1))
        macro, micro = sums[:, 0] / len(found.gold), sums[:, 1] / sums[:, 2]
        of_macro, of_micro, of_both = _intervals(np.stack([macro, micro, micro - macro], axis=1))
        most = np.sort(found.gold)[::-1][: round(len(found.gold) / 10)]
        rows.append(
            {
                "chunker": chunker,
                "gold": f"{found.gold.mean():.2f}",
                "held by a tenth": percent(most.sum() / found.gold.sum()),
                "macro": percent(found.macro().recall),
                "macro low": percent(of_macro.low),
                "macro high": percent(of_macro.high),
                "micro": percent(found.micro().recall),
                "micro low": percent(of_micro.low),
                "micro high": percent(of_micro.high),
                "difference": percent(found.micro().recall - found.macro().recall),
                "low": percent(of_both.low),
                "high": percent(of_both.high),
            }
        )
    return pd.DataFrame(rows)


def _computed(found: LabelCounts, of_query: dict[str, int], where: str, quantity: str) -> float:
    if where in ("macro", "micro"):
        averages = found.macro() if where == "macro" else found.micro()
        return float(getattr(averages, quantity))
    values = getattr(found, COUNTS.get(quantity, quantity))
    return float(values.sum() if where == "total" else values[of_query[where]])


def _decimals(printed: str) -> int:
    return len(printed.rstrip("…").partition(".")[2])


def _named(prefix: str, averages: Averages) -> dict[str, str]:
    return {f"{prefix}{one.name}": percent(getattr(averages, one.name)) for one in fields(averages)}


def _sums(columns: NDArray[np.float64] | NDArray[np.int64]) -> Floats:
    return statistics.resampled_sums(columns, RESAMPLES)


def _intervals(resampled: Floats) -> list[statistics.Interval]:
    return [statistics.percentile_interval(column) for column in resampled.T]


def _interval_text(rows: pd.DataFrame, name: str) -> pd.Series:
    return "[" + rows[f"{name} low"] + ", " + rows[f"{name} high"] + "]"


def percent(fraction: float) -> str:
    """Two decimals."""
    return f"{100 * fraction:.2f}"
