"""Excerpts are found whatever their form, and what is lost is shown with what is nearest."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.base.folding import folded, in_short
from chunkstudy.collections import own, own_documents, quoted
from chunkstudy.commands.cli import app

TEXT = "The mill’s wheel — of “oak” — turns by\nday. Cafe\u0301 and wa\u00adter stand there."


@pytest.mark.parametrize(
    "words",
    [
        'The mill\'s wheel - of "oak" - turns by day.',
        "the MILL’S   wheel",
        "Café and water",
        "wheel—of “oak”—turns",
        "turns\r\nby\u00a0day",
    ],
)
def test_an_excerpt_is_found_whatever_its_form_and_counted(words: str) -> None:
    judged = own.read({"a": TEXT, "b": "Cows."}, [{"question": "?", "excerpts": [words]}])
    (place,) = judged.collection.judgments
    assert quoted.same_but_for_form(TEXT[place.start : place.end], words)
    assert "1 of 1 excerpts were found only with other white space" in " ".join(judged.notes)


def test_letter_by_letter_comes_first() -> None:
    judged = own.read({"a": "Oak. oak."}, [{"question": "?", "excerpts": ["oak."]}])
    assert [(j.start, j.end) for j in judged.collection.judgments] == [(5, 9)]
    assert not judged.notes


@pytest.mark.parametrize("blank", ["", " ", "\u200b", "\u3000\n"])
def test_blanks_are_neither_excerpt_nor_question(blank: str) -> None:
    lines = [
        {"question": "mill", "excerpts": [blank]},
        {"question": blank or " ", "excerpts": ["The mill"]},
        {"question": "cows", "excerpts": ["Cows."]},
    ]
    judged = own.read({"a": TEXT, "b": "Cows."}, lines)
    assert [query.text for query in judged.collection.queries] == ["cows"]
    assert "since they are blank" in " ".join(judged.notes)


def test_a_twin_that_is_left_out_keeps_its_judgments() -> None:
    documents = {"a": "The mill.", "b": "The mill.", "c": "Cows."}
    lines = [{"question": "mill", "documents": {"a": 1, "b": 2}},
             {"question": "cows", "documents": {"c": 1}}]  # fmt: skip
    judged = own.read(documents, lines)
    graded = [(j.document, j.grade) for j in judged.collection.judgments]
    assert graded == [("a", 2), ("c", 1)] and not judged.collection.absent
    quoted_twin = [{"question": "?", "excerpts": [{"document": "b", "start": 0, "end": 3}]}]
    assert own.read(documents, quoted_twin).collection.judgments[0].document == "a"


def test_names_that_are_no_utf_8_are_written_as_urls_write_them(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"The well.")
    documents = own_documents.read(tmp_path)
    assert [document.id for document in documents.documents] == ["caf%E9.md"]


def test_links_are_followed_once_and_a_broken_one_is_said(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "folder"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "a.md").write_text("The mill.", encoding="utf-8")
    (folder / "linked").symlink_to(elsewhere)
    (folder / "again").symlink_to(folder)
    (folder / "broken.md").symlink_to(tmp_path / "nothing")
    documents = own_documents.read(folder)
    assert [document.text for document in documents.documents] == ["The mill."]
    assert documents.left_out == {"broken.md": "a link to nothing"}


def test_check_shows_the_nearest_text_ready_to_paste(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.md").write_text("The farm has ten cows. The barn burned in 1911.", "utf-8")
    questions = tmp_path / "q.jsonl"
    good = {"question": "barn", "excerpts": ["The barn burned in 1911."]}
    bad = {"question": "cows", "excerpts": ["The farm had ten cows"]}
    questions.write_text(json.dumps(bad), "utf-8")
    result = CliRunner().invoke(app, ["check", str(questions), str(folder)])
    assert result.exit_code == 1
    pasted = json.loads(next(x for x in result.output.splitlines() if x.startswith("{")))
    assert pasted == {"document": "a.md", "start": 0, "end": 21, "text": "The farm has ten cows"}
    questions.write_text(
        json.dumps(bad | {"excerpts": [pasted]}) + "\n" + json.dumps(good), "utf-8"
    )
    result = CliRunner().invoke(app, ["check", str(questions), str(folder)])
    assert result.exit_code == 0 and "All 2 questions can be judged." in result.output


def test_nothing_that_shares_half_its_words_is_nearest_to_nothing() -> None:
    assert quoted.nearest("entirely other words", {"a": TEXT}) is None


@given(st.text(st.sampled_from("aÄß é’\u0301\u00ad\ufb01½—\n\u200b"), max_size=30), st.data())
def test_the_short_form_holds_every_passage_that_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    passage = text[start : data.draw(st.integers(start, len(text)))]
    needle = folded(passage, spaces=False, hidden=False).text
    if folded(text, spaces=False, hidden=False).find_all(needle):
        assert in_short(passage) in in_short(text) or unicodedata.combining(passage.strip()[0])
