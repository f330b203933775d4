"""No text breaks out of LaTeX."""

from __future__ import annotations

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
