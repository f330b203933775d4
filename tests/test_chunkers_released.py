"""Released chunks are aligned by what they say, and what does not fit is listed."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.chunkers import catalogue, released
from chunkstudy.chunkers.released import ReleasedError, align
from chunkstudy.collections import gutenqa
from chunkstudy.protocols import AS_PUBLISHED_IELAB, CORRECTED

COUNTS = {
    "lumberchunker-released": 476,
    "proposition-released": 11_834,
    "semantic-released": 1_584,
    "recursive-released": 413,
    "fixed-released": 350,
    "paragraph-released": 2_287,
}


def words(text: str) -> str:
    return "".join(text.split())


@given(
    st.text(st.sampled_from("abc \n"), max_size=80),
    st.lists(st.integers(0, 80), max_size=8),
    st.sampled_from([" ", "\n", "\n\n "]),
)
def test_a_segmentation_with_other_white_space_is_given_back(
    text: str, cuts: list[int], space: str
) -> None:
    bounds = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    pieces = [text[a:b] for a, b in itertools.pairwise(bounds) if text[a:b].strip()]
    found = align(text, [space.join(piece.split()) for piece in pieces])
    assert not found.unaligned
    assert [words(text[s:e]) for s, e, _ in found.chunks] == [words(piece) for piece in pieces]
    assert all(a[1] <= b[0] for a, b in zip(found.chunks, found.chunks[1:], strict=False))


def test_overlapping_pieces_are_aligned_where_they_stand() -> None:
    found = align("one two three four", ["one two", "two three", "three four"])
    assert [(s, e) for s, e, _ in found.chunks] == [(0, 7), (4, 13), (8, 18)]


def test_a_piece_that_stands_nowhere_is_listed_and_the_rest_still_fits() -> None:
    found = align("one two three", ["one", "zwei", "", "three"])
    assert found.unaligned == [1, 2]
    assert [chunk[:2] for chunk in found.chunks] == [(0, 3), (8, 13)]


def test_propositions_bear_their_parents_span() -> None:
    found = released.propositions([(3, 9, "x"), (9, 12, "y")], ["['a', ' ', 'b']", "[]"])
    assert found == [(3, 9, "a"), (3, 9, "b")]


@pytest.mark.parametrize("damaged", ["['a', ", "__import__('os')", "'a'", "{'a'}"])
def test_damaged_propositions_are_refused(damaged: str) -> None:
    with pytest.raises(ReleasedError, match="not a"):
        released.propositions([(0, 1, "x")], [damaged])


@pytest.mark.real_data
@pytest.mark.parametrize("name", released.RELEASED)
def test_every_released_chunk_of_emma_is_aligned(name: str) -> None:
    if not gutenqa.available():
        pytest.skip("Emma's files are not here; set CHUNKSTUDY_DATA")
    text = gutenqa.load_emma().documents[0].text
    found = released.emma(name)
    assert (len(found.chunks), found.unaligned) == (COUNTS[name], [])
    if name != "proposition-released":
        assert all(words(text[s:e]) == words(chunk) for s, e, chunk in found.chunks)


@pytest.mark.real_data
def test_lumberchunkers_test_finds_26_of_30_judged_texts_and_24_in_fixed_chunks() -> None:
    if not gutenqa.available():
        pytest.skip("Emma's files are not here; set CHUNKSTUDY_DATA")
    gold = [text.lower() for text in gutenqa.gold_strings().values()]
    for name, expected in (("lumberchunker-released", 26), ("fixed-released", 24)):
        chunks = [text.lower() for _, _, text in released.emma(name).chunks]
        assert sum(any(wanted in chunk for chunk in chunks) for wanted in gold) == expected


@pytest.mark.real_data
def test_propositions_keep_their_text_under_every_protocol_and_others_only_as_released() -> None:
    if not gutenqa.available():
        pytest.skip("Emma's files are not here; set CHUNKSTUDY_DATA")
    text = gutenqa.load_emma().documents[0].text
    assert all(len(span) == 3 for span in catalogue.build("proposition-released", CORRECTED)(text))
    assert all(len(span) == 2 for span in catalogue.build("fixed-released", CORRECTED)(text))
    assert all(
        len(span) == 3 for span in catalogue.build("fixed-released", AS_PUBLISHED_IELAB)(text)
    )


@pytest.mark.real_data
def test_a_released_segmentation_is_refused_on_another_book() -> None:
    if not gutenqa.available():
        pytest.skip("Emma's files are not here; set CHUNKSTUDY_DATA")
    with pytest.raises(ReleasedError, match="use it on gutenqa-emma only"):
        catalogue.build("semantic-released", CORRECTED)("another text")
