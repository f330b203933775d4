"""What is kept of inspections is what the inspector found, and nothing of others' texts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from chunkstudy.collections import builtin
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.run import load_store
from chunkstudy.grid.store import VectorStore
from chunkstudy.places import Places
from chunkstudy.site import inspection, inspector, inspector_page, kept
from chunkstudy.site.kept import Kept, KeptError
from tests.test_experiment import Letters
from tests.test_report_inspector import CHUNKERS, COLLECTION, DEPTH, TEXTS, condition

ROOT = Places(Path(__file__).parents[1])
JUDGED = inspection.only_queries(COLLECTION, ["comet", "../zoo", "two"])


def found(store: VectorStore) -> tuple[Kept, list[inspector_page.Page]]:
    """The small collection's inspections, whole, once through their file's text."""
    pages = inspector.inspect(JUDGED, [condition(one) for one in CHUNKERS], store, DEPTH)
    one = Kept(
        collection="builtin",
        sha256="0" * 64,
        encoder=MINILM,
        model={},
        protocol="corrected",
        depth=DEPTH,
        chunkers=[
            kept.Chunker(name=c.chunker, chunks=c.inspection.chunk_count) for c in pages[0].columns
        ],
        queries=[kept.kept_query(page, whole=True) for page in pages],
    )
    text = json.dumps(one.model_dump(mode="json", exclude_none=True))
    return Kept.model_validate_json(text), pages


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return VectorStore(Letters(), tmp_path / "vectors")


def test_a_page_drawn_from_what_was_kept_is_the_inspectors_page(store: VectorStore) -> None:
    one, pages = found(store)
    for query, page in zip(one.queries, pages, strict=True):
        again = kept.page(one, query, COLLECTION)
        assert inspector_page.render(again, TEXTS) == inspector_page.render(page, TEXTS)


def test_a_query_is_summed_up_by_its_best_chunk_and_its_causes_are_counted(
    store: VectorStore,
) -> None:
    one, pages = found(store)
    for query, page in zip(one.queries, pages, strict=True):
        for column, full in zip(query.columns, page.columns, strict=True):
            ranks = [c.rank for e in full.inspection.excerpts for c in e.chunks]
            assert column.best_rank == min(ranks)
            assert column.recall == pytest.approx(full.inspection.measures["SpanRecall"], abs=1e-6)
    counts = one.counts()
    for at in range(len(CHUNKERS)):
        assert sum(each[at] for each in counts.values()) == len(pages)
        recalls = [page.columns[at].inspection.measures["SpanRecall"] for page in pages]
        assert one.mean_recall()[at] == pytest.approx(sum(recalls) / len(recalls), abs=1e-6)


def test_a_query_that_was_not_kept_whole_has_no_page(store: VectorStore) -> None:
    one, _ = found(store)
    short = one.queries[0].model_copy(update={"whole": None})
    with pytest.raises(KeptError, match="was kept without its chunks"):
        kept.page(one, short, COLLECTION)


def test_what_is_missing_or_changed_is_refused_in_one_sentence(tmp_path: Path) -> None:
    places = Places(tmp_path)
    with pytest.raises(KeptError, match="`chunkstudy inspect chroma --keep` writes them"):
        kept.read(places, "chroma")
    path = kept.file(places, "chroma")
    path.parent.mkdir(parents=True)
    path.write_text('{"collection": "chroma"}', encoding="utf-8")
    with pytest.raises(KeptError, match="is not as it was written"):
        kept.read(places, "chroma")


def test_the_committed_inspections_are_of_todays_built_in_collection() -> None:
    one = kept.read(ROOT, "builtin")
    collection = builtin.load()
    assert one.sha256 == collection.digest()
    assert {query.id for query in one.queries} == set(inspector.judged_ids(collection))
    assert sum(query.whole is not None for query in one.queries) == kept.WHOLE
    assert [chunker.name for chunker in one.chunkers] == list(inspector.CHUNKERS)


@pytest.mark.slow
def test_todays_encoder_finds_what_was_kept(tmp_path: Path) -> None:
    one, chunker = kept.read(ROOT, "builtin"), inspector.CHUNKERS[0]
    collection = builtin.load()
    asked = [Condition("builtin", chunker, MINILM, "pre_embedding", one.protocol)]
    pages = inspector.inspect(collection, asked, load_store(MINILM, tmp_path), one.depth)
    causes = {page.query.id: page.columns[0].diagnosis.cause for page in pages}
    same = [causes[query.id] == query.columns[0].cause for query in one.queries]
    assert sum(same) >= len(same) - 1, "another machine may swap two chunks of almost one score"


@pytest.mark.parametrize("name", sorted({*kept.COLLECTIONS} - {*kept.OWN_TEXT}))
def test_of_collections_that_are_not_ours_only_ids_ranks_and_causes_are_kept(name: str) -> None:
    one = kept.read(ROOT, name)
    assert all(query.whole is None for query in one.queries)
    words: set[str] = set()
    for query in one.queries:
        for column in query.columns:
            quoted = re.findall("“(.*?)”", column.sentence)
            assert not any(character.isalnum() for text in quoted for character in text)
            words |= set(re.findall(r"[a-z]{3,}", column.sentence.lower()))
    assert len(words) < 120, "sentences are made of the inspector's own words"


def test_keeping_writes_a_file_that_reads_back_the_worst_first(
    tmp_path: Path, store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "load_collection", lambda name: COLLECTION)
    monkeypatch.setattr(kept, "load_store", lambda encoder, folder: store)
    monkeypatch.setattr(inspector, "CHUNKERS", CHUNKERS)
    places = Places(tmp_path)
    assert kept.keep(places, "builtin", DEPTH) == kept.file(places, "builtin")
    one = kept.read(places, "builtin")
    recalls = [sum(column.recall for column in query.columns) for query in one.queries]
    assert recalls == sorted(recalls) and len(recalls) == len(JUDGED.queries)
    assert all(query.whole for query in one.queries)
    monkeypatch.setattr(kept, "OWN_TEXT", ())
    kept.keep(places, "builtin", DEPTH)
    assert not any(query.whole for query in kept.read(places, "builtin").queries)
    assert "comet" not in re.sub('"id": "comet"', "", kept.file(places, "builtin").read_text())
