"""Runs and qrels of recorded rankings give ir-measures the scores that were recorded."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.commands.cli import app
from chunkstudy.evaluation import trec
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library

BUILTIN = Condition(
    "builtin",
    "recursive-200-0",
    "sentence-transformers__all-MiniLM-L6-v2",
    "pre_embedding",
    "corrected",
)


def test_what_is_exported_is_what_was_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    condition, root = BUILTIN, Places(Path(__file__).parents[1])
    record = Library(root).get(condition)
    assert record and record.run.ranking
    monkeypatch.chdir(root.root)
    done = CliRunner().invoke(app, ["export", "--trec", str(tmp_path), "--only", str(condition)])
    assert done.exit_code == 0 and "rankings of 1 conditions" in done.output
    folder = tmp_path / condition.collection
    (run,) = folder.glob("*.chunks.run")
    qrels = list(ir_measures.read_trec_qrels(f"{run}"[:-3] + "qrels"))
    success = ir_measures.parse_measure("Success@5")
    ranked = list(ir_measures.read_trec_run(str(run)))
    found = {one.query_id: one.value for one in ir_measures.iter_calc([success], qrels, ranked)}
    recall = record.wide["SpanRecall@5"]
    assert {query for query, value in found.items() if value} == set(recall[recall > 0].index)
    documents = next(folder.glob("*.documents.run")).read_text(encoding="utf-8").splitlines()
    assert len({tuple(line.split()[:3]) for line in documents}) == len(documents)


@given(st.text(max_size=20))
def test_a_name_holds_no_white_space_and_can_be_read_back(text: str) -> None:
    from urllib.parse import unquote

    written = trec.name(text)
    assert len(written.split()) <= 1 and unquote(written) == text
