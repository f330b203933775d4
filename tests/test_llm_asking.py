"""Asking: replayed or recorded, priced first, and no dollar beyond the ceiling."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.llm.asking import Asker, NotRecordedError
from chunkstudy.llm.interface import (
    LanguageModelError,
    Message,
    Mode,
    RefusedError,
    Reply,
    Request,
    digest,
)
from chunkstudy.llm.prices import PRICES, Budget, BudgetError

PRICE = PRICES["gpt-4o-mini"]


@dataclass
class Made:
    """A provider in this process; ``outcomes`` are used up before honest replies follow."""

    name: str = "openai"
    endpoint: str = "api.example"
    outcomes: list[Reply | Exception] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    gate: threading.Barrier | None = None

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    def ask(self, request: Request) -> Reply:
        self.asked.append(request.messages[-1].text)
        if self.gate:
            self.gate.wait(10)
        outcome = self.outcomes.pop(0) if self.outcomes else honest(request)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def honest(request: Request) -> Reply:
    text = f"reply to {request.messages[-1].text}"
    return Reply(text, "stop", 20, 3, "openai", "gpt-4o-mini-2024-07-18")


def question(i: object, model: str = "openai/gpt-4o-mini", limit: int = 50) -> Request:
    return Request(model, (Message("user", f"question {i}"),), limit)


@dataclass
class World:
    folder: Path
    made: Made = field(default_factory=Made)
    budget: Budget = field(default_factory=Budget)

    def asker(self, mode: Mode = "record", **values: Any) -> Asker:
        return Asker(
            mode,
            self.folder,
            self.budget,
            provider=lambda _: self.made,
            **values,
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_was_recorded_is_replayed_and_nobody_is_asked(world: World) -> None:
    asker = world.asker()
    first = [asker.ask(question(i)) for i in range(3)]
    world.made.asked.clear()
    again = world.asker("replay")
    assert [again.ask(question(i)) for i in (2, 0, 1)] == [first[2], first[0], first[1]]
    assert list(again.together(again.ask, map(question, range(3)))) == first
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", first[0].date)
    assert not world.made.asked


def test_what_is_not_recorded_is_an_error_that_names_it_and_says_how_to_record_it(
    world: World,
) -> None:
    asker = world.asker("replay")
    name = digest(world.made.describe(), question(7).recorded())
    with pytest.raises(
        NotRecordedError, match=rf"gpt-4o-mini.*'question 7'.*{name[:16]}.*CHUNKSTUDY_LLM=record"
    ) as caught:
        asker.ask(question(7))
    assert "\n" not in str(caught.value)
    assert not world.made.asked


def test_replay_is_what_happens_unless_the_environment_says_otherwise(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKSTUDY_LLM", raising=False)
    monkeypatch.setenv("CHUNKSTUDY_LLM_RECORDINGS", str(world.folder))
    assert Asker().mode == "replay"
    assert Asker().folder == world.folder
    monkeypatch.setenv("CHUNKSTUDY_LLM", "record")
    assert Asker().mode == "record"
    monkeypatch.setenv("CHUNKSTUDY_LLM", "recrod")
    with pytest.raises(LanguageModelError, match="'recrod'; set it to replay or record"):
        Asker()


def test_the_same_asked_twice_at_once_is_paid_once(world: World) -> None:
    asker = world.asker(at_once=8)
    replies = list(asker.together(asker.ask, (question(i % 4) for i in range(64))))
    assert len(world.made.asked) == 4
    assert {one.text for one in replies} == {f"reply to question {i}" for i in range(4)}
    assert world.budget.spent == pytest.approx(4 * PRICE.dollars(20, 3))


def test_after_a_failure_what_is_under_way_is_recorded_and_little_else_is_begun(
    world: World,
) -> None:
    world.made.outcomes = [LanguageModelError("broke")]
    asker = world.asker(at_once=2)
    with pytest.raises(LanguageModelError):
        list(asker.together(asker.ask, map(question, range(5000))))
    begun = len(world.made.asked)
    assert begun < 2500
    # Which of the two that were asked together met the failure, threads decide.
    recorded = 0
    for at in range(begun):
        with suppress(NotRecordedError):
            world.asker("replay").ask(question(at))
            recorded += 1
    assert recorded == begun - 1


def test_a_refusal_costs_nothing_and_a_lost_reply_may_have(world: World) -> None:
    asked = question(0)
    most = PRICE.dollars(asked.tokens, asked.output_limit)
    world.made.outcomes = [RefusedError("answered 500"), LanguageModelError("sent half a reply")]
    for spent in (0.0, most):
        with pytest.raises(LanguageModelError):
            world.asker().ask(asked)
        assert world.budget.spent == pytest.approx(spent)
    world.asker().ask(asked)
    assert world.budget.spent == pytest.approx(most + PRICE.dollars(20, 3))


def test_requests_under_way_together_do_not_exceed_the_ceiling(world: World) -> None:
    asked = [question(i) for i in range(40)]
    most = PRICE.dollars(asked[0].tokens, asked[0].output_limit)
    world.budget = Budget(4.5 * most)
    world.made.outcomes = [LanguageModelError("sent half a reply")] * 1000
    asker = world.asker(at_once=16)

    def lost(request: Request) -> None:
        with suppress(LanguageModelError, BudgetError):
            asker.ask(request)

    list(asker.together(lost, asked))
    assert world.budget.spent <= world.budget.ceiling
    assert len(world.made.asked) == 4


def test_a_model_without_a_known_price_is_not_asked(world: World) -> None:
    with pytest.raises(LanguageModelError, match="no price is known for openai/gpt-9"):
        world.asker().ask(question(0, "openai/gpt-9"))
    assert not world.made.asked
