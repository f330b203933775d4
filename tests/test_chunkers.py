"""Every chunker of the table: its slug, what it needs, and chunks that fit any text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.chunkers.table import CHUNKERS, ChunkerEntry
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import UserError
from chunkstudy.core.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    CORRECTED,
    PROTOCOLS,
    Protocol,
)
from chunkstudy.core.spans import (
    Chunker,
    Collection,
    Document,
    Drawn,
    Judgment,
    Query,
    Span,
    chunk_documents,
)
from chunkstudy.core.tokens import counter
from chunkstudy.pipeline import chunking
from chunkstudy.pipeline.chunking import build_chunker, cut, locate
from chunkstudy.pipeline.conditions import MINILM, Condition, parse_chunker
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.run import evaluate
from chunkstudy.pipeline.vector_store import VectorStore
from tests import small_study
from tests.made_needs import PROSE, asking, hashed, replies

ANY_TEXT = [
    slug
    for name, entry in CHUNKERS.items()
    if not entry.segments
    for slug in ["-".join([name, *("60", "12")[: len(entry.sizes)]])]
]
"""Every chunker that cuts any text and asks no server."""
ODD = ["", " \n\t ", "x", ".", "\U0001f7e5", "word " * 900, "a\n\n\nb", "é́" * 90, "a\0b \ud800 c."]
LETTERS = st.text(st.sampled_from("ab C.!?\n\"' é世\0"), max_size=120)


def built(slug: str, protocol: Protocol = CORRECTED) -> Chunker:
    return build_chunker(slug, protocol, hashed, ask=asking(replies))


def test_a_new_chunker_takes_a_function_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def parts(text: str, *, size: int, quirks: bool) -> list[Span]:
        cuts = [i * len(text) // size for i in range(size + 1)]
        return list(pairwise(cuts[: size + (not quirks)]))

    monkeypatch.setitem(CHUNKERS, "parts", ChunkerEntry(parts, "Equal parts", ("size",)))
    condition = Condition("builtin", "parts-3", "none", "none", "corrected")
    assert reason_not_run(condition) is None
    chunks = cut(load_collection("builtin"), condition.chunking, condition.rules)
    assert len(chunks) == 3 * len(load_collection("builtin").documents)
    assert len(build_chunker("parts-3", AS_PUBLISHED_IELAB)(PROSE)) == 2


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_chunker_without_what_it_needs_says_so(name: str) -> None:
    entry = CHUNKERS[name]
    lacking = [need for need in ("embed", "ask") if entry.takes(need)]
    slug = "-".join([name, *("60", "12")[: len(entry.sizes)]])
    if lacking:
        with pytest.raises(ValueError, match=f"by `{lacking[0]}`; give it that"):
            build_chunker(slug, CORRECTED)
    else:
        build_chunker(slug, CORRECTED)
    assert bool(entry.llm) == entry.takes("ask")
    assert bool(entry.passes) == entry.takes("embed")
    assert bool(entry.segments) == entry.takes("segmentation")


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=str)
@pytest.mark.parametrize("slug", ANY_TEXT)
def test_chunks_of_odd_texts_fit_them(slug: str, protocol: Protocol) -> None:
    for text in [*ODD, PROSE]:
        document = Document("d", text)
        try:
            chunks = chunk_documents(built(slug, protocol), [document])
        except UserError:  # only a text that the chunker made up stands nowhere
            assert protocol is AS_PUBLISHED_CHROMA
            continue
        if protocol is CORRECTED and not CHUNKERS[parse_chunker(slug).name].rewrites:
            assert chunks.text is None
            assert (chunks.lengths > 0).all()
        if text.strip() and "dropped" not in slug and protocol is CORRECTED:
            assert len(chunks)


@pytest.mark.parametrize("slug", [one for one in ANY_TEXT if "dropped" not in one])
@given(LETTERS)
@settings(max_examples=25)
def test_corrected_chunks_leave_no_letter_out_and_come_in_order(slug: str, text: str) -> None:
    entry = CHUNKERS[parse_chunker(slug).name]
    found = [(one[0], one[1]) for one in built(slug)(text)]
    assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(found))
    if not entry.rewrites and not entry.takes("overlap"):
        assert all(end <= start for (_, end), (start, _) in pairwise(found))
    covered = {i for start, end in found for i in range(start, end)}
    left = "".join(text[i] for i in range(len(text)) if i not in covered)
    assert not re.search(r"\w", left)
    assert found == [(one[0], one[1]) for one in built(slug)(text)]


@pytest.mark.parametrize("slug", ["recursive-60-20", "token-60-12", "cluster-100", "kamradt"])
def test_published_chunks_carry_their_text_and_a_place_found_afterwards(slug: str) -> None:
    chunks = chunk_documents(built(slug, AS_PUBLISHED_CHROMA), [Document("a", PROSE)])
    assert chunks.text
    for start, end, text in zip(chunks.start, chunks.end, chunks.text, strict=True):
        assert (start, end) == locate(PROSE, text)
        assert PROSE[start:end].replace(" ", "") == text.removesuffix(".").replace(" ", "")


def test_an_empty_document_is_a_chunk_of_nothing_only_where_official_code_makes_it_one() -> None:
    for slug in ("semantic", "lumberchunker", "proposition"):
        found = {one.name: list(built(slug, one)("")) for one in (CORRECTED, AS_PUBLISHED_IELAB)}
        assert found == {"corrected": [], "as_published-ielab": [(0, 0, "")]}


@pytest.mark.parametrize("protocol", ["corrected", "as_published-jina", "as_published-ielab"])
@pytest.mark.parametrize("slug", ["semantic", "kamradt", "kamradt-modified-300", "cluster-200"])
def test_a_text_of_one_sentence_has_no_distance_and_stays_whole(slug: str, protocol: str) -> None:
    one = Document("one", "One sentence without a neighbour.")
    documents = [Document("empty", " \n"), Document("prose", PROSE), one, one]
    chunks = chunk_documents(built(slug, PROTOCOLS[protocol]), documents)
    assert chunks.fallbacks == 2
    assert (chunks.document == 2).sum() == (chunks.document == 3).sum() == 1
    counted = chunk_documents(lambda _: Drawn([(0, 4)], fallbacks=1), [one])
    assert counted.digest() == chunk_documents(lambda _: [(0, 4)], [one]).digest()


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("slug", "length", "published"),
    [
        ("recursive-800-400", "cl100k", 661),
        ("recursive-400-200", "cl100k", 312),
        ("recursive-400-0", "cl100k", 276),
        ("recursive-200-0", "cl100k", 137),
        ("recursive-250-125-wordpiece-special", "wordpiece-special", 180),
        ("recursive-250-0-wordpiece-special", "wordpiece-special", 162),
        ("recursive-200-0-wordpiece-special", "wordpiece-special", 128),
    ],
)
def test_mean_chunk_sizes_are_the_published_ones_truncated(
    chroma_collection: Collection, slug: str, length: str, published: int
) -> None:
    documents = chroma_collection.documents
    texts = chunk_documents(build_chunker(slug, CORRECTED), documents).texts(documents)
    assert int(sum(counter(length).count_many(texts)) / len(texts)) == published


def test_a_chunk_is_located_first_without_its_full_stop_then_whatever_white_space_and_case() -> (
    None
):
    assert locate("One two. One two.", "One two.") == (0, 7)
    assert locate("x  One\n\ntwo.three", "one two .three") == (3, 17)
    assert locate("Text. More", ".") == (0, 0)
    for text, lost in (("One two", "three"), ("a (b", "a (c")):
        with pytest.raises(UserError, match="stands nowhere in its document"):
            locate(text, lost)


TEXT = "Aa bb cc. Dd ee ff. Gg hh ii. Jj kk ll."
OTHER = "jinaai__jina-embeddings-v2-small-en"


class Letters(small_study.Letters):
    """An encoder of which every letter is a token, as no WordPiece would have it, and whose vectors
    turn where its own letter first occurs."""

    dimension = 2

    def __init__(self, letter: str = "A") -> None:
        super().__init__()
        self.letter = letter

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], NDArray[np.int64]]]:
        found = []
        for text in texts:
            spans = [match.span() for match in re.finditer(r"\S", text)]
            ids = [ord(text[start]) for start, _ in spans]
            found.append((ids, np.array(spans, dtype=np.int64).reshape(-1, 2)))
        return found

    def decode(self, ids: Sequence[int]) -> str:
        return "|".join(map(chr, ids))

    def describe(self) -> dict[str, Any]:
        return {"id": f"towards {self.letter}"}

    def encode(
        self, texts: Sequence[str], role: str = "document", _: str = ""
    ) -> NDArray[np.float32]:
        found = [[1.0, 0.0] if text[0] < self.letter else [0.0, 1.0] for text in texts]
        return np.array(found, dtype=np.float32)


def test_jinas_windows_and_sentences_are_of_the_encoders_tokens_and_others_of_wordpieces() -> None:
    for protocol in (AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED):
        plain = [one[:2] for one in build_chunker("fixed-2", protocol)(TEXT)]
        found = list(build_chunker("fixed-2", protocol, tokenizer=Letters())(TEXT))
        if protocol is AS_PUBLISHED_JINA:
            assert found[:2] == [(0, 2, "A|a"), (3, 5, "b|b")]
        else:
            assert [one[:2] for one in found] == plain
    by_letters = build_chunker("sentence-2", AS_PUBLISHED_JINA, tokenizer=Letters())(TEXT)
    assert [one[:2] for one in by_letters] == [(0, 19), (20, len(TEXT))]


def test_another_models_boundaries_are_those_it_would_draw_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, judged = (Document("d", TEXT),), (Judgment("q", "d", 0, len(TEXT)),)
    small = Collection("scifact", documents, (Query("q", "Gg"),), judged)
    evaluated, drawing = (VectorStore(Letters(one), tmp_path) for one in "DJ")
    condition = Condition(
        "scifact", f"semantic-by-{OTHER}", MINILM, "pre_embedding", "as_published-ielab"
    )
    monkeypatch.setattr(chunking, "load_store", lambda *_: drawing)
    chunks = cut(small, condition.chunking, condition.rules, evaluated)
    own, others = (
        chunk_documents(build_chunker("semantic", AS_PUBLISHED_IELAB, one.encode), documents)
        for one in (evaluated, drawing)
    )
    assert chunks.start.tolist() == others.start.tolist() != own.start.tolist()
    outcome = evaluate(condition, small, evaluated)
    assert outcome.run.model == {"id": "towards D"}
    assert outcome.run.boundaries == {"id": "towards J"}
    with pytest.raises(ValueError, match="draws its boundaries by `embed`"):
        cut(small, condition.chunking, condition.rules)
