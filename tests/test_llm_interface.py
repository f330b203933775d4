"""A request's name: all that determines a reply changes it, nothing else does."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from typing import Any

import pytest

from chunkstudy.llm.interface import Message, Reply, Request, canonical, digest

ASKED = Request(
    "openai/gpt-4o-mini",
    (Message("system", "Be brief."), Message("user", "Where does it turn?")),
    output_limit=20,
)
PROVIDER = {"name": "openai", "endpoint": "api.openai.com"}


def name(request: Request) -> str:
    return digest(PROVIDER, request.recorded())


CHANGES: dict[str, Any] = {
    "model": "openai/gpt-4o",
    "messages": (Message("system", "Be brief."), Message("user", "Where does it turn? ")),
    "output_limit": 21,
    "temperature": 0.1,
    "seed": 0,
    "answers": ("1", "2"),
    "json": True,
    "attempt": 1,
}


def test_every_attribute_of_a_request_changes_its_name() -> None:
    assert set(CHANGES) == {field.name for field in dataclasses.fields(Request)}
    names = [name(dataclasses.replace(ASKED, **{k: v})) for k, v in CHANGES.items()]
    assert len({name(ASKED), *names}) == len(CHANGES) + 1


def test_a_text_in_another_role_or_another_place_is_another_request() -> None:
    a, b = Message("user", "a"), Message("user", "b")
    swapped = [Request("local/x", messages, 1) for messages in ((a, b), (b, a))]
    roles = [
        Request("local/x", (Message(role, "a"), b), 1) for role in ("system", "assistant", "user")
    ]
    assert len({name(one) for one in (*swapped, *roles)}) == 4


def test_the_name_is_the_same_in_another_process() -> None:
    program = "from tests.test_llm_interface import ASKED, name\nprint(name(ASKED))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == name(ASKED)


def test_lone_surrogates_are_asked_as_replacement_characters() -> None:
    broken = Request("local/x", (Message("user", "a \ud83d b"),), 1)
    assert broken.messages[0].text == "a \ufffd b"
    assert name(broken) == name(Request("local/x", (Message("user", "a \ufffd b"),), 1))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"messages": ()}, "ends with a message of the user"),
        ({"messages": (Message("user", "a"), Message("assistant", "b"))}, "ends with a message"),
        ({"output_limit": 0}, "allows no reply"),
        ({"temperature": -0.1}, "use 0 to 2"),
        ({"temperature": float("nan")}, "use 0 to 2"),
        ({"answers": ("1", "1")}, "must differ"),
        ({"answers": ("",)}, "none may be empty"),
    ],
)
def test_what_cannot_be_asked_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(ASKED, **values)


def test_a_reply_is_read_back_as_it_was_recorded() -> None:
    reply = Reply("ID 3\n", "length", 7, 2, "gemini", "m", 0.25, "2026-05-17", ("seed", "answers"))
    assert Reply.of(json.loads(canonical(reply.recorded()))) == reply
