"""BEIR's sets are read whole, checked, and say which document a query must not find."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection
from chunkstudy.collections import beir
from chunkstudy.evaluation.measures.ranking import judged_documents

CORPUS = {
    "a": {"title": "Title", "text": "text"},
    "b": {"title": "", "text": " text "},
    "c": {"title": "", "text": ""},
}


@pytest.fixture(scope="module")
def sets() -> dict[str, Collection]:
    names = ("scifact", "nfcorpus", "arguana")
    if not all(beir.available(name) for name in names):
        pytest.skip("the BEIR sets are not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch`")
    return {name: beir.load(name) for name in names}


@pytest.mark.real_data
def test_texts_are_as_long_as_mteb_counts_them(sets: dict[str, Collection]) -> None:
    lengths = {n: sum(len(d.text) for d in c.documents) for n, c in sets.items()}
    assert lengths == {"scifact": 7_771_451, "nfcorpus": 5_779_318, "arguana": 8_930_264}


@pytest.mark.real_data
def test_only_arguana_has_queries_among_its_documents(sets: dict[str, Collection]) -> None:
    own = {n: sum(q.id in c.positions for q in c.queries) for n, c in sets.items()}
    assert own == {"scifact": 0, "nfcorpus": 0, "arguana": 1_298}
    assert [n for n, c in sets.items() if c.skips_own_id] == ["arguana"]


def test_missing_and_empty_judged_documents_are_absent_and_still_count() -> None:
    qrels = {"q": {"a": 1, "c": 2, "gone": 1, "b": 0}}
    found = beir.build("fiqa", CORPUS, {"q": "x"}, qrels)
    assert found.absent == (("q", "c", 2), ("q", "gone", 1))
    assert judged_documents(found) == {"q": {"a": 1, "c": 2, "gone": 1}}


def _write(folder: Path, corpus: str = '{"_id": "a", "title": "", "text": "x"}\n') -> None:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(corpus.encode()))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "x"}) + "\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")


def test_a_set_of_another_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path / "data" / "trec-covid")  # no digest of its members is known, counts are
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(SourceError, match="holds 1 documents and 1 test queries instead of 171332"):
        beir.load("trec-covid")


def test_a_file_with_another_digest_is_refused_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "data" / "scifact")
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(SourceError, match="another sha256"):
        beir.load("scifact")
    assert not (tmp_path / "cache" / "beir" / "scifact" / "corpus.jsonl").exists()
    assert (tmp_path / "data" / "scifact" / "corpus.jsonl.gz").exists()


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "printed"), [("scifact", 1498.4), ("nfcorpus", 1589.8)])
def test_mean_lengths_come_out_as_printed_without_the_joining_space(
    name: str, printed: float
) -> None:
    if not beir.available(name):
        pytest.skip(f"{name} is not here")
    documents = beir.SOURCES[name].documents
    assert round(beir.characters(name) / documents, 1) == printed
    assert round(beir.SOURCES[name].characters / documents, 1) > printed
