"""A document longer than the window, read in several ways: each against a plain loop over windows,
the study's own against that of the official function, Jina's (docs/protocols.md#jina-late-encoder
and #jina-long-documents), with states of one window after the other and one mean a chunk."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.core.protocols import AS_PUBLISHED_JINA, CORRECTED, Protocol
from chunkstudy.core.spans import Chunks, Document
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import (
    LAYOUTS,
    Frame,
    Layout,
    continuous,
    most_context,
    packed,
    whole,
)
from chunkstudy.encoders.pooling import pool_spans
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline import encoding
from chunkstudy.pipeline.conditions import EmbeddingMethod, parse_method
from chunkstudy.pipeline.vector_store import VectorStore
from tests import small_training

ALL = (*LAYOUTS, "0", "")
LETTER = 2
"""Characters of a token, its space included."""
Vectors = NDArray[np.float32]
States = Callable[[list[int]], NDArray[np.float64]]
LENGTHS = st.lists(st.integers(1, 14), min_size=1, max_size=8)
WINDOW = st.integers(3, 16)
SIZES = st.tuples(st.integers(4, 18), st.integers(0, 17)).filter(lambda sizes: sizes[1] < sizes[0])
"""Of windows with special tokens, and what they share."""


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TransformerEncoder:
    return small_training.encoder(tmp_path_factory.mktemp("bert"))


def slug(window: int, layout: str) -> str:
    name = "" if layout == "0" and window == 3 else layout  # a quarter of three is nothing
    return f"contextualized-{window}" + (f"-{name}" if name else "")


def document(lengths: list[int], seed: int = 0) -> tuple[Document, Chunks]:
    """Letters, and chunks of so many that lie side by side."""
    letters = np.random.default_rng(seed).choice(list("abcdefghijklmnopqrstuvwxyz"), sum(lengths))
    limits = LETTER * np.cumsum([0, *lengths])
    one = Document("d", " ".join(letters) + " ")
    return one, Chunks(np.zeros(len(lengths), dtype=np.int64), limits[:-1], limits[1:])


def pooled(
    encoder: TransformerEncoder, one: Document, chunks: Chunks, window: int, layout: str
) -> Vectors:
    return read_late(encoder, one, chunks, parse_method(slug(window, layout)), CORRECTED)


def read_late(
    encoder: TransformerEncoder,
    one: Document,
    chunks: Chunks,
    ordering: EmbeddingMethod,
    protocol: Protocol,
) -> Vectors:
    store = cast(VectorStore, SimpleNamespace(encoder=encoder))
    planned = encoding.jobs(store, [one], chunks, ordering, protocol)
    return encoder.pool(planned.layouts, planned.spans)[0]


def states(encoder: TransformerEncoder) -> States:
    """Of ids read between [CLS] and [SEP], their own states."""

    def read(ids: list[int]) -> NDArray[np.float64]:
        (found,) = encoder.states([whole((encoder.ends[0], *ids, encoder.ends[1]))])
        return found.numpy().astype(np.float64)[1:-1]

    return read


def unit(rows: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    mean = np.mean(rows, axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def pieces(lengths: list[int], room: int) -> Iterator[tuple[int, int, int]]:
    """Chunk, first token and one past the last."""
    start = 0
    for chunk, length in enumerate(lengths):
        for at in range(start, start + length, room):
            yield chunk, at, min(at + room, start + length)
        start += length


def plainly_averaged(
    ids: list[int], lengths: list[int], room: int, read: States
) -> list[NDArray[np.float64]]:
    step, starts = room - room // 2, [0]
    while starts[-1] + room < len(ids):
        starts.append(starts[-1] + step)
    starts[-1] = max(0, len(ids) - room)
    readings: list[list[NDArray[np.float64]]] = [[] for _ in ids]
    for start in starts:
        for i, state in enumerate(read(ids[start : start + room])):
            readings[start + i].append(state)
    means = [np.mean(one, axis=0) for one in readings]
    limits = np.cumsum([0, *lengths])
    return [unit(means[a:b]) for a, b in itertools.pairwise(limits)]


def plainly_packed(
    ids: list[int], lengths: list[int], room: int, read: States
) -> list[NDArray[np.float64]]:
    windows: list[list[tuple[int, int, int]]] = []
    for piece in pieces(lengths, room):
        if windows and piece[2] - windows[-1][0][1] <= room:
            windows[-1].append(piece)
        else:
            windows.append([piece])
    rows: list[list[NDArray[np.float64]]] = [[] for _ in lengths]
    for held in windows:
        found = read(ids[held[0][1] : held[-1][2]])
        for chunk, a, b in held:
            rows[chunk] += list(found[a - held[0][1] : b - held[0][1]])
    return [unit(one) for one in rows]


def official(
    encoder: TransformerEncoder, ids: list[int], lengths: list[int], window: int, overlap: int
) -> list[NDArray[np.float64]]:
    """Chunks of so many tokens, side by side, as Jina's evaluation pools them."""
    read: list[NDArray[np.float64]] = []
    for start in range(0, len(ids), window - overlap):
        (found,) = encoder.states([whole(ids[start : start + window])])
        read += list(found.numpy().astype(np.float64)[overlap if start else 0 :])
    limits = np.cumsum([0, *lengths])
    spans = [[start + 1, end + 1] for start, end in itertools.pairwise(limits)]  # behind [CLS]
    spans[0][0] -= 1
    spans[-1][1] += 1
    return [unit(read[a:b]) for a, b in spans]


PLAINLY = {"averaged": plainly_averaged, "packed": plainly_packed}


@given(lengths=st.lists(st.integers(1, 14), min_size=1, max_size=6), sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_late_chunking_gives_the_vectors_of_the_official_function(
    encoder: TransformerEncoder, lengths: list[int], sizes: tuple[int, int]
) -> None:
    one, chunks = document(lengths, sum(lengths))
    vectors = read_late(encoder, one, chunks, EmbeddingMethod(*sizes), AS_PUBLISHED_JINA)
    ids = [encoder.ends[0], *encoder.content([one.text])[0][0], encoder.ends[1]]
    np.testing.assert_allclose(vectors, official(encoder, ids, lengths, *sizes), atol=1e-5, rtol=0)


@pytest.mark.parametrize("layout", PLAINLY)
@given(lengths=LENGTHS, window=WINDOW)
@settings(max_examples=40, deadline=None)
def test_a_layout_reads_what_a_loop_over_its_windows_reads(
    encoder: TransformerEncoder, layout: str, lengths: list[int], window: int
) -> None:
    one, chunks = document(lengths)
    found = pooled(encoder, one, chunks, window, layout)
    ids = encoder.content([one.text])[0][0]
    expected = PLAINLY[layout](ids, lengths, window - 2, states(encoder))
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("layout", ALL)
@given(lengths=st.lists(st.integers(1, 4), min_size=1, max_size=5))
@settings(max_examples=20, deadline=None)
def test_a_document_that_fits_one_window_has_the_same_vectors_under_every_layout(
    encoder: TransformerEncoder, layout: str, lengths: list[int]
) -> None:
    one, chunks = document(lengths)
    ids = encoder.content([one.text])[0][0]
    found = states(encoder)(ids)
    limits = np.cumsum([0, *lengths])
    expected = [unit(list(found[a:b])) for a, b in itertools.pairwise(limits)]
    np.testing.assert_allclose(
        pooled(encoder, one, chunks, sum(lengths) + 2, layout), expected, atol=1e-6, rtol=0
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_stored_vectors_of_a_layout_are_those_of_reading_again(
    encoder: TransformerEncoder, tmp_path: Path, layout: str
) -> None:
    one, chunks = document([4] * 9)
    store, ordering = VectorStore(encoder, tmp_path), parse_method(slug(12, layout))
    for name in ("", layout, "0"):  # what other layouts left there is not taken for it
        other = parse_method(slug(12, name))
        encoding.read_once(store, [encoding.jobs(store, [one], chunks, other, CORRECTED)])
    computed = store.computed
    found = encoding.encode(store, [one], chunks, ordering, CORRECTED)
    assert store.computed == computed
    np.testing.assert_array_equal(found, pooled(encoder, one, chunks, 12, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_chunks_that_overlap_and_chunks_without_a_token_are_right_too(
    encoder: TransformerEncoder, tmp_path: Path, layout: str
) -> None:
    text = document([30])[0].text
    starts, ends = np.array([0, 0, 10, 41, 20, 10, 42]), np.array([60, 20, 16, 42, 60, 60, 60])
    chunks = Chunks(np.zeros(7, dtype=np.int64), starts, ends)
    store, method = VectorStore(encoder, tmp_path), parse_method(slug(12, layout))
    found = encoding.encode(store, [Document("d", text)], chunks, method, CORRECTED)
    assert not found[3].any()
    assert np.linalg.norm(np.delete(found, 3, axis=0), axis=1) == pytest.approx(1, abs=1e-5)
    if layout == "averaged":  # where the other chunks decide nothing
        for i in range(7):
            alone = Chunks(chunks.document[:1], starts[i : i + 1], ends[i : i + 1])
            (expected,) = pooled(encoder, Document("d", text), alone, 12, layout)
            np.testing.assert_allclose(found[i], expected, atol=1e-5)


ENDS = (1, 2)
WINDOWS = st.tuples(st.integers(3, 40), st.integers(0, 39)).filter(lambda s: s[1] < s[0] - 2)
CONTENT = st.lists(st.integers(10, 99), max_size=150)


def sequence(layout: Layout) -> list[int]:
    """The ids whose states count, in order."""
    return [
        token
        for ids, (first, last) in zip(layout.windows, layout.kept, strict=True)
        for token in ids[first:last]
    ]


@given(CONTENT, WINDOWS, st.lists(st.integers(3, 9), max_size=4))
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


@given(CONTENT, WINDOWS)
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
