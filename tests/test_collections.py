"""Collections are what they say, and say so when they are not; one entry makes one."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.collections import (
    beir,
    builtin,
    chroma,
    covid_qa,
    evidence_inference,
    qmsum,
    registry,
)
from chunkstudy.core import sources
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.ranking import judged_documents
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.requirements import reason_not_run


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
    with pytest.raises(ResourceError, match="another sha256"):
        sources.fetch(source)


def test_offline_with_an_empty_cache_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKSTUDY_DATA", raising=False)
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    source = sources.SourceFile("x/a.md", "http://127.0.0.1:9/a.md", "0" * 64)
    with pytest.raises(ResourceError, match="set CHUNKSTUDY_DATA"):
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
    assert "2 documents" in CliRunner().invoke(main.app, ["fetch", "new"]).output


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
    with pytest.raises(
        ResourceError, match="holds 1 documents and 1 test queries instead of 171332"
    ):
        beir.load("trec-covid")


def test_a_file_with_another_digest_is_refused_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "data" / "scifact")
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ResourceError, match="another sha256"):
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


ROOT = Project(Path(__file__).parents[1])
RELEASED = sources.find(covid_qa.FILE.path)
TEXT = "Bats carry it.\n\nCamels carry it too, and one camel coughs.\nNobody coughs here."


def question(number: int, text: str, answer: str, start: int) -> dict[str, Any]:
    answers = [{"text": answer, "answer_start": start}]
    return {"question": text, "id": number, "answers": answers, "is_impossible": False}


def paper(number: int, text: str, *asked: dict[str, Any]) -> dict[str, Any]:
    return {"paragraphs": [{"context": text, "document_id": number, "qas": list(asked)}]}


def released(*papers: dict[str, Any]) -> bytes:
    return json.dumps({"data": papers}).encode("utf-8")


def one_paper(*asked: dict[str, Any], text: str = TEXT) -> Collection:
    return covid_qa.parse(released(paper(7, text, *asked)))


def answers(collection: Collection) -> list[str]:
    texts = {document.id: document.text for document in collection.documents}
    return [texts[one.document][one.start : one.end] for one in collection.judgments]


def test_an_answer_that_stands_elsewhere_once_is_put_there() -> None:
    found = one_paper(question(1, "Who?", "Camels", 3))
    assert answers(found) == ["Camels"]


@pytest.mark.parametrize("answer", ["coughs", "carry it", "dromedary"])
def test_a_question_whose_answer_stands_elsewhere_several_times_or_never_is_dropped(
    answer: str,
) -> None:
    found = one_paper(question(1, "Who?", answer, 3), question(2, "Who else?", "Bats", 0))
    assert [query.id for query in found.queries] == ["2"]


def test_a_question_asked_again_of_one_paper_is_one_query_judged_on_every_answer() -> None:
    found = one_paper(
        question(1, "Who carries it?", "Bats", 0),
        question(2, "Who coughs?", "one camel", TEXT.index("one camel")),
        question(3, "who  carries it", "Camels", TEXT.index("Camels")),
    )
    assert [(query.id, query.text) for query in found.queries] == [
        ("1", "Who carries it?"),
        ("2", "Who coughs?"),
    ]
    assert answers(found) == ["Bats", "Camels", "one camel"]


def two_papers() -> bytes:
    return released(
        paper(7, TEXT, question(1, "Who?", "Bats", 0), question(2, "Who?", "it", 11),
              question(3, "Who coughs?", "one camel", TEXT.index("one camel"))),
        paper(8, "Cats do.", question(4, "who", "Cats", 0)),
    )  # fmt: skip


def test_a_question_asked_of_several_papers_is_kept_within_them_and_dropped_over_all() -> None:
    whole = covid_qa.parse(two_papers())
    assert [query.id for query in whole.queries] == ["1", "3", "4"]
    over_all = covid_qa.over_all_papers(whole)
    assert [query.id for query in over_all.queries] == ["3"]
    assert {one.query for one in over_all.judgments} == set(over_all.groups) == {"3"}
    assert over_all.documents == whole.documents


@pytest.fixture(scope="module")
def loaded() -> dict[str, Collection]:
    if not RELEASED:
        pytest.skip("COVID-QA is not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch covid-qa`")
    return {name: registry.find(name).load() for name in (covid_qa.WITHIN, covid_qa.ALL)}


@pytest.mark.real_data
def test_every_query_of_covid_qa_is_judged_on_its_own_paper(loaded: dict[str, Collection]) -> None:
    within, over_all = loaded.values()
    assert (len(within.documents), len(within.queries), len(over_all.queries)) == (98, 1351, 1347)
    papers = {query.id: query.document for query in within.queries}
    for collection in (within, over_all):
        assert {one.query for one in collection.judgments} == {q.id for q in collection.queries}
        assert all(papers[one.query] == one.document for one in collection.judgments)
        assert all(text == text.strip() != "" for text in answers(collection))
    assert within.groups == papers


HERE = {name: sources.find(f"{name}/{next(iter(sources.listed(name)))}") is not None
        for name in ("qmsum", "fairytaleqa", "evidence_inference", "contextual_code")}  # fmt: skip
NAMES = {
    "qmsum": (197, 1527, 1527),
    "qmsum-within": (70, 360, 390),
    "qmsum-within-train": (162, 816, 897),
    "fairytaleqa-within": (23, 1025, 1133),
    "evidence-inference-within": (93, 257, 336),
    "contextual-code": (90, 248, 306),
}


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not HERE[name], reason=f"{name} is not under CHUNKSTUDY_DATA")


@pytest.mark.skipif(not all(HERE.values()), reason="not all are under CHUNKSTUDY_DATA")
@pytest.mark.parametrize("name", NAMES)
def test_documents_queries_and_judged_spans_are_as_counted(name: str) -> None:
    loaded = registry.find(name).load()
    counted = (len(loaded.documents), len(loaded.queries), len(loaded.judgments))
    assert counted == NAMES[name] and loaded.name == name
    assert len(loaded.documents) == registry.find(name).documents
    assert all(loaded.judgments_by_query().values())


@needs("qmsum")
def test_a_meetings_question_is_judged_on_whole_turns() -> None:
    loaded = qmsum.load_within()
    lines = {document.id: set(document.text.split("\n")) for document in loaded.documents}
    for judgment, text in zip(loaded.judgments, answers(loaded), strict=True):
        assert set(text.split("\n")) <= lines[judgment.document]
    assert not any(query.text.startswith("Summarize") for query in loaded.queries)
    assert {document.id.partition("/")[0] for document in loaded.documents} == {"val", "test"}


@needs("qmsum")
def test_an_answer_that_two_meetings_share_is_asked_once_and_judged_on_the_later() -> None:
    loaded = qmsum.load()
    assert {57117, 50063} <= {len(document.text) for document in loaded.documents}
    assert len({query.text for query in loaded.queries}) == len(loaded.queries)
    shared = {one.query: one.document for one in loaded.judgments}
    assert shared["val/Bed010-0"] == "val/Bed010"
    assert "train/Bed005-0" not in shared


@needs("evidence_inference")
def test_a_prompt_becomes_one_sentence_and_its_spans_do_not_overlap() -> None:
    loaded = evidence_inference.load_within()
    for spans in loaded.judgments_by_query().values():
        places = sorted((one.start, one.end) for one in spans)
        assert all(end <= start for (_, end), (start, _) in pairwise(places))
    assert all(
        query.text.startswith("effect of ") and "\n" not in query.text for query in loaded.queries
    )
