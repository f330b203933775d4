"""What the environment sets. No other module reads it; docs/settings.md lists every variable."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

VARIABLES: Mapping[str, str] = {
    "root": "CHUNKSTUDY_ROOT",
    "data": "CHUNKSTUDY_DATA",
    "cache": "CHUNKSTUDY_CACHE",
    "user_cache": "XDG_CACHE_HOME",
    "build": "CHUNKSTUDY_BUILD",
    "vectors": "CHUNKSTUDY_VECTORS",
    "rankings": "CHUNKSTUDY_RANKINGS",
    "collections": "CHUNKSTUDY_COLLECTIONS",
    "printed": "CHUNKSTUDY_PRINTED",
    "staging": "CHUNKSTUDY_STAGING",
    "recordings": "CHUNKSTUDY_RECORDINGS",
    "replies": "CHUNKSTUDY_LLM_RECORDINGS",
    "llm": "CHUNKSTUDY_LLM",
    "budget": "CHUNKSTUDY_BUDGET",
    "server_address": "CHUNKSTUDY_SERVER_URL",
    "openai_address": "OPENAI_BASE_URL",
    "gemini_address": "CHUNKSTUDY_GEMINI_URL",
    "openai_key": "OPENAI_API_KEY",
    "gemini_key": "GEMINI_API_KEY",
    "google_key": "GOOGLE_API_KEY",
    "server_key": "CHUNKSTUDY_SERVER_KEY",
    "hub_address": "HF_ENDPOINT",
    "hub_cache": "HF_HUB_CACHE",
    "hub_home": "HF_HOME",
    "hub_offline": "HF_HUB_OFFLINE",
    "threads": "OMP_NUM_THREADS",
}
"""The environment variable of each field of :class:`Settings`."""


@dataclass(frozen=True)
class Settings:
    """The variables of one moment: "" or None where one is unset or empty.

    They are read anew at each need, since a notebook's kernel, a worker or a test sets them later
    than these modules are imported.

    Attributes:
        root: the checkout whose records and tables are read.
        data: files of collections and tokenizers that were brought along.
        cache: downloads.
        user_cache: the user's folder of caches, which holds ours if ``cache`` is not set.
        build: replaces ``build`` of the project; below the root if it is relative.
        vectors: vectors that were computed.
        rankings: rankings that are too large for the repository.
        collections: collections of the user's own.
        printed: pages of works that may not be passed on.
        staging: where a notebook's kernel writes files that are published afterwards.
        recordings: vectors that were received from an API.
        replies: what language models were asked and answered.
        llm: whether language models are asked: ``replay`` or ``record``.
        budget: dollars that one process may spend.
        server_address: a language model's server of the user's own.
        openai_address: where OpenAI's models are asked.
        gemini_address: where Gemini's models are asked.
        openai_key, gemini_key, google_key, server_key: keys, which no repr shows.
        hub_address: the model hub.
        hub_cache: the hub's downloads.
        hub_home: the hub's own folder, which holds its downloads if ``hub_cache`` is not set.
        hub_offline: not empty if nothing may be downloaded from the hub.
        threads: the number of threads, and so of cores, that this process may use.
    """

    root: Path | None = None
    data: Path | None = None
    cache: Path | None = None
    user_cache: Path | None = None
    build: Path | None = None
    vectors: Path | None = None
    rankings: Path | None = None
    collections: Path | None = None
    printed: Path | None = None
    staging: Path | None = None
    recordings: Path | None = None
    replies: Path | None = None
    llm: str = ""
    budget: str = ""
    server_address: str = ""
    openai_address: str = ""
    gemini_address: str = ""
    openai_key: str = field(default="", repr=False)
    gemini_key: str = field(default="", repr=False)
    google_key: str = field(default="", repr=False)
    server_key: str = field(default="", repr=False)
    hub_address: str = ""
    hub_cache: Path | None = None
    hub_home: Path | None = None
    hub_offline: str = ""
    threads: str = ""

    @classmethod
    def from_env(cls) -> Settings:
        """Read every variable as it is now."""
        values: dict[str, Any] = {}
        for one in fields(cls):
            if value := os.environ.get(VARIABLES[one.name]):
                values[one.name] = Path(value) if one.default is None else value
        return cls(**values)

    @property
    def cache_folder(self) -> Path:
        """The folder of downloads: ``cache``, else ours in the user's folder of caches."""
        return self.cache or (self.user_cache or Path.home() / ".cache") / "chunkstudy"

    @property
    def keys(self) -> Mapping[str, str]:
        """Each key by its variable, without blanks around it; "" where it is unset."""
        return {
            VARIABLES[one.name]: getattr(self, one.name).strip()
            for one in fields(self)
            if not one.repr
        }
