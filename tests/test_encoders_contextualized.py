"""Contextualized encoding reads every token once in a window that fits, and pools what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.tokens import tokens_between
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import (
    Layout,
    continuous,
    in_sequence,
    most_context,
    packed,
    separated,
    whole,
)
from chunkstudy.encoders.transformer import TransformerEncoder

ENDS = (1, 2)
SIZES = st.tuples(st.integers(3, 40), st.integers(0, 39)).filter(lambda s: s[1] < s[0] - 2)
CONTENT = st.lists(st.integers(10, 99), max_size=150)
TEXT = (
    "Berlin is the capital of Germany. Its more than three million inhabitants make it the "
    "largest city of the country. The city lies on the Spree, and it is a state of its own."
)


def sequence(layout: Layout) -> list[int]:
    """The ids whose states count, in order."""
    return [
        token
        for ids, (first, last) in zip(layout.windows, layout.kept, strict=True)
        for token in ids[first:last]
    ]


@given(CONTENT, SIZES)
def test_every_token_counts_exactly_once_whatever_the_window(
    content: list[int], sizes: tuple[int, int]
) -> None:
    window, overlap = sizes
    ids = [1, *content, 2]
    for layout in (
        continuous(ids, window, overlap),
        most_context(content, window, overlap, ENDS),
    ):
        assert sequence(layout) == (ids if layout.windows else [])
        assert all(len(one) <= window for one in layout.windows)


@given(CONTENT, SIZES)
def test_a_token_is_taken_from_the_window_where_it_stands_deepest(
    content: list[int], sizes: tuple[int, int]
) -> None:
    window, overlap = sizes
    places = list(range(100, 100 + len(content)))  # so that an id says where its token stands
    layout = most_context(places, window, overlap, ENDS)
    for ids, (first, last) in zip(layout.windows, layout.kept, strict=True):
        for position in range(first, last):
            if ids[position] < 100:
                continue
            depth = min(position, len(ids) - 1 - position)
            elsewhere = [
                min(other.index(ids[position]), len(other) - 1 - other.index(ids[position]))
                for other in layout.windows
                if ids[position] in other
            ]
            # At the document's ends nothing more can be seen, so only the inner side counts.
            inner = ids[1] != 100 and ids[-2] != places[-1]
            assert not inner or depth >= max(elsewhere) - 1


@given(CONTENT, SIZES)
def test_only_the_first_continuous_window_sees_the_start(
    content: list[int], sizes: tuple[int, int]
) -> None:
    layout = continuous([1, *content, 2], *sizes)
    assert [1 in ids for ids in layout.windows] == [i == 0 for i in range(len(layout.windows))]
    assert layout.windows[-1][-1] == 2


@given(st.lists(st.lists(st.integers(10, 99), max_size=30), max_size=12), st.integers(3, 40))
def test_chunks_put_apart_count_whole_and_once_with_one_separator_between_two(
    chunks: list[list[int]], window: int
) -> None:
    layout, spans = separated(chunks, window, ENDS)
    read = sequence(layout)
    assert [read[a:b] for a, b in spans] == chunks  # no chunk takes in [CLS], [SEP] or another's
    counted = [token for token in read if token not in ENDS]
    assert counted == [token for chunk in chunks for token in chunk]
    full = [tuple(chunk) for chunk in chunks if chunk]
    for ids in layout.windows:
        assert len(ids) <= window and (ids[0], ids[-1]) == ENDS
        assert 1 not in ids[1:]
        between = ids[1:-1]
        joined = list(_split(between, 2))
        if len(joined) > 1:  # where chunks share a window, all but a long one's rest are whole
            assert all(part in full for part in joined[1:])
            assert any(one[-len(joined[0]) :] == joined[0] for one in full)
    # Greedy: a window's first piece did not fit into the one before.
    for before, after in zip(layout.windows, layout.windows[1:], strict=False):
        assert len(before) + 1 + len(_split(after[1:-1], 2)[0]) > window


def _split(ids: tuple[int, ...], at: int) -> list[tuple[int, ...]]:
    parts: list[list[int]] = [[]]
    for token in ids:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]


@given(
    st.lists(st.lists(st.integers(10, 99), min_size=1, max_size=9), min_size=1, max_size=6),
    st.lists(st.integers(100, 109), max_size=3),
)
def test_a_prefix_stands_in_every_window_of_chunks_put_apart_and_in_no_chunk(
    chunks: list[list[int]], prefix: list[int]
) -> None:
    layout, spans = separated(chunks, 16, ENDS, prefix)
    assert all(ids[1 : 1 + len(prefix)] == tuple(prefix) for ids in layout.windows)
    read = sequence(layout)
    assert [read[a:b] for a, b in spans] == chunks
    assert sum(token >= 100 for token in read) == len(prefix)  # of the first window alone


def test_one_chunk_put_apart_is_read_as_plain_text_is() -> None:
    layout, spans = separated([[11, 12]], 8, ENDS)
    assert layout == whole([1, 11, 12, 2])
    assert spans.tolist() == [[1, 3]]


def test_a_window_without_room_for_content_is_refused_apart_too() -> None:
    with pytest.raises(ValueError, match="impossible"):
        separated([[11]], 3, ENDS, [101])


@given(
    st.lists(st.lists(st.integers(10, 99), max_size=12), max_size=20),
    st.lists(st.integers(3, 9), max_size=4),
    st.integers(1, 16),
)
def test_packed_chunks_keep_their_own_tokens_and_a_prefix_counts_to_its_windows_first_chunk(
    chunks: list[list[int]], prefix: list[int], room: int
) -> None:
    window = room + len(prefix) + 2
    layout, spans = packed(chunks, window, ENDS, prefix)
    assert all(len(ids) <= window for ids in layout.windows)
    assert all(list(ids[: len(prefix) + 1]) == [1, *prefix] for ids in layout.windows)
    read = sequence(layout)
    for chunk, (first, last) in zip(chunks, spans.tolist(), strict=True):
        assert [token for token in read[first:last] if token >= 10] == chunk[:room]
    taken = sorted(i for first, last in spans.tolist() for i in range(first, last))
    assert taken == list(range(layout.tokens))


@given(CONTENT, SIZES, st.lists(st.integers(3, 9), max_size=4))
def test_a_prefix_stands_in_every_overlapping_window_and_once_in_the_sequence(
    content: list[int], sizes: tuple[int, int], prefix: list[int]
) -> None:
    window, overlap = sizes
    layout = most_context(content, window + len(prefix), overlap, ENDS, prefix)
    assert all(list(ids[: len(prefix) + 1]) == [1, *prefix] for ids in layout.windows)
    assert sequence(layout) == ([1, *prefix, *content, 2] if content else [])


def test_spans_stand_behind_the_prefix_which_the_first_chunk_takes_in() -> None:
    spans = np.array([[0, 2], [2, 5]])
    assert in_sequence(spans, document_ends=False, prefix=3).tolist() == [[4, 6], [6, 9]]
    assert in_sequence(spans, document_ends=True, prefix=3).tolist() == [[0, 6], [6, 10]]


def test_a_token_that_a_boundary_cuts_belongs_to_both_chunks() -> None:
    offsets = np.array([[0, 3], [4, 8], [9, 10]])
    found = tokens_between(offsets, np.array([0, 6]), np.array([6, 10]))
    assert found.tolist() == [[0, 2], [1, 3]]


def test_a_chunk_of_white_space_gets_no_token() -> None:
    offsets = np.array([[0, 3], [6, 8]])
    ((first, last),) = tokens_between(offsets, np.array([3]), np.array([6])).tolist()
    assert first == last


def test_the_documents_ends_go_to_its_first_and_last_chunk() -> None:
    spans = np.array([[0, 2], [2, 5]])
    assert in_sequence(spans, document_ends=False).tolist() == [[1, 3], [3, 6]]
    assert in_sequence(spans, document_ends=True).tolist() == [[0, 3], [3, 7]]
    assert in_sequence(spans[:1], document_ends=True).tolist() == [[0, 4]]


@pytest.mark.parametrize(("window", "overlap"), [(2, 0), (10, 8), (10, -1)])
def test_impossible_windows_are_refused(window: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="impossible"):
        most_context([5] * 30, window, overlap, ENDS)


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"), window=512)


def pooled(
    encoder: TransformerEncoder, text: str, spans: list[tuple[int, int]], ends: bool
) -> np.ndarray:
    ((content, offsets),) = encoder.content([text])
    starts, stops = np.array(spans).T
    places = in_sequence(tokens_between(offsets, starts, stops), ends)
    (found,) = encoder.pool([most_context(content, 512, 128, encoder.ends)], [places])
    return found


def test_a_document_of_one_chunk_equals_its_plain_embedding(encoder: TransformerEncoder) -> None:
    found = pooled(encoder, TEXT, [(0, len(TEXT))], ends=True)
    np.testing.assert_allclose(found, encoder.encode([TEXT]), atol=1e-6, rtol=0)


def test_later_text_changes_an_earlier_chunk(encoder: TransformerEncoder) -> None:
    # Jina's second post (Late Chunking is Bidirectional) against its first (The Solution):
    # attention is bidirectional, so a chunk hears what follows it, too.
    first = [(0, TEXT.index("Its"))]
    changed = TEXT.replace("Spree", "Danube")
    before = pooled(encoder, TEXT, first, ends=False)
    after = pooled(encoder, changed, first, ends=False)
    alone = pooled(encoder, TEXT[: first[0][1]], first, ends=False)
    assert np.abs(before - after).max() > 1e-3
    assert np.abs(before - alone).max() > 1e-2


def test_pooled_chunks_equal_a_loop_over_single_states(encoder: TransformerEncoder) -> None:
    ((content, offsets),) = encoder.content([TEXT])
    spans = [(0, 33), (34, 116), (117, len(TEXT))]
    (states,) = encoder.states([whole((encoder.ends[0], *content, encoder.ends[1]))])
    for vector, (start, end) in zip(pooled(encoder, TEXT, spans, False), spans, strict=True):
        inside = [i + 1 for i, (a, b) in enumerate(offsets.tolist()) if b > start and a < end]
        mean = states[inside].mean(0).numpy()
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-6, rtol=0)


def test_empty_documents_and_empty_chunks_never_become_nan(encoder: TransformerEncoder) -> None:
    layout, spans = packed([[], []], 512, encoder.ends)
    empty, one = encoder.pool(
        [layout, whole((101, 2061, 102))], [spans, np.array([[0, 3], [1, 1]])]
    )
    assert np.array_equal(empty, np.zeros((2, 384)))
    assert np.isfinite(one).all()
    assert np.array_equal(one[1], np.zeros(384))


def test_a_window_beyond_the_models_positions_is_refused(encoder: TransformerEncoder) -> None:
    with pytest.raises(ValueError, match="513 tokens is too long"):
        encoder.states([whole(range(1000, 1513))])
