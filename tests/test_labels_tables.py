"""Tables of chunk labels: against sums written out over what the study left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.evaluation import statistics
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies import labels
from chunkstudy.studies.labels import averages, power
from chunkstudy.studies.labels.averages import LabelRecords, worked_example
from chunkstudy.studies.labels.chunk_labels import GOLD_RULES, GoldRule

PLACES = Places(Path(__file__).parents[1])
QUERIES = 200


@pytest.fixture(scope="module")
def records() -> LabelRecords:
    """Two chunkers whose labels and spans disagree; random, and the same each time."""
    random = np.random.default_rng(2)
    rows = []
    for chunker, chance in (("recursive-250-125", 0.5), ("recursive-250-0", 0.7)):
        for query in range(QUERIES):
            row: dict[str, object] = {"chunker": chunker, "query": str(query), "retrieved": 10}
            for rule in GOLD_RULES:
                gold = int(random.integers(rule != "whole", 4))
                row[f"gold ({rule})"] = gold
                found = np.cumsum(random.random(10) < chance)
                row |= {f"TP@{k} ({rule})": min(gold, int(found[k - 1])) for k in labels.CUTS}
            for k in labels.CUTS:
                row[f"SpanRecall@{k}"] = 1.2 - chance + 0.2 * random.random()
                row[f"SpanPrecision@{k}"] = 0.2 * random.random()
            rows.append(row)
    facts = pd.DataFrame({"chunker": ["recursive-250-125", "recursive-250-0"],
                          "mean tokens": [195.4, 174.1]})  # fmt: skip
    return LabelRecords(pd.DataFrame(rows), facts.set_index("chunker"))


def test_every_number_of_the_worked_example_is_met() -> None:
    found = worked_example(PLACES)
    assert len(found) == 22
    assert set(found["agrees"]) == {"yes"}
    macro = found[found["query"] == "macro"]
    assert macro["published"].tolist() == ["0.611", "0.611"]
    assert macro["computed"].tolist() == pytest.approx([11 / 18, 11 / 18], abs=1e-15)


@pytest.mark.parametrize(
    ("chunker", "rule", "cut"), [("recursive-250-0", "whole", 3), ("recursive-250-125", "any", 10)]
)
def test_scores_are_sums_over_the_rows_written_out(
    records: LabelRecords, chunker: str, rule: GoldRule, cut: int
) -> None:
    scores = averages.scores(replace(records, rule=rule, cut=cut)).set_index("chunker")
    rows = records.by_chunker[chunker]
    tp, gold = rows[f"TP@{cut} ({rule})"], rows[f"gold ({rule})"]
    recall = [t / g if g else 0 for t, g in zip(tp, gold, strict=True)]
    low, high = statistics.bootstrap_interval(recall)
    expected = {
        "precision": (tp / cut).mean(),
        "recall": np.mean(recall),
        "recall low": low,
        "recall high": high,
        "best recall": np.mean([min(g, cut) / g if g else 0 for g in gold]),
        "best precision": np.mean([min(g, cut) / cut for g in gold]),
        "SpanRecall": rows[f"SpanRecall@{cut}"].mean(),
    }
    for name, value in expected.items():
        assert scores.at[chunker, name] == pytest.approx(value, abs=1e-12), name


def test_one_chunker_alone_is_refused_and_any_two_are_compared(records: LabelRecords) -> None:
    with pytest.raises(StudyError, match="name two or more"):
        power.queries_needed(replace(records, facts=records.facts.head(1)))
    other = records.rows["chunker"].replace("recursive-250-0", "paragraph")
    facts = records.facts.rename({"recursive-250-0": "paragraph"})
    table = power.queries_needed(
        replace(records, rows=records.rows.assign(chunker=other), facts=facts)
    )
    assert set(zip(table["a"], table["b"], strict=True)) == {("recursive-250-125", "paragraph")}


def test_micro_recall_has_the_interval_of_its_own_resamples(records: LabelRecords) -> None:
    rows = records.by_chunker["recursive-250-0"]
    tp, gold = rows["TP@5 (any)"].to_numpy(), rows["gold (any)"].to_numpy()
    drawn = np.random.default_rng(9).integers(0, len(rows), (4000, len(rows)))
    macro = (tp / gold)[drawn].mean(axis=1)
    micro = tp[drawn].sum(axis=1) / gold[drawn].sum(axis=1)
    row = averages.macro_micro(records).set_index("chunker").loc["recursive-250-0"]
    for values, name in ((macro, "macro "), (micro, "micro "), (micro - macro, "")):
        low, high = np.quantile(values, [0.025, 0.975])
        assert row[f"{name}low"] == pytest.approx(low, abs=0.004)
        assert row[f"{name}high"] == pytest.approx(high, abs=0.004)
    assert row["difference"] == row["micro"] - row["macro"]
