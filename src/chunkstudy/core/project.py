"""Where the project's own files lie: records, tables, and what stays local under ``build``."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.core.settings import Settings

BUILD = "CHUNKSTUDY_BUILD"
"""Environment variable that moves ``build``; a relative path is below the root."""


class _Subfolder:
    """A folder below the root of a project."""

    def __init__(self, *parts: str) -> None:
        self._parts = parts

    def __get__(self, project: Project, _: type) -> Path:
        return project.root.joinpath(*self._parts)


@dataclass(frozen=True)
class Project:
    """The folders of a checkout, or of a folder that stands in for one."""

    root: Path

    results = _Subfolder("results")
    runs = _Subfolder("results", "runs")
    published = _Subfolder("results", "published")
    llm = _Subfolder("results", "llm")
    """What language models were asked and answered."""
    tables = _Subfolder("results", "tables")
    figures = _Subfolder("figures")
    notebooks = _Subfolder("notebooks")
    paper = _Subfolder("paper")
    generated = _Subfolder("paper", "generated")

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


def ensure_writable_build(project: Project) -> Path | None:
    """Move ``build`` to a temporary folder, for this process, if it cannot be written.

    Returns:
        The temporary folder, or None if nothing was moved.

    Raises:
        PermissionError: if CHUNKSTUDY_BUILD names a folder that cannot be written.
    """
    build = project.build
    existing = next(folder for folder in (build, *build.parents) if folder.exists())
    if os.access(existing, os.W_OK):
        return None
    if Settings.from_env().build:
        raise PermissionError(
            f"{BUILD} is {build}, which cannot be written; set it to another folder, or unset it"
        )
    os.environ[BUILD] = tempfile.mkdtemp(prefix="chunkstudy-build-")
    return project.build


def find_project() -> Project:
    """Return the project that CHUNKSTUDY_ROOT names, else the checkout around the working folder.

    A checkout is the nearest folder upwards that holds ``notebooks`` and ``results``.

    Raises:
        FileNotFoundError: if there is no checkout there.
    """
    if root := Settings.from_env().root:
        return Project(root)
    working = working_folder()
    for folder in (working, *working.parents):
        if (folder / "notebooks").is_dir() and (folder / "results").is_dir():
            return Project(folder)
    raise FileNotFoundError(
        "no folder with notebooks/ and results/ was found here or above; run this inside a "
        "checkout of the project or set CHUNKSTUDY_ROOT"
    )


def project_or_working_folder() -> Project:
    """Return the project, or outside of a checkout the working folder in place of one."""
    try:
        return find_project()
    except FileNotFoundError:
        return Project(working_folder())


def working_folder() -> Path:
    """Return the folder in which this process runs."""
    return Path.cwd()
