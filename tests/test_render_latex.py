"""No text breaks out of LaTeX, and numbers have names that LaTeX allows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.render import latex


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    escaped = latex.escape(text)
    bare = escaped.replace(r"\textbackslash{}", "").replace(r"\textasciitilde{}", "")
    bare = bare.replace(r"\textasciicircum{}", "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


def test_a_macro_name_holds_letters_only() -> None:
    assert latex.macro_name("tokens state_of_the_union 5") == "TokensStateOfTheUnionFive"
