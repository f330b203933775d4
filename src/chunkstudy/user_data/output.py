"""The folder that an evaluation writes: chosen and checked before any work, replaced as a whole.

A folder that holds an accepted evaluation is replaced by two renames. A process that is killed
between them leaves the accepted evaluation under a hidden name beside it, and the next run restores
it (:func:`restore_interrupted`).
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.collections.user_collections import Documents, collection_name
from chunkstudy.collections.user_documents import EVALUATION
from chunkstudy.core.errors import UserError, of_the_system
from chunkstudy.core.files import DAY, PART
from chunkstudy.core.project import project_or_working_folder

REJECTED = ".rejected"
"""The end of the name of a folder that holds an evaluation that a gate rejected."""
PREVIOUS = ".previous"
"""The end of the hidden name of an accepted evaluation while it is being replaced."""
WRITTEN = (
    *("index.html", "questions.html", "questions", "chosen.yaml", EVALUATION, "scores.csv"),
    *("evaluation.csv", "evaluation_tests.csv", "evaluation_needed.csv"),
    *("evaluation.tex", "evaluation_tests.tex", "evaluation_needed.tex", "trec"),
)
"""The files and folders of an evaluation."""
INSIDE = {"questions": (".html",), "trec": (".run", ".qrels")}
"""The ends of the files of an evaluation in each of its folders."""


def output_folder(documents: Documents, name: str, output: str | Path | None) -> Path:
    """Return the folder to write, below ``build/evaluations`` if none is given.

    Raises:
        UserError: if it cannot be written.
    """
    folder = project_or_working_folder().build / "evaluations" / collection_name(documents, name)
    folder = Path(output).expanduser() if output is not None else folder
    check_output(folder)
    if isinstance(documents, str | Path) and folder.resolve() == Path(documents).resolve():
        raise UserError(
            f"--output {folder} is the folder of the documents, of which the pages written there "
            "would be taken for more; name another folder"
        )
    return folder


def check_output(folder: Path) -> None:
    """Refuse a folder that cannot be created or written; leave nothing behind.

    Raises:
        UserError: with the reason.
    """
    try:
        if folder.is_symlink() and not folder.exists():
            raise UserError(f"--output {folder} is a link to nothing; name another folder")
        if folder.exists() and not folder.is_dir():
            raise UserError(f"--output {folder} is a file; name a folder")
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        for path in (existing, folder / "trec", folder / "questions"):
            if path == existing or path.exists():
                with tempfile.TemporaryFile(dir=path):
                    pass
    except OSError as error:
        reason = of_the_system(OSError(error.errno, error.strerror)).partition(";")[0]
        raise UserError(
            f"--output {folder} cannot be written ({reason}); name another folder"
        ) from None


def restore_interrupted(folder: Path) -> None:
    """Put an accepted evaluation back that a killed process left under its hidden name."""
    if not folder.exists() and (previous := _beside(folder, PREVIOUS)).is_dir():
        previous.rename(folder)


@dataclass(frozen=True)
class GatedOutput:
    """Where a gated evaluation goes: to ``folder`` if it is accepted, else where nothing is lost.

    Attributes:
        folder: the folder that the user names.
        beside: the folder of a rejected evaluation, unless ``folder`` holds none.
    """

    folder: Path
    beside: Path

    @classmethod
    def choose(cls, folder: Path, baseline: Path) -> GatedOutput:
        """Choose both folders and check that they can be written.

        Args:
            folder: the folder that the user names.
            baseline: the resolved folder of the accepted evaluation.

        Raises:
            UserError: if one cannot be written, or ``folder`` not be replaced as a whole.
        """
        restore_interrupted(folder.resolve())
        check_output(folder)
        named = folder if folder.name.strip(".") else folder.resolve()
        beside = named.with_name(named.name + REJECTED)
        if beside.resolve() == baseline:
            raise UserError(
                f"--baseline {beside} is where a rejected evaluation of {folder} goes; rename it"
            )
        if _holds_evaluation(folder):
            check_output(beside)
            check_output(_beside(folder.resolve(), PREVIOUS))
            if os.path.ismount(folder) or Path.cwd().is_relative_to(folder.resolve()):
                raise UserError(
                    f"--output {folder} holds an evaluation and cannot be replaced as a whole, "
                    "because it is a mount point or contains the working directory; name another "
                    "folder, or run from another one"
                )
        return cls(folder, beside)

    @contextmanager
    def stage(self) -> Iterator[Path]:
        """Yield a new folder on the same disk, removed afterwards unless it is published."""
        real = self.folder.resolve()
        parent = real if real.is_dir() and not _holds_evaluation(real) else real.parent
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f".{glob.escape(real.name)}.*{PART}"):
            if left.is_dir() and time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=parent, prefix=f".{real.name}.", suffix=PART) as new:
            staged = Path(new) / real.name
            staged.mkdir()
            yield staged

    def accept(self, staged: Path, baseline: Path) -> Path:
        """Replace the accepted evaluation, remove one that was rejected before, return the folder.

        Args:
            staged: the new evaluation.
            baseline: the resolved folder of the accepted evaluation.
        """
        publish(staged, self.folder)
        stale = self.beside
        if stale.resolve() != baseline and not stale.is_symlink() and _holds_evaluation(stale):
            _remove_evaluation(stale)
        return self.folder

    def reject(self, staged: Path) -> Path:
        """Write the evaluation where no other one is lost, and return that folder."""
        folder = self.beside if _holds_evaluation(self.folder) else self.folder
        publish(staged, folder)
        return folder


def publish(staged: Path, folder: Path) -> None:
    """Move a whole evaluation to its folder.

    An evaluation there is replaced by renames, with other files of the folder copied along. Into a
    folder without one the files are moved one by one, the record last.
    """
    target = folder.resolve()
    if not target.exists():
        staged.rename(target)
    elif _holds_evaluation(target):
        _swap(staged, target)
    else:
        for path in sorted(staged.iterdir(), key=lambda path: path.name == EVALUATION):
            _clear(target, path.name)
            _move(path, target / path.name)


def _swap(staged: Path, target: Path) -> None:
    for path in target.iterdir():
        if path.name not in WRITTEN:
            _copy(path, staged / path.name)
        elif others := _other_files(path):
            (staged / path.name).mkdir(exist_ok=True)
            for other in others:
                _copy(other, staged / path.name / other.name)
    shutil.copymode(target, staged)
    previous = _beside(target, PREVIOUS)
    _remove(previous)
    target.rename(previous)
    try:
        staged.rename(target)
    except BaseException:
        previous.rename(target)
        raise
    _remove(previous)


def _remove_evaluation(folder: Path) -> None:
    """Remove the files of an evaluation, and the folder unless it holds others."""
    for name in WRITTEN:
        _clear(folder, name)
    if not any(folder.iterdir()):
        folder.rmdir()


def _clear(folder: Path, name: str) -> None:
    """Remove a file of an evaluation, or a folder of one but for the user's files in it."""
    path, others = folder / name, _other_files(folder / name)
    if not others:
        _remove(path)
        return
    for inside in set(path.iterdir()).difference(others):
        _remove(inside)


def _other_files(path: Path) -> list[Path]:
    """List what the user keeps in a folder of an evaluation."""
    if path.name not in INSIDE or not path.is_dir() or path.is_symlink():
        return []
    return [one for one in path.iterdir() if one.is_dir() or one.suffix not in INSIDE[path.name]]


def _move(path: Path, target: Path) -> None:
    """Move a file, or a folder into one that is there."""
    if not target.is_dir():
        path.rename(target)
        return
    for inside in path.iterdir():
        inside.rename(target / inside.name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _copy(path: Path, target: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, target, symlinks=True)
    else:
        shutil.copy2(path, target, follow_symlinks=False)


def _holds_evaluation(folder: Path) -> bool:
    return (folder / EVALUATION).is_file()


def _beside(folder: Path, ending: str) -> Path:
    """Return the hidden path of that ending beside a folder."""
    return folder.with_name(f".{folder.name}{ending}")
