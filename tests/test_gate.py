"""A gate passes an evaluation only if no system is worse than in the accepted one, compares only
what is the same, and never loses an accepted evaluation."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from chunkstudy import evaluate
from chunkstudy.cli.main import app
from chunkstudy.core.errors import UserError
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.user_data import output
from chunkstudy.user_data.baseline import load_baseline
from chunkstudy.user_data.comparison import Evaluation
from chunkstudy.user_data.gate import (
    NOT_WORSE,
    UNDECIDED,
    WORSE,
    compare_to_baseline,
    questions_needed,
)
from chunkstudy.user_data.gated import evaluate_gated
from chunkstudy.user_data.question_identity import QuestionIdentity, pair_questions
from chunkstudy.user_data.recommendation import Recommendation

ROOMS = 30
DEFAULT = "build/evaluations/docs"


@pytest.fixture
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory: 30 documents, each with the word of its question."""
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(folder))
    monkeypatch.chdir(folder)
    write_rooms(range(ROOMS))
    write_questions(map(question, range(ROOMS)))
    return folder


def write_rooms(missed: Sequence[int], kept: str = "word{}", changed: str = "word{}") -> None:
    """Write the documents; those in ``missed`` get another word."""
    Path("docs").mkdir(exist_ok=True)
    for i in range(ROOMS):
        word = (changed if i in missed else kept).format(i)
        text = f"Item {word} is kept in room number {i}. It is red.\n"
        Path("docs", f"d{i:02}.md").write_text(text)


def miss(count: int) -> None:
    """Change the documents so that so many questions are answered no more."""
    write_rooms(range(ROOMS - count, ROOMS), changed="thing")


def question(i: int, **changes: Any) -> dict[str, Any]:
    asked = {"question": f"Where is word{i}?", "excerpts": [f"kept in room number {i}."]}
    return asked | changes


def write_questions(lines: Any, path: str = "q.jsonl") -> None:
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))


def command(*options: str, k: str = "1") -> Result:
    base = ["evaluate", "docs", "--questions", "q.jsonl", "--encoder", "bm25", "--k", k]
    chunker = [] if "--chunker" in options else ["--chunker", "none"]
    return CliRunner().invoke(app, [*base, *chunker, *options])


def accept(*options: str) -> None:
    done = command(*options)
    assert done.exit_code == 0, done.output


def contents(folder: str | Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too."""
    paths = (path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def is_ranked(done: Result) -> bool:
    return "[1/" in done.output


def litter() -> list[str]:
    return [path.name for path in Path().rglob(".*") if path.name not in (".lock",)]


# What the command decides


def test_a_fall_against_the_default_output_fails_and_leaves_it_byte_for_byte(rooms: Path) -> None:
    accept()
    accepted = contents(DEFAULT)
    miss(29)
    done = command("--baseline", DEFAULT)
    assert done.exit_code == 1 and "worse than the baseline, 100.0% to" in done.output
    assert contents(DEFAULT) == accepted
    assert json.loads(Path(f"{DEFAULT}.rejected/evaluation.json").read_text())
    assert f"written to {rooms}/{DEFAULT}.rejected" in done.output.replace("\n", "")
    assert not litter()


def test_a_passing_run_replaces_the_accepted_result_and_removes_the_rejected_one(
    rooms: Path,
) -> None:
    accept()
    before = contents(DEFAULT)
    miss(10)
    assert command("--baseline", DEFAULT).exit_code == 1
    write_rooms([])
    Path("docs/more.md").write_text("Zebras graze.\n")
    Path(DEFAULT, "notes.txt").write_text("ours")
    done = command("--baseline", DEFAULT)
    assert done.exit_code == 0 and "not worse than the baseline" in done.output
    after = contents(DEFAULT)
    assert after["evaluation.json"] != before["evaluation.json"]
    assert after["notes.txt"] == b"ours"
    assert not Path(f"{DEFAULT}.rejected").exists() and not litter()


def test_a_question_inserted_at_the_top_leaves_the_others_compared(rooms: Path) -> None:
    accept("--output", "base")
    extra = {"question": "Which colour is word3?", "excerpts": ["It is red."]}
    write_questions([extra, *map(question, range(ROOMS))])
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 0, done.output
    assert "over 30 questions" in done.output and "1 question is not in the base" in done.output
    assert Path("now/index.html").is_file()


def test_questions_whose_documents_are_deleted_fail_by_name(rooms: Path) -> None:
    accept("--output", "base")
    for i in range(15):
        Path("docs", f"d{i:02}.md").unlink()
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 2 and not is_ranked(done)
    assert "15 of 30 questions of the baseline cannot be scored any more" in done.output
    assert "Where is word0?" in done.output and not Path("now").exists()
    allowed = command("--output", "now", "--baseline", "base", "--allow-missing")
    assert allowed.exit_code == 0 and "over 15 questions" in allowed.output


def test_a_baseline_whose_questions_are_all_gone_is_refused_whatever_is_allowed(
    rooms: Path,
) -> None:
    accept("--output", "base")
    write_questions(question(i, question=f"Where does word{i} lie?") for i in range(ROOMS))
    done = command("--output", "now", "--baseline", "base", "--allow-missing")
    assert done.exit_code == 2 and "has none of these questions" in done.output
    assert not is_ranked(done)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"question": "Where is the item word5?"}, "another text under the same id: a5"),
        ({"excerpts": ["It is red."]}, "other gold: a5"),
        ({"id": "b5", "question": "Where is the item word5?"}, "scored any more, because"),
    ],
    ids=["text", "gold", "id"],
)
def test_a_question_that_changed_under_its_id_is_named_and_never_compared(
    change: dict[str, Any], fault: str, rooms: Path
) -> None:
    named = [question(i, id=f"a{i}") for i in range(ROOMS)]
    write_questions(named)
    accept("--output", "base")
    write_questions([*named[:5], named[5] | change, *named[6:]])
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 2 and fault in done.output and not is_ranked(done)
    allowed = command("--output", "now", "--baseline", "base", "--allow-missing")
    assert allowed.exit_code == 0
    assert "over 29 questions" in allowed.output and fault in allowed.output


def test_an_excerpt_in_another_form_or_another_place_is_the_same_gold(rooms: Path) -> None:
    accept("--output", "base")
    Path("docs/d07.md").write_text("A new beginning.\n\nItem word7 is  kept in ROOM number 7.\n")
    Path("docs/d08.md").rename("docs/moved.md")
    assert command("--output", "now", "--baseline", "base").exit_code == 0


def test_equal_questions_are_paired_without_a_fault(rooms: Path) -> None:
    write_questions([*map(question, range(ROOMS)), question(3), question(3)])
    accept("--output", "base")
    write_questions([question(3), question(3), question(3), *map(question, range(ROOMS))])
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 0 and "over 32 questions" in done.output


def test_one_gold_document_of_two_that_is_gone_is_named(rooms: Path) -> None:
    both = {f"d{i:02}.md": 1 for i in (0, 1)}
    write_questions([{"question": f"Where is word{i}?", "documents": both} for i in range(5)])
    accept("--output", "base")
    Path("docs/d01.md").unlink()
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 2 and "5 of 5 questions of the baseline have other gold" in done.output


def test_an_undecided_result_says_how_many_questions_decide_and_may_be_allowed(
    rooms: Path,
) -> None:
    accept("--output", "base")
    miss(1)
    done = command("--output", "base", "--baseline", "base")
    assert done.exit_code == 2 and "undecided against the baseline" in done.output
    assert "questions like these would decide" in done.output
    assert Path("base.rejected/index.html").is_file()
    allowed = command("--output", "base", "--baseline", "base", "--allow-undecided")
    assert allowed.exit_code == 0 and not Path("base.rejected").exists()


def test_a_larger_margin_decides_and_a_smaller_one_fails(rooms: Path) -> None:
    accept("--output", "base")
    miss(1)
    assert command("--output", "a", "--baseline", "base", "--max-drop", "50").exit_code == 0
    assert command("--output", "b", "--baseline", "base", "--max-drop", "1").exit_code == 1


def test_one_worse_system_fails_all(rooms: Path) -> None:
    Path("mine.py").write_text("def split(text):\n    return [text]\n")
    both = ["--chunker", "none", "--chunker", "mine.py:split"]
    accept("--output", "base", *both)
    Path("mine.py").write_text("def split(text):\n    return [text[:20], text[20:]]\n")
    done = command("--output", "now", "--baseline", "base", *both)
    assert done.exit_code == 1
    assert "No chunking: not worse" in done.output and ": worse than" in done.output


def test_the_first_accepted_score_stays_through_slow_drift(rooms: Path) -> None:
    accept("--output", "base")
    for missed in (1, 2, 3):
        miss(missed)
        options = ["--output", "base", "--baseline", "base", "--allow-undecided"]
        done = command(*options, "--max-drop", "5")
        assert done.exit_code == 0, done.output
        assert "first accepted with 100.0%" in done.output
    assert load_baseline("base").first_accepted == {("none", "bm25", "pre_embedding"): 1.0}
    assert max(load_baseline("base").scores.values(), key=len).mean() == pytest.approx(0.9)


def test_systems_that_are_not_evaluated_now_are_named(rooms: Path) -> None:
    accept("--output", "base", "--chunker", "none", "--chunker", "sentence-1")
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 0 and "not evaluated now: sentence-1" in done.output


# What is refused before anything is ranked


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--k", "2"], "decided by SpanRecall@1, this evaluation by SpanRecall@2"),
        (["--chunker", "sentence-1"], "has none of these systems"),
        (["--max-drop", "-1"], "--max-drop must be between 0 and 100 points, got -1"),
        (["--max-drop", "101"], "got 101"),
        (["--max-drop", "nan"], "got nan"),
        (["--output", "file/now"], "--output file/now cannot be written (Not a directory)"),
        (["--output", "file"], "is a file"),
        (["--output", "link"], "is a link to nothing"),
        (["--output", "o" * 300], "cannot be written"),
    ],
)
def test_what_cannot_be_compared_or_written_is_refused_before_ranking(
    options: list[str], fault: str, rooms: Path
) -> None:
    accept("--output", "base")
    Path("file").write_text("x")
    Path("link").symlink_to("nowhere")
    done = command("--output", "now", "--baseline", "base", *options)
    assert done.exit_code == 2 and fault in done.output and not is_ranked(done)
    assert "Traceback" not in done.output and not Path("now").exists()


def test_an_output_that_cannot_be_written_is_exit_code_1_without_a_baseline(rooms: Path) -> None:
    Path("file").write_text("x")
    done = command("--output", "file/now")
    assert done.exit_code == 1 and not is_ranked(done)


def test_a_folder_without_permission_is_refused_before_ranking(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tempfile.TemporaryFile

    def closed(*args: Any, **options: Any) -> Any:
        if str(options.get("dir", "")).endswith("closed"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(*args, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", closed)
    Path("closed").mkdir()
    done = command("--output", "closed/now")
    assert done.exit_code == 1 and not is_ranked(done) and "cannot be written" in done.output


@pytest.mark.parametrize("option", ["--max-drop=3", "--allow-missing", "--allow-undecided"])
def test_an_option_of_the_gate_without_a_baseline_is_refused(option: str, rooms: Path) -> None:
    done = command(option)
    assert done.exit_code == 1 and "needs --baseline" in done.output and not is_ranked(done)


def test_a_baseline_without_questions_is_refused(rooms: Path) -> None:
    accept("--output", "base")
    done = CliRunner().invoke(app, ["evaluate", "docs", "--baseline", "base"])
    assert done.exit_code == 2 and "needs questions" in done.output


def test_another_task_is_refused(rooms: Path) -> None:
    accept("--output", "base")
    write_questions({"question": f"Where is word{i}?", "documents": ["d00.md"]} for i in range(9))
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 2 and "judge different things" in done.output


def change_record(change: Callable[[dict[str, Any]], object], folder: str = "base") -> None:
    path = Path(folder, "evaluation.json")
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


FAULTS: dict[str, tuple[Callable[[], object], str]] = {
    "missing": (lambda: shutil.rmtree("base"), "has no evaluation.json"),
    "empty": (lambda: Path("base/evaluation.json").unlink(), "has no evaluation.json"),
    "torn": (lambda: Path("base/evaluation.json").write_text("{"), "not a whole evaluation"),
    "a list": (lambda: Path("base/evaluation.json").write_text("[]"), "earlier version"),
    "a number": (lambda: Path("base/evaluation.json").write_text("3"), "not a whole evaluation"),
    "bytes": (lambda: Path("base/evaluation.json").write_bytes(b"\xff"), "not a whole evaluation"),
    "no scores": (lambda: Path("base/scores.csv").unlink(), "not a whole evaluation"),
    "scores cut": (
        lambda: Path("base/scores.csv").write_text(
            "".join(Path("base/scores.csv").read_text().splitlines(keepends=True)[:9])
        ),
        "other questions than evaluation.json",
    ),
    "scores above 1": (
        lambda: Path("base/scores.csv").write_text(
            Path("base/scores.csv").read_text().replace("1.0", "100.0")
        ),
        "not a score between 0 and 1",
    ),
    "scores of others": (
        lambda: Path("base/scores.csv").write_text(
            Path("base/scores.csv").read_text().replace("No chunking", "Other")
        ),
        "other systems than evaluation.json",
    ),
    "a score cut": (
        lambda: Path("base/scores.csv").write_text(
            Path("base/scores.csv").read_text().rstrip().removesuffix("1.0")
        ),
        "other scores than evaluation.json",
    ),
    "scores lowered": (
        lambda: Path("base/scores.csv").write_text(
            Path("base/scores.csv").read_text().replace("1.0", "0.0")
        ),
        "other scores than evaluation.json",
    ),
    "first accepted": (
        lambda: change_record(
            lambda record: record.update(
                first_accepted=[record["arms"][0] | {"score": float("nan")}]
            )
        ),
        "first_accepted holds what is not a score",
    ),
    "without digests": (
        lambda: change_record(lambda record: record["arms"][0].pop("deciding_scores_sha256")),
        "written by an earlier version",
    ),
    "edited": (
        lambda: change_record(lambda record: record.update(measures=["nDCG@1"])),
        "its digest is another one",
    ),
    "earlier version": (
        lambda: change_record(lambda record: record.pop("questions")),
        "written by an earlier version",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_baseline_that_is_not_whole_is_refused_by_the_name_that_was_typed(
    fault: str, rooms: Path
) -> None:
    accept("--output", "base")
    spoil, sentence = FAULTS[fault]
    spoil()
    for typed in ("base", "base/evaluation.json"):
        done = command("--output", "now", "--baseline", typed)
        assert done.exit_code == 2 and f"Baseline '{typed}'" in done.output
        assert sentence in done.output and "Traceback" not in done.output
        assert not is_ranked(done) and not Path("now").exists()


def test_line_ends_that_git_changes_leave_a_baseline_whole(rooms: Path) -> None:
    accept("--output", "base")
    for name in ("base/scores.csv", "base/evaluation.json"):
        Path(name).write_bytes(Path(name).read_bytes().replace(b"\n", b"\r\n"))
    assert command("--output", "now", "--baseline", "base").exit_code == 0


def test_the_root_is_no_baseline_in_a_sentence(rooms: Path) -> None:
    done = command("--baseline", "/")
    assert done.exit_code == 2 and "Baseline '/' has no evaluation.json" in done.output


@pytest.mark.parametrize("typed", ["docs", "./docs/", "link"])
def test_no_result_is_written_among_the_documents(typed: str, rooms: Path) -> None:
    accept("--output", "base")
    Path("link").symlink_to("docs")
    before = contents("docs")
    for options, status in (([], 1), (["--baseline", "base"], 2)):
        done = command("--output", typed, *options)
        assert done.exit_code == status and "is the folder of the documents" in done.output
        assert not is_ranked(done) and contents("docs") == before


def test_files_of_the_user_in_folders_of_an_evaluation_stay(rooms: Path) -> None:
    accept("--output", "base")
    ours = {"questions/mine.jsonl": b"x", "questions/old/mine.html": b"y", "trec/notes.txt": b"z"}

    def write(folder: str) -> None:
        for name, content in ours.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    write("now")  # a folder without an evaluation
    for _ in range(2):  # and then with one
        assert command("--output", "now", "--baseline", "base").exit_code == 0
        assert contents("now").items() >= ours.items()
    miss(20)
    write("now.rejected")
    assert command("--output", "now", "--baseline", "base").exit_code == 1
    assert contents("now.rejected").items() >= ours.items()
    write_rooms([])
    assert command("--output", "now", "--baseline", "base").exit_code == 0
    assert contents("now.rejected") == ours and not litter()


@pytest.mark.parametrize("typed", [DEFAULT, f"./{DEFAULT}/", f"{DEFAULT}/evaluation.json", "link"])
def test_a_baseline_that_is_the_output_is_recognised_however_it_is_typed(
    typed: str, rooms: Path
) -> None:
    accept()
    Path("link").symlink_to(DEFAULT)
    accepted = contents(DEFAULT)
    miss(20)
    for more in ([], ["--output", "link"]):
        done = command("--baseline", typed, *more)
        assert done.exit_code == 1 and contents(DEFAULT) == accepted
    write_rooms([])
    assert command("--baseline", typed, "--output", "link").exit_code == 0
    assert Path("link").is_symlink() and Path(DEFAULT, "evaluation.json").is_file()


def test_another_model_of_the_same_name_is_refused(rooms: Path) -> None:
    def embedder(shift: float) -> Callable[[list[str]], Any]:
        def embed(texts: list[str]) -> Any:
            return np.array([[len(text), shift, 1.0] for text in texts])

        return embed

    def asked(shift: float) -> tuple[Any, ...]:
        return "docs", "q.jsonl", ["none"], [embedder(shift)]

    evaluate(*asked(1.0), k=1, only_vectors=True, output="base")
    same = evaluate_gated("base", *asked(1.0), k=1, only_vectors=True, output="now")
    assert same.accepted
    with pytest.raises(UserError, match=r"another model under the name 'embed' \(revision"):
        evaluate_gated("base", *asked(2.0), k=1, only_vectors=True, output="now")


def test_a_model_on_another_machine_is_the_same_model(rooms: Path, little_model: Path) -> None:
    asked: Any = ("docs", "q.jsonl", ["none"], [str(little_model)])
    evaluate(*asked, k=1, only_vectors=True, output="base")
    accepted = load_baseline("base")
    (models,) = accepted.setting.models.values()
    assert models["encoder"]["weights_sha256"]
    assert not {"device", "computed_by", "batch_rule"} & set(models["encoder"])
    assert evaluate_gated("base", *asked, k=1, only_vectors=True, output="now").accepted


def test_systems_are_told_apart_by_their_encoder_even_if_tables_do_not_show_it(
    rooms: Path,
) -> None:
    def embed(texts: list[str]) -> Any:
        return np.array([[len(text), 1.0] for text in texts])

    evaluate("docs", "q.jsonl", ["none"], [embed], k=1, only_vectors=True, output="base")
    done = command("--output", "now", "--baseline", "base")
    assert done.exit_code == 2 and "none, embed, pre_embedding" in done.output


def test_two_systems_of_the_same_name_are_refused(rooms: Path) -> None:
    accept("--output", "base")
    chunkers = {"none": lambda text: [text[:9], text[9:]], "No chunking": lambda text: [text]}
    with pytest.raises(UserError, match="Two systems have the same name"):
        evaluate_gated("base", "docs", "q.jsonl", chunkers, ["bm25"], k=1, output="now")


def test_any_text_and_id_of_a_question_survives_the_files(rooms: Path) -> None:
    texts = [
        "NA",
        "null",
        'He said "word1", and\nleft.\r\nword1',
        "word1 \u2028",
        "w" * 200_000,
    ]
    write_questions(question(1, id=f"NA{i}\u2028", question=text) for i, text in enumerate(texts))
    accept("--output", "base")
    done = command("--output", "base", "--baseline", "base")
    assert done.exit_code == 0 and "over 5 questions" in done.output


# What is never lost


def test_a_rejected_result_never_overwrites_another_evaluation(rooms: Path) -> None:
    accept("--output", "base")
    accept("--output", "other")
    kept = contents("base"), contents("other")
    miss(20)
    assert command("--output", "other", "--baseline", "base").exit_code == 1
    assert (contents("base"), contents("other")) == kept
    assert Path("other.rejected/evaluation.json").is_file()
    assert command("--output", "fresh", "--baseline", "base").exit_code == 1
    assert Path("fresh/evaluation.json").is_file() and not Path("fresh.rejected").exists()


def test_a_baseline_that_lies_where_rejected_results_go_is_refused(rooms: Path) -> None:
    accept("--output", "now.rejected")
    done = command("--output", "now", "--baseline", "now.rejected")
    assert done.exit_code == 2 and "rename it" in done.output and not is_ranked(done)


def test_an_output_that_holds_the_working_directory_is_not_swapped(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept("--output", "base")
    kept = contents("base")
    monkeypatch.chdir("base")
    options = ["--questions", "../q.jsonl", "--encoder", "bm25", "--chunker", "none", "--k", "1"]
    base = ["evaluate", "../docs", *options, "--baseline", "."]
    done = CliRunner().invoke(app, [*base, "--output", "."])
    assert done.exit_code == 2 and "working directory" in done.output and not is_ranked(done)
    assert contents(".") == kept
    assert CliRunner().invoke(app, [*base, "--output", "../now"]).exit_code == 0


@pytest.mark.parametrize("moment", range(5))
def test_a_run_that_is_killed_at_any_step_of_the_swap_leaves_a_whole_accepted_evaluation(
    moment: int, rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept("--output", "base")
    old = load_baseline("base").sha256
    Path("docs/more.md").write_text("Zebras graze.\n")
    steps: list[str] = []

    def kill(real: Callable[..., Any]) -> Callable[..., Any]:
        def stopping(path: Any, *args: Any, **named: Any) -> Any:
            if str(path).endswith(".part"):  # the temporary folder, which a dead process leaves
                return None
            steps.append(str(path))
            if len(steps) > moment:  # what is dead undoes nothing
                raise KeyboardInterrupt
            return real(path, *args, **named)

        return stopping

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", kill(Path.rename))
        patch.setattr(shutil, "copymode", kill(shutil.copymode))
        patch.setattr(shutil, "rmtree", kill(shutil.rmtree))
        try:
            evaluate_gated("base", "docs", "q.jsonl", ["none"], ["bm25"], k=1, output="base")
        except KeyboardInterrupt:
            assert len(steps) in (moment + 1, moment + 2)  # a step, and one that would undo it
    accepted = load_baseline("base")
    assert len(accepted.texts) == ROOMS
    assert (accepted.sha256 == old) is (moment < 3)
    assert command("--output", "base", "--baseline", "base").exit_code == 0
    assert Path("base/index.html").is_file()


def test_a_swap_that_the_system_refuses_is_undone_at_once(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept("--output", "base")
    kept, real = contents("base"), Path.rename

    def refuse(path: Path, target: Path) -> Any:
        if ".part" in str(path):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    done = command("--output", "base", "--baseline", "base")
    assert done.exit_code == 2 and contents("base") == kept and not litter()


def test_a_process_killed_between_the_two_renames_is_undone_by_the_next_run(rooms: Path) -> None:
    accept("--output", "base")
    kept = contents("base")
    Path("base").rename(".base.previous")
    miss(20)
    done = command("--output", "base", "--baseline", "base")
    assert done.exit_code == 1 and contents("base") == kept and not litter()


def test_a_plain_run_that_is_killed_leaves_no_folder_that_passes_for_a_whole_evaluation(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept("--output", "base")
    with monkeypatch.context() as patch:
        patch.setattr(
            "chunkstudy.user_data.report.write",
            lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
        with pytest.raises(KeyboardInterrupt):
            evaluate("docs", "q.jsonl", ["none"], ["bm25"], k=1, output="base")
    with pytest.raises(UserError, match=r"has no evaluation\.json"):
        load_baseline("base")


@given(st.lists(st.sampled_from(["accept", "reject", "killed"]), min_size=1, max_size=6))
def test_no_sequence_of_runs_loses_the_accepted_folder(
    tmp_path_factory: pytest.TempPathFactory, runs: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("outputs") / "base"
    whole = {"evaluation.json": "0", "scores.csv": "0"}

    def fill(staged: Path, content: str) -> None:
        staged.mkdir(exist_ok=True)
        for name in whole:
            (staged / name).write_text(content)

    fill(folder, "0")
    accepted = "0"
    for number, run in enumerate(runs, 1):
        if run == "killed":
            folder.rename(folder.with_name(".base.previous"))
        chosen = output.GatedOutput.choose(folder, folder.resolve())
        with chosen.stage() as staged:
            fill(staged, str(number))
            if run == "accept":
                chosen.accept(staged, folder.resolve())
                accepted = str(number)
            elif run == "reject":
                chosen.reject(staged)
        assert {path.name: path.read_text() for path in folder.iterdir()} == dict.fromkeys(
            whole, accepted
        )


# How it decides


def fake(scores: Sequence[float], documents: Sequence[str] | None = None) -> Any:
    """Return an evaluation of one system with these scores."""
    ids = [f"q{i:03}" for i in range(len(scores))]
    names = documents or [""] * len(scores)
    keys = {"chunker": "none", "encoder": "bm25", "ordering": "pre_embedding"}
    identities = {
        id_: {"text": id_, "gold": id_, "document": name}
        for id_, name in zip(ids, names, strict=True)
    }
    record = {
        "sha256": "",
        "collection": {"task": "token_overlap"},
        "measures": ["SpanRecall@5"],
        "arms": [keys | {"model": None}],
        "columns": ["No chunking"],
        "questions": identities,
        "seed": 0,
        "left_out": [],
    }
    frame = pd.DataFrame({"question": ids, "No chunking": list(scores)}, index=ids)
    empty = pd.DataFrame()
    taken = Recommendation(0, "", "", empty)
    return Evaluation(empty, empty, empty, frame, "", "", taken, record, Path("nowhere"))


def decided(
    now: Sequence[float], before: Sequence[float], max_drop: float = 5, **options: Any
) -> Any:
    from chunkstudy.user_data.baseline import Baseline, Setting, SystemKey

    accepted = fake(before)
    key = SystemKey("none", "bm25", "pre_embedding")
    column = accepted.scores["No chunking"]
    baseline = Baseline(
        "base",
        Path("elsewhere"),
        "",
        Setting.from_record(accepted.record),
        {key: column},
        {},
        {key: float(column.mean())},
    )
    return compare_to_baseline(fake(now, **options), baseline, max_drop=max_drop)


@pytest.mark.parametrize(
    ("changes", "max_drop", "outcome"),
    [
        ([0.0] * 30, 5, NOT_WORSE),
        ([0.0], 0, NOT_WORSE),
        ([0.0] * 3, 0, NOT_WORSE),
        ([0.01] * 30, 0, NOT_WORSE),
        ([-0.06] * 30, 5, WORSE),
        ([-0.06], 5, WORSE),
        ([-0.04], 5, UNDECIDED),
        ([-0.02] * 30, 5, WORSE),
        ([-0.01, -0.03] * 15, 5, WORSE),
        ([-0.5, 0.5] * 15, 5, UNDECIDED),
        ([-0.03, 0.03] * 15, 5, NOT_WORSE),
        ([-0.03, 0.03] * 15, 0, UNDECIDED),
        ([-1.0, 1.0] * 15, 100, NOT_WORSE),
        ([-0.5, 0.4] * 15, 5, UNDECIDED),
        ([-0.5, 0.3] * 15, 5, WORSE),
    ],
)
def test_the_outcome_follows_from_mean_interval_and_test(
    changes: list[float], max_drop: float, outcome: str
) -> None:
    before = [0.5] * len(changes) if max(map(abs, changes)) <= 0.5 else [0.0, 0.0]
    if max(map(abs, changes)) > 0.5:
        before = [1.0 if change < 0 else 0.0 for change in changes]
    now = [start + change for start, change in zip(before, changes, strict=True)]
    assert decided(now, before, max_drop).outcome == outcome


SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(
    st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=40),
    st.sampled_from([0.0, 1.0, 5.0, 20.0, 100.0]),
)
def test_every_outcome_is_what_its_definition_says(
    scores: list[tuple[float, float]], max_drop: float
) -> None:
    now, before = (list(column) for column in zip(*scores, strict=True))
    (row,) = decided(now, before, max_drop).table.to_dict("records")
    change = np.subtract(now, before)
    fell = -100 * change.mean() > max_drop + 1e-6
    assert not fell or row["outcome"] == WORSE
    significantly = row["p"] < 0.05 and change.mean() < 0
    above = row["low"] > -max_drop / 100 or not (change < 0).any()
    expected = WORSE if fell or significantly else NOT_WORSE if above else UNDECIDED
    assert row["outcome"] == expected
    if row["outcome"] == UNDECIDED and len(now) > 1:
        assert row["questions needed"] > len(now)
    else:
        assert math.isnan(row["questions needed"])


def test_documents_are_the_unit_where_twenty_or_more_are_asked_about() -> None:
    generator = np.random.default_rng(1)
    before: list[float] = generator.choice([0.0, 1.0], 60).tolist()
    now: list[float] = generator.choice([0.0, 1.0], 60).tolist()
    for count, unit in ((20, "over documents"), (19, "over queries")):
        names = [f"d{i % count}" for i in range(60)]
        (row,) = decided(now, before, documents=names).table.to_dict("records")
        assert row["documents"] == count
        ids = [f"q{i:03}" for i in range(60)]
        pair = Pair(
            {},
            pd.Series(now, ids),
            pd.Series(before, ids),
            pd.Series(names, ids) if count == 20 else None,
        )
        (expected,) = differences([pair], "x", "now", "before").to_dict("records")
        assert (row["low"], row["high"], row["p"]) == (
            expected["low"],
            expected["high"],
            expected["p"],
        )
        assert unit in row["interval"].split(",")[0].replace(" where they are 20 or more", "")


def test_as_many_questions_as_are_named_do_decide() -> None:
    before, now = [1.0] * 40, [1.0] * 39 + [0.0]
    gate = decided(now, before)
    needed = int(gate.table["questions needed"].iloc[0])
    assert gate.outcome == UNDECIDED and 40 < needed < 1_000
    times = math.ceil(needed / 40) + 1
    assert decided(now * times, before * times).outcome != UNDECIDED


@pytest.mark.parametrize(
    ("difference", "low", "p_holm", "needed"),
    [
        (0.0, -0.1, 1.0, 120),  # 10 points of interval must become 5: four times 30
        (-0.03, -0.09, 0.3273, 120),  # 0.98 errors must become 1.96; above -5 takes nine times
        (-0.05, -0.15, 0.3273, 120),  # only "worse" can be decided
        (-0.05, -0.15, 1.0, math.inf),
        (math.nan, math.nan, math.nan, math.nan),
    ],
)
def test_needed_questions_shrink_the_interval_until_it_decides(
    difference: float, low: float, p_holm: float, needed: float
) -> None:
    row = pd.Series({"n": 30, "difference": difference, "low": low, "p_holm": p_holm})
    found = questions_needed(row, 0.05)
    assert found == pytest.approx(needed, abs=1, nan_ok=True)


def test_python_users_load_a_baseline_first_or_are_told_to(rooms: Path) -> None:
    asked: Any = ("docs", "q.jsonl", ["none"], ["bm25"])
    evaluate(*asked, k=1, output="base")
    accepted = load_baseline("base")
    miss(20)
    found = evaluate(*asked, k=1, output="base")
    assert compare_to_baseline(found, accepted).outcome == WORSE
    with pytest.raises(UserError, match="was overwritten by this evaluation"):
        compare_to_baseline(found, "base")


# How questions are paired

IDENTITIES = st.builds(QuestionIdentity, st.sampled_from("ab"), st.sampled_from("xy"))
QUESTIONS = st.dictionaries(st.sampled_from("123456"), IDENTITIES, max_size=6)


@given(QUESTIONS, QUESTIONS)
def test_pairs_are_equal_in_text_and_gold_and_as_many_as_can_be(
    baseline: dict[str, QuestionIdentity], current: dict[str, QuestionIdentity]
) -> None:
    pairing = pair_questions(baseline, current)
    old, new = [old for old, _ in pairing.pairs], [new for _, new in pairing.pairs]
    assert len(set(old)) == len(old) and len(set(new)) == len(new)
    for first, second in pairing.pairs:
        assert baseline[first] == current[second]
    by_hand = sum(
        min(list(baseline.values()).count(one), list(current.values()).count(one))
        for one in {QuestionIdentity(text, gold) for text in "ab" for gold in "xy"}
    )
    assert len(pairing.pairs) == by_hand and pairing.added == len(current) - by_hand
    lost = [*pairing.gone, *pairing.reworded, *pairing.rejudged]
    assert sorted([*old, *lost]) == sorted(baseline)
    assert pairing.is_whole is (not lost)
    same = {id_ for id_ in baseline if baseline[id_] == current.get(id_)}
    assert same <= {old for old, new in pairing.pairs if old == new}
