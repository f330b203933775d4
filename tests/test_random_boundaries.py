"""Random boundaries as a study: worlds where places matter and where they do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.chunkers.random_boundaries import ANYWHERE, UNITS
from chunkstudy.collections import covid_qa
from chunkstudy.runs.names import PRE_EMBEDDING, EncoderName
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.controls import comparisons as analysis
from chunkstudy.studies.controls import random_boundaries as study
from tests.made_keys import text_keys

TOPICS, SENTENCES, DOCUMENTS = 12, 4, 24


class Words:
    """An encoder that counts the words of topics and marks, each by itself."""

    dimension = 128

    def describe(self) -> dict[str, Any]:
        return {"id": "words"}

    def keys(self, texts: Sequence[str], role: str = "document") -> list[bytes]:
        return text_keys(texts, cast(Any, role))

    def encode(self, texts: Sequence[str], role: str = "document") -> NDArray[np.float32]:
        vectors = np.full((len(texts), self.dimension), 1e-6, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for topic, mark in re.findall(r"\d+x(\d+)(?:y(\d))?", text):
                row[TOPICS * (1 + int(mark)) + int(topic) if mark else int(topic)] += 1
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class Topics(Words):
    """An encoder that knows the topic of a text that has one, and of no other text anything."""

    def encode(self, texts: Sequence[str], role: str = "document") -> NDArray[np.float32]:
        found = [set(re.findall(r"\d+x\d+", text)) for text in texts]
        return super().encode([one.pop() if len(one) == 1 else "" for one in found], role)


def world(answer: Callable[[str, int], tuple[int, int]]) -> tuple[Collection, Chunks]:
    """Documents of topics, each some sentences long, and chunks that are the topics.

    ``answer``: of a document's text and a topic, the judged span.
    """
    documents, queries, judgments, spans = [], [], [], []
    for d in range(DOCUMENTS):
        lengths = np.random.default_rng(d).integers(1, 2 * SENTENCES, TOPICS)
        parts = [
            " ".join(f"Word{d}x{t} is near word{d}x{t} and mark{d}x{t}y{s}." for s in range(n))
            for t, n in enumerate(lengths)
        ]
        text = " ".join(parts)
        documents.append(Document(f"d{d:02}", text))
        starts = np.cumsum([0, *(len(part) + 1 for part in parts)])
        spans += [(d, s, s + len(p)) for s, p in zip(starts.tolist(), parts, strict=False)]
        for t in range(0, TOPICS, 3):
            start, end = answer(text, t)
            about = text[start:end] if end - start < 20 else f"word{d}x{t}"
            queries.append(Query(f"q{d:02}x{t:02}", about, f"d{d:02}"))
            judgments.append(Judgment(queries[-1].id, f"d{d:02}", start, end))
    collection = Collection(covid_qa.WITHIN, tuple(documents), tuple(queries), tuple(judgments))
    return collection, Chunks(*np.array(spans, dtype=np.int64).T)


def whole_topic(text: str, topic: int) -> tuple[int, int]:
    """All that is said of it."""
    word = text.split()[0].lower().split("x")[0].removeprefix("word")
    return text.index(f"Word{word}x{topic} "), text.rindex(f" mark{word}x{topic}y")


def one_mark(text: str, topic: int) -> tuple[int, int]:
    """A word that stands once: whichever chunk holds it is the first."""
    word = text.split()[0].lower().split("x")[0].removeprefix("word")
    start = text.index(f"mark{word}x{topic}y0")
    return start, text.index(".", start)


def compared(made: tuple[Collection, Chunks], tmp_path: Path, encoder: Words) -> pd.DataFrame:
    collection, chunks = made
    store = VectorStore(cast(Any, encoder), tmp_path)
    context = SimpleNamespace(
        collection=lambda _: collection,
        store=lambda _: store,
        chunks=lambda *_: chunks,
        say=lambda _: None,
        places=Places(tmp_path),
    )
    arm = study.Arm(covid_qa.WITHIN, (study.SEMANTIC,), "none", PRE_EMBEDDING, 6, 3)
    draws, questions = study.compare(cast(Context, context), arm)
    return analysis.against_chance(pd.concat(questions, ignore_index=True), pd.DataFrame(draws))


@pytest.fixture(autouse=True)
def _known_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "parse_encoder", EncoderName)
    monkeypatch.setattr(study, "check", lambda *_: None)
    monkeypatch.setattr(study, "Condition", lambda *parts: "/".join(parts))


def test_a_world_where_boundaries_matter_is_told(tmp_path: Path) -> None:
    found = compared(world(whole_topic), tmp_path, Topics()).query("measure == 'DCG@10'")
    assert found["boundaries"].tolist() == [UNITS, ANYWHERE]
    assert set(found["shown"]) == {"higher"} and (found["low"] > 0).all()
    assert (found["draws below"] == 1).all() and found["draws"].tolist() == [6, 3]
    assert found["p_rank"].tolist() == pytest.approx([2 / 7, 2 / 4])
    assert set(found["documents"]) == {DOCUMENTS}
    assert found["interval"].str.contains("documents").all()


def test_a_world_where_they_do_not_is_called_equivalent(tmp_path: Path) -> None:
    found = compared(world(one_mark), tmp_path, Words())
    at_units = found[found["boundaries"] == UNITS]
    assert set(at_units["shown"]) == {"equivalent"}
    assert (at_units["chosen"] == 1).all() and (at_units["p_rank"] == 1).all()


def test_a_part_of_a_collection_asks_the_questions_of_its_documents_and_no_others() -> None:
    collection, _ = world(one_mark)
    part = collection.asked_of(("d03", "d07"))
    assert {query.document for query in part.queries} == {"d03", "d07"}
    assert {one.query for one in part.judgments} == {query.id for query in part.queries}
    assert part.documents == collection.documents
