"""Tables in notebooks: words to the left, the same bytes for the same table, nothing unescaped."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.render.html import html, linked, marked

TABLE = pd.DataFrame(
    {"chunker": ["none", "fixed-256"], "n": [300, 300], "score": ["64.5", "-1.2e-05"]}
)


def left(page: str) -> set[int]:
    """The columns, counted from 1, that the page's own style sets to the left."""
    return {int(at) for at in re.findall(r"td:nth-child\((\d+)\)", page.split("</style>")[0])}


def test_words_stand_left_and_numbers_do_not_even_where_they_are_stored_as_text() -> None:
    assert left(html(TABLE)) == {1}
    assert left(html(TABLE[["n", "score"]])) == set()
    assert "<style>" not in html(TABLE[["n", "score"]])


def test_row_numbers_are_left_out_and_named_rows_become_columns() -> None:
    assert "<th>0</th>" not in html(TABLE)
    assert "<th>1</th>" not in html(TABLE[TABLE["chunker"] != "none"])
    named = html(TABLE.set_index(["n", "chunker"]))
    assert "<td>fixed-256</td>" in named and "<th>chunker</th>" in named
    assert left(named) == {2}


def test_the_name_of_the_columns_takes_no_column() -> None:
    wide = TABLE.assign(window=[512, 8192]).pivot(index="chunker", columns="window", values="n")
    heads = re.findall(r"<th>(.*?)</th>", html(wide))
    assert heads == ["chunker", "512", "8192"]


def test_rows_that_only_have_labels_keep_them() -> None:
    page = html(TABLE.set_index("chunker").T)
    assert "<th>score</th>" in page and "<th>fixed-256</th>" in page
    assert "tbody th" in page.split("</style>")[0]


def test_floats_of_a_column_have_as_many_decimals_as_one_of_them_needs() -> None:
    page = html(pd.DataFrame({"nDCG@10": [24.7, 100.0, 5.25], "p": [4.5e-09, 1.0, 0.9]}))
    found = re.findall(r"<td>(.*?)</td>", page)
    assert found == ["24.70", "4.5e-09", "100.00", "1", "5.25", "0.9"]


def test_a_small_number_beside_an_empty_cell_is_not_shown_as_nothing() -> None:
    assert "<td>2.4e-10</td>" in html(pd.DataFrame({"p": ["", 2.4e-10]}))


def test_two_tables_on_a_page_do_not_share_a_style() -> None:
    names = {re.search(r"dataframe (\w+)", html(one))[1] for one in (TABLE, TABLE[:1])}  # type: ignore[index]
    assert len(names) == 2
    assert html(TABLE) == html(TABLE.copy())


@given(st.text(min_size=1, max_size=20))
def test_no_cell_can_bring_its_own_markup(text: str) -> None:
    page = html(pd.DataFrame({"one": [f"<script>{text}</script>"]}))
    assert "<script" not in page


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("**0.4659**^b", "<b>0.4659</b><sup>b</sup>"),
        ("_0.3261_^a", "<u>0.3261</u><sup>a</sup>"),
        ("0.3479^ab", "0.3479<sup>ab</sup>"),
        ("+4.56^*", "+4.56<sup>*</sup>"),
        ("0.4341", "0.4341"),
    ],
)
def test_marks_are_set(cell: str, expected: str) -> None:
    assert f"<td>{expected}</td>" in str(marked(pd.DataFrame({"gutenqa": [cell]})).data)


def test_links_stay_links_and_words_beside_them_are_escaped() -> None:
    table = pd.DataFrame({"claim": ["p < 0.05 & <b>"], "see": ['<a href="a.ipynb">a</a>']})
    page = str(linked(table).data)
    assert "p &lt; 0.05 &amp; &lt;b&gt;" in page
    assert '<td><a href="a.ipynb">a</a></td>' in page
