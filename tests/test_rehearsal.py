"""The published grid on small random checkpoints and files on the loopback, to know that what waits
for weights and the hub runs."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.collections import beir, gutenqa
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.models import MODELS
from chunkstudy.core.project import find_project
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.run import evaluate
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.published.sources import published_grid
from tests import hub_models, hub_server

pytestmark = pytest.mark.slow
GRID: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
"""Of each model the ways in which the grid uses it: encoder, embedding method and protocol."""
for _condition in published_grid(find_project()):
    if _condition.model:
        GRID[_condition.model.model].add(
            (_condition.encoder, _condition.ordering, _condition.protocol)
        )


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[hub_server.State]:
    """A hub with a tiny model of each that the grid names, and a machine without any file."""
    with hub_server.only_source(hub_models.every(), tmp_path, monkeypatch) as (address, state):
        monkeypatch.setattr(beir, "HOME", f"{address}/beir/")
        for name, checkpoint in state.checkpoints.items():
            monkeypatch.setitem(MODELS, name, checkpoint.registered())
        yield state


@pytest.mark.parametrize("name", sorted(hub_models.DTYPES.keys() & GRID.keys()))
def test_every_way_in_which_the_grid_uses_a_model_runs_on_a_tiny_condition(
    name: str, hub: hub_server.State, tmp_path: Path
) -> None:
    collection = load_collection("builtin-graded")
    store = VectorStore(TransformerEncoder(MODELS[name]), tmp_path / "vectors")
    for way in sorted(GRID[name]):
        outcome = evaluate(Condition("builtin-graded", "fixed-64", *way), collection, store)
        assert outcome.run.counts.chunks > len(collection.documents)
        assert np.isfinite(outcome.scores.to_numpy()).all()
    spec = MODELS[name]
    heads = [one.partition(f"{spec.revision}/")[2] for one in hub.asked if "HEAD" in one]
    assert set(heads) == set(spec.files), "nothing unpinned is asked for"
    asked = len(hub.asked)
    assert models.at_hand(spec) and models.weights_folder(spec)
    assert len(hub.asked) == asked, "what was downloaded is not asked for again"


def test_a_set_of_beirs_is_downloaded_as_its_archive(
    hub: hub_server.State, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {
        "corpus.jsonl": '{"_id": "a", "title": "A", "text": "x"}\n{"_id": "b", "text": ""}\n',
        "queries.jsonl": '{"_id": "q", "text": "x"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t1\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member, text in members.items():
            archive.writestr(f"quora/{member}", text)
    hub.files["/beir/quora.zip"] = buffer.getvalue()
    digest = hashlib.md5(buffer.getvalue()).hexdigest()
    monkeypatch.setitem(beir.SOURCES, "quora", beir.Source(digest, 2, 1, 3))
    collection = beir.load("quora")
    assert [document.text for document in collection.documents] == ["A x", ""]
    assert collection.absent == (("q", "b", 1),)


def test_all_of_gutenqa_loads_once_its_files_are_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gutenqa, "BOOKS", 1)
    monkeypatch.setattr(gutenqa, "QUESTIONS", 1)
    about = {"Book ID": 7, "Book Name": "A"}
    paragraphs = [about | {"Chunk": text} for text in ("One came.", "Two went.")]
    questions = [about | {"Question": "Who went?", "Chunk Must Contain": "Two went"}]
    tables = {"GutenQA_paragraphs.parquet": paragraphs, "questions.parquet": questions}
    monkeypatch.setattr(gutenqa.HubFile, "table", lambda file: pd.DataFrame(tables[file.name]))
    (judgment,) = gutenqa.load().judgments
    assert judgment.document == "Book-7"
    assert gutenqa.gold_strings("gutenqa") == {judgment.query: "Two went"}
