"""Notebooks are thin, run only as declared, and leave the same bytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest
from nbconvert import HTMLExporter

from chunkstudy.core.errors import StudyError
from chunkstudy.notebook.parameter_cells import INJECTED, changed, inspect_parameters
from chunkstudy.release import notebooks

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_source_is_thin_without_outputs_and_uses_every_parameter(source: Path) -> None:
    notebook = nbformat.read(source, as_version=4)
    assert notebook.cells[0].source.startswith("# ")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs
            assert not re.search(r"^\s*(def|class)\s|pip install|[\"']/\w", cell.source, re.M)
            given = "parameters" in cell.metadata.get("tags", [])
            answers = cell is notebook.cells[-1]  # and the numbers that the paper quotes
            assert given or cell.source.count("\n") < (64 if answers else 16)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    (at,) = [i for i, c in enumerate(cells) if "parameters" in c.metadata.get("tags", [])]
    assert re.search(rf'Study\(\s*"{source.stem}"', cells[at + 1].source)
    others = [c.source for c in (*cells[:at], *cells[at + 1 :])]
    used = [text for text in others if not text.startswith("assert")]
    parameters = inspect_parameters(source)
    assert parameters
    for name in parameters:
        assert any(re.search(rf"\b{name}\b", text) for text in used), name


@pytest.fixture
def small(tmp_path: Path) -> Path:
    notebook = nbformat.v4.new_notebook()
    parameters = nbformat.v4.new_code_cell("size = 3  # tokens")
    parameters.metadata["tags"] = ["parameters"]
    body = nbformat.v4.new_code_cell("assert size > 0, 'size must be positive'\nsize * 2")
    address = nbformat.v4.new_code_cell("object()")
    notebook.cells = [parameters, body, address]
    path = tmp_path / "small.ipynb"
    nbformat.write(notebook, path)
    return path


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("sise = 3", "has no parameter 'sise'"),
        ("size = True", "is of type int, not bool"),
        ('size = "3"', "is of type int, not str"),
        ('size = float("nan")', "is of type int, not float"),
    ],
)
def test_a_parameter_of_a_notebook_that_is_wrong_however_it_is_given(
    cell: str, sentence: str, small: Path
) -> None:
    given: dict[str, object] = {}
    exec(cell, {}, given)
    with pytest.raises(StudyError, match=sentence):
        notebooks.run(small, small.with_name("out.ipynb"), given, small.parent)
    with pytest.raises(StudyError, match=sentence):  # by papermill itself, in the kernel
        changed(small, {"In": ["", "size = 30", f"{INJECTED}{cell}"]})
    assert not small.with_name("out.ipynb").exists()
    changed(small, {"In": ["", "size = 30", f"{INJECTED}size = 3"]})


def test_a_failing_cell_leaves_no_target(small: Path) -> None:
    target = small.with_name("out.ipynb")
    with pytest.raises(StudyError, match="size must be positive"):
        notebooks.run(small, target, {"size": -1}, small.parent)
    assert not target.exists()


@pytest.mark.parametrize("died", [1, notebooks.KERNELS])
def test_a_kernel_that_never_answers_is_replaced_but_not_for_ever(
    small: Path, died: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute, started = papermill.execute_notebook, []

    def some_die(*args: Any, **settings: Any) -> Any:
        started.append(args)
        if len(started) <= died:
            raise RuntimeError("Kernel died before replying to kernel_info")
        return execute(*args, **settings)

    monkeypatch.setattr(notebooks.papermill, "execute_notebook", some_die)
    target = small.parent / "out.ipynb"
    if died == notebooks.KERNELS:
        with pytest.raises(RuntimeError, match="Kernel died"):
            notebooks.run(small, target, {}, small.parent)
        assert len(started) == notebooks.KERNELS and not target.exists()
    else:
        notebooks.run(small, target, {}, small.parent)
        assert len(started) == died + 1 and target.exists()


def test_the_same_inputs_leave_the_same_bytes(small: Path) -> None:
    targets = [small.with_name(f"{n}.ipynb") for n in (1, 2)]
    for target in targets:
        notebooks.run(small, target, {"size": 4}, small.parent)
    assert targets[0].read_bytes() == targets[1].read_bytes()
    written = targets[0].read_text(encoding="utf-8")
    assert '"8"' in written and "<object>" in written


def test_nbconvert_leaves_out_the_code_that_is_folded(small: Path) -> None:
    notebook = nbformat.read(small, as_version=4)
    notebook.cells[2].metadata["tags"] = [notebooks.FOLDED]
    nbformat.write(notebook, small)
    target = notebooks.run(small, small.with_name("out.ipynb"), {}, small.parent)
    body, _ = HTMLExporter().from_filename(str(target))
    text = re.sub(r"<[^>]+>", "", body.partition("<main>")[2])
    assert "object()" not in text and "&lt;object&gt;" in text
    assert "size * 2" in text
