"""A misspelt collection, chunker or encoder in a notebook's parameters is an error that names the
nearest, and no condition is dropped."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.core.errors import ResourceError, StudyError, UserError
from chunkstudy.core.project import Project
from chunkstudy.notebook.parameter_cells import changed, inspect_parameters
from chunkstudy.notebook.parameters import (
    FAULTS,
    OWN_CHUNKERS,
    _chunker_fault,
    _strings,
    find_unknown,
)
from chunkstudy.release import grid, notebooks
from chunkstudy.studies.code_retrieval import chunks

SOURCES = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
GIVEN: dict[str, Any] = {
    "collections": ["scifact"],
    "chunkers": ["sentence-5"],
    "encoder": MINILM,
    "protocol": "corrected",
}
UNKNOWN = [
    ({"chunkers": ["recursiv-200-0"]}, "chunker 'recursiv-200-0'; did you mean 'recursive-200-0'?"),
    ({"in_books": ["recursiv-400-200"]}, "chunker .*; did you mean 'recursive-400-200'?"),
    ({"chunker": "recursive-200"}, "did you mean 'recursive-200-0'?"),
    ({"chunker": "zz"}, "unknown chunker 'zz'; `chunkstudy chunkers` lists them"),
    ({"chunker": "recursive-200-300"}, "the overlap is 300 for chunks of 200"),
    ({"chunker": "fixed-256-wordpiece"}, "is another name of 'fixed-256'; write that"),
    ({"encoder": f"{MINILM[:-1]}"}, f"unknown encoder .*; did you mean '{MINILM}'?"),
    ({"encoders": [MINILM, "zz"]}, "unknown encoder 'zz'; `chunkstudy models` lists them"),
    ({"collection": "chrma"}, "unknown collection 'chrma'; did you mean 'chroma'?"),
    ({"collections": ["scifact", ""]}, "unknown collection ''; use one of chroma, "),
    ({"measures": {"scifct": ["nDCG@10"]}}, "unknown collection 'scifct'; did you mean 'scifact'?"),
    ({"drawn": [["chroma-wthin", ["cluster-200"], "contextualized-512", 20]]}, "'chroma-within'?"),
    ({"drawn": [["chroma-within", ["clust-200"], "contextualized-512", 20]]}, "'cluster-200'?"),
    ({"anything": {"else": ["scifct"]}}, "unknown name 'scifct'; did you mean 'scifact'?"),
    ({"protocol": "corected"}, "unknown protocol 'corected'; did you mean 'corrected'?"),
    ({"arm": "contextualizd-512"}, "did you mean 'contextualized-512'?"),
]


def checkout(folder: Path, cell: str) -> Project:
    """A checkout with one notebook ``page`` of nothing but a parameter cell."""
    parameters = nbformat.v4.new_code_cell(cell)
    parameters.metadata["tags"] = ["parameters"]
    places = Project(folder)
    places.notebooks.mkdir(parents=True)
    places.results.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[parameters]), places.notebooks / "page.ipynb")
    return places


@pytest.mark.parametrize(("parameters", "sentence"), UNKNOWN, ids=lambda one: str(one)[:40])
def test_an_unknown_name_is_an_error_with_the_nearest(
    parameters: dict[str, Any], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name,) = parameters
    cell = "\n".join(f"{name} = {value!r}" for name, value in (GIVEN | parameters).items())
    places = checkout(tmp_path, cell)
    source = places.notebooks / "page.ipynb"
    sentence = f"^parameter '{name}' of page.ipynb: .*{sentence}".replace("?", r"\?")
    with pytest.raises(StudyError, match=sentence):
        grid.conditions(places)
    with pytest.raises(StudyError, match=sentence):
        notebooks.run(source, tmp_path / "out.ipynb", parameters, places.root)
    with pytest.raises(StudyError, match=sentence):  # by papermill or JupyterLab, in the kernel
        changed(source, {"In": [""], **parameters})
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(places.root))
    for command in (["list"], ["status"], ["estimate"], ["run", "--only", "*"]):
        done = CliRunner().invoke(main.app, command)
        assert done.exit_code == 1 and done.stderr.count("\n") == 1
        assert f"chunkstudy: parameter '{name}' of page.ipynb: " in done.stderr


def misspelt(source: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """A notebook's parameters with each of its names misspelt, one at a time."""
    for parameter, value in inspect_parameters(source).items():
        for name in dict.fromkeys(_strings(value)):
            if any(fault(name) == "" for fault in FAULTS.values()):
                wrong = f"{name[0]}{name[2:]}"
                text = json.dumps(value).replace(json.dumps(name), json.dumps(wrong), 1)
                yield {parameter: json.loads(text)}, wrong


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_notebook_names_what_exists_and_none_of_its_names_can_be_misspelt(
    source: Path,
) -> None:
    assert not list(find_unknown(source.stem, inspect_parameters(source)))
    for parameters, wrong in misspelt(source):
        unknown = [fault for _, fault in find_unknown(source.stem, parameters)]
        assert len(unknown) == 1 and repr(wrong) in unknown[0], (parameters, wrong)
        assert "did you mean" in unknown[0]


def test_a_page_of_its_own_chunkers_names_them_all() -> None:
    assert set(OWN_CHUNKERS["code_retrieval"]) == {
        one for one in chunks.CHUNKERS if _chunker_fault(one)
    }
    assert list(find_unknown("code_retrieval", {"chunkers": ["guid"]})) == [
        ("chunkers", "unknown chunker 'guid'; did you mean 'guide'?")
    ]


def test_a_function_of_a_readers_own_is_no_misspelt_name() -> None:
    assert not list(find_unknown("page", {"chunkers": ["sentence-5", str.splitlines]}))
    assert not list(find_unknown("your_own_data", {"encoder": "./models/mine", "k": 5}))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"protocol": "corected"}, UserError),
        ({"window": 4096}, UserError),
        ({"chunkers": ["recursiv-200-0"]}, ValueError),
        ({"collections": ["scifct"]}, RuntimeError),
        ({"encoder": "zz"}, ResourceError),
    ],
)
def test_no_condition_that_a_cell_names_is_dropped(
    parameters: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        list(grid.of_notebook(GIVEN | parameters))


def test_a_condition_without_a_model_is_not_read_late_and_a_precision_is_kept() -> None:
    found = grid.of_notebook(GIVEN | {"encoder": "none", "collections": ["chroma"],
                                         "ordering": "contextualized-512"})  # fmt: skip
    assert [str(one) for one in found] == ["chroma/sentence-5/none/none/corrected"]
    (half,) = grid.of_notebook(GIVEN | {"encoder": f"{MINILM}-bfloat16"})
    assert half.encoder.endswith("-bfloat16")


def test_passages_that_are_spans_are_left_out_under_a_protocol_of_quotations() -> None:
    collections = {"collections": ["covid-qa-within", "gutenqa-emma"]}
    protocols = {"protocols": ["as_published-ielab", "corrected"]}
    given = {name: value for name, value in GIVEN.items() if name != "protocol"}
    found = grid.of_notebook(given | collections | protocols)
    assert [(one.collection, one.protocol) for one in found] == [
        ("covid-qa-within", "corrected"),
        ("gutenqa-emma", "as_published-ielab"),
        ("gutenqa-emma", "corrected"),
    ]


def test_a_function_in_a_parameter_cell_is_refused_in_one_sentence(tmp_path: Path) -> None:
    places = checkout(tmp_path, "chunkers = ['sentence-5', mine]")
    with pytest.raises(StudyError, match=r"page.ipynb holds something else than literals"):
        grid.conditions(places)


def test_an_error_in_a_notebook_is_one_sentence_without_a_traceback() -> None:
    code = "from chunkstudy.notebook.runs import NoRecordError; raise NoRecordError('Do this.')"
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=NoColor", "-c", code],
        capture_output=True,
        text=True,
    )
    assert (done.stdout + done.stderr).strip().splitlines()[-1] == "NoRecordError: Do this."
    assert "Traceback" not in done.stdout + done.stderr and "--->" not in done.stdout + done.stderr
