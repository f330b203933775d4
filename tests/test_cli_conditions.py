"""What can be run is any valid condition, and what cannot is said in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.commands import cli
from chunkstudy.runs import conditions, grids
from chunkstudy.runs.conditions import MINILM, Condition

OUTSIDE = f"builtin/sentence-3/{MINILM}/contextualized-64/corrected"


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def empty_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    return tmp_path


def test_a_condition_outside_the_grid_is_listed_priced_and_run() -> None:
    assert conditions.parse(OUTSIDE) not in grids.grid()
    assert invoke("list", "--only", OUTSIDE) == (0, f"{OUTSIDE}\topen\n")
    code, output = invoke("estimate", "--only", OUTSIDE)
    assert code == 0 and output.startswith(f"{OUTSIDE}\t2.00 M tokens")
    code, output = invoke("run", "--dry-run", "--only", OUTSIDE)
    assert code == 0 and f"[1/1] {OUTSIDE}" in output


def test_a_run_outside_the_grid_leaves_a_record(empty_study: Path) -> None:
    path = "builtin/sentence-20/none/none/corrected"
    code, output = invoke("run", "--only", path)
    assert code == 0, output
    assert (empty_study / "results" / "runs" / path / "run.json").is_file()
    assert "0 to run, 1 recorded" in invoke("run", "--only", path)[1]


def test_patterns_and_conditions_are_taken_together_each_once() -> None:
    pattern = "builtin/cluster-*/*/*/corrected"
    named = f"builtin/cluster-200/{MINILM}/pre_embedding/corrected"
    code, output = invoke("list", "--only", pattern, "--only", OUTSIDE, "--only", named)
    assert code == 0
    assert [line.split("/")[1] for line in output.splitlines()] == [
        "cluster-200", "cluster-400", "sentence-3",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["estimate", "run", "list"])
@pytest.mark.parametrize(
    ("only", "sentence"),
    [
        ("zz", "no condition matches 'zz'"),
        ("zz/*", "no condition matches 'zz/*'"),
        ("zz/none/none/none/corrected", "unknown collection 'zz'"),
        ("chroma/fixed/none/none/corrected", "unknown chunker 'fixed'"),
        ("chroma/none/nobody/pre_embedding/corrected", "unknown encoder 'nobody'"),
        (f"chroma/none/{MINILM}/late/corrected", "unknown ordering 'late'"),
        (f"chroma/none/{MINILM}/pre_embedding/mine", "unknown protocol 'mine'"),
        ("scifact/none/none/none/corrected", "ranks by vectors; name an encoder"),
        (f"chroma/fixed-256-wordpiece/{MINILM}/pre_embedding/corrected", "write fixed-256"),
        (f"chroma/none/{MINILM}-w256/pre_embedding/corrected", f"write {MINILM}"),
        (f"chroma/none/{MINILM}/contextualized-64-16/corrected", "write contextualized-64"),
        (f"chroma/none/{MINILM}-w600/pre_embedding/corrected", "has 512 positions"),
        (f"chroma/none/{MINILM}-w2/pre_embedding/corrected", "3 are the fewest"),
        (f"chroma/none/{MINILM}/contextualized-600/corrected", "has 512 positions"),
        (f"chroma/none/{MINILM}/contextualized-256-at-257/corrected", "up to position 513"),
        (f"chroma-within/none/{MINILM}/pre_embedding/as_published-ielab", "use corrected"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(
    command: str, only: str, sentence: str
) -> None:
    code, output = invoke(command, "--only", only)
    assert code == 1
    assert sentence in output
    assert len(output.strip().splitlines()) == 1


def test_nothing_is_taken_where_one_of_several_patterns_is_wrong() -> None:
    code, output = invoke("run", "--dry-run", "--only", "builtin/*", "--only", "biultin/*")
    assert code == 1
    assert output.startswith("chunkstudy: no condition matches 'biultin/*'")


def test_a_released_segmentation_runs_on_its_book_only() -> None:
    parts = (f"{MINILM}-w512", "pre_embedding", "corrected")
    assert Condition("gutenqa-emma", "lumberchunker-released", *parts).reason_not_run is None
    elsewhere = Condition("scifact", "lumberchunker-released", *parts).reason_not_run
    assert elsewhere is not None and "use another chunker" in elsewhere
    assert "use another chunker" in str(
        Condition("chroma", "lumberchunker-handmade", *parts).reason_not_run
    )
