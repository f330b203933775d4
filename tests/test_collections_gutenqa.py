"""GutenQA's passages and others' chunks stand where they are said to, or are listed as lost."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.collections import gutenqa, released
from chunkstudy.collections.released import Pieces, align
from chunkstudy.core import folding, sources
from chunkstudy.core.errors import UserError
from chunkstudy.core.spans import Collection


def _paragraph(book: int, place: int, text: str, name: str = "A") -> dict[str, object]:
    return {"Book ID": book, "Book Name": name, "Chunk ID": place, "Chapter": "I", "Chunk": text}


def _question(book: object, passage: str) -> dict[str, object]:
    return {"Book ID": book, "Book Name": "A", "Chunk ID": 0, "Question": "Why?", "Answer": "So.",
            "Chunk Must Contain": passage}  # fmt: skip


def unlocated(collection: Collection) -> list[str]:
    """The queries whose passage stands nowhere."""
    judged = {judgment.query for judgment in collection.judgments}
    return [query.id for query in collection.queries if query.id not in judged]


@pytest.fixture(scope="module")
def emma() -> Collection:
    if not all(sources.find(workbook.path) for workbook in gutenqa.WORKBOOKS.values()):
        pytest.skip("Emma is not here; `chunkstudy fetch gutenqa-emma` brings it")
    return gutenqa.load_emma()


@pytest.mark.real_data
def test_29_of_emmas_30_passages_are_located_once_and_the_edited_one_is_listed(
    emma: Collection,
) -> None:
    assert unlocated(emma) == ["Book-Emma-Query-28"]
    assert len(emma.judgments) == len({judgment.query for judgment in emma.judgments}) == 29


Rows = list[dict[str, object]]


def parsed(paragraphs: Rows, questions: Rows, monkeypatch: pytest.MonkeyPatch) -> Collection:
    table = pd.DataFrame(questions, columns=list(_question(1, "")))
    monkeypatch.setattr(gutenqa.HubFile, "table", lambda _: table)
    return gutenqa.parse(pd.DataFrame(paragraphs), gutenqa.asked(gutenqa.FULL))


def test_paragraphs_become_books_and_rows_become_query_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    paragraphs = [
        _paragraph(7, 0, "One."), _paragraph(7, 1, "Two."), _paragraph(3, 0, "Two. Two.", "B"),
    ]  # fmt: skip
    questions = [_question(7, "two"), _question(3.0, "Two."), _question(7, "three")]
    found = parsed(paragraphs, questions, monkeypatch)
    assert {document.id: document.text for document in found.documents} == {
        "Book-7": "One.\nTwo.", "Book-3": "Two. Two.",
    }  # fmt: skip
    assert [(query.id, query.document) for query in found.queries] == [
        ("Book-7-Query-0", "Book-7"), ("Book-3-Query-1", "Book-3"), ("Book-7-Query-2", "Book-7"),
    ]  # fmt: skip
    assert [(j.query, j.start, j.end) for j in found.judgments] == [
        ("Book-7-Query-0", 5, 8), ("Book-3-Query-1", 0, 4), ("Book-3-Query-1", 5, 9),
    ]  # fmt: skip
    assert found.groups == {"Book-7-Query-0": "A", "Book-3-Query-1": "B", "Book-7-Query-2": "A"}
    assert unlocated(found) == ["Book-7-Query-2"]


VARIANTS = (
    (" ", "\n", "\xa0", " \r\n "),
    ("'", '"', "“", "’", "″"),
    ("-", "—", "–"),
    ("é", "e\u0301", "É"),
    ("...", "…"),
    ("a", "A", "ａ"),
)


@given(
    st.lists(
        st.sampled_from(VARIANTS).flatmap(
            lambda same: st.tuples(st.sampled_from(same), st.sampled_from(same))
        )
    ),
    st.text("012 ", max_size=5),
    st.text("012 ", max_size=5),
)
def test_a_passage_set_in_other_type_is_located_exactly_where_it_stands(
    pairs: list[tuple[str, str]], before: str, after: str
) -> None:
    source = "x" + "".join(one for one, _ in pairs) + "y"
    quoted = "x" + "".join(other for _, other in pairs) + "y"
    found = folding.locate(before + source + after, quoted)
    assert found == [(len(before), len(before) + len(source))]


COUNTS = {
    "lumberchunker-released": 476,
    "proposition-released": 11_834,
    "semantic-released": 1_584,
    "recursive-released": 413,
    "fixed-released": 350,
}
SPACES = st.text(" \n\t\xa0\u3000", max_size=3)


def _solid(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="module")
def segmented(emma: Collection) -> dict[str, Pieces]:
    return {name: released.emma(name) for name in released.RELEASED}


@pytest.fixture(scope="module")
def text(emma: Collection) -> str:
    return emma.documents[0].text


@pytest.mark.real_data
def test_every_released_chunk_of_emma_is_aligned_and_is_one_of_emma_only(
    segmented: dict[str, Pieces], text: str
) -> None:
    assert {name: len(one) for name, one in segmented.items()} == COUNTS
    assert all(all(one) for one in segmented.values())
    assert released.segmentation("fixed-released", text) == segmented["fixed-released"]
    with pytest.raises(UserError, match="segments Emma_-_Jane_Austen only"):
        released.segmentation("fixed-released", text + " ")
    chunks = {one and one[:2] for one in segmented["lumberchunker-released"]}
    assert {one and one[:2] for one in segmented["proposition-released"]} == chunks


@pytest.mark.real_data
@pytest.mark.parametrize("name", sorted(set(COUNTS) - {"proposition-released"}))
def test_a_span_holds_the_same_characters_as_the_released_chunk(
    name: str, segmented: dict[str, Pieces], text: str
) -> None:
    for start, end, piece in filter(None, segmented[name]):
        assert _solid(text[start:end]) == _solid(piece)
        assert text[start:end] == text[start:end].strip()


@given(st.lists(st.text("ab.é“", min_size=1, max_size=6)), st.data())
def test_pieces_that_follow_one_another_are_found_whatever_their_white_space(
    pieces: list[str], data: st.DataObject
) -> None:
    text = ""
    expected = []
    altered = []
    for piece in pieces:
        text += data.draw(SPACES)
        start = len(text)
        text += data.draw(SPACES).join(piece)
        expected.append((start, len(text)))
        altered.append(data.draw(SPACES).join(["", *piece, ""]))
    found = align(text + data.draw(SPACES), altered)
    assert found == [(*span, one) for span, one in zip(expected, altered, strict=True)]


@pytest.mark.parametrize("foreign", ["nowhere at all", "", " \n", "two three!"])
def test_a_piece_that_stands_nowhere_is_listed_and_the_next_is_still_found(foreign: str) -> None:
    found = align("one two three four", ["one", foreign, "two three", "four"])
    assert [span and span[:2] for span in found] == [(0, 3), None, (4, 13), (14, 18)]


def test_a_piece_after_a_gap_is_not_guessed_where_it_stands_twice() -> None:
    text = "He said yes. She nodded. Say yes. Not so."
    found = align(text, ["He said yes.", "yes.", "Not so."])
    assert [span and text[slice(*span[:2])] for span in found] == ["He said yes.", None, "Not so."]


def test_a_proposition_without_a_place_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: dict[str, list[dict[str, str]]] = {
        "paragraphs": [{"Chunk": "One."}, {"Chunk": "Two."}],
        "gemini_chunks": [
            {"Chunk": "One.", "Propositions": "['1a', '1b']"},
            {"Chunk": "Lost", "Propositions": "['lost']"},
            {"Chunk": "Two.", "Propositions": "['2']"},
        ],
        "propositions": [{"Propositions": one} for one in ("1a", "other", "lost", "2")],
    }
    monkeypatch.setattr(gutenqa, "sheet", lambda name: pd.DataFrame(rows[name]))
    monkeypatch.setattr(gutenqa, "emma_text", gutenqa.emma_text.__wrapped__)
    monkeypatch.setattr(released, "emma", released.emma.__wrapped__)
    found = released.emma("proposition-released")
    assert found == [(0, 4, "1a"), None, None, (5, 9, "2")]
    assert released.emma("lumberchunker-released")[1] is None
