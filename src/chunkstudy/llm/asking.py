"""Asking: what is recorded is replayed, and only in another mode is anything sent."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from chunkstudy.base import places
from chunkstudy.base.asking import LanguageModelError, Mode, Reply, Request, mode_from_environment
from chunkstudy.base.budget import Budget, budget
from chunkstudy.base.keys import without_keys
from chunkstudy.base.prices import Estimate, price
from chunkstudy.base.retries import Failure, Retries
from chunkstudy.llm import providers
from chunkstudy.llm.interface import Provider
from chunkstudy.llm.recordings import Recordings, place

Item = TypeVar("Item")
Result = TypeVar("Result")
AT_ONCE = 8
SHOWN = 60
"""Characters of a request that an error shows."""


class NotRecordedError(LanguageModelError):
    """A request whose reply is not recorded, in the mode that asks nobody."""


class Asker:
    """Asks language models, whichever a request names; several threads may ask at the same time.

    Leaving it as a context brings what was recorded into order.

    Args:
        mode: CHUNKSTUDY_LLM by default, else ``replay``.
        folder: of the recordings; CHUNKSTUDY_LLM_RECORDINGS by default, else ``results/llm``.
        budget: what may be spent; the process's by default.
        at_once: requests under way together in :meth:`ask_many`.
        provider: gives the provider of a model by its name.
        sleep: waits some seconds.
        clock: seconds that only go up.
        jitter: see :class:`Retries`.
        today: the day, as in 2026-05-17.

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
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
        today: Callable[[], str] = lambda: datetime.now(UTC).date().isoformat(),
    ) -> None:
        self.mode = mode or mode_from_environment()
        self.folder = folder or recordings_folder()
        self.at_once = at_once
        self._budget = budget
        self._provider = provider
        self._sleep, self._clock, self._jitter, self._today = sleep, clock, jitter, today
        self._models: dict[str, _Model] = {}
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    def __enter__(self) -> Asker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Bring what was recorded into order, and let go of its files."""
        for model in self._models.values():
            if self.mode == "record":  # also where a process killed after its last reply did not
                model.recordings.settle()
            model.recordings.close()
        self._models = {}

    @property
    def sent(self) -> int:
        """Requests sent so far, repeated ones included."""
        return sum(model.retries.requests for model in self._models.values() if model.retries)

    def ask(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            NotRecordedError: in the mode ``replay``, if it is not recorded.
            LanguageModelError: if no attempt brought a reply that can be used.
            BudgetError: if asking could exceed the ceiling.
        """
        model = self._model(request.model)
        if self.mode == "live":
            return self._send(model, request)
        name = model.recordings.digest(request)
        if (known := model.recordings.find(name)) is not None:
            return known
        if self.mode == "replay":
            raise NotRecordedError(_missing(request, name, model.recordings.path))
        with self._only_one(name):
            if (known := model.recordings.find(name)) is not None:
                return known
            return model.recordings.write(request, self._send(model, request))

    def ask_many(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """The replies in the order of the requests, ``at_once`` of them under way together."""
        return self.together(self.ask, requests)

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

    def check(self, estimate: Estimate) -> None:
        """Refuse what the budget does not cover, before the first request is sent.

        Raises:
            BudgetError: if it does not.
        """
        (self._budget or budget()).check(estimate.dollars or 0.0)

    def _send(self, model: _Model, request: Request) -> Reply:
        sold = price(request.model)
        if sold is None:
            raise LanguageModelError(
                f"no price is known for {request.model}, so that no budget can be held; add it to "
                "base/prices.py with its source"
            )
        retries = model.opened(
            lambda: Retries(
                f"{request.model} at {model.provider.endpoint}",
                LanguageModelError,
                self._budget or budget(),
                self._sleep,
                self._jitter,
            )
        )

        def once() -> Reply | Failure:
            started = self._clock()
            outcome = model.provider.once(request)
            if isinstance(outcome, Failure):
                return outcome
            return replace(
                outcome,
                text=without_keys(outcome.text),
                model=without_keys(outcome.model),
                seconds=round(self._clock() - started, 3),
                date=self._today(),
            )

        read = request.tokens if sold.input else 0
        return retries.ask(
            once,
            sold.dollars(read, request.output_limit),
            lambda reply: sold.dollars(reply.input_tokens, reply.output_tokens),
        )

    def _model(self, name: str) -> _Model:
        with self._lock:
            if name not in self._models:
                provider = self._provider(name)
                recordings = Recordings(self.folder, provider, name.partition("/")[2])
                self._models[name] = _Model(provider, recordings)
            return self._models[name]

    @contextmanager
    def _only_one(self, name: str) -> Iterator[None]:
        """Where the same is asked twice at the same time, the second waits for the first."""
        with self._lock:
            lock = self._asking.setdefault(name, threading.Lock())
        with lock:
            yield
        with self._lock:
            self._asking.pop(name, None)


class _Model:
    """A model that requests name: its provider, opened when it is first asked."""

    def __init__(self, provider: Provider, recordings: Recordings) -> None:
        self.provider = provider
        self.recordings = recordings
        self.retries: Retries | None = None
        self._lock = threading.Lock()

    def opened(self, make: Callable[[], Retries]) -> Retries:
        with self._lock:
            if self.retries is None:
                self.provider.open()
                self.retries = make()
            return self.retries


def recordings_folder() -> Path:
    """CHUNKSTUDY_LLM_RECORDINGS, else ``results/llm``, which travels with the project."""
    named = os.environ.get("CHUNKSTUDY_LLM_RECORDINGS")
    return Path(named) if named else places.find().llm


def lacks(model: str) -> bool:
    """Whether a model's replies can be had in no way: none is recorded, and this process may not
    ask or has no key."""
    recorded = place(recordings_folder(), providers.provider(model), model.partition("/")[2])
    if recorded.is_file() and recorded.stat().st_size:
        return False
    keys, _ = providers.takes(model)
    has_key = not keys or any(os.environ.get(key, "").strip() for key in keys)
    return mode_from_environment() == "replay" or not has_key


def _missing(request: Request, name: str, path: Path) -> str:
    text = " ".join(request.messages[-1].text.split())
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return (
        f"{request.model} was never asked {shown!r} (request {name[:16]}), and nothing is sent; "
        f"set CHUNKSTUDY_LLM=record, without --replay, to ask and record it in {path}, or bring "
        "that file here"
    )
