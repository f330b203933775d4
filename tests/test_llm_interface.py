"""A request's name: all that determines a reply changes it, nothing else does."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from chunkstudy.llm.interface import Message, Request, digest

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
