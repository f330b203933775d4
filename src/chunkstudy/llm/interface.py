"""What a provider of a language model must do, and how its replies are found again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Protocol

from chunkstudy.base.asking import Reply, Request
from chunkstudy.base.recordings import canonical
from chunkstudy.base.retries import Failure


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

    def open(self) -> None:
        """Make ready to be asked.

        Raises:
            LanguageModelError: if a key or weights are missing; the message says what to do.
        """
        ...

    def once(self, request: Request) -> Reply | Failure:
        """One attempt; several threads may make one at the same time."""
        ...


def digest(provider: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """The sha256 over all that determines a reply, as recordings keep it."""
    return _sha256(canonical({"provider": provider, "request": request}))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
