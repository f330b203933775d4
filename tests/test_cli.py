"""Commands start quickly, list what there is, run any valid condition, and say what failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.core.project import find_project
from chunkstudy.core.spans import Collection
from chunkstudy.pipeline import conditions, records, scheduler
from chunkstudy.pipeline import run as one_condition
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.scheduler import tasks_of
from chunkstudy.release import grid

HEAVY = ("torch", "transformers", "scipy", "nltk", "matplotlib", "statsmodels", "papermill")
"""Libraries that take seconds to import and that `list` and `--help` need nothing of."""
OUTSIDE = f"builtin/sentence-3/{MINILM}/contextualized-64/corrected"


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main.app, list(arguments))
    return done.exit_code, done.output


def test_importing_the_command_line_loads_no_heavy_library() -> None:
    code = f"import sys, chunkstudy.cli.main; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def empty_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_run_outside_the_study_leaves_a_record(empty_study: Path) -> None:
    path = "builtin/sentence-20/none/none/corrected"
    code, output = invoke("run", "--only", path)
    assert code == 0, output
    assert records.complete(empty_study / "results" / "runs", conditions.parse(path))
    assert "0 to run, 1 recorded" in invoke("run", "--only", path)[1]


def test_patterns_and_conditions_are_taken_together_each_once() -> None:
    pattern = "builtin/cluster-*/*/*/corrected"
    named = f"builtin/cluster-200/{MINILM}/pre_embedding/corrected"
    code, output = invoke("list", "--only", pattern, "--only", OUTSIDE, "--only", named)
    assert code == 0
    assert [line.split("/")[1] for line in output.splitlines()] == [
        "cluster-200", "cluster-400", "sentence-3",
    ]  # fmt: skip


def test_a_released_segmentation_runs_on_its_book_only() -> None:
    parts = (f"{MINILM}-w512", "pre_embedding", "corrected")
    assert reason_not_run(Condition("gutenqa-emma", "lumberchunker-released", *parts)) is None
    elsewhere = reason_not_run(Condition("scifact", "lumberchunker-released", *parts))
    assert elsewhere is not None and "use another chunker" in elsewhere


ONE = Condition("builtin", "sentence-20", "none", "none", "corrected")


def test_a_task_is_what_shares_a_collection_and_an_encoder_with_its_window() -> None:
    study = grid.conditions(find_project())
    tasks = tasks_of(study)
    assert sorted(c for task in tasks for c in task) == sorted(study)
    kinds = [{(c.collection, c.encoder) for c in task} for task in tasks]
    assert all(len(kind) == 1 for kind in kinds)
    assert len(set.union(*kinds)) == len(tasks)
    for task in tasks:
        turns = [study.index(c) for c in task]
        assert turns == sorted(turns)


def test_a_dry_run_shows_conditions_and_what_they_take(empty_study: Path) -> None:
    named = f"scifact/fixed-64/{MINILM}/pre_embedding/corrected"
    code, output = invoke("run", "--dry-run", "--processes", "2", "--only", named)
    first, listed, last = output.splitlines()
    assert code == 0 and first.startswith("1 to run, 0 recorded")
    assert listed.startswith(f"{named}\t1,7") and " tokens, " in listed
    assert last.startswith("1 in all, at most, on two cores like ours\t1,7")
    assert not list(empty_study.rglob("*.parquet"))


@pytest.mark.slow
def test_a_failed_condition_says_so_and_the_others_go_on(
    empty_study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Collection:
        if name == "builtin":
            raise ValueError("this collection is not\nto be had")
        return kept(name)

    other = f"builtin-graded/sentence-20/{MINILM}/pre_embedding/corrected"
    kept = one_condition.load_collection
    monkeypatch.setattr(one_condition, "load_collection", load)
    code, output = invoke("run", "--only", str(ONE), "--only", other)
    assert code == 1
    assert f"chunkstudy: {ONE} failed: this collection is not to be had\n" in output
    assert f"[2/2] {other} took" in output
    assert records.complete(empty_study / "results" / "runs", conditions.parse(other))


@pytest.mark.usefixtures("empty_study")
@pytest.mark.parametrize("address", ["dask://host:1", "tcp://host", "host", "host:port"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    pytest.importorskip("distributed")
    code, output = invoke("run", "--only", str(ONE), "--dask", address)
    assert code == 1
    assert f"chunkstudy: '{address}' is no address of a Dask scheduler; write host:port" in output


@pytest.mark.usefixtures("empty_study")
def test_a_scheduler_that_does_not_answer_is_said_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(scheduler, "PATIENCE", 0.2)
    code, output = invoke("run", "--only", str(ONE), "--dask", "127.0.0.1:9")
    assert code == 1
    assert "chunkstudy: no Dask scheduler answers at 127.0.0.1:9; start one with" in output


@pytest.mark.usefixtures("empty_study")
def test_what_costs_money_is_left_to_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    paid = "builtin/recursive-400-200/text-embedding-3-large/pre_embedding/corrected"
    code, output = invoke("run", "--only", paid, "--processes", "1")
    assert code == 1
    assert f"is asked for {paid} costs money" in output
    assert "the ceiling CHUNKSTUDY_BUDGET is one process's" in output
