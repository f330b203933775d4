"""No number of the paper is typed, and every name that it uses is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.study import written

PAPER = Path(__file__).parents[1] / "paper"
SECTIONS = sorted((PAPER / "sections").glob("*.tex"))
TABLES = sorted((PAPER / "generated").glob("paper_*.tex"))
NAMED = re.compile(r"\\(?:val|says)\{([^}]+)\}")
SILENT = re.compile(
    r"\\(?:val|says|ref|label|cite[pt]?|input|includegraphics|model)(?:\[[^]]*\])?\{[^}]*\}"
    r"|\\(?:begin|end|setlength|paragraph)\{[^}]*\}(?:\{[^}]*\})*|@?\{[^{}]*\\(?:line|text)width\}"
    r"|\\(?:val|ndcg|dcg)\b|\{\d+pt\}"
)
DECIMAL = re.compile(r"\d+[.,]\d+(?:[.,]\d+)*|\d+(?:\.\d+)?\s*\\%")
WHOLE = re.compile(r"(?<![\w.])\d+(?![\w.])")
SETTINGS = {
    "5", "64", "125", "128", "200", "250", "256", "400", "512", "550", "800", "1,000", "2,000",
    "8,192", "0", "1", "20", "95", "100", "135", "300", "44", "4",
}  # fmt: skip
"""What somebody chose and no computation gave: windows, sizes, depths, levels, and what a work says
of itself. A number that is measured has no place here."""
LEVELS = {r"95\%", r"5\%"}


def typed(text: str) -> list[str]:
    """Numbers in a text of TeX that no macro gave."""
    bare = SILENT.sub(" ", re.sub(r"(?<!\\)%.*", "", text))
    decimals = [one for one in DECIMAL.findall(bare) if one not in SETTINGS | LEVELS]
    rest = DECIMAL.sub(" ", bare)
    return decimals + [one for one in WHOLE.findall(rest) if one not in SETTINGS]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"loses 6.7 points", ["6.7"]),
        (r"in 3\% of cells", [r"3\%"]),
        (r"of 1,736 cells", ["1,736"]),
        (r"in 57 of \val{claims/all} claims", ["57"]),
        (r"reads 512 tokens, \val{late/wide}, at 95\% % 3.14", []),
        (r"\includegraphics[width=0.74\linewidth]{a.pdf} in Section~\ref{sec:4.2}", []),
    ],
)
def test_typed_numbers_are_seen(text: str, found: list[str]) -> None:
    assert typed(text) == found


@pytest.mark.parametrize("path", SECTIONS, ids=lambda path: path.stem)
def test_no_number_of_the_paper_is_typed(path: Path) -> None:
    assert typed(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_no_caption_of_a_generated_table_types_a_number(path: Path) -> None:
    (caption,) = re.findall(r"\\caption\{(.*)\}\\label", path.read_text(encoding="utf-8"))
    assert typed(re.sub(r"DCG@10|\w+-\w+-\S+", "", caption)) == []


def test_every_name_in_the_text_is_a_number_that_a_notebook_kept() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (*SECTIONS, *TABLES))
    assert set(NAMED.findall(text)) <= set(written.numbers(Places(PAPER.parent)))


def test_every_generated_table_is_shown_and_no_other_is_asked_for() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SECTIONS)
    assert set(re.findall(r"\\input\{generated/(\w+)\}", text)) == {path.stem for path in TABLES}


def test_every_table_and_figure_is_referred_to() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SECTIONS)
    tables = [path.read_text(encoding="utf-8") for path in TABLES]
    floating = "".join(one for one in tables if one.startswith(r"\begin{table"))
    labels = set(re.findall(r"\\label\{((?:tab|fig|app):\w+)\}", text + floating))
    assert labels <= set(re.findall(r"\\ref\{([^}]+)\}", text))
