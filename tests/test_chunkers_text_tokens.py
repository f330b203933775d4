"""Windows are counted in the tokens the protocol names, and boundaries drawn by the model the
slug names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkstudy.base.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.base.spans import Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.chunkers import catalogue, text_tokens
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import MINILM, Condition, ConditionError
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from tests.made_keys import text_keys

TEXT = "Aa bb cc. Dd ee ff. Gg hh ii. Jj kk ll."
OTHER = "jinaai__jina-embeddings-v2-small-en"


class Letters:
    """Every letter is a token, as no WordPiece would have it."""

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], NDArray[np.int64]]]:
        found = []
        for text in texts:
            spans = [match.span() for match in re.finditer(r"\S", text)]
            ids = [ord(text[start]) for start, _ in spans]
            found.append((ids, np.array(spans, dtype=np.int64).reshape(-1, 2)))
        return found

    def decode(self, ids: Sequence[int]) -> str:
        return "|".join(map(chr, ids))


class Towards(Letters):
    """An encoder whose vectors turn where its letter first occurs."""

    dimension = 2

    def __init__(self, letter: str) -> None:
        self.letter = letter

    def describe(self) -> dict[str, Any]:
        return {"id": f"towards {self.letter}"}

    def keys(self, texts: Sequence[str], role: Any = "document") -> list[bytes]:
        return text_keys(texts, role)

    def encode(self, texts: Sequence[str], role: Any = "document") -> NDArray[np.float32]:
        found = [[1.0, 0.0] if text[0] < self.letter else [0.0, 1.0] for text in texts]
        return np.array(found, dtype=np.float32)


def test_jinas_windows_are_of_the_encoders_tokens_and_the_others_of_wordpieces() -> None:
    for protocol in (AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB, CORRECTED):
        plain = [one[:2] for one in catalogue.build("fixed-2", protocol)(TEXT)]
        found = list(catalogue.build("fixed-2", protocol, tokenizer=Letters())(TEXT))
        if protocol is AS_PUBLISHED_JINA:
            assert found[:2] == [(0, 2, "A|a"), (3, 5, "b|b")]
        else:
            assert [one[:2] for one in found] == plain


def test_sentences_of_jina_end_at_the_encoders_full_stops() -> None:
    chunker = catalogue.build("sentence-2", AS_PUBLISHED_JINA, tokenizer=Letters())
    chunks = chunk_documents(chunker, [Document("d", TEXT)])
    assert chunks.start.tolist() == [0, 20]
    assert chunks.end.tolist() == [19, len(TEXT)]


def test_minilms_own_tokenizer_gives_the_wordpiece_chunks() -> None:
    encoder = TransformerEncoder(models.spec(models.parse_slug(MINILM)[0]))
    text = "Naïve café prices — 3.14 rose. ICRISAT's soils\x07 were 中文 tilled.\n" * 4
    for slug in ("fixed-8", "sentence-2"):
        own = catalogue.build(slug, AS_PUBLISHED_JINA, tokenizer=encoder)(text)
        assert list(own) == list(catalogue.build(slug, AS_PUBLISHED_JINA)(text))
    ((ids, offsets),) = encoder.content([text])
    ((expected, places),) = text_tokens.WordPieces().content([text])
    assert ids == expected
    np.testing.assert_array_equal(offsets, places)


SMALL = Collection(
    "scifact", (Document("d", TEXT),), (Query("q", "Gg"),), (Judgment("q", "d", 0, len(TEXT)),)
)


def test_another_models_boundaries_are_those_it_would_draw_itself(tmp_path: Path) -> None:
    evaluated, drawing = (VectorStore(Towards(one), tmp_path) for one in "DJ")
    condition = Condition(
        "scifact", f"semantic-by-{OTHER}", MINILM, "pre_embedding", "as_published-ielab"
    )
    chunks = chunk(condition, SMALL, evaluated, boundaries=drawing)
    own, others = (
        chunk_documents(
            catalogue.build("semantic", AS_PUBLISHED_IELAB, store.encode), SMALL.documents
        )
        for store in (evaluated, drawing)
    )
    assert chunks.start.tolist() == others.start.tolist() != own.start.tolist()
    outcome = evaluate(condition, SMALL, evaluated, boundaries=drawing)
    assert outcome.run.model == {"id": "towards D"}
    assert outcome.run.boundaries == {"id": "towards J"}
    with pytest.raises(ConditionError, match="draws the boundaries"):
        chunk(condition, SMALL, evaluated)


@pytest.mark.parametrize("slug", ["llm", "lumberchunker", "proposition"])
def test_a_chunker_that_needs_an_llm_says_which(slug: str) -> None:
    with pytest.raises(ValueError, match=r"asks (openai/gpt-4o|gemini/gemini-2\.5-flash); give"):
        catalogue.build(slug, CORRECTED)(TEXT)
