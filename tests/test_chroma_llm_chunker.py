"""Chroma's LLM chunker asked of a small model: what came of each reply."""

from __future__ import annotations

import pytest

from chunkstudy.llm.interface import Reply
from chunkstudy.studies.chroma import llm_chunker as study

LENGTHY = "split_after: 9 " * 40


def said(text: str) -> Reply:
    return Reply(text, "length" if text == LENGTHY else "stop", 10, 5, "made", "made")


@pytest.mark.parametrize(
    ("text", "corrected", "official"),
    [
        ("split_after: 9, 12", study.USED, study.USED),
        ("split_after: 9, 12\nThe topic changes.", study.OTHER, study.USED),
        ("The topic changes.", study.OTHER, study.OTHER),
        ("split_after: 9, 9", study.REPEATED, study.USED),
        ("split_after: 12, 9", study.REPEATED, study.REPEATED),
        ("split_after: 9, 99", study.OUTSIDE, study.USED),
        ("split_after: 7", study.OUTSIDE, study.OUTSIDE),
        ("split_after: 3", study.OUTSIDE, study.OUTSIDE),
        (LENGTHY, study.CUT_OFF, study.USED),
    ],
)
def test_each_reply_about_pieces_8_to_20_has_one_outcome_and_the_official_code_takes_more(
    text: str, corrected: str, official: str
) -> None:
    assert study.outcome(said(text), 8, 20) == corrected
    assert study.outcome(said(text), 8, 20, official=True) == official
