"""A user's chunker is scored whatever it returns, or its error says which document it fails on."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.base.spans import Document, chunk_documents
from chunkstudy.chunkers.own import ChunkerError, OwnChunker, checked, locate_in_order

TEXT = "One two.\nThree four.  One two.\n\nEnd."


def spans(chunker: OwnChunker, text: str = TEXT) -> list[tuple[int, int]]:
    documents = [Document("d", text)]
    chunks = chunk_documents(checked(chunker, documents), documents)
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


def test_a_rewritten_text_is_kept_beside_its_span() -> None:
    documents = [Document("d", TEXT)]
    chunks = chunk_documents(checked(lambda text: [(0, 8, "1 2")], documents), documents)
    assert chunks.text == ("1 2",)


def test_strings_with_other_white_space_are_located() -> None:
    parts = ["One two. Three four.", " One\ttwo. End. "]
    assert spans(lambda text: parts) == [(0, 20), (22, 36)]


@given(st.text("ab \n", max_size=40), st.lists(st.integers(0, 40)), st.booleans())
def test_strings_that_leave_nothing_out_are_located_exactly_whatever_repeats(
    text: str, cuts: list[int], stripped: bool
) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    expected = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if stripped:
            start += len(piece) - len(piece.lstrip())
            end = start + len(piece.strip())
        if start < end:
            expected.append((start, end))
    found = locate_in_order(text, [text[start:end] for start, end in expected], "d")
    assert found == expected


@given(st.text("ab \n", min_size=1, max_size=30), st.data())
def test_strings_cut_in_order_from_any_text_are_found_as_they_are(
    text: str, data: st.DataObject
) -> None:
    starts = sorted(data.draw(st.sets(st.integers(0, len(text) - 1), min_size=1)))
    chunks = [text[start : data.draw(st.integers(start + 1, len(text)))] for start in starts]
    found = locate_in_order(text, chunks, "d")
    assert [text[start:end] for start, end in found] == chunks
    assert all(one[0] < other[0] for one, other in pairwise(found))


@given(st.lists(st.text("ab \n", max_size=6)))
@settings(max_examples=200)
def test_any_strings_are_located_in_the_text_or_refused(chunks: list[str]) -> None:
    text = "ab ba\naab  b"
    try:
        found = locate_in_order(text, chunks, "d")
    except ChunkerError as error:
        assert "of document 'd'" in str(error)
        return
    assert ["".join(text[start:end].split()) for start, end in found] == [
        "".join(chunk.split()) for chunk in chunks
    ]
