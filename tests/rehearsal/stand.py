"""Everything that a rehearsal runs against, stood up on the loopback and taken down again.

Hub, services and collections have the study's own checks against digests of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from chunkstudy.base.models import MODELS
from chunkstudy.base.places import Places
from chunkstudy.collections import released
from chunkstudy.llm.prices import budget
from chunkstudy.runs import records, run
from tests import api_server, hub_models, hub_server
from tests.rehearsal import collection_files, services

MARK = "REHEARSAL.txt"
SENTENCE = (
    "A rehearsal on random weights, made-up collections and services on the loopback: nothing here "
    "is a result."
)

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


class Run(records.Run):
    """What a rehearsed condition leaves; the study refuses it, whose records lack this field."""

    rehearsal: Literal[True] = True


@dataclass(frozen=True)
class Stand:
    """What stands: the rehearsal's places, and the hub with all that it was asked."""

    places: Places
    hub: hub_server.State


@contextmanager
def standing(root: Path) -> Iterator[Stand]:
    """Hub, services, collections and their digests in place of the study's; all is put back.

    Args:
        root: of the rehearsal, where everything is kept.
    """
    checkpoints = hub_models.every()
    with ExitStack() as stack:
        home, hub = stack.enter_context(hub_server.serving(checkpoints))
        api, _ = stack.enter_context(api_server.serving(says=services.reply))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        made = collection_files.every(home)
        hub.files.update(made.files)
        for module, name, value in made.pins:
            patch.setattr(module, name, value)
        for name, one in checkpoints.items():
            patch.setitem(MODELS, name, one.registered())
        patch.setattr(records, "Run", Run)
        for name in NAMED_ELSEWHERE:
            patch.delenv(name, raising=False)
        for name, wanted in environment(root, home, api).items():
            patch.setenv(name, wanted)
        forget()
        stack.callback(forget)
        yield Stand(Places(root), hub)


def environment(root: Path, home: str, api: str) -> dict[str, str]:
    """The variables that lead a run to the rehearsal's services and folders, and to no others."""
    return {
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


def forget() -> None:
    """Let go of what this process remembers of collections, models, records and money."""
    records._read_runs.cache_clear()
    run.load_collection.cache_clear()
    run.load_store.cache_clear()
    budget.cache_clear()
    released.of_books.cache_clear()
