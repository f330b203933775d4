"""No text breaks out of LaTeX."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.render import latex


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    bare = latex.escape(text)
    for command in latex.SPECIAL.values():
        if command[1].isalpha():
            bare = bare.replace(command, "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


SENTENCE = "a sentence that no column of a page can hold on one line " * 3


def test_columns_of_sentences_wrap_and_all_fit_the_line() -> None:
    found = pd.DataFrame({"step": ["1"], "ran": ["x" * 20], "says": [SENTENCE], "why": [SENTENCE]})
    formats = latex.column_formats(found)
    assert formats[:2] == ["l", "l"]
    widths = [float(re.findall(r"p\{(.*)\\linewidth\}", one)[0]) for one in formats[2:]]
    unwrapped = (len("step") + 20) / latex.LINE
    assert sum(widths) + unwrapped + 4 * latex.GAP == pytest.approx(1, abs=0.01)


def test_a_path_may_break_behind_its_slashes() -> None:
    frame = pd.DataFrame({"step": [1], "name": [SENTENCE], "source": ["src/some_file.py"]})
    text = latex.table(frame, "empty_documents_chain")
    assert r"src/\allowbreak{}some\_\allowbreak{}file.py" in text


def test_tables_of_numbers_are_set_as_they_come() -> None:
    found = pd.DataFrame({"queries": ["472"] * 3, "95% interval": ["[+1.0, +2.0]"] * 3})
    assert latex.column_formats(found) == ["l", "l"]


def test_a_table_of_sentences_is_small_breaks_over_pages_and_closes_what_it_opens() -> None:
    frame = pd.DataFrame({"step": [1, 2], "name": [SENTENCE, SENTENCE]})
    text = latex.table(frame, "empty_documents_chain")
    assert text.startswith("{\\footnotesize") and text.endswith("\\end{longtable}\n}\n")
    assert "p{" in text and text.count("{") == text.count("}")
