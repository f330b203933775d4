"""COVID-QA: offsets repaired where that is certain, questions told apart, all of it counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.base import sources
from chunkstudy.base.places import Places
from chunkstudy.base.spans import Collection
from chunkstudy.collections import covid_qa, registry

ROOT = Places(Path(__file__).parents[1])
HERE = sources.find(covid_qa.FILE.path)
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
    if not HERE:
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
