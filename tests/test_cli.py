"""Commands start quickly, list what there is and refuse in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.commands import cli

HEAVY = ("torch", "transformers", "scipy", "nltk", "matplotlib", "statsmodels", "papermill")
"""Libraries that take seconds to import and that `list` and `--help` need nothing of."""


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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("estimate", "--only", "zz"), "no condition matches 'zz'"),
        (("estimate", "--device", "abacus"), "'abacus'"),
        (("study", "zz"), "unknown study 'zz'; use one of berlin"),
        (("study", "labels", "--collection", "zz"), "unknown collection 'zz'; use one of chroma"),
        (("notebook", "clams"), "unknown notebook 'clams'; use one of 00_overview"),
        (("notebook", "claims", "-p", "wrk=jina"), "no parameter 'wrk'"),
        (("reproduce", "--profile", "zz"), "unknown profile 'zz'; use builtin"),
        (("rescore", "P@5", "--only", "zz"), "no record matches zz"),
        (("export", "--csv", "scores.csv", "--only", "zz"), "no record matches zz"),
        (("fetch", "zz"), "'zz'"),
        (("inspect", "zz"), "'zz'"),
    ],
)
def test_bad_input_ends_in_one_sentence_and_writes_nothing(
    arguments: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "export" in arguments:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    code, output = invoke(*arguments)
    assert code == 1
    assert output.startswith("chunkstudy: ") and sentence in output
    assert len(output.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_help_names_every_command() -> None:
    code, output = invoke("--help")
    assert code == 0
    for name in ("list", "fetch", "run", "study", "reproduce", "check", "notebook", "inspect"):
        assert name in output
