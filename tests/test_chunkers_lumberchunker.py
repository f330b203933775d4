"""LumberChunker: windows, answers, progress, and the authors' own chunks of Emma."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.sources import find
from chunkstudy.base.spans import Drawn
from chunkstudy.chunkers.lumberchunker import answer, authors, ielab
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import any_candidate
from chunkstudy.collections import gutenqa, released
from chunkstudy.llm.interface import Reply, Request
from chunkstudy.runs.chunking import build_chunker
from tests.made_needs import asking, said

AUTHORS, IELAB, OWN = "as_published-lumberchunker", "as_published-ielab", "corrected"
USELESS = (
    "",
    "I cannot help with that.",
    "The content changes at paragraph 3.",
    "Answer: ID",
    "Answer: ID XXXX",
    "Answer: ID -3",
    "Answer: ID ٣",
    "Answer: ID ３",
    "Answer: ID 3.5",
    "Answer: ID 3 or 4",
    "Answer: ID 3\nAnswer: ID 4",
    "Answer: ID 3\nbut it might be another one",
    "answer: id 3",
    "Answer: ID 3" + "0" * 4000,
)
WORDS = 60
TEXT = "\n".join(f"Paragraph {i} " + "word " * (WORDS - 2) for i in range(40))
"""A window holds seven of its paragraphs: seven times 62 words are 521 tokens, eight are 595."""


def shown(asked: Request) -> list[int]:
    """The numbers of the units in a request."""
    lines = asked.messages[-1].text.partition("Document:\n")[2].splitlines()
    return [int(line.split(":")[0].removeprefix("ID ")) for line in lines if line[:3] == "ID "]


def drawn(
    reply: Callable[[Request], str | Reply], text: str = TEXT, protocol: str = OWN
) -> tuple[Drawn[tuple[int, int]], list[Request]]:
    """The chunks, and what was asked."""
    asked: list[Request] = []

    ask = asking(reply, asked)
    found = build_chunker("lumberchunker", PROTOCOLS[protocol], ask=ask)(text)
    assert isinstance(found, Drawn)
    return found, asked


def joined(found: Sequence[Any]) -> list[str]:
    """The texts of chunks whose units are joined."""
    return [text for _, _, text in found]


def test_only_a_reply_that_ends_with_one_answer_is_read() -> None:
    for reply in ("Answer: ID 12", " Answer: ID 0012.\n", "It turns.\nAnswer: ID 12"):
        assert answer(reply) == 12
    assert not any(map(answer, USELESS))


def test_a_window_is_what_stays_below_550_tokens_and_begins_where_the_chunk_does() -> None:
    found, asked = drawn(lambda one: f"Answer: ID {shown(one)[3]}")
    assert [shown(one)[0] for one in asked] == list(range(0, 36, 3))
    assert {len(shown(one)) for one in asked[:-2]} == {7}
    assert found.fallbacks == 0
    paragraphs = TEXT.count("\n") + 1
    firsts = [int(TEXT[start:end].split()[1]) for start, end in found]
    assert firsts == list(range(0, paragraphs - 1, 3))


@pytest.mark.parametrize("reply", USELESS)
def test_a_useless_reply_ends_the_chunk_with_the_window_and_is_counted(reply: str) -> None:
    found, asked = drawn(lambda _: reply)
    assert len(asked) == found.fallbacks == 6
    assert len(found) == 6


REPLIES = st.one_of(
    st.text(max_size=30),
    st.integers(-5, 60).map(lambda n: f"Answer: ID {n}"),
    st.sampled_from(USELESS),
)


@pytest.mark.parametrize("protocol", [AUTHORS, IELAB])
@given(st.integers(0, 60), st.lists(REPLIES, min_size=1))
def test_the_official_loops_end_whatever_the_replies(
    protocol: str, count: int, replies: list[str]
) -> None:
    text = "\n".join(f"{i} " + "word " * (i * 37 % 170) for i in range(count))
    number = iter(range(10**6))
    found, asked = drawn(lambda _: replies[next(number) % len(replies)], text, protocol)
    assert len(asked) <= count
    assert all(0 <= span[0] <= span[1] <= len(text) for span in found)


def test_the_authors_loop_starts_one_after_the_boundary_and_drops_the_last_of_a_window() -> None:
    found, asked = drawn(lambda one: f"Answer: ID {shown(one)[2]}", protocol=AUTHORS)
    assert [shown(one)[0] for one in asked[:4]] == [0, 3, 6, 9]
    assert shown(asked[-1])[-1] < 38
    assert asked[0].temperature == 0.1
    assert [int(text.split()[1]) for text in joined(found)] == [0, *range(2, 36, 3)]


def test_the_authors_loop_takes_an_earlier_number_and_gives_an_empty_and_an_overlapping_chunk() -> (
    None
):
    texts = ["word " * 60] * 20
    replies = {0: "Answer: ID 6", 7: "Answer: ID 2", 3: "Answer: ID ٩"}
    found = authors(texts, lambda first, _: said(replies.get(first, "")))
    assert found == [(0, 6), (6, 2), (2, 9), (9, 20)]
    assert found.fallbacks == 1


@pytest.mark.parametrize(
    ("reply", "starts", "fallbacks"),
    [
        (lambda first: {0: "Answer: ID 20"}.get(first, "Answer: ID 31"), [0, 20, 25], 2),
        (lambda first: f"Answer: ID {first or 5}", [0, 5, 10, 15, 20, 25], 5),
    ],
    ids=["a paragraph that was not shown", "the same for ever"],
)
def test_ielabs_loop_takes_any_paragraph_and_goes_on_after_the_window_where_it_would_not_end(
    reply: Callable[[int], str], starts: list[int], fallbacks: int
) -> None:
    found = ielab(["x"] * 30, [100] * 30, lambda first, _: said(reply(first)))
    assert found == list(pairwise([*starts, 30]))
    assert found.fallbacks == fallbacks


@pytest.fixture(scope="module")
def emma() -> tuple[str, list[int], list[str]]:
    """Text, the paragraphs at which the authors' chunks begin, and the chunks."""
    if not all(find(workbook.path) for workbook in gutenqa.WORKBOOKS.values()):
        pytest.skip("Emma is not here; `chunkstudy fetch gutenqa-emma` brings it")
    text = released.emma_text()
    spans = list(filter(None, released.emma("lumberchunker-released")))
    starts = {start: i for i, (start, _) in enumerate(paragraphs(text))}
    return text, [starts[start] for start, _, _ in spans], [text for *_, text in spans]


def implied(begins: Sequence[int]) -> Callable[[Request], str]:
    """What the model must have said for these chunks: the first boundary in the window, or none."""

    def reply(asked: Request) -> str:
        window = shown(asked)
        found = [b for b in begins if window[0] <= b <= window[-1] and b]
        return f"Answer: ID {found[0]}" if found else "no change"

    return reply


@pytest.mark.real_data
def test_the_authors_loop_gives_their_chunks_of_emma_for_the_replies_these_imply(
    emma: tuple[str, list[int], list[str]],
) -> None:
    text, begins, chunks = emma
    found, asked = drawn(implied(begins), text, AUTHORS)
    assert [chunk.split() for chunk in joined(found)] == [chunk.split() for chunk in chunks]
    assert len(asked) >= len(chunks) - 1


def test_the_last_candidate_of_a_window_begins_the_next_one_and_a_draw_is_any_of_them() -> None:
    firsts = [
        int(TEXT[start:].split()[1])
        for start, *_ in build_chunker("lumberchunker-last", PROTOCOLS[OWN])(TEXT)
    ]
    assert firsts == list(range(0, 37, 6))
    begun = Counter(any_candidate(TEXT, draw=draw)[1][0] for draw in range(1200))
    assert len(begun) == 6  # a window shows seven, the first of which is no candidate
    assert all(140 < count < 260 for count in begun.values())
    first, again, other = (any_candidate(TEXT, draw=draw) for draw in (1, 1, 2))
    assert first == again != other
