"""The taxonomy's tables are set as the paper sets them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.analysis import taxonomy
from chunkstudy.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.render.taxonomy_tables import caption, to_html, to_latex, write_all
from tests.recorded import IELAB, library, made

ROOT = Places(Path(__file__).parents[1])
CELLS = published_cells.frame(published_cells.read(ROOT))
RECORDS = made() | made(("gutenqa-emma", "scifact"), protocol=IELAB, seed=1)
TABLES = taxonomy.tables(library(RECORDS), CELLS)
SET = [f"taxonomy_table{number}" for number in "12345"]


@pytest.mark.parametrize("name", SET)
def test_latex_is_whole_and_repeats_itself(name: str) -> None:
    text = to_latex(TABLES[name], name[-1], "A & B", "tab:x")
    assert text == to_latex(TABLES[name], name[-1], "A & B", "tab:x")
    assert r"\toprule" in text and r"\bottomrule" in text and r"A \& B" in text
    assert text.count("{") == text.count("}")
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len({line.count(" & ") for line in rows}) == 1
    assert "nan" not in text and "corrected/" not in text


@pytest.mark.parametrize("name", SET)
def test_html_is_whole_escapes_what_it_is_given_and_follows_from_the_csv(name: str) -> None:
    table = TABLES[name]
    text = to_html(table, name[-1], "a < b")
    assert "a &lt; b" in text and ">nan<" not in text
    assert text.count("<sup>") == text.count("</sup>") == int((table["marks"] != "").sum())
    read = pd.read_csv(io.StringIO(table.to_csv(index=False, float_format="%.8g")))
    assert to_html(read, name[-1], "a < b") == text


def test_scores_have_four_decimals_and_changes_their_sign() -> None:
    for number, pattern in (("3", r"\d\.\d{4}"), ("4", r"[+\N{MINUS SIGN}]\d+\.\d\d")):
        table = TABLES[f"taxonomy_table{number}"]
        shown = re.findall(r"<td[^>]*>(?:<[bu]>)?([^<]+)", to_html(table, number, ""))
        numbers = [one for one in shown if one.strip() and one != "&nbsp;"]
        assert len(numbers) == len(table)
        assert all(re.fullmatch(pattern, one) for one in numbers)


def test_a_caption_says_over_how_many_collections_each_model_is_averaged() -> None:
    text = caption("taxonomy_table3", TABLES["taxonomy_table3"])
    assert "2 for all-MiniLM-L6-v2, 512 tokens, corrected" in text
    assert "6 for Jina v2 small and Jina v3" in text
    assert "Built-in" in caption("taxonomy_builtin_table4", TABLES["taxonomy_table4"])


def test_every_table_with_rows_is_written_for_paper_and_page(tmp_path: Path) -> None:
    write_all(Places(tmp_path), TABLES)
    assert {path.stem for path in tmp_path.rglob("*.tex")} == set(SET)
    assert {path.stem for path in tmp_path.rglob("*.html")} == set(SET)
