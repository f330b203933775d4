"""The files that a study writes: where they go, and whether they equal the committed ones.

Only ``chunkstudy reproduce`` and ``check`` change ``results``, ``figures`` and ``paper``. They name
a staging folder in :data:`STAGING`; the notebook's kernel writes there, and they publish its files
once the notebook has finished (``publish/notebooks.py``). A study that runs in any other way writes
to ``build/notebooks/NAME``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project, ensure_writable_build
from chunkstudy.core.settings import Settings

STAGING = "CHUNKSTUDY_STAGING"
"""Environment variable of a notebook's kernel: the folder whose files are published at the end."""
Kind = Literal["tables", "figures", "answers", "paper"]


def folders(places: Project) -> dict[Kind, Path]:
    """Return the folder of each kind of committed file."""
    return {
        "tables": places.tables,
        "figures": places.figures,
        "answers": places.results / "answers",
        "paper": places.generated,
    }


class Outputs:
    """The files of one study.

    Args:
        places: the project.
        name: name of the study.
        default: whether the study runs with its own parameters.

    Attributes:
        staged: whether the files are published when the notebook has finished.
        folder: the folder of the study's files; empty subfolders are not made.
    """

    def __init__(self, places: Project, name: str, default: bool) -> None:
        staging = Settings.from_env().staging if default else None
        self.staged = bool(staging)
        self.folder = staging or places.build / "notebooks" / name
        self._committed = folders(places)
        self._folders: dict[Kind, Path] = (
            folders(Project(self.folder))
            if staging
            else {kind: self.folder / kind for kind in self._committed}
        )
        self._is_equal: dict[str, bool] = {}

    def path(self, kind: Kind, name: str) -> Path:
        """Return the path to write a file to."""
        return self._folders[kind] / name

    def compare(self, kind: Kind, name: str) -> None:
        """Compare a file that was written with the committed one, byte by byte."""
        committed = self._committed[kind] / name
        self._is_equal[f"{kind}/{name}"] = (
            committed.is_file() and committed.read_bytes() == self.path(kind, name).read_bytes()
        )

    @property
    def comparison(self) -> str:
        """How many files equal the committed ones, and which do not; empty before the first."""
        if not self._is_equal:
            return ""
        differing = [f"`{name}`" for name, is_equal in self._is_equal.items() if not is_equal]
        equal, total = len(self._is_equal) - len(differing), len(self._is_equal)
        count = f"{equal} of {total} files equal the study's"
        return f"{count}; not equal: {', '.join(differing)}." if differing else f"{count}."


def make_build_writable(places: Project) -> None:
    """Use a temporary folder in place of ``build`` in a checkout that is read-only, and say so.

    Raises:
        StudyError: if CHUNKSTUDY_BUILD names a folder that cannot be written.
    """
    try:
        moved = ensure_writable_build(places)
    except PermissionError as error:
        raise StudyError(str(error)) from error
    if moved:
        print(
            f"{places.root} is read-only; tables, vectors and runs go to {moved}", file=sys.stderr
        )
