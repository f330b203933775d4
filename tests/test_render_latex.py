"""No text breaks out of LaTeX."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.show import latex, table_shapes
from chunkstudy.show.table_shapes import Panel


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    bare = latex.escape(text)
    for command in latex.SPECIAL.values():
        if command[1].isalpha():
            bare = bare.replace(command, "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


SENTENCE = "a sentence that no column of a page can hold on one line " * 3


def widths(panel: Panel) -> list[float]:
    return [float(re.findall(r"p\{(.*)\\linewidth\}", one)[0]) for one in panel.formats]


def test_columns_of_sentences_wrap_and_all_fit_the_line() -> None:
    found = pd.DataFrame({"step": ["1"], "ran": ["x" * 20], "says": [SENTENCE], "why": [SENTENCE]})
    (panel,) = table_shapes.panels(found)
    gaps = 3 * table_shapes.GAP + table_shapes.RULE
    assert sum(widths(panel)) + gaps / table_shapes.LINE == pytest.approx(1, abs=0.01)
    step, ran, says, why = widths(panel)
    assert says == why > ran > step


def test_a_path_may_break_behind_its_slashes() -> None:
    frame = pd.DataFrame({"step": [1], "name": [SENTENCE], "source": ["src/some_file.py"]})
    text = latex.table(frame, "made", "Made.")
    assert r"src/\allowbreak{}some\_\allowbreak{}file.py" in text


def test_numbers_stay_whole_and_stand_to_the_right() -> None:
    found = pd.DataFrame({"queries": ["472"] * 3, "95% interval": ["[+1.0, +2.0]"] * 3})
    (panel,) = table_shapes.panels(found)
    assert all(one.startswith(r">{\raggedleft") for one in panel.formats)
    assert widths(panel)[1] * table_shapes.LINE >= 12 * table_shapes.DIGIT - 0.1


def test_columns_that_do_not_fit_stand_below_with_what_names_their_row() -> None:
    found = pd.DataFrame({"chunker": ["fixed"], "model": ["small"]})
    for at in range(20):
        found[f"measure {at}"] = ["12.3456789"]
    panels = table_shapes.panels(found)
    assert len(panels) > 1 and all(one.columns[:2] == (0, 1) for one in panels)
    assert sorted({at for one in panels for at in one.columns}) == list(range(22))
    assert all(sum(widths(one)) < 1 for one in panels)


def test_rows_of_several_panels_are_numbered_and_the_table_is_counted_once() -> None:
    frame = pd.DataFrame(
        {"chunker": ["a", "b"]} | {f"measured {at}": [0.1, 0.2] for at in range(30)}
    )
    text = latex.table(frame, "made", "Made.")
    assert text.count(r"\caption{") == 1
    again = text.count(latex.CONTINUED)
    assert again >= 1 and text.count(r"\addtocounter{table}{-1}") == again
    assert len(re.findall(r"^2 & b &", text, re.MULTILINE)) == 1 + again


def test_a_column_that_no_line_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="column 2 of a table is wider than a line"):
        table_shapes.panels(pd.DataFrame({"a": ["1"], "b": ["x" * 200]}))


def test_a_table_is_small_breaks_over_pages_and_closes_what_it_opens() -> None:
    frame = pd.DataFrame({"step": [1, 2], "name": [SENTENCE, SENTENCE]})
    text = latex.table(frame, "made", "Made.")
    assert text.startswith("{\\footnotesize") and text.endswith("\\end{longtable}\n}\n")
    assert "p{" in text and text.count("{") == text.count("}")
