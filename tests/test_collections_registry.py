"""One entry makes a collection; within documents each query keeps to the one it is judged on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from typer.testing import CliRunner

from chunkstudy.base.spans import Collection, Document, Judgment, Query
from chunkstudy.collections import registry
from chunkstudy.commands import cli
from chunkstudy.runs.conditions import MINILM, Condition

COLLECTION = Collection(
    "corpora",
    (Document("a", "x" * 60), Document("b", "y" * 40)),
    (Query("0", "?"), Query("1", "?")),
    (Judgment("0", "a", 12, 24), Judgment("0", "a", 30, 32), Judgment("1", "b", 0, 10)),
)


def test_every_query_names_the_one_document_it_is_judged_on() -> None:
    found = COLLECTION.within_documents()
    assert found.name == "corpora-within"
    assert [query.document for query in found.queries] == ["a", "b"]
    assert (found.documents, found.judgments) == (COLLECTION.documents, COLLECTION.judgments)


def test_a_query_judged_on_two_documents_or_none_is_refused() -> None:
    twice = replace(COLLECTION, judgments=(*COLLECTION.judgments, Judgment("0", "b", 0, 5)))
    with pytest.raises(ValueError, match="query 0 of corpora is judged on 2 documents"):
        twice.within_documents()
    with pytest.raises(ValueError, match="query 1 of corpora is judged on 0 documents"):
        replace(COLLECTION, judgments=COLLECTION.judgments[:1]).within_documents()


def test_a_new_collection_takes_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = registry.Entry("in_corpus", partial(replace, COLLECTION, name="new"), documents=2)
    monkeypatch.setitem(registry.COLLECTIONS, "new", entry)
    condition = Condition("new", "fixed-64", MINILM, "pre_embedding", "corrected")
    assert condition.task == "in_corpus"
    assert condition.reason_not_run is None
    assert registry.find(condition.collection).load().name == "new"
    assert "2 documents" in CliRunner().invoke(cli.app, ["fetch", "new"]).output


@pytest.mark.real_data
def test_chromas_corpora_are_searched_one_by_one(chroma_collection: Collection) -> None:
    found = chroma_collection.within_documents()
    assert {query.document for query in found.queries} == {d.id for d in found.documents}
    assert all(found.groups[query.id] == query.document for query in found.queries)
