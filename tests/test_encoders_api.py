"""Embeddings behind an API, against a server on the loopback that fails on purpose."""

from __future__ import annotations

import logging
import os
import re
import shutil
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.core import tokens
from chunkstudy.core.errors import BudgetError, ResourceError
from chunkstudy.encoders import models
from chunkstudy.encoders.api import ApiEncoder, served
from chunkstudy.encoders.models import ModelSpec
from chunkstudy.llm.prices import PRICES, Estimate, budget
from chunkstudy.pipeline.vector_store import VectorStore
from tests import api_server as server
from tests import loopback

SPEC = ModelSpec(
    id="text-embedding-3-large",
    window=8191,
    positions=8191,
    dimension=8,
    licence="proprietary (OpenAI API)",
    kind="api",
)
SECRET = "sk-proj-quite_secret-0123456789"
TEXTS = ["one", "two words", "one", "Größe 🙂", " \n", "three"]


@dataclass
class World:
    """A server, and the folder of recordings."""

    state: server.State
    folder: Path


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("CHUNKSTUDY_RECORDINGS", str(tmp_path / "recordings"))
    budget.cache_clear()
    with server.serving(dimension=SPEC.dimension) as (address, state):
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        yield World(state, tmp_path / "recordings")
    budget.cache_clear()


def expected(texts: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.stack([server.vector(text, SPEC.dimension) for text in texts])


def test_vectors_come_in_the_order_of_the_texts_each_asked_for_once_and_none_for_no_text(
    world: World,
) -> None:
    found = ApiEncoder(SPEC).encode([*TEXTS, ""])
    assert found.dtype == np.float32 and not found[-1].any()
    np.testing.assert_allclose(found[:-1], expected(TEXTS), atol=1e-6)
    assert sorted(world.state.texts) == sorted(set(TEXTS))
    assert world.state.keys == [f"Bearer {SECRET}"]
    assert {asked["model"] for asked in world.state.asked} == {SPEC.id}


def _first(change: Callable[[dict[str, Any]], object]) -> loopback.Fault:
    return loopback.changed(lambda reply: change(reply["data"][0]))


def _set(value: object) -> loopback.Fault:
    return _first(lambda item: item.update(embedding=value))


NAN = server.encoded(np.array([np.nan] * 8, dtype=np.float32))
UNUSABLE: dict[str, tuple[loopback.Fault, str]] = {
    "a page": (loopback.status(200, b"<html>"), "cannot be read.*check that a server like OpenAI"),
    "no vector": (loopback.changed(lambda reply: reply["data"].pop()), "cannot be read"),
    "an index out of range": (_first(lambda item: item.update(index=-1)), "not one for each"),
    "NaN": (_set(NAN), "not finite, for the text 'the only one'; see what it makes of that text"),
    "zeros": (_set([0.0] * 8), "of zeros.*for the text 'the only one'; see what"),
    "no base64": (_set("§§§§"), "cannot be read"),
    "no usage": (loopback.changed(lambda reply: reply.pop("usage")), r"\(usage\)"),
    "another model": (
        loopback.changed(lambda reply: reply.update(model="text-embedding-3-small")),
        "another model than text-embedding-3-large",
    ),
}


@pytest.mark.parametrize(("fault", "sentence"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_reply_that_is_of_no_use_is_a_sentence_and_nothing_is_recorded(
    world: World, fault: loopback.Fault, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    world.state.faults = [fault]
    where = os.environ["OPENAI_BASE_URL"]
    with (
        caplog.at_level(logging.DEBUG),
        pytest.raises(ResourceError, match=f"{SPEC.id} at {where}.*{sentence}") as caught,
    ):
        ApiEncoder(SPEC).encode(["the only one"])
    assert len(world.state.asked) == 1 and "\n" not in str(caught.value)
    assert not len(ApiEncoder(SPEC).recordings)
    assert SECRET not in caplog.text


def test_a_request_holds_no_more_than_the_api_takes(world: World) -> None:
    full = [f" {letter}" + " word" * 7499 for letter in string.ascii_letters[:40]]
    for extra, requests in (("", 1), (" word", 2)):
        encoder = ApiEncoder(SPEC)
        estimate = encoder.estimate([full[0] + extra, *full[1:]])
        assert (estimate.requests, estimate.input_tokens) == (requests, 300_000 + len(extra) // 5)
        encoder.encode([full[0] + extra, *full[1:]])
        sizes = [sum(encoder.token_count(request["input"])) for request in world.state.asked]
        assert len(sizes) == requests
        assert max(sizes) <= 300_000
        world.state.asked.clear()
        shutil.rmtree(world.folder)


@given(text=st.text(max_size=60), window=st.integers(1, 12))
@settings(max_examples=200)
def test_what_is_sent_is_the_longest_start_that_surely_fits(text: str, window: int) -> None:
    encoder = ApiEncoder(SPEC, window)
    (sent,) = encoder.sent([text])
    clean = tokens.without_surrogates(text)
    assert clean.startswith(sent)
    assert encoder.token_count([sent])[0] <= window
    if encoder.token_count([clean])[0] <= window:
        assert sent == clean


def test_every_registered_model_behind_the_api_has_a_price_with_source_and_date() -> None:
    for model in models.MODELS.values():
        if model.kind == "api":
            price = PRICES[model.id]
            assert price.input > 0
            assert price.source
            assert re.fullmatch(r"20\d\d-[01]\d", price.date)
            assert ApiEncoder(model).dimension == model.dimension


def test_without_a_key_one_sentence_says_what_is_missing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ApiEncoder(SPEC).encode(["one", "two"])
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(ResourceError, match=r"1 of 3 texts.*set OPENAI_API_KEY.*RECORDINGS"):
        ApiEncoder(SPEC).encode(["two", "one", "three"])


def test_recordings_of_another_server_or_model_are_not_taken(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ApiEncoder(SPEC).encode(["one"])
    small = ModelSpec("text-embedding-3-small", 8191, 8191, 8, "proprietary", kind="api")
    assert ApiEncoder(small).estimate(["one"]).requests == 1
    assert ApiEncoder(SPEC).estimate(["one"]).requests == 0
    monkeypatch.delenv("OPENAI_BASE_URL")
    there = ApiEncoder(SPEC)
    assert there.estimate(["one"]).requests == 1
    assert there.describe()["endpoint"] == "api.openai.com"


def test_an_estimate_is_what_the_run_then_takes(world: World) -> None:
    many = [f"text {i}" for i in range(3000)] + TEXTS
    encoder = ApiEncoder(SPEC)
    estimate = encoder.estimate(many)
    encoder.encode(many)
    assert [len(request["input"]) for request in world.state.asked] == [2048, 957]
    assert estimate.requests == 2
    assert estimate.input_tokens == sum(tokens.counter("cl100k").count_many(world.state.texts))
    assert estimate.dollars == pytest.approx(estimate.input_tokens * 0.13 / 1e6)
    after = encoder.estimate(many)
    assert after == Estimate()


def test_the_ceiling_stops_a_run_before_it_is_exceeded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [f"text {i}" for i in range(5000)]
    first = ApiEncoder(SPEC).estimate(many[:2048])
    monkeypatch.setenv("CHUNKSTUDY_BUDGET", str(1.5 * first.dollars))
    usage = dict.fromkeys(("prompt_tokens", "total_tokens"), first.input_tokens)
    world.state.faults = [loopback.changed(lambda reply: reply.update(usage=usage))] * 3
    with pytest.raises(BudgetError, match=r"above the ceiling of \$0.*CHUNKSTUDY_BUDGET"):
        ApiEncoder(SPEC).encode(many)
    assert len(world.state.asked) == 1
    assert budget().spent == pytest.approx(first.dollars)


def test_a_key_that_is_sent_back_as_a_name_is_not_recorded(world: World) -> None:
    address = os.environ["OPENAI_BASE_URL"]
    world.state.faults = [loopback.changed(lambda reply: reply.update(model=SECRET))]
    ApiEncoder(served(OWN, address), base_url=address).encode(["one"])
    (path,) = world.folder.rglob("*.jsonl")
    assert SECRET.encode() not in path.read_bytes()


OWN = "openai/org/any-model"


def test_a_model_that_its_server_alone_knows_tells_its_dimension_and_its_price_is_not_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = os.environ["OPENAI_BASE_URL"]
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    named = loopback.changed(lambda reply: reply.update(model="some-file.gguf"))
    world.state.faults = [named] * 4

    def opened() -> ApiEncoder:
        return ApiEncoder(served(OWN, address), base_url=address)

    before = opened().estimate(TEXTS)
    assert before.requests == 1
    assert "at a price not known here" in str(before)
    assert not world.state.asked
    encoder = opened()
    np.testing.assert_allclose(encoder.encode(TEXTS), expected(TEXTS), atol=1e-6)
    assert world.state.asked[0]["model"] == "org/any-model"
    assert world.state.keys == ["Bearer none"]
    again = opened()
    assert again.dimension == encoder.dimension == 8
    assert again.encode(TEXTS).tobytes() == encoder.encode(TEXTS).tobytes()
    assert [len(one["input"]) for one in world.state.asked] == [5]


def test_a_store_takes_the_first_vectors_of_a_server_whose_dimension_nobody_knows(
    world: World, tmp_path: Path
) -> None:
    address = os.environ["OPENAI_BASE_URL"]
    store = VectorStore(ApiEncoder(served(OWN, address), base_url=address), tmp_path / "vectors")
    np.testing.assert_allclose(store.encode(TEXTS), expected(TEXTS), atol=1e-6)


def test_vectors_of_changing_dimension_are_refused(world: World) -> None:
    address = os.environ["OPENAI_BASE_URL"]
    encoder = ApiEncoder(served(OWN, address), base_url=address)
    encoder.encode(["one"])
    for later in (encoder, ApiEncoder(encoder.spec, base_url=address)):
        world.state.faults = [_set([1.0] * 7)]
        with pytest.raises(ResourceError, match=r"7 numbers where 8 are expected.*to a new folder"):
            later.encode(["two"])


@pytest.mark.parametrize(
    ("name", "address", "sentence"),
    [
        ("openai/", None, "names no model behind an API"),
        ("bge-m3", None, "names no model behind an API"),
        (OWN, "ftp://localhost", "is no address; write it as"),
        (OWN, "https://api.openai.com/v1", "no price is known.*with --base-url the server"),
    ],
)
def test_what_names_no_model_no_address_or_no_price_is_refused(
    name: str, address: str | None, sentence: str
) -> None:
    with pytest.raises(ResourceError, match=sentence):
        ApiEncoder(served(name, address), base_url=address)
