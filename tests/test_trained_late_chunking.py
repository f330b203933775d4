"""A study in parts: they are chosen, priced and run, and none is run twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Chunks
from chunkstudy.commands import experiments
from chunkstudy.commands.cli import app
from chunkstudy.runs import study_results, study_runs
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context, Experiment
from chunkstudy.studies.trained_late_chunking import models as study
from chunkstudy.studies.trained_late_chunking.parts import PLAN

NAME = "trained-late-chunking"
ROOT = Path(__file__).parents[1]
STUDY = experiments.of(study)


def fake(fails: str = "") -> tuple[Experiment, list[str]]:
    """An experiment of three parts, and which of them were run."""
    ran: list[str] = []

    def part(context: Context, one: SimpleNamespace) -> dict[str, pd.DataFrame]:
        if one.name == fails:
            raise RuntimeError("killed")
        ran.append(one.name)
        context.cut(one.name, Chunks(*np.zeros((3, 1), dtype=np.int64)))
        return {
            "parts": pd.DataFrame({"part": [one.name]}),
            "scores": pd.DataFrame({"part": [one.name] * 2, "score": [0.5, 1.0]}),
        }

    plan = tuple(SimpleNamespace(name=name) for name in ("one", "two", "three"))
    return Experiment(NAME, "How many?", plan=plan, part=part), ran


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_each_part_is_written_when_it_is_there_and_none_is_run_twice(places: Places) -> None:
    (broken, _), (whole, ran) = fake(fails="two"), fake()
    with pytest.raises(RuntimeError, match="killed"):
        study_runs.run_parts(places, broken)
    assert study_results.read(places, NAME, "parts")["part"].tolist() == ["one"]
    _, tables = study_runs.run_parts(places, whole)
    assert ran == ["two", "three"]
    assert tables["scores"]["part"].tolist() == ["one", "one", "two", "two", "three", "three"]
    chunks = study_results.provenance(study_results.folder(places, NAME))["chunks"]
    assert set(chunks) == {"one", "two", "three"}
    assert study_runs.todo(places, whole) == []


def test_parts_that_other_versions_made_keep_these_versions(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = fake()
    for version, part in zip(("1.0", "2.0", "2.0"), made.plan, strict=True):
        with_version = {"packages": {"numpy": version}, "python": "3.11.7", "platform": "here"}
        monkeypatch.setattr(study_runs, "made_on", lambda _, made=with_version: made)
        study_runs.run_parts(places, made, part.name)
    left = study_results.provenance(study_results.folder(places, NAME))
    assert left["packages"] == {"numpy": "1.0; 2.0"} and left["python"] == "3.11.7"


def test_the_order_in_which_parts_were_run_does_not_show(tmp_path: Path) -> None:
    written = []
    for number, order in enumerate([(0, 1, 2), (2, 0, 1)]):
        (made, _), here = fake(), Places(tmp_path / str(number))
        for i in order:
            study_runs.run_parts(here, made, made.plan[i].name)
        written.append((study_results.folder(here, NAME) / "scores.csv").read_bytes())
    assert written[0] == written[1]


def test_parts_are_chosen_by_name_and_a_wrong_choice_is_refused(places: Places) -> None:
    chosen = study_runs.todo(places, STUDY, "within/mixed-*-fold-1-*")
    assert [one.name for one in chosen] == ["within/mixed-512-fold-1-seed-0"]
    assert len(study_runs.todo(places, STUDY)) == len(PLAN)
    with pytest.raises(StudyError, match="its parts are within/untrained-512-fold-0"):
        study_runs.todo(places, STUDY, "*-fold-17-*")


def test_the_command_prices_parts_without_running_them_and_refuses_parts_of_other_studies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT))
    monkeypatch.setattr(study, "part", lambda *_: pytest.fail("run"))
    asked = ["study", NAME, "--part", "within/mixed-*-fold-3-*", "--dry-run"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0 and "hours of a core at most" in told.stdout
    refused = CliRunner().invoke(app, ["study", "bidirectionality", "--part", "x"])
    assert refused.exit_code == 1 and "does not come in parts" in refused.output
