"""A folder of one's own is a collection; a line that is wrong is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.folding import is_blank
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import SpanError
from chunkstudy.collections import own, own_questions, quoted, registry
from chunkstudy.collections.own_questions import Question, Quotation

TEXT = "Rye is sown in autumn. Oats are sown in spring. Rye is cut first."


@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 9)),
        min_size=1,
        max_size=5,
    )
)
def test_questions_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int]]
) -> None:
    questions = [
        Question(
            id=str(i),
            question=text,
            excerpts=(Quotation(document=text, start=at, end=at + 1, text=text),),
        )
        for i, (text, at) in enumerate(drawn)
    ]
    path = tmp_path_factory.mktemp("drawn") / "questions.jsonl"
    own_questions.write(path, questions)
    assert list(own_questions.parse(path).values()) == questions


def test_the_registry_finds_a_collection_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_COLLECTIONS", str(tmp_path))
    with pytest.raises(SourceError, match="unknown collection 'farm'"):
        registry.find("farm")
    (tmp_path / "farm" / "documents").mkdir(parents=True)
    (tmp_path / "farm" / "documents" / "grain.md").write_text(TEXT, encoding="utf-8")
    question = Question(id="1", question="When?", excerpts=(Quotation(text="autumn"),))
    own_questions.write(tmp_path / "farm" / "questions.jsonl", [question])
    entry = registry.find("farm")
    assert entry.task == "token_overlap" and len(entry.load().queries) == 1
    for name in ("..", "../farm", "farm/", ""):
        with pytest.raises(SourceError, match="unknown collection"):
            registry.find(name)


@given(st.text("ab ", min_size=1, max_size=30), st.text("ab ", min_size=1, max_size=4))
def test_an_excerpt_is_found_in_every_place_where_it_stands(text: str, said: str) -> None:
    texts = {"y": f"_{text}"} | ({} if is_blank(text) else {"x": text})
    try:
        judged = own.read(texts, [{"question": "?", "excerpts": [said]}])
    except SpanError:
        assert is_blank(said) or all(said not in text for text in texts.values())
        return
    (first,) = judged.collection.judgments
    places = [first, *judged.copies.get(first, ())]
    stands = [texts[p.document][p.start : p.end] for p in places]
    if any(said in text for text in texts.values()):
        assert set(stands) == {said}
        assert len(places) == sum(text.count(said) for text in texts.values())
    else:
        assert all(quoted.same_but_for_form(words, said) for words in stands)


LOST: list[dict[str, object]] = [
    {"question": "When?", "excerpts": ["in autumn"]},
    {"question": "Where?", "excerpts": ["nowhere at all"]},
    {"id": "both", "question": "What?", "excerpts": ["in spring", "sown in"]},
    {"question": "Which?", "excerpts": [{"document": "a", "text": "Rye"}]},
    {"question": "How?", "excerpts": [{"document": "gone", "text": "rye"}]},
    {"question": "Why?", "excerpts": [{"document": "a", "start": 4, "end": 99_999}]},
    {"question": "Who?"},
    {"question": "Joined?", "excerpts": [{"document": "a", "start": 40, "end": 50}, "Rye"]},
    {"question": "Only there?", "excerpts": [{"text": "sown", "anywhere": False}]},
]


def test_what_cannot_be_placed_is_counted_and_its_lines_are_named() -> None:
    judged = own.read({"a": TEXT}, LOST)
    assert [query.id for query in judged.collection.queries] == ["1", "both", "4", "8"]
    (joined,) = (j for j in judged.collection.judgments if j.query == "8")
    assert (joined.start, joined.end) == (40, 51) and joined not in judged.copies
    copies, excerpts, questions = judged.notes
    assert copies.startswith("1 of 10 excerpts stand in several places")
    assert excerpts.startswith("4 of 10 excerpts could not be placed and they are left out: ")
    for part in (
        "1 found in no document (line 2)",
        "1 found more than once (line 9)",
        "1 of a document that is missing (line 5)",
        "1 outside the document (line 6)",
    ):
        assert part in excerpts
    assert questions.startswith("5 questions are left out") and "lines 2, 5, 6, 7, 9" in questions
