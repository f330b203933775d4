"""Four further collections with human gold: what their loaders read, and what they refuse."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from chunkstudy.base import sources
from chunkstudy.base.files import sha256
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection
from chunkstudy.collections import contextual_code, evidence_inference, fairytaleqa, qmsum, registry

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


def _judged(collection: Collection) -> list[str]:
    texts = {document.id: document.text for document in collection.documents}
    return [texts[one.document][one.start : one.end] for one in collection.judgments]


@needs("qmsum")
def test_a_meetings_question_is_judged_on_whole_turns() -> None:
    loaded = qmsum.load_within()
    lines = {document.id: set(document.text.split("\n")) for document in loaded.documents}
    for judgment, text in zip(loaded.judgments, _judged(loaded), strict=True):
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


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str, str], None]:
    """Change a collection's file as released, digests and all."""

    def change(path: str, before: str, after: str) -> None:
        collection, _, name = path.partition("/")
        whole = sources.find(path)
        assert whole is not None
        shutil.copytree(whole.parents[name.count("/")], tmp_path / collection)
        file = tmp_path / path
        content = file.read_bytes()
        assert before.encode() in content
        file.unlink()
        file.write_bytes(content.replace(before.encode(), after.encode(), 1))
        listed = sources.listed(collection) | {name: sha256(file)}
        monkeypatch.setattr(sources, "listed", lambda _: listed)
        monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
        contextual_code._files.cache_clear()

    return change


@needs("qmsum")
def test_a_span_that_runs_past_a_meetings_turns_is_refused(
    changed: Callable[[str, str, str], None],
) -> None:
    path = sources.find("qmsum/val/Bed002.json")
    assert path is not None
    marked = json.loads(path.read_text("utf-8"))["specific_query_list"][1]["relevant_text_span"]
    first, last = marked[0]
    lines = '"{}",\n                    "{}"'
    changed("qmsum/val/Bed002.json", lines.format(first, last), lines.format(first, "99999"))
    with pytest.raises(SourceError, match=r"marks turns \d+ to 99999 of \d+"):
        qmsum.load_within(splits=("val",))


@needs("fairytaleqa")
def test_a_story_that_lacks_a_section_is_refused(
    changed: Callable[[str, str, str], None],
) -> None:
    changed("fairytaleqa/questions/black-arts-questions.csv", "1,local,1,", "1,local,77,")
    with pytest.raises(SourceError, match="black-arts-1 of FairytaleQA names section '77'"):
        fairytaleqa.load_within()


@needs("evidence_inference")
@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("txt/PMC32174.txt", "a", "aa", "where another text stands"),
        ("prompts.csv", "11172,", "999,", "prompt 999 of Evidence Inference has no annotated"),
    ],
)
def test_an_article_of_another_length_and_a_prompt_without_span_are_refused(
    changed: Callable[[str, str, str], None], file: str, before: str, after: str, message: str
) -> None:
    changed(f"evidence_inference/{file}", before, after)
    with pytest.raises(SourceError, match=message):
        evidence_inference.load_within()
