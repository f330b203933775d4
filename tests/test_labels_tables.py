"""Tables of chunk labels: the worked example, and sums written out over what the study left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.evaluation import statistics
from chunkstudy.runs import study_results
from chunkstudy.studies import labels
from chunkstudy.studies.labels import averages
from chunkstudy.studies.labels.chunk_labels import GoldRule
from chunkstudy.studies.labels.worked_example import worked_example

PLACES = Places(Path(__file__).parents[1])


def test_every_number_of_the_worked_example_is_met() -> None:
    found = worked_example(PLACES)
    assert len(found) == 22
    assert set(found["agrees"]) == {"yes"}
    macro = found[found["query"] == "macro"]
    assert macro["published"].tolist() == ["0.611", "0.611"]
    assert macro["computed"].tolist() == pytest.approx([11 / 18, 11 / 18], abs=1e-15)


@pytest.mark.parametrize(("rule", "cut"), [("whole", 3), ("any", 10)])
def test_scores_are_sums_over_the_rows_written_out(rule: GoldRule, cut: int) -> None:
    records = averages.read(Study("a script"), "chroma", labels.CHUNKERS, rule, cut)
    scores = averages.scores(records).set_index("chunker")
    for chunker, rows in study_results.read(PLACES, "labels", "queries").groupby("chunker"):
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
