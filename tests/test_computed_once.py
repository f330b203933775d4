"""An evaluation cuts, indexes and counts a text once, however many systems share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest

from chunkstudy import evaluate
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.core import tokens
from chunkstudy.encoders.states import TokenStateEncoder
from chunkstudy.user_data.comparison import Evaluation, screen
from chunkstudy.user_data.estimate import estimate
from chunkstudy.user_data.evaluate import prepared
from tests.test_reranking import words_shared

DOCUMENTS = {
    f"{grain}.md": f"# On {grain}\n\n{grain.title()} is sown in {month}. It likes the sun.\n\n"
    f"Bread of {grain} keeps until {month} of the next year and longer."
    for grain, month in zip(("rye", "oats", "teff"), ("March", "April", "May"), strict=True)
}
QUESTIONS = [
    {"question": f"When is {name[:-3]} sown?", "excerpts": [text.split("\n\n")[1]]}
    for name, text in DOCUMENTS.items()
]


def vowels(texts: list[str]) -> Any:
    return np.array([[text.count(letter) + 0.1 for letter in "aeiou"] for text in texts])


def consonants(texts: list[str]) -> Any:
    return np.array([[text.count(letter) + 0.1 for letter in "rstln"] for text in texts])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Evaluation]:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))

    def run(chunkers: Any, encoders: Any = (vowels, consonants), **options: Any) -> Evaluation:
        return evaluate(
            DOCUMENTS, QUESTIONS, chunkers, encoders, output=tmp_path / "out", **options
        )

    return run


def count_cuts(monkeypatch: pytest.MonkeyPatch, name: str) -> Counter[str]:
    """Count the texts that a chunker of the catalogue cuts."""
    cuts: Counter[str] = Counter()
    entry = CHUNKERS[name]

    @wraps(entry.function)
    def function(text: str, *args: Any, **options: Any) -> Any:
        cuts[text] += 1
        return entry.function(text, *args, **options)

    monkeypatch.setitem(CHUNKERS, name, replace(entry, function=function))
    return cuts


def count_indexes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the number of texts of every BM25 index that is built."""
    sizes: list[int] = []
    build = bm25s.BM25.index

    def index(self: Any, corpus: Any, *args: Any, **options: Any) -> Any:
        sizes.append(len(corpus[0]))
        return build(self, corpus, *args, **options)

    monkeypatch.setattr(bm25s.BM25, "index", index)
    return sizes


def test_a_function_cuts_each_document_once_for_all_retrievers_and_contexts(
    run: Callable[..., Evaluation],
) -> None:
    cuts: Counter[str] = Counter()

    def halves(text: str) -> list[str]:
        cuts[text] += 1
        return [text[:60], text[60:]]

    found = run({"halves": halves}, orderings=["plain", "title"], rerank=words_shared)
    assert len(found.table) == 14  # 2 encoders in 2 ways, BM25, 2 fusions; all reranked too
    assert cuts == dict.fromkeys(DOCUMENTS.values(), 1)


def test_a_chunker_of_the_catalogue_cuts_each_document_once_also_as_a_part_of_another(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = count_cuts(monkeypatch, "paragraph")
    run(["paragraph", "sentence-1+paragraph", "paragraph+window-1"])
    assert cuts == dict.fromkeys(DOCUMENTS.values(), 1)


def test_a_chunker_that_embeds_cuts_each_document_once_for_each_model(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = count_cuts(monkeypatch, "cluster")
    run(["cluster-60"], orderings=["plain", "title"])
    assert cuts == dict.fromkeys(DOCUMENTS.values(), 2)


def test_bm25_indexes_each_set_of_texts_once_for_scores_and_for_the_pages_of_questions(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = count_indexes(monkeypatch)
    found = run(["paragraph", "none"], rerank=words_shared)
    assert (found.folder / "questions.html").is_file()
    assert sorted(sizes) == [len(DOCUMENTS), 3 * len(DOCUMENTS)]


def test_bm25_indexes_texts_with_and_without_their_titles_apart(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = count_indexes(monkeypatch)
    found = run(["paragraph"], ["bm25"], orderings=["plain", "title"], rerank=words_shared)
    assert sizes == [3 * len(DOCUMENTS)] * 2
    assert len(found.table) == 4


def test_wordpiece_tokens_of_each_text_are_counted_once_for_all_functions(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()
    count = tokens.counts

    def counts(tokenizer: Any, texts: Sequence[str]) -> list[int]:
        counted.update(texts)
        return count(tokenizer, texts)

    monkeypatch.setattr(tokens, "counts", counts)
    run(["paragraph"])
    assert len(counted) == 3 * len(DOCUMENTS)
    assert set(counted.values()) == {1}


def test_a_models_own_tokens_are_counted_once_for_plain_late_and_fused_systems(
    run: Callable[..., Evaluation], little_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()
    count = TokenStateEncoder.token_count

    def token_count(self: TokenStateEncoder, texts: Sequence[str]) -> list[int]:
        counted.update(texts)
        return count(self, texts)

    monkeypatch.setattr(TokenStateEncoder, "token_count", token_count)
    run(["paragraph"], [str(little_model)], orderings=["plain", "late"])
    of_chunks = {text: n for text, n in counted.items() if not text.endswith("?")}
    assert len(of_chunks) == 3 * len(DOCUMENTS)
    assert set(of_chunks.values()) == {1}


def test_texts_that_a_reranker_reads_are_counted_once_for_all_retrievers(
    run: Callable[..., Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Counter[str] = Counter()
    count = tokens.counts

    def counts(tokenizer: Any, texts: Sequence[str]) -> list[int]:
        counted.update(texts)
        return count(tokenizer, texts)

    monkeypatch.setattr(tokens, "counts", counts)
    run(["paragraph"], ["bm25"], orderings=["plain", "headings"], rerank=words_shared)
    assert all(counted[str(question["question"])] == 1 for question in QUESTIONS)
    assert set(counted.values()) == {1}


def test_screening_and_an_estimate_cut_once_and_index_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    cuts, sizes = count_cuts(monkeypatch, "paragraph"), count_indexes(monkeypatch)
    pipeline, systems, _ = prepared(
        DOCUMENTS, QUESTIONS, ["paragraph"], [vowels, consonants], orderings=["plain", "title"]
    )
    screen(pipeline, systems)
    list(estimate(pipeline, systems))
    assert cuts == dict.fromkeys(DOCUMENTS.values(), 1)
    assert not sizes


def test_an_index_stores_no_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    pipeline, systems, _ = prepared(DOCUMENTS, QUESTIONS, ["paragraph"], ["bm25"])
    index = pipeline.chunk(systems[0])
    assert [text.strip() for text in index.texts] == [
        part.strip() for name in sorted(DOCUMENTS) for part in DOCUMENTS[name].split("\n\n")
    ]
    assert index.texts is not index.texts
    index.bm25.search(["rye"], 1)
    held = [value for value in vars(index).values() if isinstance(value, list | tuple)]
    assert not any(text in value for value in held for text in index.texts)
