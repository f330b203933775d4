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
GRADED = Condition("builtin-graded", *BUILTIN.path.parts[1:])


@pytest.mark.parametrize("condition", [BUILTIN, GRADED], ids=str)
def test_what_is_exported_is_what_was_scored(
    condition: Condition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Places(Path(__file__).parents[1])
    record = Library(root).get(condition)
    if record is None or record.run.ranking is None:
        pytest.skip(f"{condition} is not recorded")
    monkeypatch.chdir(root.root)
    done = CliRunner().invoke(app, ["export", "--trec", str(tmp_path), "--only", str(condition)])
    assert done.exit_code == 0 and "rankings of 1 conditions" in done.output
    folder = tmp_path / condition.collection
    (run,) = folder.glob("*.documents.run")
    qrels = list(ir_measures.read_trec_qrels(str(folder / "documents.qrels")))
    measure = ir_measures.parse_measure("nDCG@10")
    found = ir_measures.iter_calc([measure], qrels, list(ir_measures.read_trec_run(str(run))))
    values = {one.query_id: one.value for one in found}
    if condition == GRADED:
        recorded = record.wide["nDCG@10"].dropna()
        assert values == pytest.approx(recorded.to_dict(), abs=1e-6)
    else:
        (chunks,) = folder.glob("*.chunks.run")
        ranked = list(ir_measures.read_trec_run(str(chunks)))
        judged = {
            (q.query_id, q.doc_id) for q in ir_measures.read_trec_qrels(str(chunks)[:-3] + "qrels")
        }
        hit = {q for q in record.wide.index if record.wide.at[q, "SpanRecall@5"] > 0}
        first = {
            one.query_id
            for one in ranked
            if one.score > 15 and (one.query_id, one.doc_id) in judged
        }
        assert first == hit


@given(st.text(max_size=20))
def test_a_name_holds_no_white_space_and_can_be_read_back(text: str) -> None:
    from urllib.parse import unquote

    written = trec.name(text)
    assert len(written.split()) <= 1 and unquote(written) == text
