"""The README's generated part is what the tables say, and nothing else of it is touched."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from chunkstudy.places import Places
from chunkstudy.render.readme import SHORT, fill

ROOT = Places(Path(__file__).parents[1])


def test_only_the_generated_part_changes_and_it_counts_every_cell_and_claim() -> None:
    comparison = pd.read_csv(ROOT.results / "comparison.csv", keep_default_na=False)
    comparison = comparison.assign(
        reproduced=pd.to_numeric(comparison["reproduced"]),
        low=pd.to_numeric(comparison["low"]),
    )
    claims = pd.read_csv(ROOT.results / "claims.csv", keep_default_na=False)
    made = {
        name: pd.read_csv(ROOT.tables / f"{name}.csv", keep_default_na=False)
        for name in ("findings", "which_chunker_advice", "late_chunking_answers")
    }
    text = "before\n<!-- generated: results -->\nold\n<!-- end generated -->\nafter\n"
    filled = fill(text, comparison, claims, made)
    assert filled.startswith("before\n") and filled.endswith("<!-- end generated -->\nafter\n")
    assert "\nold\n" not in filled
    rows = [line.split(" | ") for line in filled.splitlines() if line.startswith("| ")]
    cells = [int(row[1]) for row in rows if len(row) == 6 and row[1].isdecimal()]
    assert sum(cells) == len(comparison) + claims["id"].nunique()
    assert fill(filled, comparison, claims, made) == filled
    for answer in made["late_chunking_answers"]["answer"]:
        assert answer in filled


def test_each_finding_that_comes_first_is_found_once_and_a_missing_one_is_left_out() -> None:
    found = pd.read_csv(ROOT.tables / "findings.csv", keep_default_na=False)
    for start in SHORT:
        assert found["finding"].str.startswith(start).sum() == 1, start
    comparison = pd.read_csv(ROOT.results / "comparison.csv").iloc[:0]
    claims = pd.read_csv(ROOT.results / "claims.csv").iloc[:0]
    first, question = next(iter(SHORT.items()))
    row = found[found["finding"].str.startswith(first)]
    made = {
        "findings": row,
        "which_chunker_advice": pd.DataFrame(columns=["task", "advice", "how sure"]),
        "late_chunking_answers": pd.DataFrame(columns=["question", "answer"]),
    }
    text = "<!-- generated: results -->\n<!-- end generated -->"
    bullets = [
        line for line in fill(text, comparison, claims, made).splitlines() if line.startswith("- ")
    ]
    assert len(bullets) == 1 and bullets[0].startswith(f"- **{question}** ")
    assert row["finding"].iloc[0].endswith(bullets[0].partition("** ")[2])
    assert first not in bullets[0]
