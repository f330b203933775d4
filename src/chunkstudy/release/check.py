"""``chunkstudy check``: is everything committed what the records give, and would today's code
write these records?

Everything is derived into an empty place, so that a file that nothing writes any more is found.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import PART
from chunkstudy.core.project import BUILD, Project
from chunkstudy.pipeline import records
from chunkstudy.release import paper as build
from chunkstudy.release.reproduce import from_records, pool

GIVEN = (
    "results/runs", "results/published", "results/studies", "results/facts",
    "results/llm", "results/chroma_corrected", "notebooks",
)  # fmt: skip
"""What everything else is derived from."""
DERIVED = (
    "results/tables", "results/answers", "results/notebooks", "figures", "paper/generated",
)  # fmt: skip
DERIVED_FILES = ("results/comparison.csv", "README.md", "REPRODUCING.md")


def check(places: Project) -> str:
    """Derive everything anew and compare bytes.

    Raises:
        StudyError: naming the files that differ, are missing or that nothing writes.
        RecordError: if a table of conditions is not what today's code writes.
        StudyError: if a notebook failed, one whose condition broke among them.
    """
    records.find(places.runs)
    with _own_build(), tempfile.TemporaryDirectory() as folder, pool() as processes:
        copy = Project(Path(folder))
        for name in GIVEN:
            if (places.root / name).exists():
                (copy.root / name).parent.mkdir(parents=True, exist_ok=True)
                (copy.root / name).symlink_to(places.root / name)
        for name in ("README.md", "REPRODUCING.md", "CITATION.cff"):
            shutil.copy(places.root / name, copy.root / name)
        from_records(copy, processes)
        differing = sorted(_differing(copy, places))
    if differing:
        raise StudyError(
            f"{len(differing)} files are not what the records give, first {differing[0]}; run "
            "`make reproduce` and commit the result"
        )
    if fault := build.stale(places):
        raise StudyError(fault)
    return "records, tables, figures, pages, notebooks and the paper are what they should be"


@contextmanager
def _own_build() -> Iterator[None]:
    """Ignore CHUNKSTUDY_BUILD, so that nothing is derived from an earlier run."""
    with patch.dict(os.environ):
        os.environ.pop(BUILD, None)
        yield


def _differing(copy: Project, places: Project) -> Iterator[str]:
    """Files that one of the two lacks or that differ, relative to the root."""
    names = set(DERIVED_FILES)
    for root in (copy.root, places.root):
        for folder in DERIVED:
            files = (path for path in (root / folder).rglob("*") if path.is_file())
            whole = (path for path in files if path.suffix != PART)
            names |= {path.relative_to(root).as_posix() for path in whole}
    for name in names:
        new, old = copy.root / name, places.root / name
        if not new.is_file():
            yield f"{name} (nothing writes it)"
        elif not old.is_file():
            yield f"{name} (missing)"
        elif new.read_bytes() != old.read_bytes():
            yield name
