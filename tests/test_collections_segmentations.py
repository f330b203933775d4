"""Chunks that others drew stand in the text where they are said to, or are listed as lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.sources import find
from chunkstudy.base.tokens import counter
from chunkstudy.collections import builtin, emma_files, gutenqa, released
from chunkstudy.collections.released import Pieces, ReleasedError, align

COUNTS = {
    "lumberchunker-released": 476,
    "proposition-released": 11_834,
    "semantic-released": 1_584,
    "recursive-released": 413,
    "fixed-released": 350,
    "paragraph-released": 2_287,
}
TILING = set(COUNTS) - {"proposition-released", "recursive-released"}
SPACES = st.text(" \n\t\xa0\u3000", max_size=3)


def _solid(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="module")
def emma() -> dict[str, Pieces]:
    if not all(find(sheet.path) for sheet in emma_files.SHEETS.values()):
        pytest.skip("Emma is not here; `chunkstudy fetch gutenqa-emma` brings it")
    return {name: released.emma(name) for name in released.RELEASED}


@pytest.fixture(scope="module")
def text(emma: dict[str, Pieces]) -> str:
    return gutenqa.load_emma().documents[0].text


@pytest.mark.real_data
def test_every_released_chunk_of_emma_is_aligned_and_is_one_of_emma_only(
    emma: dict[str, Pieces], text: str
) -> None:
    assert {name: len(one) for name, one in emma.items()} == COUNTS
    assert all(all(one) for one in emma.values())
    assert released.segmentation("fixed-released", text) == emma["fixed-released"]
    with pytest.raises(ReleasedError, match="segments Emma_-_Jane_Austen only"):
        released.segmentation("fixed-released", text + " ")
    chunks = {one and one[:2] for one in emma["lumberchunker-released"]}
    assert {one and one[:2] for one in emma["proposition-released"]} == chunks


@pytest.mark.real_data
@pytest.mark.parametrize("name", sorted(set(COUNTS) - {"proposition-released"}))
def test_a_span_holds_the_same_characters_as_the_released_chunk(
    name: str, emma: dict[str, Pieces], text: str
) -> None:
    for start, end, piece in filter(None, emma[name]):
        assert _solid(text[start:end]) == _solid(piece)
        assert text[start:end] == text[start:end].strip()


@pytest.mark.real_data
@pytest.mark.parametrize("name", sorted(TILING))
def test_all_but_the_overlapping_chunks_cover_emma_without_overlap(
    name: str, emma: dict[str, Pieces], text: str
) -> None:
    ends = [0, *(end for _, end, _ in filter(None, emma[name]))]
    starts = [*(start for start, _, _ in filter(None, emma[name])), len(text)]
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert not "".join(between).strip()


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
    read: Callable[[str], list[dict[str, str]]] = rows.__getitem__
    monkeypatch.setattr(emma_files, "read", read)
    for remembered in (released.emma, released.emma_text):
        monkeypatch.setattr(released, remembered.__name__, remembered.__wrapped__)
    found = released.emma("proposition-released")
    assert found == [(0, 4, "1a"), None, None, (5, 9, "2")]
    assert released.emma("lumberchunker-released")[1] is None


def test_chunks_by_hand_cover_the_built_in_documents_and_begin_with_a_paragraph_or_turn() -> None:
    begun = released.beginnings()
    for document in builtin.load_documents():
        assert all(document.text.count(one) == 1 for one in begun.pop(document.id, []))
        found = released.by_hand(document.text)
        assert "".join(document.text[start:end] for start, end in found) == document.text
        assert all(start < end for start, end in found)
        for start, _ in found[1:]:
            turn = document.id.endswith(".json")
            assert document.text[start] == "{" if turn else document.text[start - 1] == "\n"
        sizes = counter("wordpiece").count_many([document.text[a:b] for a, b in found])
        assert max(sizes, default=0) < 550  # docs/protocols.md#lumberchunker-segmentation
    assert not begun
    with pytest.raises(ReleasedError, match="built-in documents only"):
        released.by_hand("A text that nobody segmented.")
