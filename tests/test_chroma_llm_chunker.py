"""Chroma's LLM chunker asked of a small model: what came of each reply; all are counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunkstudy.base import places
from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Collection
from chunkstudy.collections import builtin
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Reply
from chunkstudy.studies.chroma import llm_chunker as study

ARTICLES = tuple(f"encyclopedia/{one}.md" for one in ("river-veskra", "tolmer-cheese"))
LENGTHY = "split_after: 9 " * 40


@pytest.fixture(scope="module")
def articles() -> Collection:
    whole = builtin.load()
    return replace(
        whole,
        documents=tuple(one for one in whole.documents if one.id in ARTICLES),
        judgments=tuple(one for one in whole.judgments if one.document in ARTICLES),
    )


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


@pytest.mark.parametrize("rule", study.RULES)
def test_the_recorded_replies_cut_a_text_and_none_of_them_breaks_the_form(
    articles: Collection, rule: Protocol
) -> None:
    ask = Asker("replay", places.find().llm).ask
    table, chunks = study.asked(articles, study.CHUNKER, rule, ask)
    (row,) = table.to_dict("records")
    assert (row["part"], row["documents"], row["chunks"]) == ("encyclopedia", 2, len(chunks))
    assert row[study.USED] == row["requests"] > 2
    assert row["by rule"] == 0
    assert chunks.document.tolist() == sorted(chunks.document.tolist())
