"""A chunker that could not draw boundaries its own way says how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Document, Drawn, chunk_documents
from chunkstudy.chunkers import catalogue
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from tests.test_chunkers_semantic import PROSE, hashed
from tests.test_experiment import SMALL, Letters, condition

ONE = Document("one", "One sentence without a neighbour.")
EMPTY = Document("empty", " \n")
MANY = Document("prose", PROSE)
BY_DISTANCE = ("semantic", "kamradt", "kamradt-modified-300", "cluster-200")
BY_RULE = ("none", "paragraph", "fixed-256", "sentence-5", "recursive-200-0", "token-200-0")


def chunked(slug: str, protocol: str = "corrected") -> Chunks:
    chunker = catalogue.build(slug, PROTOCOLS[protocol], hashed)
    return chunk_documents(chunker, [EMPTY, MANY, ONE, Document("two", ONE.text)])


@pytest.mark.parametrize("protocol", ["corrected", "as_published-jina", "as_published-ielab"])
@pytest.mark.parametrize("slug", BY_DISTANCE)
def test_a_text_of_one_sentence_has_no_distance_and_stays_whole(slug: str, protocol: str) -> None:
    chunks = chunked(slug, protocol)
    assert chunks.fallbacks == 2
    assert (chunks.document == 2).sum() == (chunks.document == 3).sum() == 1


@pytest.mark.parametrize("slug", BY_RULE)
def test_a_chunker_that_is_a_fixed_rule_never_falls_back(slug: str) -> None:
    assert chunked(slug).fallbacks == 0


def test_a_chunker_of_ones_own_counts_its_fallbacks(tmp_path: Path) -> None:
    def halves(text: str) -> Drawn:
        return Drawn([(0, 9), (9, len(text))], fallbacks=3)

    outcome = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path), halves)
    assert outcome.run.counts.fallbacks == 3 * len(SMALL.documents)
    plain = evaluate(condition(), SMALL, VectorStore(Letters(), tmp_path))
    assert plain.run.counts.fallbacks == 0


def test_the_count_is_no_part_of_the_chunks_digest() -> None:
    spans = [(0, 4), (4, 9)]
    counted = chunk_documents(lambda _: Drawn(spans, fallbacks=1), [ONE])
    assert counted.digest() == chunk_documents(lambda _: spans, [ONE]).digest()
