"""An evaluation is held against an earlier one question by question, and a worse one fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.commands.cli import app
from chunkstudy.studies.own_documents import gate
from chunkstudy.studies.own_documents.systems import EvaluationError

DOCUMENTS = {f"d{i}": f"The mill of village {i} turns. " + "Nobody lives there now. " * 30
             for i in range(12)}  # fmt: skip
QUESTIONS = [{"id": str(i), "question": f"Which mill stands in village {i}?",
              "excerpts": [f"The mill of village {i} turns."]} for i in range(12)]  # fmt: skip


def good(text: str) -> list[str]:
    return [text[:29], text[29:]]


def bad(text: str) -> list[str]:
    return [text[:9], text[9:]]


def run(output: Path, split: object, questions: object = QUESTIONS) -> object:
    return evaluate(DOCUMENTS, questions, {"mine": split}, ["bm25"], k=1, output=output)  # type: ignore[arg-type]


def test_better_worse_and_the_same_are_told_by_a_paired_test(tmp_path: Path) -> None:
    before, after = run(tmp_path / "good", good), run(tmp_path / "bad", bad)
    worse = gate.held_against(after, tmp_path / "good" / "evaluation.json")  # type: ignore[arg-type]
    assert worse.worse and worse.table["outcome"].tolist() == ["worse"]
    assert worse.table["high"].iloc[0] < 0 and "worse than before" in str(worse)
    better = gate.held_against(before, tmp_path / "bad")  # type: ignore[arg-type]
    assert better.table["outcome"].tolist() == ["better"] and not better.worse
    same = gate.held_against(before, tmp_path / "good")  # type: ignore[arg-type]
    assert same.table["outcome"].tolist() == ["the same"] and not same.notes


def test_a_changed_set_of_questions_is_named_by_digest(tmp_path: Path) -> None:
    run(tmp_path / "all", good)
    fewer = run(tmp_path / "fewer", good, QUESTIONS[:8])
    held = gate.held_against(fewer, tmp_path / "all")  # type: ignore[arg-type]
    assert "not those of the baseline (digest" in held.notes[0]
    assert held.table["n"].tolist() == [8] and "8 questions are in both, of 12" in held.notes[1]


@pytest.mark.parametrize("fault", ["missing", "torn", "no scores"])
def test_what_is_no_evaluation_is_refused(fault: str, tmp_path: Path) -> None:
    now = run(tmp_path / "now", good)
    other = tmp_path / "other"
    if fault != "missing":
        run(other, good)
    if fault == "torn":
        (other / "evaluation.json").write_text("{", encoding="utf-8")
    if fault == "no scores":
        (other / "scores.csv").unlink()
    with pytest.raises(EvaluationError, match="no whole evaluation"):
        gate.held_against(now, other)  # type: ignore[arg-type]


def test_the_command_ends_with_exit_code_1_where_it_got_worse(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    lines = "".join(json.dumps(question) + "\n" for question in QUESTIONS)
    (tmp_path / "q.jsonl").write_text(lines, "utf-8")
    (tmp_path / "mine.py").write_text("def split(text):\n    return [text[:29], text[29:]]\n")
    base = ["evaluate", str(folder), "--questions", str(tmp_path / "q.jsonl"), "--encoder", "bm25",
            "--k", "1", "--chunker", f"{tmp_path}/mine.py:split"]  # fmt: skip
    first = CliRunner().invoke(app, [*base, "--output", str(tmp_path / "one")])
    assert first.exit_code == 0, first.output
    (tmp_path / "mine.py").write_text("def split(text):\n    return [text[:9], text[9:]]\n")
    again = [*base, "--output", str(tmp_path / "two"), "--baseline", str(tmp_path / "one")]
    second = CliRunner().invoke(app, again)
    assert second.exit_code == 1 and "worse than before" in second.output
