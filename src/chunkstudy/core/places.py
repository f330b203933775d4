"""Where the project's own files lie: records, tables, and what stays local under ``build``."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.core.settings import Settings

BUILD = "CHUNKSTUDY_BUILD"
"""Environment variable that moves ``build``; a relative path is below the root."""


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

    @property
    def build(self) -> Path:
        """The folder of everything that is local to this machine."""
        return self.root / (Settings.from_env().build or "build")

    @property
    def vectors(self) -> Path:
        return Settings.from_env().vectors or self.build / "vectors"

    @property
    def rankings(self) -> Path:
        """Rankings that would make the repository heavy, under their digests."""
        return Settings.from_env().rankings or self.build / "rankings"

    def display(self, path: Path) -> str:
        """Return a path as a message shows it: relative if it is below the root."""
        inside = path.is_relative_to(self.root)
        return (path.relative_to(self.root) if inside else path).as_posix()


def ensure_writable_build(places: Places) -> Path | None:
    """Move ``build`` to a temporary folder, for this process, if it cannot be written.

    Returns:
        The temporary folder, or None if nothing was moved.

    Raises:
        PermissionError: if CHUNKSTUDY_BUILD names a folder that cannot be written.
    """
    build = places.build
    existing = next(folder for folder in (build, *build.parents) if folder.exists())
    if os.access(existing, os.W_OK):
        return None
    if Settings.from_env().build:
        raise PermissionError(
            f"{BUILD} is {build}, which cannot be written; set it to another folder, or unset it"
        )
    os.environ[BUILD] = tempfile.mkdtemp(prefix="chunkstudy-build-")
    return places.build


def find() -> Places:
    """CHUNKSTUDY_ROOT, else the nearest folder upwards that holds ``notebooks`` and ``results``."""
    if named := Settings.from_env().root:
        return Places(named)
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
