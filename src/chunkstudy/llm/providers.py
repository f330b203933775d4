"""Who answers under which name: the part of a model's name before the first slash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.models import is_language_model
from chunkstudy.core.settings import Settings
from chunkstudy.llm import gemini, openai_client
from chunkstudy.llm.gemini import GeminiProvider
from chunkstudy.llm.interface import Provider, Reply, Request
from chunkstudy.llm.local import LocalProvider
from chunkstudy.llm.openai_client import OpenAIClient


class Authored:
    """Replies that people wrote; there is nobody to ask."""

    name = "authored"
    endpoint = "authored"

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    def ask(self, request: Request) -> Reply:
        raise LanguageModelError(
            f"a reply of {request.model} is missing, and there is nobody to ask for it; write it "
            "down with Recordings.write"
        )


def server(model: str) -> Provider:
    """A server of the user's own that speaks like OpenAI: Ollama, vLLM, llama.cpp.

    Raises:
        LanguageModelError: if CHUNKSTUDY_SERVER_URL does not name its address.
    """
    address = Settings.from_env().server_address
    if not address:
        raise LanguageModelError(
            f"server/{model} needs an address; set CHUNKSTUDY_SERVER_URL, for instance to "
            "http://localhost:11434/v1 for Ollama"
        )
    return OpenAIClient("server", model, address, ("CHUNKSTUDY_SERVER_KEY",))


PROVIDERS: Mapping[str, Callable[[str], Provider]] = {
    "openai": lambda model: OpenAIClient("openai", model),
    "gemini": GeminiProvider,
    "server": server,
    "local": LocalProvider,
    "authored": lambda _: Authored(),
}


def provider(name: str) -> Provider:
    """The provider of a model, by its whole name.

    Raises:
        LanguageModelError: if there is none of that name.
    """
    if not is_language_model(name):
        raise LanguageModelError(
            f"unknown language model {name!r}; name a provider and a model, such as "
            f"openai/gpt-4o-mini: the providers are {', '.join(PROVIDERS)}"
        )
    kind, _, model = name.partition("/")
    return PROVIDERS[kind](model)


def takes(name: str) -> tuple[tuple[str, ...], str]:
    """The variables of which asking a model takes one, and what it takes in words."""
    kind = name.partition("/")[0]
    keys = {
        "openai": (openai_client.KEY,),
        "gemini": gemini.KEYS,
        "server": ("CHUNKSTUDY_SERVER_URL",),
    }.get(kind, ())
    words = {"local": "its weights (`make smollm` installs one)", "authored": "somebody's replies"}
    return keys, keys[0] if keys else words[kind]
