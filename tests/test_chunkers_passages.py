"""None, paragraph, fixed-size, sentence and semantic chunks in the forms that papers and code give
them, boundaries by embeddings against literal and brute-force computations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.chunkers import passages, semantic
from chunkstudy.chunkers.structure import pieces, sentences
from chunkstudy.collections import beir
from chunkstudy.core.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.core.tokens import counter
from chunkstudy.pipeline.chunking import build_chunker
from tests.made_needs import PROSE, hashed

TEXTS = st.text(st.sampled_from("ab C.!?\n\"'"), max_size=120)


@pytest.mark.parametrize(
    ("tokens", "merged", "dropped"),
    [
        (20, [10, 10], [10, 10]),
        (23, [10, 13], [10, 10]),
        (25, [10, 10, 5], [10, 10, 5]),
        (3, [3], [3]),
    ],
)
def test_windows_hold_their_tokens_and_short_tails_are_merged_or_dropped(
    tokens: int, merged: list[int], dropped: list[int]
) -> None:
    text = "word " * tokens
    for slug, sizes in (("fixed-merged-10-4", merged), ("fixed-dropped-10-4", dropped)):
        found = build_chunker(slug, CORRECTED)(text)
        assert [len(text[one[0] : one[1]].split()) for one in found] == sizes


@given(st.lists(st.sampled_from(["cell", "x", "5", "end."]), max_size=60), st.integers(1, 4))
def test_sentence_groups_end_at_sentence_ends_and_lose_at_most_a_tail_token(
    words: list[str], group: int
) -> None:
    text = " ".join(words)
    kept, lost = (
        [one[:2] for one in build_chunker(f"sentence-{group}", protocol)(text)]
        for protocol in (CORRECTED, AS_PUBLISHED_JINA)
    )
    assert lost in (kept, kept[:-1])
    assert all(text[end - 1] == "." for _, end in kept[:-1])
    assert " ".join(text[start:end] for start, end in kept) == text


def test_ielabs_first_fixed_chunk_has_one_token_more() -> None:
    text = "word " * 600
    sizes = {
        protocol.form: [
            len(text[s:e].split()) for s, e, *_ in build_chunker("fixed-256", protocol)(text)
        ]
        for protocol in (AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED)
    }
    assert sizes == {"jina": [256, 256, 88], "ielab": [257, 256, 87], "own": [256, 256, 88]}


def test_ielab_keeps_of_what_separates_sentences_only_the_capital() -> None:
    text = "He left.\n“Why?” she asked. —The door closed. It was late."
    ((start, end, joined),) = passages.ielab_sentences(text, 5)
    assert joined == "He left. Why?” she asked. The door closed. It was late."
    assert (start, end) == (0, len(text))


@given(TEXTS, st.integers(1, 5))
def test_ielab_sentences_never_gain_text(text: str, group: int) -> None:
    for start, end, joined in passages.ielab_sentences(text, group):
        assert 0 <= start < end <= len(text)
        inside = iter(text[start:end])
        assert all(letter in inside for letter in joined if not letter.isspace())


def test_every_short_document_is_cut_in_exactly_two() -> None:
    # B.4.1 of the protocol notes: of 2 to 20 distinct distances one is above the 95th percentile.
    for number in range(3, 22):
        text = " ".join(f"The experiment number {i} worked very well." for i in range(number))
        assert len(semantic.percentile(text, embed=hashed)) == 2


def llama_pieces(text: str) -> list[str]:
    """The same document through LlamaIndex's own splitter."""
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Hashed(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return [float(v) for v in hashed([text])[0]]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    parser: Any = SemanticSplitterNodeParser(embed_model=Hashed())
    nodes = parser.build_semantic_nodes_from_documents([LlamaDocument(text=text)])
    return [node.text for node in nodes]


@pytest.mark.real_data
def test_semantic_chunks_are_llamaindexs_pieces() -> None:
    if not beir.available("scifact"):
        pytest.skip("SciFact is not here; set CHUNKSTUDY_DATA")
    chunker = build_chunker("semantic", CORRECTED, hashed)
    for document in beir.load("scifact").documents[::175]:
        spans = [span[:2] for span in chunker(document.text)]
        assert [document.text[s:e] for s, e in spans] == llama_pieces(document.text)


def test_a_sentence_as_a_proposition_bears_the_span_of_its_paragraph() -> None:
    text = 'One is 3.5 long. "Two?" asked he!\n\n  Three without an end'
    assert passages.sentence_propositions(text) == [
        (0, 33, "One is 3.5 long."),
        (0, 33, '"Two?"'),
        (0, 33, "asked he!"),
        (37, 57, "Three without an end"),
    ]
    assert passages.sentence_propositions(" \n") == []


def random_vectors(n: int, seed: int) -> semantic.Vectors:
    return hashed([f"{seed}/{i}" for i in range(n)])


def centred(vectors: semantic.Vectors) -> np.ndarray:
    exact = vectors.astype(np.float64)
    matrix = exact @ exact.T
    matrix -= matrix[np.triu_indices(len(matrix), k=1)].mean() if len(matrix) > 1 else 0
    np.fill_diagonal(matrix, 0)
    return matrix


def literal_cluster(vectors: semantic.Vectors, largest: int) -> list[int]:
    """The official computation on the whole matrix: every pair twice, best reward from 0."""
    matrix = centred(vectors)
    best = np.zeros(len(matrix))
    start_of = np.zeros(len(matrix), dtype=int)
    for last in range(len(matrix)):
        for first in range(last, max(-1, last - largest), -1):
            reward = matrix[first : last + 1, first : last + 1].sum()
            reward += best[first - 1] if first else 0
            if reward > best[last]:
                best[last], start_of[last] = reward, first
    cuts: list[int] = []
    last = len(matrix) - 1
    while last >= 0:
        cuts.insert(0, int(start_of[last]))
        last = cuts[0] - 1
    return cuts


def segmentations(n: int, largest: int) -> Iterator[list[int]]:
    if n == 0:
        yield []
    for size in range(1, min(n, largest) + 1):
        for before in segmentations(n - size, largest):
            yield [*before, n - size]


def value(matrix: np.ndarray, cuts: list[int]) -> float:
    ends = pairwise([*cuts, len(matrix)])
    return float(sum(matrix[first:after, first:after].sum() / 2 for first, after in ends))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 10_000))
@settings(max_examples=150)
def test_cluster_with_quirks_equals_the_literal_matrix_computation(
    n: int, largest: int, seed: int
) -> None:
    vectors = random_vectors(n, seed)
    assert semantic.cluster_cuts(vectors, largest, quirks=True) == literal_cluster(vectors, largest)


@given(st.integers(1, 11), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=100)
def test_cluster_without_quirks_is_the_best_of_all_segmentations(
    n: int, largest: int, seed: int
) -> None:
    vectors = random_vectors(n, seed)
    cuts = semantic.cluster_cuts(vectors, largest, quirks=False)
    matrix = centred(vectors)
    best = max(value(matrix, candidate) for candidate in segmentations(n, largest))
    assert value(matrix, cuts) == pytest.approx(best, abs=1e-9)
    assert cuts in list(segmentations(n, largest))


def test_kamradt_cuts_above_the_percentile() -> None:
    found = semantic.kamradt(PROSE, embed=hashed)
    spans = sentences(PROSE)
    starts = [spans.index(next(one for one in spans if one[0] == start)) for start, *_ in found]
    texts = [PROSE[start:end] for start, end in spans]
    windows = [" ".join(texts[max(0, i - 1) : i + 2]) for i in range(len(texts))]
    vectors = hashed(windows).astype(float)
    distances = [1 - a @ b for a, b in pairwise(vectors)]
    threshold = np.percentile(distances, 95)
    assert starts == [0, *(i + 1 for i, d in enumerate(distances) if d > threshold)]
    assert len(starts) == 7


def test_kamradt_modified_takes_exactly_as_many_cuts_as_the_size_asks_for() -> None:
    count = counter("cl100k")
    found = semantic.kamradt_modified(PROSE, embed=hashed, size=200, count=count, quirks=False)
    total = sum(count.count(PROSE[start:end]) for start, end in pieces(PROSE, count))
    assert len(found) == 1 + total // 200
