"""docs/cluster.md: its commands parse, its script runs, its numbers are the study's."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.publish import cluster_page
from chunkstudy.runs import conditions, records, study_results
from chunkstudy.runs.conditions import MINILM
from chunkstudy.studies import search_cost as study
from chunkstudy.studies.search_cost import forecast

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


def test_the_tables_are_the_studys() -> None:
    blocks = cluster_page.blocks(Places(ROOT))
    assert len(blocks) == 3
    for name, table in blocks.items():
        assert f"<!-- generated: {name} -->\n\n{table}\n\n<!-- end generated -->" in PAGE


def test_what_the_page_says_of_the_tables_stands() -> None:
    found = study_results.tables(Places(ROOT), cluster_page.STUDY)
    far = forecast.forecast(found["exact"], found["memory"], found["graph"])
    encoded = far[far["encoding hours"].notna()]
    assert (encoded["a thousand together"] < 3600 * encoded["encoding hours"]).all()
    held = found["memory"].drop_duplicates("dimension", keep="last")
    ends = [f"{24e9 / one / 1e6:.1f} million" for one in held["bytes a chunk"]]
    text = PAGE.replace("\n", " ")
    assert f"{ends[0]} chunks of 384 numbers or {ends[1]} of 1,024" in text
    of = forecast.verdicts(found["graph"])
    fifty = of[of["search list"] == 50]
    few = fifty[fifty["chunks"] < 10_000]
    assert len(few) == 2 and (few["lost"] <= few["spread"]).all()
    many = fifty[fifty["chunks"] >= 10_000]
    assert len(many) == 3 and (many["lost"] > many["spread"]).all()
    assert (many["shown to lose"] == many["graphs"]).all()
    longer = of[(of["search list"] == 200) & (of["vectors"] == "drawn")]
    shown = dict(zip(longer["chunks"], longer["shown to lose"], strict=True))
    assert shown[10_000] < shown[30_000] == study.SEEDS
    real, drawn = (few[few["vectors"] == one]["missed"].item() for one in ("real", "drawn"))
    assert real < drawn


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
