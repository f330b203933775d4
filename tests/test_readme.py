"""The README's generated parts are what the tables say, and nothing else of it is touched."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from chunkstudy.analysis.which_chunker import ADVISED, ENCODED, OPERATIONS, READ
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.places import Places
from chunkstudy.render import badges, readme
from chunkstudy.site import data_card

COMPARISON = pd.DataFrame(
    {
        "work": ["chroma", "chroma", "taxonomy"],
        "table": ["main", "main", "3"],
        "verdict": ["exact", "not_run", "not_run"],
        "measure": ["PrecisionOmega", "SpanRecall@5", "nDCG@10"],
        "of_retrieval": [False, True, True],
        "run": ["chroma/token-200-0/none/none/corrected", None, None],
    }
)
CLAIMS = pd.DataFrame(
    {
        "id": ["C1", "C1", "C2"],
        "work": ["chroma", "chroma", "tutorial"],
        "reading": ["strict: all", "charitable: most", "plain"],
        "verdict": ["contradicted", "holds", "open"],
    }
)
FINDINGS = pd.DataFrame(
    {
        "question": ["Second?", "First?", "Nowhere?"],
        "answer": ["No.", "Yes.", "Never."],
        "headline": [2, 1, 0],
        "page": ["claims", "claims", "claims"],
        "table": ["verdicts", "verdicts", "verdicts"],
    }
)
GROUP = {"task": "excerpts", "collections": "chroma", "encoder": MINILM}
RANKED = pd.DataFrame(
    [
        {"chunker": "fixed-256", "ordering": "pre_embedding", "difference": 0.0, "shown": ""},
        {"chunker": "sentence-5", "ordering": "contextualized", "difference": -0.031,
         "difference low": -0.05, "difference high": -0.01, "shown": "lower"},
    ]
).assign(**GROUP)  # fmt: skip
ADVICE = pd.DataFrame(
    [
        GROUP | {"chunker": "fixed-256", "ordering": "pre_embedding", "measure": "SpanRecall@5",
                 "score": 0.5, "low": 0.4, "high": 0.6, "n": 1472, ADVISED: "yes",
                 ENCODED: 1.25, OPERATIONS: 21.2, READ: 1249.4},
        GROUP | {"task": "in-document", "collections": "gutenqa-emma", "n": 29, ADVISED: "no"},
    ]
)  # fmt: skip


def test_only_the_generated_parts_change_and_a_second_time_nothing(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(
        "before\n<!-- generated: first screen -->\nold\n<!-- end generated -->\nbetween\n"
        "<!-- generated: tables -->\n<!-- end generated -->\nafter\n"
    )
    made = {
        "findings": FINDINGS, "which_chunker_advice": ADVICE, "which_chunker": RANKED,
    }  # fmt: skip
    readme.fill(Places(tmp_path), COMPARISON, CLAIMS, made)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "\nbetween\n" in text
    assert "\nold\n" not in text
    readme.fill(Places(tmp_path), COMPARISON, CLAIMS, made)
    assert path.read_text(encoding="utf-8") == text


def test_the_number_of_cells_run_stands_first_and_beside_every_count() -> None:
    said = readme.coverage(COMPARISON, CLAIMS)
    assert "1 of 3 published cells, none of the 1 of *Beyond Chunk-Then-Embed*" in said
    assert "Of 2 claims 1 are contradicted as written, 0 as fairly read, and 1 are open." in said
    table = readme.verdicts(COMPARISON)
    assert "| Chroma's report, main table | 1 of 2 | 1 | 0 |" in table
    assert "| Beyond Chunk-Then-Embed, 1 table | 0 of 1 | 0 | 0 |" in table


def test_a_table_of_which_only_what_needs_no_model_was_run_is_named() -> None:
    said = "Of Chroma's report, main table, only what needs no model was run: Precision"
    assert said in readme.verdicts(COMPARISON)
    embedded = COMPARISON.assign(run=f"chroma/token-200-0/{MINILM}/pre_embedding/corrected")
    assert "needs no model" not in readme.verdicts(embedded)


def test_headlines_come_in_their_order_with_page_and_table_linked() -> None:
    text = readme.headlines(FINDINGS)
    assert text.index("First?") < text.index("Second?")
    assert "Nowhere?" not in text
    assert "(results/notebooks/claims.ipynb)" in text and "(results/tables/verdicts.csv)" in text


def test_claims_are_counted_by_both_readings() -> None:
    text = readme.claim_counts(CLAIMS)
    assert "| Chroma's report | 1 | 0 / 1 | 0 / 0 | 1 / 0 | 0 / 0 |" in text
    assert "| the tutorial | 1 | 0 / 0 | 0 / 0 | 0 / 0 | 1 / 1 |" in text


def test_advice_is_a_row_with_the_next_best_and_the_cost() -> None:
    text = readme.advice(ADVICE, RANKED)
    head, _, row = (line for line in text.splitlines() if line.startswith("|"))
    assert head.count("|") == row.count("|") == 9
    assert "finding excerpts: Chroma, five corpora together, 1,472 queries" in row
    assert "| 50.0 [40.0, 60.0] Recall of excerpts at 5 |" in row
    assert "Sentence groups, 5 sentences, late: \N{MINUS SIGN}3.1 [" in row
    assert row.endswith(", shown to be worse | 2 | 26 | 1,249 |")


def test_too_few_queries_are_named_and_advise_nothing() -> None:
    text = readme.advice(ADVICE, RANKED)
    assert text.endswith("Too few to advise from: GutenQA, Emma, 29 queries.")
    assert readme.advice(pd.DataFrame(), pd.DataFrame()).startswith("## Which chunker")


def test_badges_say_what_the_tables_say_and_ask_no_service(tmp_path: Path) -> None:
    line = badges.write(Places(tmp_path), COMPARISON, CLAIMS)
    assert "published cells run: 1 of 3" in line and "claims examined: 2" in line
    for found in re.findall(r"\((docs/badges/[a-z]+\.svg)\)", line):
        drawn = ElementTree.fromstring((tmp_path / found).read_text(encoding="utf-8"))
        width = float(drawn.attrib["width"])
        boxes = drawn.findall("{*}rect")
        assert sum(float(box.attrib["width"]) for box in boxes) == width
    assert line.count(".svg") == 4 and "://" not in line


def test_licences_name_what_was_run_and_nothing_else() -> None:
    ran = [
        Condition("covid-qa-within", "fixed-64", MINILM, "pre_embedding", "corrected"),
        Condition("scifact", "fixed-64", MINILM, "pre_embedding", "corrected"),
    ]
    rows = data_card.licences(ran).splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| COVID-QA",
        "| SciFact",
        "| all-MiniLM-L6-v2",
    ]


def test_every_page_is_listed() -> None:
    root = Path(__file__).parents[1]
    listed = re.findall(r"notebooks/(\w+)\.ipynb", (root / "docs/pages.md").read_text("utf-8"))
    assert sorted(listed) == sorted(path.stem for path in (root / "notebooks").glob("*.ipynb"))
