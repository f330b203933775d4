"""Running notebooks through papermill, so that the same inputs leave the same bytes.

papermill itself writes in place; this runner refuses wrong parameters first and writes atomically.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import write_files, write_text
from chunkstudy.core.project import Project
from chunkstudy.notebook.outputs import STAGING
from chunkstudy.notebook.parameter_cells import check

ADDRESS = re.compile(r" at 0x[0-9a-f]+")
KERNEL = "python3"
SUMMING_UP = ("which_chunker", "what_to_do", "claims", "00_overview")
"""Notebooks that read what others wrote, in their order."""
KERNELS, STILLBORN = 3, "Kernel died before replying"
"""How many are started for a notebook at most, and what jupyter_client says of one that never
answers."""
FOLDED = "hide-input"
"""The tag of cells whose code a reader need not see."""
HIDDEN = {"jupyter": {"source_hidden": True}, "transient": {"remove_source": True}}
"""What JupyterLab folds code by, and what nbconvert, and with it nbviewer, leaves it out by."""


def sources(places: Project) -> list[Path]:
    """Every notebook of the project."""
    return sorted(places.notebooks.glob("*.ipynb"))


def in_turn(places: Project) -> list[list[Path]]:
    """Every notebook, in groups that run one after the other: those that sum up what others wrote
    come last."""
    paths = sources(places)
    last = [[path] for name in SUMMING_UP for path in paths if path.stem == name]
    return [[path for path in reversed(paths) if path.stem not in SUMMING_UP], *last]


def run_one(places: Project, source: Path) -> str:
    """Execute a notebook with its own parameters and publish its page and its files; its name.

    Nothing of the project changes before the notebook has finished. Files are then replaced one by
    one; if that is killed half-way, the next run replaces them all.
    """
    with tempfile.TemporaryDirectory() as folder:
        staged = Project(Path(folder))
        page = staged.results / "notebooks" / source.name
        run(source, page, {}, places.root, staging=staged.root)
        files = sorted(path for path in staged.root.rglob("*") if path.is_file())
        write_files(
            {places.root / path.relative_to(staged.root): path.read_bytes() for path in files}
        )
    return source.stem


def run(
    source: Path,
    target: Path,
    parameters: dict[str, Any],
    root: Path,
    staging: Path | None = None,
) -> Path:
    """Execute a notebook in ``root`` and write it, without volatile metadata, to ``target``.

    Args:
        source: the notebook.
        target: path of the executed notebook.
        parameters: values for its parameters.
        root: root of the project.
        staging: folder for the files of a study that is to be published; if None, they go to
            ``build/notebooks``.

    Raises:
        StudyError: on an unknown or mistyped parameter, or a failing cell; the target is then
            left as it was.
    """
    check(source, parameters)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / source.name
        try:
            with patch.dict(os.environ, _kernel_environment(root, staging)):
                _execute(source, output, parameters, root)
        except PapermillExecutionError as error:
            raise StudyError(
                f"{source.name} failed in cell {error.cell_index}: {error.ename}: {error.evalue}"
            ) from error
        notebook = nbformat.read(output, as_version=4)
    write_text(target, nbformat.writes(_settled(notebook), indent=1) + "\n")
    return target


def _kernel_environment(root: Path, staging: Path | None) -> dict[str, str]:
    """Return the variables that tell a notebook's kernel where to read and write."""
    return {"CHUNKSTUDY_ROOT": str(root), STAGING: str(staging or "")}


def _execute(source: Path, output: Path, parameters: dict[str, Any], root: Path) -> None:
    """Run a notebook in a kernel of its own, and in another one if that never answers: kernels that
    start at once may pick the same port, and then one of them dies."""
    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    for left in reversed(range(KERNELS)):
        try:
            papermill.execute_notebook(
                str(source),
                str(output),
                parameters=parameters,
                cwd=str(root),
                kernel_name=KERNEL,
                language="python",
                progress_bar=False,
                log_output=False,
                coalesce_streams=True,  # of which the kernel sends as many as time allows
                extra_arguments=["--IPKernelApp.log_level=50"],  # no line a kernel that ends
            )
            return
        except RuntimeError as error:
            if not left or STILLBORN not in str(error):
                raise


def _settled(notebook: Any) -> Any:
    """Drop what differs from run to run: times, paths, versions, cell ids, memory addresses."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells, start=1):
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != "injected-parameters"]
        folded = dict(HIDDEN) if FOLDED in tags else {}
        cell.metadata = folded | ({"tags": tags} if tags else {})
        cell.id = f"cell-{number:02d}"
        if cell.cell_type == "code":
            cell.outputs = [  # neither warnings nor the places that answers left empty
                output
                for output in cell.outputs
                if output.get("name") != "stderr"
                and output.get("data", {}).get("text/markdown") != ""
            ]
            for output in cell.outputs:
                output.pop("transient", None)
                plain = output.get("data", {}).get("text/plain")
                if plain is not None:
                    output["data"]["text/plain"] = ADDRESS.sub("", plain)
    return notebook
