"""The README's generated parts are what tables and answers say, and nothing else is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.publish import readme
from chunkstudy.runs.conditions import LARGE
from chunkstudy.study import written

COMPARISON = pd.DataFrame(
    {
        "work": ["chroma", "chroma", "taxonomy"],
        "encoder": ["none", LARGE, "nomic-ai/nomic-embed-text-v1"],
        "verdict": ["exact", "not_run", "not_run"],
        "of_retrieval": [True, True, True],
    }
)
ANSWERS = pd.DataFrame(
    {
        "page": [readme.HEADLINES[1], readme.HEADLINES[0], readme.HEADLINES[0], "claims"],
        "question": ["Second?", "First?", "More?", "Nowhere?"],
        "answer": ["No.", "Yes.", "Much.", "Never."],
    }
)


def test_only_the_generated_parts_change_and_a_second_time_nothing(tmp_path: Path) -> None:
    path, places = tmp_path / "README.md", Places(tmp_path)
    path.write_text(
        "before\n<!-- generated: works -->\nold\n<!-- end generated -->\nbetween\n"
        "<!-- generated: findings -->\n<!-- end generated -->\nafter\n"
    )
    (tmp_path / "results" / "answers").mkdir(parents=True)
    COMPARISON.to_csv(tmp_path / "results" / "comparison.csv", index=False)
    for page, rows in ANSWERS.groupby("page"):
        content = {"answers": rows[["question", "answer"]].to_dict("records")}
        (tmp_path / "results" / "answers" / f"{page}.json").write_text(json.dumps(content))
    readme.fill(places)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "\nbetween\n" in text
    assert "\nold\n" not in text and "**First?** Yes. ([page](results/notebooks/" in text
    readme.fill(places)
    assert path.read_text(encoding="utf-8") == text


def test_the_first_answer_of_each_page_stands_in_the_pages_order() -> None:
    first, second = readme.headlines(ANSWERS).splitlines()
    assert first.startswith("1. **First?** Yes.") and second.startswith("2. **Second?** No.")


def test_every_row_of_what_to_reproduce_quotes_a_number_that_a_notebook_kept() -> None:
    study = Places(Path(__file__).parents[1])
    text = (study.root / "REPRODUCING.md").read_text(encoding="utf-8")
    rows = text.partition("| minutes |")[2].partition("\n\n")[0].splitlines()[2:]
    for row in rows:
        quoted = [name for _, name in readme.QUOTED.findall(row)]
        assert quoted and set(quoted) <= set(written.numbers(study))
