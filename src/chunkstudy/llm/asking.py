"""Asking: what is recorded is replayed, and only where it is to be recorded is anything sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.settings import Settings
from chunkstudy.llm import providers
from chunkstudy.llm.interface import Mode, Provider, Reply, Request, mode_from_environment
from chunkstudy.llm.keys import without_keys
from chunkstudy.llm.prices import Budget, Estimate, budget, price
from chunkstudy.llm.recordings import Recordings, place, replies_folder

Item = TypeVar("Item")
Result = TypeVar("Result")
AT_ONCE = 8
SHOWN = 60
"""Characters of a request that an error shows."""


class Asker:
    """Asks language models, whichever a request names; several threads may ask at the same time.

    Args:
        mode: CHUNKSTUDY_LLM by default, else ``replay``.
        folder: of the recordings; :func:`replies_folder` by default.
        budget: what may be spent; the process's by default.
        at_once: requests under way together in :meth:`together`.
        provider: gives the provider of a model by its name.

    Raises:
        LanguageModelError: if there is no such mode.
    """

    def __init__(
        self,
        mode: Mode | None = None,
        folder: Path | None = None,
        budget: Budget | None = None,
        at_once: int = AT_ONCE,
        provider: Callable[[str], Provider] = providers.provider,
    ) -> None:
        self.mode = mode or mode_from_environment()
        self.folder = folder or replies_folder()
        self.at_once = at_once
        self._budget = budget
        self._provider = provider
        self._recordings: dict[str, Recordings] = {}
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    def ask(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            LanguageModelError: in the mode ``replay``, if it is not recorded.
            LanguageModelError: if no attempt brought a reply that can be used.
            BudgetError: if asking could exceed the ceiling.
        """
        recordings = self._recorded(request.model)
        name = recordings.digest(request)
        # where the same is asked twice at the same time, the second waits for the first
        with self._asking.setdefault(name, threading.Lock()):
            if (known := recordings.find(name)) is not None:
                return known
            if self.mode == "replay":
                raise LanguageModelError(_missing(request, name, recordings.path), recorded=False)
            return recordings.write(request, self._send(recordings.provider, request))

    def together(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The result of each item, in their order, ``at_once`` of them worked on together where
        anybody is asked.

        Where one fails, what is under way is still received and recorded before its error is
        raised.
        """
        if self.mode == "replay":
            yield from map(work, items)
            return
        with ThreadPoolExecutor(self.at_once) as pool:
            yield from pool.map(work, items)

    def say_price(self, what: str, expected: Estimate) -> None:
        """Say on stderr what asking would take.

        Raises:
            BudgetError: before the first request, if all of them would exceed the ceiling.
        """
        (self._budget or budget()).announce(f"{what}, as if nothing were recorded", expected)

    def _send(self, provider: Provider, request: Request) -> Reply:
        sold = price(request.model)
        if sold is None:
            raise LanguageModelError(
                f"no price is known for {request.model}, so that no budget can be held; add it to "
                "data/prices.toml with its source"
            )
        started = time.monotonic()
        reply = (self._budget or budget()).charge(
            sold.dollars(request.tokens if sold.input else 0, request.output_limit),
            lambda: provider.ask(request),
            lambda reply: sold.dollars(reply.input_tokens, reply.output_tokens),
        )
        return replace(
            reply,
            text=without_keys(reply.text),
            model=without_keys(reply.model),
            seconds=round(time.monotonic() - started, 3),
            date=datetime.now(UTC).date().isoformat(),
        )

    def _recorded(self, name: str) -> Recordings:
        with self._lock:
            if name not in self._recordings:
                model = name.partition("/")[2]
                self._recordings[name] = Recordings(self.folder, self._provider(name), model)
            return self._recordings[name]


def lacks(model: str) -> bool:
    """Whether a model's replies can be had in no way: none is recorded, and this process may not
    ask or has no key."""
    endpoint = providers.provider(model).endpoint
    recorded = place(replies_folder(), endpoint, model.partition("/")[2])
    if recorded.is_file() and recorded.stat().st_size:
        return False
    keys, _ = providers.takes(model)
    held = Settings.from_env().keys
    has_key = not keys or any(held[key] for key in keys)
    return mode_from_environment() == "replay" or not has_key


def _missing(request: Request, name: str, path: Path) -> str:
    text = " ".join(request.messages[-1].text.split())
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return (
        f"{request.model} was never asked {shown!r} (request {name[:16]}), and nothing is sent; "
        f"set CHUNKSTUDY_LLM=record, without --replay, to ask and record it in {path}, or bring "
        "that file here"
    )
