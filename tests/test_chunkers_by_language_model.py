"""Chunkers that ask a language model: slugs, prices, the real SDK, and what a run takes."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from chunkstudy.base.spans import Collection
from chunkstudy.collections.registry import load_collection
from chunkstudy.llm.prices import Budget, BudgetError
from chunkstudy.runs.chunking import cut, shown_by_sentence
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.requirements import reason_not_run
from tests import api_server
from tests.api_server import Asked
from tests.made_needs import replied

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
