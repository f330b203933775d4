"""Where the project's own files lie: records, tables, and what stays local under ``build``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


class _Below:
    """A folder below the root of the places that it is asked of."""

    def __init__(self, *parts: str) -> None:
        self._parts = parts

    def __get__(self, places: Places, _: type) -> Path:
        return places.root.joinpath(*self._parts)


@dataclass(frozen=True)
class Places:
    root: Path

    results = _Below("results")
    runs = _Below("results", "runs")
    published = _Below("results", "published")
    llm = _Below("results", "llm")
    """What language models were asked and answered."""
    tables = _Below("results", "tables")
    figures = _Below("figures")
    notebooks = _Below("notebooks")
    paper = _Below("paper")
    generated = _Below("paper", "generated")
    build = _Below("build")

    @property
    def vectors(self) -> Path:
        return Path(os.environ.get("CHUNKSTUDY_VECTORS") or self.build / "vectors")

    @property
    def rankings(self) -> Path:
        """Rankings that would make the repository heavy, under their digests."""
        return Path(os.environ.get("CHUNKSTUDY_RANKINGS") or self.build / "rankings")


def find() -> Places:
    """CHUNKSTUDY_ROOT, else the nearest folder upwards that holds ``notebooks`` and ``results``."""
    if named := os.environ.get("CHUNKSTUDY_ROOT"):
        return Places(Path(named))
    working = Path.cwd()
    for folder in (working, *working.parents):
        if (folder / "notebooks").is_dir() and (folder / "results").is_dir():
            return Places(folder)
    raise FileNotFoundError(
        "no folder with notebooks/ and results/ was found here or above; run this inside a "
        "checkout of the project or set CHUNKSTUDY_ROOT"
    )


def here() -> Places:
    """The checkout; outside of one, the folder in which this was started."""
    try:
        return find()
    except FileNotFoundError:
        return Places(Path.cwd())
