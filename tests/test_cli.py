"""Commands start quickly, list what there is, and run any valid condition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.commands import cli
from chunkstudy.runs import conditions, grids
from chunkstudy.runs.conditions import MINILM, Condition

HEAVY = ("torch", "transformers", "scipy", "nltk", "matplotlib", "statsmodels", "papermill")
"""Libraries that take seconds to import and that `list` and `--help` need nothing of."""
OUTSIDE = f"builtin/sentence-3/{MINILM}/contextualized-64/corrected"


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, list(arguments))
    return done.exit_code, done.output


def test_importing_the_command_line_loads_no_heavy_library() -> None:
    code = f"import sys, chunkstudy.commands.cli; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_pattern_lists_the_conditions_of_one_collection() -> None:
    code, output = invoke("list", "--only", "scifact/*")
    lines = output.splitlines()
    assert code == 0 and lines
    assert all(line.startswith("scifact/") and line.count("\t") == 1 for line in lines)
    assert any(line.endswith("\trecorded") for line in lines)


@pytest.fixture
def empty_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("empty_study")
def test_a_condition_outside_the_grid_is_listed_priced_and_run() -> None:
    assert conditions.parse(OUTSIDE) not in grids.grid()
    assert invoke("list", "--only", OUTSIDE) == (0, f"{OUTSIDE}\topen\n")
    code, output = invoke("estimate", "--only", OUTSIDE)
    assert code == 0 and output.startswith(f"{OUTSIDE}\t0.03 M tokens")
    code, output = invoke("run", "--dry-run", "--only", OUTSIDE)
    assert code == 0 and f"[1/1] {OUTSIDE}" in output


def test_a_run_outside_the_grid_leaves_a_record(empty_study: Path) -> None:
    path = "builtin/sentence-20/none/none/corrected"
    code, output = invoke("run", "--only", path)
    assert code == 0, output
    assert (empty_study / "results" / "runs" / path / "run.json").is_file()
    assert "0 to run, 1 recorded" in invoke("run", "--only", path)[1]


@pytest.mark.usefixtures("empty_study")
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
    assert Condition("gutenqa-emma", "lumberchunker-released", *parts).reason_not_run is None
    elsewhere = Condition("scifact", "lumberchunker-released", *parts).reason_not_run
    assert elsewhere is not None and "use another chunker" in elsewhere
    assert "use another chunker" in str(
        Condition("chroma", "lumberchunker-handmade", *parts).reason_not_run
    )
