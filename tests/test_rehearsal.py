"""The rehearsal runs the grid's own code on what stands in for weights, keys and collections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkstudy.base.models import MODELS
from chunkstudy.base.places import Places
from chunkstudy.base.spans import text_digest
from chunkstudy.collections import beir, chroma, gutenqa, registry, released
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs import records
from chunkstudy.runs.conditions import parse_encoder
from chunkstudy.runs.library import Library
from chunkstudy.runs.records import Run as StudysRun
from tests import hub_models
from tests.rehearsal import rehearse, stand
from tests.rehearsal.rehearse import RehearsalError

pytestmark = pytest.mark.slow

REAL = Places(Path(__file__).parents[1])
E5 = "intfloat__multilingual-e5-large-instruct"


@pytest.fixture(scope="module")
def stood(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stand.Stand]:
    with stand.standing(tmp_path_factory.mktemp("rehearsal")) as found:
        yield found


@pytest.mark.parametrize("name", [*beir.SOURCES, "chroma", "gutenqa"])
def test_a_collection_is_downloaded_in_its_real_files(stood: stand.Stand, name: str) -> None:
    found = registry.find(name).load()
    assert len(found.documents) > 4 and len(found.queries) > 10
    judged = {judgment.query for judgment in found.judgments}
    assert len(judged) > 0.9 * len(found.queries)
    if name in beir.SOURCES:
        assert found.absent, "a judged document is missing or empty, as in the real ones"
        assert any(not document.text for document in found.documents)
    if name == "arguana":
        ids = {document.id for document in found.documents}
        assert any(query.id in ids for query in found.queries)
    if name == "gutenqa":
        assert len(judged) == len(found.queries) - 1


def test_segmentations_of_all_books_stand_in_their_books(stood: stand.Stand) -> None:
    texts = {document.id: document.text for document in load_collection("gutenqa").documents}
    for name in gutenqa.SEGMENTATIONS:
        for text in texts.values():
            assert not released.of_books(name)[text_digest(text)].unaligned
            rows = released.chunk(name, text)
            assert rows == sorted(rows, key=lambda one: one[:2])
            if name != "proposition-released":
                assert all(text[start:end].split() == piece.split() for start, end, piece in rows)
    assert set(gutenqa.proposition_answers("gutenqa")) == set(gutenqa.gold_strings("gutenqa"))


def test_pins_and_surroundings_are_put_back(tmp_path: Path) -> None:
    before = (dict(os.environ), dict(MODELS), beir.SOURCES, beir.HOME, chroma.FILES)
    with stand.standing(tmp_path):
        assert MODELS[parse_encoder(E5).model].licence == hub_models.LICENCE
        assert os.environ["OPENAI_BASE_URL"].startswith("http://127.0.0.1:")
        assert os.environ["HF_ENDPOINT"].startswith("http://127.0.0.1:")
    assert (dict(os.environ), dict(MODELS), beir.SOURCES, beir.HOME, chroma.FILES) == before


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some conditions, run: a model of the hub, an API, a language model, a book."""
    root = tmp_path_factory.mktemp("rehearsed") / "rehearsal"
    only = (
        f"nfcorpus/fixed-256/{E5}/*/as_published-ielab",
        "gutenqa/proposition*/text-embedding-ada-002/*/*",
        "chroma/llm/*",
    )
    assert rehearse.rehearse(REAL, root, only, lambda _: None) == {}
    return root


def test_the_study_refuses_a_record_of_a_rehearsal(
    rehearsed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(rehearsed)
    monkeypatch.setattr(records, "Run", stand.Run)
    stand.forget()
    condition, *_ = records.find(places.runs)
    assert records.read(places.runs, condition).run.model_dump()["rehearsal"] is True
    assert records.complete(places.runs, condition)
    monkeypatch.setattr(records, "Run", StudysRun)
    stand.forget()
    with pytest.raises(records.RecordError, match=r"no valid record .*rehearsal"):
        Library(places)
    assert not records.complete(places.runs, condition)
    stand.forget()


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.csv").write_text("1\n", encoding="utf-8")
    with pytest.raises(RehearsalError, match="holds something else"):
        rehearse.begin(REAL, tmp_path)
    assert (tmp_path / "precious.csv").is_file()
