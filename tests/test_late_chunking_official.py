"""Our late chunking against the official function: Jina's, as docs/protocols.md#jina-late-encoder
and #jina-long-documents tell it, with states of one window after the other and one mean a chunk."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.base.protocols import AS_PUBLISHED_JINA
from chunkstudy.base.spans import Chunks, Document
from chunkstudy.encoders.contextualized import whole
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs import encoding
from chunkstudy.runs.conditions import EmbeddingMethod
from chunkstudy.runs.store import VectorStore
from tests import small_training

LETTER = 2
"""Characters of a token, its space included."""
SIZES = st.tuples(st.integers(4, 18), st.integers(0, 17)).filter(lambda sizes: sizes[1] < sizes[0])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TransformerEncoder:
    folder = tmp_path_factory.mktemp("bert")
    return small_training.encoder(folder, small_training.model(folder))


def official(
    encoder: TransformerEncoder, ids: list[int], lengths: list[int], window: int, overlap: int
) -> NDArray[np.float64]:
    """Unit vectors of chunks of so many tokens, side by side, as Jina's evaluation pools them."""
    states = []
    for start in range(0, len(ids), window - overlap):
        (read,) = encoder.states([whole(ids[start : start + window])])
        states += list(read.numpy()[overlap if start else 0 :])
    limits = np.cumsum([0, *lengths])
    spans = [[start + 1, end + 1] for start, end in itertools.pairwise(limits)]  # behind [CLS]
    spans[0][0] -= 1
    spans[-1][1] += 1
    means = np.array([np.sum(states[a:b], axis=0, dtype=np.float64) / (b - a) for a, b in spans])
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))


@given(lengths=st.lists(st.integers(1, 14), min_size=1, max_size=6), sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_late_chunking_gives_the_vectors_of_the_official_function(
    encoder: TransformerEncoder, lengths: list[int], sizes: tuple[int, int]
) -> None:
    letters = np.random.default_rng(sum(lengths)).choice([*"abcdefghij"], sum(lengths))
    document = Document("d", " ".join(letters) + " ")
    limits = LETTER * np.cumsum([0, *lengths])
    chunks = Chunks(np.zeros(len(lengths), dtype=np.int64), limits[:-1], limits[1:])
    store = cast(VectorStore, SimpleNamespace(encoder=encoder))
    planned = encoding.jobs(store, [document], chunks, EmbeddingMethod(*sizes), AS_PUBLISHED_JINA)
    ((content, _),) = encoder.content([document.text])
    ids = [encoder.ends[0], *content, encoder.ends[1]]
    np.testing.assert_allclose(
        encoder.pool(planned.layouts, planned.spans)[0],
        official(encoder, ids, lengths, *sizes),
        atol=1e-5,
        rtol=0,
    )
