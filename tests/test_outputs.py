"""Only a reproduction changes ``results``, ``figures`` and ``paper``, whole notebooks at a time;
any other run writes below ``build`` and says whether its files equal the study's."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.core import files
from chunkstudy.core.errors import StudyError, UserError
from chunkstudy.core.files import write_files
from chunkstudy.core.project import BUILD, Project
from chunkstudy.notebook.outputs import STAGING, Outputs
from chunkstudy.release import check, notebooks
from tests import forking, mounts
from tests.small_notebook import CELLS, FILES, NAME, committed, project, run_plainly

needs_mounts = pytest.mark.skipif(
    not mounts.allowed(), reason="mounting is not allowed here, so no checkout can be read-only"
)
HERE = "The files of this run are in `build/notebooks/small`."


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose notebook was reproduced."""
    made = project(tmp_path_factory.mktemp("project"))
    notebooks.run_one(made, made.notebooks / f"{NAME}.ipynb")
    return made


@pytest.fixture
def study(reproduced: Project, tmp_path: Path) -> Project:
    """A copy of it."""
    shutil.copytree(reproduced.root, tmp_path / "copy", copy_function=shutil.copy2)
    return Project(tmp_path / "copy")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project for studies in this process, which is no kernel."""
    made = project(tmp_path / "project")
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(made.root))
    for name in (BUILD, STAGING):
        monkeypatch.setenv(name, "")  # so that what the test sets itself is undone, too
        monkeypatch.delenv(name)
    return made


def as_notebook(monkeypatch: pytest.MonkeyPatch, k: int = 5) -> Study:
    """Its study, as in the notebook's kernel."""
    monkeypatch.setattr(
        "chunkstudy.notebook.study.get_ipython",
        lambda: type("Shell", (), {"user_ns": {"In": [""], "k": k}}),
    )
    return Study(NAME)


def test_a_reproduction_publishes_the_page_and_every_file(reproduced: Project) -> None:
    made = set(committed(reproduced)) - {f"notebooks/{NAME}.ipynb", "results/published/claims.csv"}
    assert made == {
        "figures/small_figure.png",
        "paper/generated/paper_small.tex",
        "results/answers/small.json",
        "results/notebooks/small.ipynb",
        "results/tables/small.csv",
    }
    page = (reproduced.results / "notebooks/small.ipynb").read_text("utf-8")
    assert "Yes: 5." in page and "build/notebooks" not in page and STAGING not in page
    assert not reproduced.build.exists()


def test_a_default_run_by_papermill_changes_nothing_and_says_that_its_files_are_equal(
    study: Project, tmp_path: Path
) -> None:
    before = committed(study)
    said = run_plainly(study, tmp_path / "out.ipynb")
    assert committed(study) == before
    assert said.startswith(HERE)
    assert f"{FILES} of {FILES} files equal the study's." in said and "Yes: 5." in said
    (study.tables / "small.csv").write_text("n\n6\n")
    (study.figures / "small_figure.png").unlink()
    said = run_plainly(study, tmp_path / "out.ipynb")
    differing = "not equal: `tables/small.csv`, `figures/small_figure.png`."
    assert f"{FILES - 2} of {FILES} files equal the study's; {differing}" in said


def test_an_edited_and_saved_parameter_cell_is_not_taken_for_the_studys_own(
    study: Project, tmp_path: Path
) -> None:
    project(study.root, k=7)
    before = committed(study)
    said = run_plainly(study, tmp_path / "out.ipynb")
    assert committed(study) == before
    assert "Not the study's own parameters (k = 7)" in said and "`build/notebooks/small`" in said
    assert (study.build / "notebooks/small/tables/small.csv").read_text() == "n\n7\n"
    shutil.rmtree(study.results / "notebooks")  # so that nothing tells it
    before = committed(study)
    said = run_plainly(study, tmp_path / "out.ipynb")
    assert committed(study) == before
    assert f"0 of {FILES} files equal the study's" in said


@pytest.mark.parametrize("after", [2, len(CELLS)])
def test_a_reproduction_that_fails_half_way_changes_nothing(study: Project, after: int) -> None:
    project(study.root, 6, (*CELLS[:after], "raise ValueError('half-way')"))
    before = committed(study)
    with pytest.raises(StudyError, match=f"failed in cell {after + 1}: ValueError: half-way"):
        notebooks.run_one(study, study.notebooks / f"{NAME}.ipynb")
    assert committed(study) == before


def test_a_variable_alone_reaches_no_result_and_other_parameters_are_not_staged(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = committed(here)
    monkeypatch.setenv(STAGING, str(tmp_path / "staging"))
    as_notebook(monkeypatch, k=6).table("small", pd.DataFrame({"n": [1]}))
    assert not (tmp_path / "staging").exists()
    as_notebook(monkeypatch).table("small", pd.DataFrame({"n": [1]}))
    assert (tmp_path / "staging/results/tables/small.csv").exists()
    assert committed(here) == before


def test_a_cell_that_runs_twice_changes_nothing(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = as_notebook(monkeypatch)
    path = here.build / f"notebooks/{NAME}/answers/{NAME}.json"
    written = []
    for _ in range(2):
        study.answer("Is it so?", "Yes.", holds=True)
        study.answer("And that?", "No.", holds=True)
        study.claim("C02", 3, fair=True)
        study.number("share/of", 0.5)
        written.append(path.read_bytes())
    assert written[0] == written[1]
    study.answer("Is it so?", "Yes, still.", holds=True)
    study.claim("C02", 2, fair=True)
    kept = json.loads(path.read_text("utf-8"))
    assert [one["answer"] for one in kept["answers"]] == ["Yes, still.", "No."]
    assert [one["numbers"] for one in kept["claims"]] == ["2 of 4"]


def test_a_reproduction_refuses_a_second_answer_and_a_second_verdict(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STAGING, str(tmp_path / "staging"))
    study = as_notebook(monkeypatch)
    study.answer("Is it so?", "Yes.", holds=True)
    with pytest.raises(StudyError, match="'Is it so\\?' is answered twice on this page"):
        study.answer("Is it so?", "No.", holds=True)
    study.claim("C02", 3, fair=True)
    with pytest.raises(UserError, match="claim C02 is judged twice on this page"):
        study.claim("C02", 3, fair=True)


def test_build_is_where_a_variable_says(
    here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here.display(Outputs(here, NAME, True).folder) == "build/notebooks/small"
    monkeypatch.setenv(BUILD, str(tmp_path / "elsewhere"))
    study = as_notebook(monkeypatch)
    study.table("small", pd.DataFrame({"n": [1]}))
    assert (tmp_path / "elsewhere/notebooks/small/tables/small.csv").exists()
    assert here.vectors == tmp_path / "elsewhere/vectors"
    assert here.rankings == tmp_path / "elsewhere/rankings"
    assert here.display(Outputs(here, NAME, True).folder) == str(
        tmp_path / "elsewhere/notebooks/small"
    )
    monkeypatch.setenv(BUILD, "local")
    assert here.build == here.root / "local"
    with check._own_build():
        assert here.build == here.root / "build"
    assert os.environ[BUILD] == "local"


def test_build_moves_to_a_temporary_folder_where_it_cannot_be_written(
    here: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, _: not path.is_relative_to(here.root))
    study = Study("trial", compute="missing")
    moved = here.build
    assert moved.parent == tmp_path and f"{here.root} is read-only" in capsys.readouterr().err
    study.table("small", pd.DataFrame({"n": [1]}))
    assert (moved / "notebooks/trial/tables/small.csv").exists()
    assert here.vectors == moved / "vectors"
    Study("trial")
    assert here.build == moved and not capsys.readouterr().err
    monkeypatch.setenv(BUILD, "build")
    with pytest.raises(
        StudyError, match=r"CHUNKSTUDY_BUILD is .*, which cannot be written; set it"
    ):
        Study("trial")


def test_files_that_cannot_all_be_written_replace_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name / "file" for name in "abc"]
    write_files(dict.fromkeys(paths, b"old"))
    write_part = files._write_part

    def full_at_the_last(path: Path, content: bytes, durable: bool) -> Any:
        if path == paths[-1]:
            raise OSError(28, "no space")
        return write_part(path, content, durable)

    monkeypatch.setattr(files, "_write_part", full_at_the_last)
    with pytest.raises(OSError, match="no space"):
        write_files(dict.fromkeys(paths, b"new"))
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(found) == paths and {path.read_bytes() for path in paths} == {b"old"}


@pytest.mark.slow
@pytest.mark.parametrize("replaced", [0, 1, 3])
def test_a_reproduction_killed_between_two_files_is_repaired_by_the_next(
    study: Project, tmp_path: Path, replaced: int
) -> None:
    calm = project(tmp_path / "calm", k=6)
    notebooks.run_one(calm, calm.notebooks / f"{NAME}.ipynb")
    expected = {name: content for name, (content, _) in committed(calm).items()}
    project(study.root, k=6)
    end = forking.run("publication_killed", study.root, replaced)
    assert end.killed, end.said
    now = {name: content for name, (content, _) in committed(study).items()}
    assert sum(now[name] == expected[name] for name in now) == 2 + replaced  # 2: inputs
    notebooks.run_one(study, study.notebooks / f"{NAME}.ipynb")
    assert {name: content for name, (content, _) in committed(study).items()} == expected


@pytest.mark.slow
@needs_mounts
def test_a_read_only_checkout_runs_from_a_temporary_folder(study: Project, tmp_path: Path) -> None:
    before = committed(study)
    forking.well("notebook_in_a_read_only_checkout", study.root, tmp_path / "out.ipynb")
    said = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    text = nbformat.writes(said)
    assert f"{study.root} is read-only; tables, vectors and runs go to " in text
    assert f"{FILES} of {FILES} files equal the study's." in text
    assert committed(study) == before and not study.build.exists()
