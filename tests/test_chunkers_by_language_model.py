"""Chunkers that ask a language model: slugs, prices, the real SDK, and what a run takes; Chroma's
and LumberChunker's windows, answers and progress."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.chunkers import llm_windows
from chunkstudy.chunkers.llm_windows import ATTEMPTS, numbers, official_numbers, splits, window
from chunkstudy.chunkers.lumberchunker import answer, ielab, ielab_answer
from chunkstudy.chunkers.random_boundaries import any_candidate
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import BudgetError
from chunkstudy.core.protocols import PROTOCOLS
from chunkstudy.core.spans import Collection, Drawn
from chunkstudy.llm.interface import Request
from chunkstudy.llm.prices import Budget
from chunkstudy.pipeline.chunking import build_chunker, cut, shown_by_sentence
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.requirements import reason_not_run
from tests import api_server
from tests.api_server import Asked
from tests.made_needs import asking, replied

BREAKPOINTS = ("breakpoints-structure", "breakpoints-topic", "breakpoints-summary")
CHUNKERS = ("lumberchunker", "proposition", "llm", *BREAKPOINTS)


def condition(chunker: str, collection: str = "builtin") -> Condition:
    return Condition(collection, chunker, "none", "none", "corrected")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No key, no recording."""
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "CHUNKSTUDY_LLM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHUNKSTUDY_LLM_RECORDINGS", str(tmp_path))
    return tmp_path


def test_what_cannot_be_run_says_that_a_recording_or_a_key_is_missing(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = reason_not_run(condition("llm"))
    assert reason == (
        "needs recordings of openai/gpt-4o, which draws these boundaries, or OPENAI_API_KEY and "
        "CHUNKSTUDY_LLM=record to ask it, since nobody released them"
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    assert reason_not_run(condition("llm")) == reason
    monkeypatch.setenv("CHUNKSTUDY_LLM", "record")
    assert reason_not_run(condition("llm")) is None
    assert "GEMINI_API_KEY" in str(reason_not_run(condition("lumberchunker")))
    monkeypatch.delenv("CHUNKSTUDY_LLM")
    recorded = bare / "api.openai.com" / "gpt-4o.jsonl"
    recorded.parent.mkdir()
    recorded.write_text("{}\n")
    assert reason_not_run(condition("llm")) is None


def says(asked: Asked) -> str:
    return replied(asked.system, asked.texts[-1])


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_a_run_over_a_server_with_faults_is_replayed_without_it(
    chunker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    small = few(-7)
    one = condition(f"{chunker}-by-openai__gpt-4o-mini")
    faults = [api_server.refusal, api_server.filtered, api_server.cut_off]
    with api_server.serving(says=says, faults=faults) as (address, state):
        # One document after the other, so that the faults meet one window.
        first = cut(
            small, one.chunking, one.rules, asker=api_server.asker(address, tmp_path, at_once=1)
        )
        asked = len(state.asked)
        assert asked >= 4
        assert first.fallbacks > 0
        again = cut(small, one.chunking, one.rules, asker=api_server.asker(address, tmp_path))
        assert len(state.asked) == asked
        assert again.digest() == first.digest()
        assert again.fallbacks == first.fallbacks


def test_documents_are_drawn_side_by_side_and_come_out_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    several = few(-9)
    one = condition("lumberchunker-by-openai__gpt-4o-mini")
    together = threading.Barrier(4, timeout=60)
    waiting = threading.Lock()
    met: list[Asked] = []

    def says_together(asked: Asked) -> str:
        """The first four requests are answered when all four are there."""
        with waiting:
            first = len(met) < 4
            met.append(asked)
        if first:
            together.wait()
        return says(asked)

    with api_server.serving(says=says_together) as (address, _):
        found = cut(several, one.chunking, one.rules, asker=api_server.asker(address, tmp_path))
    replayed = api_server.asker(address, tmp_path, "replay")
    assert cut(several, one.chunking, one.rules, asker=replayed).digest() == found.digest()
    assert found.document.tolist() == sorted(found.document.tolist())


def few(first: int) -> Collection:
    """Some of the last built-in documents."""
    whole = load_collection("builtin")
    documents = whole.documents[first:-1]
    return replace(whole, documents=documents, judgments=(), queries=(), groups={})


def test_a_budget_that_does_not_cover_the_estimate_stops_before_the_first_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    one = condition("llm-by-openai__gpt-4o-mini")
    with api_server.serving(says=says) as (address, state), pytest.raises(BudgetError):
        poor = api_server.asker(address, tmp_path, budget=Budget(0.001))
        cut(load_collection("builtin"), one.chunking, one.rules, asker=poor)
    assert not state.asked


def test_books_are_shown_by_paragraph_and_everything_else_by_sentence_as_ielab_does() -> None:
    whole = load_collection("builtin")
    assert shown_by_sentence(whole)
    books = tuple(replace(query, document=whole.documents[0].id) for query in whole.queries)
    assert not shown_by_sentence(replace(whole, queries=books))


SIZES = [45] * 60
"""Eighteen such pieces hold 810 tokens."""
TEXTS = [f"piece {i}" for i in range(60)]
USELESS = (
    "",
    "No.",
    "Split after piece 3.",
    "split_after:",
    "split_after: none",
    "split_after: 5, 3",
    "split_after: 3, 3",
    "split_after: -3",
    "split_after: ٣",
    "split_after: ３",
    "split_after: 3, 99",
    "split_after: 1000000000000",
    "split_after: 3 because the topic changes",
    "The topic changes.\nsplit_after: 3\nsplit_after: 4",
    "split_after: 0",
)


def found(
    reply: Callable[[Request], str], quirks: bool = False, model: str = "openai/gpt-4o"
) -> tuple[list[int], int, list[Request]]:
    """Splits, how many the rule made, and what was asked."""
    asked: list[Request] = []
    choose = llm_windows.choosing(asking(reply, asked), model, TEXTS, quirks)
    return (*splits(SIZES, choose), asked)


def first(asked: Request) -> int:
    """The number of the first piece shown."""
    return int(asked.messages[-1].text.partition("_chunk_")[2].partition("|")[0])


def test_a_window_is_the_fewest_pieces_above_800_tokens() -> None:
    assert window(SIZES, 0) == 18
    assert window([400, 400, 1, 9], 0) == 3
    assert window([900, 1], 0) == 1
    assert window(SIZES, 50) == 60


def test_the_next_window_begins_at_the_last_split_and_fewer_than_five_pieces_are_left_alone() -> (
    None
):
    got, by_rule, asked = found(lambda one: f"split_after: {first(one) + 2}, {first(one) + 9}")
    assert [first(one) for one in asked] == [1, 11, 21, 31, 41, 51]
    assert got == [3, 10, 13, 20, 23, 30, 33, 40, 43, 50, 53, 60]
    assert by_rule == 0
    assert asked[0].temperature == 0.2
    assert asked[0].output_limit == 200


@pytest.mark.parametrize("reply", USELESS)
def test_a_useless_reply_is_asked_for_again_and_then_the_rule_splits_after_the_window(
    reply: str,
) -> None:
    got, by_rule, asked = found(lambda _: reply)
    assert (got, by_rule) == ([18, 36, 54, 60], 4)
    assert len(asked) == 4 * ATTEMPTS
    assert [one.attempt for one in asked[:ATTEMPTS]] == list(range(ATTEMPTS))
    assert len({one.messages for one in asked[:ATTEMPTS]}) > 1


def test_only_the_official_form_takes_pieces_that_were_not_shown_and_other_digits() -> None:
    assert found(lambda one: "split_after: 3, 50" if first(one) == 1 else "", True)[0] == [
        3,
        50,
        60,
    ]
    assert found(lambda one: "I say: split_after: ٧ (of 9)", True)[0][:2] == [7, 9]
    assert found(lambda _: "split_after: 1000000000000", True)[:2] == ([10**12], 0)
    assert found(lambda _: "split_after: 2, 2, 7", True)[0][:3] == [2, 2, 7]
    assert official_numbers("x\nsplit_after: 3, 1\nsplit_after: 9") == [3, 1]
    assert official_numbers("nothing") is None
    assert numbers(" split_after: 3,5, 9.\n") == [3, 5, 9]


def test_a_model_that_runs_here_is_held_to_one_split_inside_the_window() -> None:
    got, by_rule, asked = found(lambda one: one.answers[1], model="local/made")
    assert asked[0].answers == tuple(f"split_after: {i}" for i in range(1, 18))
    assert got[:3] == [2, 4, 6]
    assert by_rule == 0
    examples = llm_windows.ASKED["examples"]
    for example, message in zip(examples, asked[0].messages[2::2], strict=True):
        assert numbers(message.text) == [llm_windows.EXAMPLE_START + example["split"]]
        assert 0 < example["split"] < len(example["pieces"])


IELAB, OWN = "as_published-ielab", "corrected"
UNREAD = (
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
    reply: Callable[[Request], str], text: str = TEXT, protocol: str = OWN
) -> tuple[Drawn[tuple[int, int]], list[Request]]:
    """The chunks, and what was asked."""
    asked: list[Request] = []

    ask = asking(reply, asked)
    found = build_chunker("lumberchunker", PROTOCOLS[protocol], ask=ask)(text)
    assert isinstance(found, Drawn)
    return found, asked


def test_only_a_reply_that_ends_with_one_answer_is_read() -> None:
    for reply in ("Answer: ID 12", " Answer: ID 0012.\n", "It turns.\nAnswer: ID 12"):
        assert answer(reply) == 12
    assert not any(map(answer, UNREAD))


def test_a_window_is_what_stays_below_550_tokens_and_begins_where_the_chunk_does() -> None:
    found, asked = drawn(lambda one: f"Answer: ID {shown(one)[3]}")
    assert [shown(one)[0] for one in asked] == list(range(0, 36, 3))
    assert {len(shown(one)) for one in asked[:-2]} == {7}
    assert found.fallbacks == 0
    paragraphs = TEXT.count("\n") + 1
    firsts = [int(TEXT[start:end].split()[1]) for start, end in found]
    assert firsts == list(range(0, paragraphs - 1, 3))


@pytest.mark.parametrize("reply", UNREAD)
def test_a_useless_reply_ends_the_chunk_with_the_window_and_is_counted(reply: str) -> None:
    found, asked = drawn(lambda _: reply)
    assert len(asked) == found.fallbacks == 6
    assert len(found) == 6


REPLIES = st.one_of(
    st.text(max_size=30),
    st.integers(-5, 60).map(lambda n: f"Answer: ID {n}"),
    st.sampled_from(UNREAD),
)


@given(st.integers(0, 60), st.lists(REPLIES, min_size=1))
def test_ielabs_loop_ends_whatever_the_replies(count: int, replies: list[str]) -> None:
    text = "\n".join(f"{i} " + "word " * (i * 37 % 170) for i in range(count))
    number = iter(range(10**6))
    found, asked = drawn(lambda _: replies[next(number) % len(replies)], text, IELAB)
    assert len(asked) <= count
    assert all(0 <= span[0] <= span[1] <= len(text) for span in found)


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
    found = ielab(["x"] * 30, [100] * 30, lambda first, _: ielab_answer(reply(first)))
    assert found == list(pairwise([*starts, 30]))
    assert found.fallbacks == fallbacks


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
