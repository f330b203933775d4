"""GutenQA's questions search their own book; judged passages are located, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.collections import gutenqa
from chunkstudy.collections.sources import SourceError
from chunkstudy.spans import Collection

TEXT = "She said: “It is a truth—universally\u00a0acknowledged.”\nThen she left."


@pytest.fixture(scope="module")
def emma() -> Collection:
    if not gutenqa.available():
        pytest.skip("Emma's files are not here; set CHUNKSTUDY_DATA")
    return gutenqa.load_emma()


@pytest.mark.real_data
def test_emma_has_30_questions_of_which_29_are_located(emma: Collection) -> None:
    assert len(emma.queries) == 30
    assert all(query.document == gutenqa.EMMA for query in emma.queries)
    assert gutenqa.unlocated(emma) == ["Emma-Query-28"]


@pytest.mark.real_data
def test_a_located_passage_holds_the_words_of_the_judged_text(emma: Collection) -> None:
    gold = gutenqa.gold_strings()
    for judgment in emma.judgments:
        found = emma.documents[0].text[judgment.start : judgment.end]
        assert gutenqa.fold(found)[0] == gutenqa.fold(gold[judgment.query])[0].strip()


@pytest.mark.parametrize(
    "passage",
    ['"It is a truth-universally acknowledged."', "it is a TRUTH—universally", "' then she"],
)
def test_quotes_dashes_spaces_and_case_do_not_hide_a_passage(passage: str) -> None:
    span = gutenqa.find_passage(TEXT, passage)
    assert span is not None
    assert gutenqa.fold(TEXT[slice(*span)])[0] == gutenqa.fold(passage)[0]


@pytest.mark.parametrize("passage", ["", "it was a truth", "left. She"])
def test_an_edited_passage_is_not_guessed(passage: str) -> None:
    assert gutenqa.find_passage(TEXT, passage) is None


@given(st.text(st.sampled_from("aB “”\n—\u00a0ﬁ"), max_size=40), st.data())
def test_every_passage_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = gutenqa.find_passage(text, text[start:end])
    if not text[start:end].strip():
        return
    assert span is not None
    assert gutenqa.fold(text[slice(*span)])[0].strip() == gutenqa.fold(text[start:end])[0].strip()


def test_rows_of_the_hub_become_books_and_questions() -> None:
    books = gutenqa.parse_books(
        [
            {"Book Name": "A", "Chunk": "One."},
            {"Book Name": "B", "Chunk": "Other."},
            {"Book Name": "A", "Chunk": "Two."},
        ]
    )
    rows = [
        {"Book ID": 7, "Book Name": "A", "Question": "Which?", "Chunk Must Contain": "two"},
    ]
    found = gutenqa.build("gutenqa", books, gutenqa.parse_questions(rows))
    assert [d.text for d in found.documents] == ["One.\nTwo.", "Other."]
    assert found.queries[0].id == "Book-7-Query-0"
    assert (found.judgments[0].start, found.judgments[0].end) == (5, 8)


def test_a_question_about_a_missing_book_is_refused() -> None:
    with pytest.raises(SourceError, match="asks about 'C', which is missing"):
        gutenqa.build("gutenqa", {}, [("q", "C", "Who?", "he")])


def test_the_hundred_books_are_refused_until_their_revision_is_pinned() -> None:
    with pytest.raises(SourceError, match="set REVISION"):
        gutenqa.load()


def test_missing_files_are_named_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    gutenqa.emma_rows.cache_clear()
    with pytest.raises(SourceError, match="set CHUNKSTUDY_DATA to a folder that has it"):
        gutenqa.load_emma()
    gutenqa.emma_rows.cache_clear()
