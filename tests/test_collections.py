"""Collections are what they say, and say so when they are not; one entry makes one."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base import sources
from chunkstudy.base.spans import Collection, Document, Judgment, Query
from chunkstudy.collections import builtin, chroma, registry
from chunkstudy.commands import cli
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.requirements import reason_not_run


@pytest.mark.real_data
def test_chroma_holds_472_queries_and_790_exact_excerpts(chroma_collection: Collection) -> None:
    assert len(chroma_collection.queries) == 472
    assert len(chroma_collection.judgments) == 790
    assert [document.id for document in chroma_collection.documents] == [
        "chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts",
    ]  # fmt: skip


@pytest.mark.real_data
def test_every_excerpt_of_chroma_stands_at_its_offset(chroma_collection: Collection) -> None:
    texts = {document.id: document.text for document in chroma_collection.documents}
    rows = sources.rows(sources.fetch(chroma.QUESTIONS).read_bytes())
    quoted = [one["content"] for row in rows for one in json.loads(row["references"])]
    assert quoted == [texts[j.document][j.start : j.end] for j in chroma_collection.judgments]


def test_a_file_with_another_checksum_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = sources.SourceFile("x/a.md", "https://localhost:1/a.md", "0" * 64)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.md").write_text("other", encoding="utf-8")
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    with pytest.raises(sources.SourceError, match="another sha256"):
        sources.fetch(source)


def test_offline_with_an_empty_cache_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKSTUDY_DATA", raising=False)
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    source = sources.SourceFile("x/a.md", "http://127.0.0.1:9/a.md", "0" * 64)
    with pytest.raises(sources.SourceError, match="set CHUNKSTUDY_DATA"):
        sources.fetch(source)


def test_every_builtin_excerpt_stands_exactly_once_in_its_document() -> None:
    texts = {document.id: document.text for document in builtin.load_documents()}
    excerpts = [one for record in builtin.records() for one in record["excerpts"]]
    assert excerpts
    assert all(texts[one["document"]].count(one["text"]) == 1 for one in excerpts)


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
    entry = registry.CollectionEntry(
        "in_corpus", partial(replace, COLLECTION, name="new"), documents=2
    )
    monkeypatch.setitem(registry.COLLECTIONS, "new", entry)
    condition = Condition("new", "fixed-64", MINILM, "pre_embedding", "corrected")
    assert condition.task == "in_corpus"
    assert reason_not_run(condition) is None
    assert registry.find(condition.collection).load().name == "new"
    assert "2 documents" in CliRunner().invoke(cli.app, ["fetch", "new"]).output
