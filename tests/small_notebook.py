"""A project of one notebook, which leaves a file of each kind, and the ways to run it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
import papermill

from chunkstudy.core.files import PART, write_text
from chunkstudy.core.project import Project
from chunkstudy.notebook.outputs import STAGING

NAME, FILES = "small", 4
PARAMETERS = "k = {}  # chunks"
CELLS = (
    f"import pandas as pd\nfrom matplotlib.figure import Figure\nfrom chunkstudy import Study\n"
    f'study = Study("{NAME}")',
    'study.table("small", pd.DataFrame({"n": [k]}))',
    'study.figure("small_figure", Figure(figsize=(k, 1)), "nothing")',
    'study.answer("Is it so?", f"Yes: {k}.", holds=True)',
    'study.claim("C02", 3, fair=True)\nstudy.number("share/of", k)',
    'study.paper_table("small", pd.DataFrame({"n": [k]}), {"n": "n"}, "Numbers.")',
)
CLAIMS = "id,work,place,sentence,fair,strict,numbers,basis,needs,page\n"
CLAIM = "C02,chroma,Summary,It is.,,,{} of 4,own data,,\n"


def project(folder: Path, k: int = 5, cells: tuple[str, ...] = CELLS) -> Project:
    """Write the notebook and the one claim that it judges."""
    parameters = nbformat.v4.new_code_cell(PARAMETERS.format(k))
    parameters.metadata["tags"] = ["parameters"]
    body = [nbformat.v4.new_code_cell(source) for source in cells]
    notebook = nbformat.v4.new_notebook(cells=[parameters, *body])
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    places = Project(folder)
    write_text(places.notebooks / f"{NAME}.ipynb", nbformat.writes(notebook))
    write_text(places.published / "claims.csv", CLAIMS + CLAIM)
    return places


def run_plainly(places: Project, out: Path, **parameters: Any) -> str:
    """Run the notebook by papermill alone, and return all that its page shows."""
    environment = {"CHUNKSTUDY_ROOT": str(places.root), STAGING: ""}
    with patch.dict(os.environ, environment):
        papermill.execute_notebook(
            str(places.notebooks / f"{NAME}.ipynb"),
            str(out),
            parameters=parameters,
            cwd=str(places.root),
            kernel_name="python3",
            progress_bar=False,
        )
    cells = nbformat.read(out, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = [output.get("data", {}).get("text/markdown", "") for output in outputs]
    return "\n".join([*texts, *(output.get("text", "") for output in outputs)])


def committed(places: Project) -> dict[str, tuple[bytes, int]]:
    """Every file of the study, with its bytes and when it was written."""
    paths = [one for one in places.root.rglob("*") if one.is_file() and one.suffix != PART]
    return {
        path.relative_to(places.root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(paths)
        if not path.is_relative_to(places.root / "build")
    }
