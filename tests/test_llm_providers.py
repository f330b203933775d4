"""The real SDKs against a server on the loopback that misbehaves on purpose; asking is replayed or
recorded, priced first, and no dollar is spent beyond the ceiling."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.core.errors import BudgetError, LanguageModelError
from chunkstudy.llm import gemini, openai_client
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Message, Mode, Reply, Request, digest
from chunkstudy.llm.keys import REMOVED
from chunkstudy.llm.prices import PRICES, Budget
from tests import api_server as server
from tests.loopback import Fault, Handler, cut_body, cut_json, dropped, stall, status

SECRET = "AIza-quite_secret-0123456789"
OPENAI, GEMINI = "openai/gpt-4o-mini", "gemini/gemini-1.5-flash"
WIRES = (OPENAI, GEMINI)


def ask_for(model: str, text: str = "Where does it turn?", **values: object) -> Request:
    messages = (Message("system", "Be brief."), Message("user", text))
    return Request(model, messages, 20, **values)  # type: ignore[arg-type]


@dataclass
class World:
    """A server, and an asker that asks it."""

    state: server.State
    address: str
    folder: Path
    budget: Budget = field(default_factory=Budget)

    def asker(self) -> Asker:
        return Asker("record", self.folder, self.budget)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with server.serving() as (address, state):
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("GEMINI_API_KEY", SECRET)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        monkeypatch.setenv("CHUNKSTUDY_GEMINI_URL", address)
        for module in (openai_client, gemini):
            monkeypatch.setattr(module, "TIMEOUT", 0.5)
        yield World(state, address, tmp_path)


@pytest.mark.parametrize("model", WIRES)
def test_a_reply_says_what_came_back_and_from_whom(world: World, model: str) -> None:
    reply = world.asker().ask(ask_for(model))
    (asked,) = world.state.asked
    assert (asked.system, asked.texts) == ("Be brief.", ("Where does it turn?",))
    assert asked.key == SECRET
    assert f"{asked.wire}/{asked.model}" == model
    assert (reply.text, reply.finish) == (server.hashed(asked), "stop")
    assert (reply.input_tokens, reply.output_tokens) == (100, 10)
    assert reply.provider == model.partition("/")[0]
    assert reply.model.startswith(asked.model)
    assert reply.not_sent == ()


def test_settings_reach_gemini_and_nothing_is_held_back_for_its_content(world: World) -> None:
    world.asker().ask(ask_for(GEMINI, temperature=0.5, json=True))
    settings = world.state.asked[0].settings
    assert settings["generationConfig"] == {
        "temperature": 0.5,
        "maxOutputTokens": 20,
        "responseMimeType": "application/json",
    }
    from google.generativeai.types import HarmBlockThreshold

    thresholds = [one["threshold"] for one in settings["safetySettings"]]
    assert thresholds == [HarmBlockThreshold.BLOCK_NONE.value] * 4


PASSING: dict[str, tuple[str, Fault]] = {
    f"{model}: {kind}": (model, fault)
    for model in WIRES
    for kind, fault in {
        "429": status(429, headers={"Retry-After-Ms": "1"}),
        "503 with HTML": status(503, b"<html>upstream</html>"),
        "dropped connection": dropped,
        "cut-off body": cut_body,
        "stall": stall,
    }.items()
}


@pytest.mark.parametrize(("model", "fault"), PASSING.values(), ids=PASSING)
def test_a_fault_that_passes_is_waited_out(
    world: World, model: str, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    world.state.faults = [fault]
    with caplog.at_level(logging.DEBUG):
        reply = world.asker().ask(ask_for(model))
    assert reply.text == server.hashed(world.state.asked[0])
    assert len(world.state.asked) == 2
    assert SECRET not in caplog.text


def test_a_server_that_goes_on_failing_is_given_up_in_one_sentence(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_client, "RETRIES", 2)
    world.state.faults = [status(429, headers={"Retry-After-Ms": "1"})] * 9
    with pytest.raises(LanguageModelError, match=r"answered 429; run again later"):
        world.asker().ask(ask_for(OPENAI))
    assert len(world.state.asked) == 3
    assert world.budget.spent == 0


UNREADABLE: dict[str, tuple[str, Fault]] = {
    f"{model}: {kind}": (model, fault)
    for model, faults in {
        OPENAI: {
            "no choices": server.no_choices,
            "no usage": server.no_usage,
            "another finish": server.another_finish,
        },
        GEMINI: {
            "no candidates": server.no_candidates,
            "no usage": server.no_usage_metadata,
            "another finish": server.another_candidate_finish,
        },
    }.items()
    for kind, fault in {
        **faults,
        "cut-off JSON": cut_json,
        "an empty reply": status(200, b""),
    }.items()
}


@pytest.mark.parametrize(("model", "fault"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_reply_that_is_not_whole_is_not_believed_and_counts_as_paid(
    world: World, model: str, fault: Fault
) -> None:
    world.state.faults = [fault]
    with pytest.raises(LanguageModelError, match="sent a reply that cannot be read"):
        world.asker().ask(ask_for(model))
    assert len(world.state.asked) == 1
    assert world.budget.spent > 0


WRONG_KEY = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}
ENDING: dict[str, tuple[str, Fault, str]] = {
    "OpenAI 401": (OPENAI, status(401), "401; check OPENAI_API_KEY"),
    "no credit": (
        OPENAI,
        status(429, b'{"error": {"code": "insufficient_quota"}}', {"x-should-retry": "false"}),
        r"429 \(insufficient_quota\); add credit",
    ),
    "another model": (OPENAI, server.another_model, "another model than gpt-4o-mini"),
    "Gemini wrong key": (
        GEMINI,
        status(400, json.dumps({"error": {"code": 400, "details": [WRONG_KEY]}}).encode()),
        r"400 \(API_KEY_INVALID\); check GEMINI_API_KEY or GOOGLE_API_KEY",
    ),
    "Gemini 404": (GEMINI, status(404), "404; check the address and the model's name"),
    "an hour to wait": (
        OPENAI,
        status(429, headers={"Retry-After": "3600"}),
        "answered 429; run again later",
    ),
}


@pytest.mark.parametrize(("model", "fault", "sentence"), ENDING.values(), ids=ENDING)
def test_a_fault_that_cannot_pass_is_not_repeated(
    world: World, model: str, fault: Fault, sentence: str
) -> None:
    world.state.faults = [fault]
    with pytest.raises(LanguageModelError, match=sentence) as caught:
        world.asker().ask(ask_for(model))
    assert "\n" not in str(caught.value)
    assert len(world.state.asked) == 1


NO_ANSWER: dict[str, tuple[str, Fault, str]] = {
    "OpenAI declines": (OPENAI, server.refusal, "refused"),
    "OpenAI filters": (OPENAI, server.filtered, "blocked"),
    "Gemini blocks its reply": (GEMINI, server.blocked_candidate, "blocked"),
    "Gemini blocks the prompt": (GEMINI, server.blocked_prompt, "blocked"),
}


@pytest.mark.parametrize(("model", "fault", "finish"), NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_refusal_is_a_reply_without_text_and_not_asked_again(
    world: World, model: str, fault: Fault, finish: str
) -> None:
    world.state.faults = [fault]
    reply = world.asker().ask(ask_for(model))
    assert (reply.text, reply.finish) == ("", finish)
    assert reply.input_tokens == 100
    assert len(world.state.asked) == 1


def echo_in_error(handler: Handler, honest: dict[str, object]) -> None:
    body = f'{{"error": {{"message": "wrong key {SECRET}", "code": "{SECRET}"}}}}'
    handler.send(401, body.encode())


@pytest.mark.parametrize("model", WIRES)
def test_a_key_echoed_in_an_error_reaches_nothing(
    world: World, model: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    world.state.faults = [echo_in_error] * 3  # Google's own code asks again twice at a 401
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(LanguageModelError, match="answered 401; check") as caught,
    ):
        world.asker().ask(ask_for(model))
    chain: BaseException | None = caught.value
    while chain is not None:
        assert SECRET not in repr(chain)
        chain = chain.__cause__ or chain.__context__
    output = capsys.readouterr()
    assert SECRET not in caplog.text + output.out + output.err


@pytest.mark.parametrize("model", WIRES)
def test_a_key_echoed_in_a_reply_is_taken_out_before_it_is_recorded(
    world: World, model: str
) -> None:
    world.state.says = lambda asked: f"your key is {asked.key}, isn't it"
    reply = world.asker().ask(ask_for(model))
    assert reply.text == f"your key is {REMOVED}, isn't it"
    (path,) = world.folder.rglob("*.jsonl")
    assert SECRET.encode() not in path.read_bytes()


def test_a_server_of_ones_own_is_asked_without_a_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_SERVER_URL", f"{world.address}/v1")
    reply = world.asker().ask(ask_for("server/llama3.2:1b"))
    (asked,) = world.state.asked
    assert (asked.wire, asked.key, asked.model) == ("openai", "none", "llama3.2:1b")
    assert reply.provider == "server"


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
class InProcess:
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
def in_process(tmp_path: Path) -> InProcess:
    return InProcess(tmp_path)


def test_what_was_recorded_is_replayed_and_nobody_is_asked(in_process: InProcess) -> None:
    asker = in_process.asker()
    first = [asker.ask(question(i)) for i in range(3)]
    in_process.made.asked.clear()
    again = in_process.asker("replay")
    assert [again.ask(question(i)) for i in (2, 0, 1)] == [first[2], first[0], first[1]]
    assert list(again.together(again.ask, map(question, range(3)))) == first
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", first[0].date)
    assert not in_process.made.asked


def test_what_is_not_recorded_is_an_error_that_names_it_and_says_how_to_record_it(
    in_process: InProcess,
) -> None:
    asker = in_process.asker("replay")
    name = digest(in_process.made.describe(), question(7).recorded())
    with pytest.raises(
        LanguageModelError, match=rf"gpt-4o-mini.*'question 7'.*{name[:16]}.*CHUNKSTUDY_LLM=record"
    ) as caught:
        asker.ask(question(7))
    assert "\n" not in str(caught.value)
    assert not in_process.made.asked


def test_replay_is_what_happens_unless_the_environment_says_otherwise(
    in_process: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKSTUDY_LLM", raising=False)
    monkeypatch.setenv("CHUNKSTUDY_LLM_RECORDINGS", str(in_process.folder))
    assert Asker().mode == "replay"
    assert Asker().folder == in_process.folder
    monkeypatch.setenv("CHUNKSTUDY_LLM", "record")
    assert Asker().mode == "record"
    monkeypatch.setenv("CHUNKSTUDY_LLM", "recrod")
    with pytest.raises(LanguageModelError, match="'recrod'; set it to replay or record"):
        Asker()


def test_the_same_asked_twice_at_once_is_paid_once(in_process: InProcess) -> None:
    asker = in_process.asker(at_once=8)
    replies = list(asker.together(asker.ask, (question(i % 4) for i in range(64))))
    assert len(in_process.made.asked) == 4
    assert {one.text for one in replies} == {f"reply to question {i}" for i in range(4)}
    assert in_process.budget.spent == pytest.approx(4 * PRICE.dollars(20, 3))


def test_after_a_failure_what_is_under_way_is_recorded_and_little_else_is_begun(
    in_process: InProcess,
) -> None:
    in_process.made.outcomes = [LanguageModelError("broke")]
    asker = in_process.asker(at_once=2)
    with pytest.raises(LanguageModelError):
        list(asker.together(asker.ask, map(question, range(5000))))
    begun = len(in_process.made.asked)
    assert begun < 2500
    # Which of the two that were asked together met the failure, threads decide.
    recorded = 0
    for at in range(begun):
        with suppress(LanguageModelError):
            in_process.asker("replay").ask(question(at))
            recorded += 1
    assert recorded == begun - 1


def test_a_refusal_costs_nothing_and_a_lost_reply_may_have(in_process: InProcess) -> None:
    asked = question(0)
    most = PRICE.dollars(asked.tokens, asked.output_limit)
    in_process.made.outcomes = [
        LanguageModelError("answered 500", refused=True),
        LanguageModelError("sent half a reply"),
    ]
    for spent in (0.0, most):
        with pytest.raises(LanguageModelError):
            in_process.asker().ask(asked)
        assert in_process.budget.spent == pytest.approx(spent)
    in_process.asker().ask(asked)
    assert in_process.budget.spent == pytest.approx(most + PRICE.dollars(20, 3))


def test_requests_under_way_together_do_not_exceed_the_ceiling(in_process: InProcess) -> None:
    asked = [question(i) for i in range(40)]
    most = PRICE.dollars(asked[0].tokens, asked[0].output_limit)
    in_process.budget = Budget(4.5 * most)
    in_process.made.outcomes = [LanguageModelError("sent half a reply")] * 1000
    asker = in_process.asker(at_once=16)

    def lost(request: Request) -> None:
        with suppress(LanguageModelError, BudgetError):
            asker.ask(request)

    list(asker.together(lost, asked))
    assert in_process.budget.spent <= in_process.budget.ceiling
    assert len(in_process.made.asked) == 4


def test_a_model_without_a_known_price_is_not_asked(in_process: InProcess) -> None:
    with pytest.raises(LanguageModelError, match="no price is known for openai/gpt-9"):
        in_process.asker().ask(question(0, "openai/gpt-9"))
    assert not in_process.made.asked
