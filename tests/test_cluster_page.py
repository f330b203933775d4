"""docs/cluster.md: its commands parse, its script runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from chunkstudy.runs import conditions, records
from chunkstudy.runs.conditions import MINILM

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(sh|python)\n(.*?)```", PAGE, re.DOTALL)
SHELL = [text for kind, text in BLOCKS if kind == "sh"]
COMMAND = re.compile(r"(?:chunkstudy|dask) (?:[a-z]+) [^\n&\"|]*(?:\"[^\"]*\"[^\n&|\"]*)*")
VALUES = {
    "$((gpu + 1))": "1",
    "$number": "1",
    "$SLURM_ARRAY_TASK_ID": "1",
    "$SHARDS": "8",
    '"$@"': "",
}


def commands() -> list[str]:
    lines = [line for block in SHELL for line in block.splitlines()]
    return [match[0].strip() for line in lines if (match := COMMAND.search(line))]


@pytest.mark.parametrize("block", SHELL)
def test_every_block_is_shell(block: str) -> None:
    done = subprocess.run(["bash", "-n"], input=block, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "python"])
def test_every_block_is_python(text: str) -> None:
    compile(text, "docs/cluster.md", "exec")


@pytest.mark.parametrize("line", [one for one in commands() if one.startswith("dask ")])
def test_every_command_of_dask_parses(line: str) -> None:
    pytest.importorskip("distributed")
    from distributed.cli import dask_scheduler, dask_worker

    for name, value in VALUES.items():
        line = line.replace(name, value)
    _, name, *arguments = shlex.split(line)
    command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[name]
    command.make_context(name, arguments)


@pytest.mark.slow
def test_the_array_script_runs_its_shards_without_slurm(tmp_path: Path) -> None:
    (script,) = (block for block in SHELL if "#SBATCH" in block)
    (tmp_path / "shards.sh").write_text(script)
    paths = [
        "builtin/sentence-20/none/none/corrected",
        f"builtin/sentence-20/{MINILM}/pre_embedding/corrected",
    ]
    kept = {k: v for k, v in os.environ.items() if k not in ("CHUNKSTUDY_VECTORS",)}
    environment = {
        **kept,
        "SHARDS": "2",
        "CHUNKSTUDY_ROOT": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
    }
    for number in ("1", "2"):
        done = subprocess.run(
            ["bash", str(tmp_path / "shards.sh"), *(a for p in paths for a in ("--only", p))],
            env=environment | {"SLURM_ARRAY_TASK_ID": number},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "1 to run, 0 recorded" in done.stderr
    for path in paths:
        folder = tmp_path / "results" / "runs" / conditions.parse(path).path
        assert records.complete(folder)
