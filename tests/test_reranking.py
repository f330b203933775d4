"""A reranker orders the first chunks and nothing else; what it is and costs stands beside."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertConfig, BertForSequenceClassification

from chunkstudy import evaluate
from chunkstudy.core.errors import ResourceError
from chunkstudy.encoders import reranker
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, search
from chunkstudy.evaluation.retrieval.reranking import Reranked
from tests.checkpoints import save_with_minilms_tokenizer

DOCUMENTS = {
    f"{grain}.md": f"The {grain} is sown in {month}.\n\nBread of {grain} keeps {month} and longer."
    for grain, month in zip(
        ("rye", "oats", "barley", "spelt", "millet", "teff", "maize", "wheat"),
        ("March", "April", "May", "June", "July", "August", "October", "November"),
        strict=True,
    )
}
QUESTIONS = [
    {"question": f"When is {name[:-3]} sown?", "excerpts": [text.split("\n\n")[0]]}
    for name, text in DOCUMENTS.items()
]


def words_shared(question: str, texts: list[str]) -> list[int]:
    """How many words of the question a text has, as a function of one's own counts them."""
    asked = {word.strip("?.").lower() for word in question.split()}
    return [len(asked & {word.strip("?.").lower() for word in text.split()}) for text in texts]


def letters(texts: list[str]) -> Any:
    return np.array([[text.count(letter) + 0.1 for letter in "aeiou"] for text in texts])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))
    return tmp_path


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 14))
def test_the_first_are_sorted_by_the_reranker_and_the_others_stay(
    seed: int, first: int, depth: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(10, 4)).astype(np.float32)
    queries, chunks = ["a", "b"], [str(i) for i in range(10)]

    def by_vectors(depth: int) -> Any:
        return search(vectors[:2], vectors, depth)

    merit = random.integers(0, 3, size=10)
    reranked = Reranked(
        by_vectors, queries, chunks, lambda p: np.array([merit[int(c)] for _, c in p]), first
    )
    before, after = by_vectors(depth), reranked(depth)
    read = min(first, 10)
    for row in range(2):
        head = by_vectors(read).chunk[row].tolist()
        expected = sorted(head, key=lambda chunk: -merit[chunk])
        expected += before.chunk[row, read:].tolist()
        assert after.chunk[row].tolist() == expected[:depth]
        scores = after.score[row][after.chunk[row] != NO_CHUNK]
        assert (np.diff(scores) <= 0).all()


def test_every_way_stands_there_once_more_with_its_cost(place: Path) -> None:
    asked = [one | {"question": f"{one['question']} {i}"} for one in QUESTIONS for i in range(3)]
    evaluation = evaluate(
        DOCUMENTS, asked, ["paragraph"], [letters], rerank=words_shared, output=place / "out", k=5
    )
    table = evaluation.table.set_index("encoder")
    assert len(table) == 6  # vectors, BM25 and both, each plain and reranked
    before, after = table.loc["letters"], table.loc["letters>words_shared"]
    assert before["score"] < after["score"] == 1
    assert after["tokens reranked a question"] > 50 > 0
    assert np.isnan(before["tokens reranked a question"])
    record = json.loads((place / "out" / "evaluation.json").read_text(encoding="utf-8"))
    assert sum("reranker" in arm for arm in record["arms"]) == 3
    page = (place / "out" / "index.html").read_text(encoding="utf-8")
    assert "letters, reranked by words_shared" in page
    # what it does not improve is recommended without it
    assert ">" not in evaluation.table["encoder"].iloc[evaluation.chosen]
    chosen = (place / "out" / "chosen.yaml").read_text(encoding="utf-8")
    assert "\nrerank:" not in chosen


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """A small random one, as sentence-transformers saves it."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, num_labels=labels,
    )  # fmt: skip
    plain = folder / "plain"
    save_with_minilms_tokenizer(BertForSequenceClassification(config), plain)
    model = sentence_transformers.CrossEncoder(str(plain), local_files_only=True, max_length=64)
    model.save_pretrained(str(folder / "reranker"))
    return folder / "reranker"


def test_a_cross_encoder_scores_as_its_library_does(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path)
    pairs = [("rye?", "Rye is sown."), ("rye?", "Oats."), ("oats?", "Oats."), ("rye?", "Oats.")]
    ours = reranker.cross_encoder(str(folder))
    theirs = pytest.importorskip("sentence_transformers").CrossEncoder(str(folder)).predict(pairs)
    np.testing.assert_allclose(ours.score(pairs), theirs, atol=1e-6)
    assert "model.safetensors" in ours.described["files_sha256"]


def test_a_model_of_several_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="a reranker gives one"):
        reranker.cross_encoder(str(cross_encoder(tmp_path, labels=3))).score([("a", "b")])


def test_a_pair_is_scored_once() -> None:
    asked: list[str] = []

    def score(_: str, texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [0.5] * len(texts)

    by = reranker.of_function(score)
    assert (by.score([("a", "x"), ("a", "x")]) == by.score([("a", "x")])[0]).all()
    assert asked == ["x"]


def broken(question: str, texts: list[str]) -> list[float]:
    raise KeyError(question)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda _, texts: [0.5] * (len(texts) - 1), "returned 1 numbers for 2 texts"),
        (lambda query, _: [0.5] * (3 if query == "a" else 1), "returned 3 numbers for 2 texts"),
        (lambda _, texts: [float("nan")] * len(texts), "one finite number for each"),
        (lambda _, texts: ["good"] * len(texts), "failed on 4 texts"),
        (broken, "broken failed on 4 texts: KeyError"),
    ],
    ids=["fewer", "another question's", "not finite", "words", "broken"],
)
def test_what_is_no_score_is_named(function: Callable[..., Any], says: str) -> None:
    pairs = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    with pytest.raises(ResourceError, match=says):
        reranker.of_function(function).score(pairs)
