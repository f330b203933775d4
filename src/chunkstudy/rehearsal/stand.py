"""Everything that a rehearsal runs against, stood up on the loopback and taken down again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.chunkers import released
from chunkstudy.grid import run
from chunkstudy.places import REHEARSING, Places
from chunkstudy.rehearsal import collection_files, hub_models, hub_server, pins, services
from chunkstudy.services import budget

BERLIN = (
    "Berlin is the largest town of this example.",
    " Its more than a few streets lead to the river.",
    " The city is said to have been founded twice.",
)
"""Sentences that begin as those of Jina's example do, whose cells are named after them."""
NAMED_ELSEWHERE = (
    "CHUNKSTUDY_DATA",
    "CHUNKSTUDY_VECTORS",
    "CHUNKSTUDY_RANKINGS",
    "CHUNKSTUDY_RECORDINGS",
    "CHUNKSTUDY_LLM_RECORDINGS",
    "CHUNKSTUDY_BUDGET",
    "GOOGLE_API_KEY",
    "HF_HUB_CACHE",
    "HF_HUB_OFFLINE",
    "HF_TOKEN",
)
"""Variables that would lead to the user's own files and accounts."""


@dataclass(frozen=True)
class Stand:
    """What stands: the rehearsal's places, and the hub with all that it was asked."""

    places: Places
    hub: hub_server.State


@contextmanager
def standing(root: Path) -> Iterator[Stand]:
    """Hub, services, collections and pins, with the environment pointing at them.

    Args:
        root: of the rehearsal, where everything is kept.
    """
    checkpoints = {one.id: one for one in hub_models.every()}
    made = collection_files.every()
    example = berlin()
    made.files["/berlin.json"] = example
    made.pins["berlin"] = hashlib.sha256(example).hexdigest()
    path = root / "pins.json"
    pins.write(path, checkpoints, made.pins)
    with ExitStack() as stack:
        home, hub = stack.enter_context(hub_server.serving(checkpoints, made.files))
        api = stack.enter_context(services.serving())
        stack.enter_context(environment(root, home, api))
        stack.enter_context(pins.injected(path, home))
        forget()
        stack.callback(forget)
        yield Stand(Places(root), hub)


@contextmanager
def environment(root: Path, home: str, api: str) -> Iterator[None]:
    """The variables that lead a run to the rehearsal's services and folders, and to no others."""
    wanted = {
        REHEARSING: "1",
        "CHUNKSTUDY_ROOT": str(root),
        "CHUNKSTUDY_CACHE": str(root / "cache"),
        "CHUNKSTUDY_LLM": "record",
        "CHUNKSTUDY_GEMINI_URL": api,
        "OPENAI_BASE_URL": f"{api}/v1",
        "OPENAI_API_KEY": "no-key-of-anybody",
        "GEMINI_API_KEY": "no-key-of-anybody",
        "HF_ENDPOINT": home,
        "HF_HOME": str(root / "cache" / "huggingface"),
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
    before = dict(os.environ)
    try:
        for name in NAMED_ELSEWHERE:
            os.environ.pop(name, None)
        os.environ.update(wanted)
        yield
    finally:
        _restore(before)


def _restore(before: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)


def forget() -> None:
    """Let go of what this process remembers of collections, models and money."""
    run.load_collection.cache_clear()
    run.load_store.cache_clear()
    budget.budget.cache_clear()
    released.of_books.cache_clear()


def berlin() -> bytes:
    """Jina's example in the form in which it is kept, with other sentences."""
    chunks = [{"text": text} for text in BERLIN]
    content = {"text": "".join(BERLIN), "chunks": chunks, "query": "Berlin"}
    return json.dumps(content).encode()
