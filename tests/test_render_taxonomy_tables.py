"""The taxonomy's tables are set as the paper sets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.studies.taxonomy.printed import caption, to_html
from chunkstudy.studies.taxonomy.tables import published

CELLS = published_cells.frame(published_cells.read(Places(Path(__file__).parents[1])))


@pytest.mark.parametrize("number", list("12345"))
def test_html_is_whole_and_escapes_what_it_is_given(number: str) -> None:
    table = published(CELLS, number)
    text = to_html(table, number, "a < b")
    assert "a &lt; b" in text and ">nan<" not in text
    assert text.count("<sup>") == text.count("</sup>") == int((table["marks"] != "").sum())
    pattern = r"[+\N{MINUS SIGN}]\d+\.\d\d" if number == "4" else r"\d\.\d{4}"
    shown = re.findall(r"<td[^>]*>(?:<[bu]>)?([^<]+)", text)
    numbers = [one for one in shown if one.strip() and one != "&nbsp;"]
    assert len(numbers) == len(table)
    assert all(re.fullmatch(pattern, one) for one in numbers)


def test_a_caption_says_over_how_many_collections_each_model_is_averaged() -> None:
    assert "6 for Jina v2 small and Jina v3" in caption(published(CELLS, "3"), "3")
