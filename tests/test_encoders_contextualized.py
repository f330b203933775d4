"""Contextualized encoding reads every token once in a window that fits, and pools what it says."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import (
    Frame,
    Layout,
    continuous,
    most_context,
    packed,
    whole,
)
from chunkstudy.encoders.pooling import pool_spans
from chunkstudy.encoders.transformer import TransformerEncoder

ENDS = (1, 2)
SIZES = st.tuples(st.integers(3, 40), st.integers(0, 39)).filter(lambda s: s[1] < s[0] - 2)
CONTENT = st.lists(st.integers(10, 99), max_size=150)


def sequence(layout: Layout) -> list[int]:
    """The ids whose states count, in order."""
    return [
        token
        for ids, (first, last) in zip(layout.windows, layout.kept, strict=True)
        for token in ids[first:last]
    ]


@given(CONTENT, SIZES, st.lists(st.integers(3, 9), max_size=4))
def test_every_token_counts_exactly_once_whatever_the_window_and_its_prefix(
    content: list[int], sizes: tuple[int, int], prefix: list[int]
) -> None:
    window, overlap = sizes
    layout = most_context(content, Frame(window + len(prefix), ENDS, prefix), overlap)
    assert all(list(ids[: len(prefix) + 1]) == [1, *prefix] for ids in layout.windows)
    assert sequence(layout) == ([1, *prefix, *content, 2] if content else [])
    ids = [1, *content, 2]
    whole = continuous(ids, window, overlap)
    assert sequence(whole) == ids
    for each, most in ((layout, window + len(prefix)), (whole, window)):
        assert all(len(one) <= most for one in each.windows)


@given(CONTENT, SIZES)
def test_a_token_is_taken_from_the_window_where_it_stands_deepest(
    content: list[int], sizes: tuple[int, int]
) -> None:
    window, overlap = sizes
    places = list(range(100, 100 + len(content)))  # so that an id says where its token stands
    layout = most_context(places, Frame(window, ENDS), overlap)
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


@given(
    st.lists(st.lists(st.integers(10, 99), max_size=12), max_size=20),
    st.lists(st.integers(3, 9), max_size=4),
    st.integers(1, 16),
)
def test_packed_chunks_keep_their_own_tokens_and_a_prefix_counts_to_its_windows_first_chunk(
    chunks: list[list[int]], prefix: list[int], room: int
) -> None:
    window = room + len(prefix) + 2
    layout, spans = packed(chunks, Frame(window, ENDS, prefix))
    assert all(len(ids) <= window for ids in layout.windows)
    assert all(list(ids[: len(prefix) + 1]) == [1, *prefix] for ids in layout.windows)
    read = sequence(layout)
    for chunk, (first, last) in zip(chunks, spans.tolist(), strict=True):
        assert [token for token in read[first:last] if token >= 10] == chunk[:room]
    taken = sorted(i for first, last in spans.tolist() for i in range(first, last))
    assert taken == list(range(layout.tokens))


@pytest.mark.parametrize(("window", "overlap"), [(2, 0), (10, 8), (10, -1)])
def test_impossible_windows_are_refused(window: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="impossible"):
        most_context([5] * 30, Frame(window, ENDS), overlap)
    with pytest.raises(ValueError, match="impossible"):
        Frame(3, ENDS, [101])


def test_a_window_beyond_the_models_positions_is_refused() -> None:
    encoder = TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"), window=512)
    with pytest.raises(ValueError, match="513 tokens is too long"):
        encoder.states([whole(range(1000, 1513))])


def test_spans_are_pooled_as_each_alone_would_be() -> None:
    torch.manual_seed(0)
    states = torch.randn(5000, 8) + 100
    starts = torch.tensor([0, 10, 4990, 3, 0])
    ends = torch.tensor([5000, 11, 5000, 4000, 1])
    expected = torch.stack(
        [states[s:e].double().mean(0) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    )
    found = pool_spans(states, starts, ends)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected.float(), rtol=1e-6, atol=0)
