"""What is put before a chunk: found in the document, or written by a language model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.chunkers import contexts, expected_requests
from chunkstudy.chunkers.structure import sentences
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Collection, Document, chunk_documents
from chunkstudy.llm.interface import Reply
from chunkstudy.pipeline.conditions import EmbeddingMethod, parse_method
from chunkstudy.pipeline.encoding import encode
from chunkstudy.pipeline.vector_store import VectorStore
from tests.small_study import Letters

SMOLLM = "local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
GUIDE = """# The Ferry

It runs daily.

## Fares

### Children ###
Free under six. Half price after.

## Times
First at dawn.
"""
TEXTS = st.text(alphabet="ab .\n#=", max_size=120)


def at(text: str, *words: str) -> list[int]:
    return [text.index(word) for word in words]


def test_front_matter_names_the_title_and_a_comment_in_code_is_no_heading() -> None:
    page = '---\ntitle: "npm-ci"\n# noindex: true\n---\n\n## Example\n\n```\n# build\nmake\n```\n'
    places = at(page, "npm-ci", "## Example", "make")
    assert contexts.title(page, places) == ["", "npm-ci", "npm-ci"]
    assert contexts.headings(page, places) == ["", "", "Example"]
    untitled = page.replace("title", "layout")
    assert contexts.title(untitled, at(untitled, "## Example", "make")) == ["", "Example"]


def test_a_comment_that_begins_the_front_matter_is_no_heading() -> None:
    page = "---\n# build settings\ntitle: Mill\n---\n\n## Wheel\n\nIt is of oak.\n"
    places = at(page, "## Wheel", "It is")
    assert contexts.headings(page, places) == ["", "Wheel"]
    assert contexts.title(page, places) == ["Mill", "Mill"]
    ruled = "---\n# Mill\n\nIt is old.\n---\n"  # a heading below a thematic break
    assert contexts.headings(ruled, at(ruled, "It is")) == ["Mill"]


def test_headings_are_the_path_above_a_chunk_and_not_what_it_holds() -> None:
    places = at(GUIDE, "# The", "It runs", "### Children", "Half", "First")
    assert contexts.headings(GUIDE, places) == [
        "",
        "The Ferry",
        "The Ferry > Fares",
        "The Ferry > Fares > Children",
        "The Ferry > Times",
    ]


MILL = """# Mill

The mill is old.

## Wheel

It is of oak.

* * *

<a id="roof"></a>
## Roof

It is of slate.

```
# a comment
build
```

Farm
====

Ten cows.

  ### Barn

Hay.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("begins", "expected"),
    [
        ("# Mill", ""),
        ("The mill", "Mill"),
        ("## Wheel", "Mill"),
        ("Wheel", "Mill"),
        ("\n\n* * *", "Mill"),
        ("* * *", "Mill"),
        ('<a id="roof">', "Mill"),
        ("Roof", "Mill"),
        ("It is of slate", "Mill > Roof"),
        ("# a comment", "Mill > Roof"),
        ("build", "Mill > Roof"),
        ("Farm", ""),
        ("====", "Farm"),
        ("Ten cows", "Farm"),
        ("### Barn", "Farm"),
        ("Hay", "Farm > Barn"),
    ],
)
def test_a_chunk_gets_the_headings_above_it_wherever_it_begins(
    end: str, begins: str, expected: str
) -> None:
    text = MILL.replace("\n", end)
    assert contexts.headings(text, at(text, begins.replace("\n", end))) == [expected]


@given(
    levels=st.lists(st.integers(1, 6), min_size=1, max_size=8),
    between=st.sampled_from(["", "\n", "***\n\n", "Text.\n\n"]),
)
def test_a_section_gets_its_ancestors_by_brute_force(levels: list[int], between: str) -> None:
    text, starts, expected = "", [], []
    stack: list[tuple[int, str]] = []
    for i, level in enumerate(levels):
        stack = [one for one in stack if one[0] < level]
        starts += [len(text), len(text) + level + len(f" Part{i}\n\n")]
        path = " > ".join(name for _, name in stack)
        expected += [path, f"{path} > Part{i}" if path else f"Part{i}"]
        stack.append((level, f"Part{i}"))
        text += f"{'#' * level} Part{i}\n\nBody {i}.\n\n{between}"
    assert contexts.headings(text, starts) == expected


@given(text=TEXTS, data=st.data())
def test_the_preceding_sentence_is_the_last_that_ended_by_brute_force(
    text: str, data: st.DataObject
) -> None:
    starts = sorted(data.draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=4)))
    expected = []
    for start in starts:
        done = [text[a:b] for a, b in sentences(text) if b <= start]
        expected.append(" ".join(done[-1].split()) if done else "")
    assert contexts.preceding_sentence(text, starts) == expected


@given(text=TEXTS, starts=st.lists(st.integers(0, 119), max_size=4))
@pytest.mark.parametrize("source", contexts.FREE)
def test_every_chunk_has_one_short_line_of_the_document_before_it(
    source: str, text: str, starts: list[int]
) -> None:
    found = contexts.FREE[source](text, sorted(starts))
    assert len(found) == len(starts)
    words = set(" ".join(text.split()).split()) | {">"}
    for one in found:
        assert len(one) <= contexts.MOST
        assert one == " ".join(one.split())
        assert not one or any(word in words or word in text for word in one.split())


def test_a_chunk_is_embedded_with_its_context_before_it(tmp_path: Path) -> None:
    documents = (Document("a", GUIDE), Document("b", "Bees swarm in May. They leave at noon."))
    collection = Collection("made", documents, (), ())
    store = VectorStore(Letters(), tmp_path)
    chunks = chunk_documents(sentences, collection.documents)
    before = contexts.of("preceding-sentence", collection, chunks)
    ordering = parse_method("prepended-preceding-sentence")
    found = encode(store, collection.documents, chunks, ordering, CORRECTED, "", before)
    plain = encode(store, collection.documents, chunks, EmbeddingMethod(), CORRECTED)
    texts = chunks.texts(collection.documents)
    expected = store.encode([f"{b}\n\n{t}" if b else t for b, t in zip(before, texts, strict=True)])
    assert np.array_equal(found, expected)
    changed = ~(found == plain).all(axis=1)
    assert changed.tolist() == [bool(one) for one in before]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(" On fares. ", "stop", 1, 1, "x", "y"), "On fares."),
        (Reply('"On fares."', "stop", 1, 1, "x", "y"), "On fares."),
        (Reply("On\n\n fares.", "stop", 1, 1, "x", "y"), "On fares."),
        (Reply("On the fares of chil", "length", 1, 1, "x", "y"), "On the fares of"),
        (Reply("", "stop", 1, 1, "x", "y"), ""),
        (Reply("", "refused", 1, 1, "x", "y"), ""),
        (Reply("", "blocked", 1, 1, "x", "y"), ""),
    ],
)
def test_a_reply_becomes_one_line_or_no_context(reply: Reply, expected: str) -> None:
    assert contexts.context(reply) == expected


def test_each_chunk_is_shown_with_its_document_or_how_it_begins() -> None:
    asked = list(contexts.requests("openai/gpt-4o-mini", GUIDE, ["one", "two"]))
    assert asked[0].messages[:-1] == asked[1].messages[:-1]
    assert all(GUIDE in one.messages[-1].text for one in asked)
    assert [one.messages[-1].text.rpartition(" ")[2] for one in asked] == ["one", "two"]
    local = next(contexts.requests(f"local/{SMOLLM}", "x" * 9_999, ["one"]))
    assert len(local.messages[-1].text) < 700


def test_the_price_is_that_of_the_requests_and_nothing_is_asked() -> None:
    model = "openai/gpt-4o-mini"
    documents = [(GUIDE, ["It runs daily.", "Free under six."]), ("", []), ("Bees.", ["Bees."])]
    takes = expected_requests.of_contexts(model, documents)
    requests = [r for text, of in documents for r in contexts.requests(model, text, of)]
    exact = sum(one.tokens for one in requests)
    assert takes.requests == 3
    assert abs(takes.input_tokens - exact) <= len(requests)
    assert takes.dollars
    assert expected_requests.of_contexts(f"local/{SMOLLM}", documents).dollars == 0
