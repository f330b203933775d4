"""What the study of chunk labels left: against the collection and the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.runs import study_results, study_runs
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.store import VectorStore
from chunkstudy.studies import labels as experiment
from chunkstudy.studies.labels.averages import LabelRecords
from chunkstudy.studies.labels.chunk_labels import gold_chunks
from tests.made_study import MODEL
from tests.small_study import Letters


class Described(Letters):
    def describe(self) -> dict[str, Any]:
        return MODEL


def test_the_experiment_writes_what_the_tables_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(f"{letter * 3} {letter * 2}" for letter in "abcdefghijklmnop")
    start = text.index("ddd")
    collection = Collection(
        "chroma",
        (Document("d", text),),
        (Query("0", "dd"), Query("1", "zz")),
        (Judgment("0", "d", start, start + 6), Judgment("1", "d", 0, 3)),
    )
    store = VectorStore(Described(), tmp_path / "vectors")
    monkeypatch.setattr(study_runs, "load_collection", lambda name: collection)
    monkeypatch.setattr(study_runs, "load_store", lambda encoder, folder: store)
    monkeypatch.setattr(experiment, "CHUNKERS", ("token-5-0", "token-20-0"))
    _, made = study_runs.run(Places(tmp_path), "labels")
    facts = made["chunkers"]
    records = LabelRecords.of(study_results.tables(Places(tmp_path), "labels"))
    assert records.chunkers == ["token-5-0", "token-20-0"]
    assert records.facts["chunks"].tolist() == facts["chunks"].tolist()
    assert facts["cut by the window"].tolist()[1] > 0
    for chunker in records.chunkers:
        chunks = chunk_documents(
            build_chunker(chunker, CORRECTED, store.encode), collection.documents
        )
        gold = gold_chunks(collection, chunks)
        of_first = set(gold.chunk[gold.query == 0].tolist())
        share_of_d = store.encode(chunks.texts(collection.documents))[:, 3]
        assert records.counts(chunker, cut=1).true_positives[0] == (
            int(share_of_d.argmax()) in of_first
        )
        assert records.counts(chunker).gold[0] == len(of_first)
