"""Collections are what they say, and say so when they are not."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from chunkstudy.base import sources
from chunkstudy.base.spans import Collection, Document, Judgment, Query, SpanError
from chunkstudy.collections import builtin, chroma


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
    file = io.StringIO(sources.fetch(chroma.FILES["questions_df.csv"]).read_text(encoding="utf-8"))
    rows = csv.DictReader(file)
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


def test_a_repeated_document_id_is_refused() -> None:
    with pytest.raises(SpanError, match="occurs twice"):
        Collection("x", (Document("a", "t"), Document("a", "u")), (), ())


def test_a_judged_span_outside_its_document_is_refused() -> None:
    with pytest.raises(SpanError, match="outside document"):
        Collection("x", (Document("a", "text"),), (Query("q", "?"),), (Judgment("q", "a", 0, 5),))


def test_a_part_of_a_collection_asks_the_questions_of_its_documents_and_no_others() -> None:
    documents = (Document("a", "text"), Document("b", "text"))
    queries = (Query("q", "?", "a"), Query("r", "?", "b"))
    judged = (Judgment("q", "a", 0, 4), Judgment("r", "b", 0, 4))
    part = Collection("x", documents, queries, judged).asked_of(("b",))
    assert (part.documents, part.queries, part.judgments) == (documents, queries[1:], judged[1:])


def test_reordering_documents_changes_no_order_free_digest() -> None:
    one, two = Document("a", "1"), Document("b", "2")
    queries = (Query("q", "?"), Query("r", "!"))
    first = Collection("x", (one, two), queries, ())
    second = Collection("x", (two, one), queries[::-1], ())
    assert first.documents == second.documents
    assert first.order_free_digest() == second.order_free_digest()
    assert first.digest() != second.digest()
