"""The paper's tables: chosen columns under their own heads, text that wraps, groups said once."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

from chunkstudy.show import layouts
from chunkstudy.show.layouts import LayoutError, latex_table

GAINS = pd.DataFrame(
    {"collection": ["scifact", "scifact", "nfcorpus"], "window": [128, 256, 128],
     "difference": [0.01, -0.02, 0.0], "low": [0.0, -0.03, -0.01], "high": [0.02, -0.01, 0.01]}
)  # fmt: skip


def set_one(frame: pd.DataFrame = GAINS, **changes: Any) -> str:
    heads = {"collection": "where", "window": "window", "difference": "gain", "low": "95%"}
    parts: dict[str, Any] = {
        "heads": heads,
        "caption": r"Of \val{all/n} more.",
        "once": "collection",
    }
    return latex_table("gains", frame, **(parts | changes))


def test_a_caption_is_latex_and_a_label_names_the_table() -> None:
    assert r"\caption{Of \val{all/n} more.}\label{tab:gains}" in set_one()


def test_the_interval_is_one_column_and_a_group_is_said_once() -> None:
    text = set_one()
    assert r"where & window & gain & 95\% \\" in text
    assert r"[\textminus{}3.0, \textminus{}1.0]" in text
    assert text.count("SciFact") == 1 and text.count(r"\addlinespace") == 1


def test_long_names_can_be_said_shorter_and_a_group_is_still_said_once() -> None:
    text = set_one(shorter={"SciFact": "Sci", "NFCorpus": "NF"})
    assert text.count("Sci ") == 1 and "SciFact" not in text and "NF " in text


def test_a_models_name_is_not_broken_at_its_hyphens() -> None:
    frame = GAINS.assign(collection="all-MiniLM-L6-v2 or a late-chunked one")
    text = set_one(frame, once="")
    assert r"\mbox{all-MiniLM-L6-v2} or a late-chunked one" in text


def test_numbers_stand_to_the_right_and_a_table_takes_its_column() -> None:
    text = set_one()
    assert r"\begin{tabularx}{\linewidth}{@{}>{\raggedright\arraybackslash}Xrrr@{}}" in text
    assert set_one(span="page").startswith(r"\begin{table*}")


def test_texts_of_an_appendix_share_what_numbers_leave() -> None:
    frame = pd.DataFrame(
        {"a": ["long text " * 9] * 2, "b": ["longer text " * 20] * 2, "n": ["12"] * 2}
    )
    first, second, last = layouts.formats(frame)
    widths = [float(re.findall(r"p\{([\d.]+)", one)[0]) for one in (first, second)]
    taken = (2 * layouts.EM + 2 * layouts.GAP) / layouts.LINE
    assert last == "r" and widths[0] < widths[1]
    assert sum(widths) + taken == pytest.approx(1, abs=0.01)
    assert r"\begin{longtable}" in set_one(span="appendix")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"frame": GAINS.head(0)}, "has no row"),
        ({"heads": {"fold": "fold"}, "once": ""}, "no column fold"),
        ({"heads": {"low": "ends", "high": "again"}, "once": ""}, "interval named twice"),
    ],
)
def test_a_table_that_cannot_be_laid_out_says_why(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(LayoutError, match=said):
        set_one(**changes)
