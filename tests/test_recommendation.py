"""A cheaper system is recommended only where a test shows that it is within the tolerance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml  # type: ignore[import-untyped]
from scipy import stats
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.cli.main import app
from chunkstudy.core.errors import UserError
from chunkstudy.user_data.conclusions import state_answer, state_needed
from chunkstudy.user_data.recommendation import ENCODED, READ, RERANKED, recommend

TOO_FEW = "19 questions are too few to recommend a cheaper system; 20 are needed."


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def columns(*scores: Any) -> list[pd.Series]:
    """Per-question scores of systems, the best first."""
    return [
        pd.Series(np.asarray(one, float), [f"q{i:04}" for i in range(len(one))]) for one in scores
    ]


def table(scores: list[pd.Series], **costs: list[float]) -> pd.DataFrame:
    """The rows of an evaluation with their costs."""
    frame = pd.DataFrame({"score": [one.mean() for one in scores], "n": len(scores[0])})
    names = {"returned": READ, "reranked": RERANKED, "encoded": ENCODED}
    return frame.assign(**{names[key]: value for key, value in costs.items()})


def advise(
    scores: list[pd.Series], tolerance: float = 5, documents: Any = None, **costs: Any
) -> Any:
    costs = costs or {"returned": [1000.0, *(100.0 for _ in scores[1:])]}
    names = [f"system {i}" for i in range(len(scores))]
    return recommend(table(scores, **costs), names, scores, documents, tolerance)


def test_what_is_not_significantly_worse_is_not_therefore_recommended() -> None:
    # 3 of 20 answers fewer: no test tells the two apart, and no test shows that they are close
    best, other = np.ones(20), np.array([0.0] * 3 + [1.0] * 17)
    assert stats.ttest_rel(best, other).pvalue > 0.05
    found = advise(columns(best, other))
    assert found.row == 0
    assert found.sentence == "No cheaper system is shown to be within 5 points of the best."
    assert found.reason.startswith("The best by its mean.")


def test_the_test_is_students_one_sided_with_holms_correction() -> None:
    random = np.random.default_rng(2)
    best = random.uniform(0.4, 1, 60)
    others = [best - random.normal(0.02, sd, 60) for sd in (0.05, 0.08, 0.2)]
    found = advise(columns(best, *others))
    raw = [stats.ttest_1samp(x - best, -0.05, alternative="greater").pvalue for x in others]
    assert found.tests["p"].tolist() == pytest.approx(raw, rel=1e-9)
    corrected = multipletests(raw, method="holm")[1]
    assert found.tests["p_holm"].tolist() == pytest.approx(corrected, rel=1e-9)
    assert found.tests["within tolerance"].tolist() == [p < 0.025 for p in corrected]
    assert found.tests["unit"].eq("questions").all() and found.row == 1


def test_the_level_is_two_and_a_half_percent_after_correction() -> None:
    random = np.random.default_rng(5)
    best = random.uniform(0.4, 1, 40)
    change = random.normal(0, 1, 40)
    change = (change - change.mean()) / change.std(ddof=1)

    def p_of(error: float) -> float:
        shifted = 0.0 + error * np.sqrt(40) * change
        return float(stats.ttest_1samp(shifted, -0.05, alternative="greater").pvalue)

    passes, fails = 0.05 / stats.t.isf(0.024, 39), 0.05 / stats.t.isf(0.026, 39)
    assert p_of(passes) == pytest.approx(0.024) and p_of(fails) == pytest.approx(0.026)
    for error, row in ((passes, 1), (fails, 0)):
        assert advise(columns(best, best + error * np.sqrt(40) * change)).row == row
    # a second system compared takes the margin of the first
    both = columns(best, best + passes * np.sqrt(40) * change, np.zeros(40))
    assert advise(both).row == 0


def test_documents_are_the_unit_where_twenty_are_asked_about() -> None:
    # in three documents of 24 all ten questions fail, so that few documents decide
    documents = [f"d{i // 10:02}" for i in range(240)]
    lost = np.array([name in ("d00", "d01", "d02") for name in documents])
    best, other = np.ones(240), np.where(lost & (np.arange(240) % 4 == 0), 0.0, 1.0)
    scores = columns(best, other)
    by_question = advise(scores, tolerance=7)
    assert by_question.row == 1 and by_question.tests["unit"].eq("questions").all()
    of_question = pd.Series(documents, scores[0].index)
    by_document = advise(scores, tolerance=7, documents=of_question)
    assert by_document.tests["unit"].eq("documents").all()
    assert by_document.tests["units"].tolist() == [24]
    assert by_document.tests["p"].iloc[0] > by_question.tests["p"].iloc[0]
    few = pd.Series([f"d{i % 19}" for i in range(240)], scores[0].index)
    assert advise(scores, documents=few).tests["unit"].eq("questions").all()


def test_nothing_cheaper_is_recommended_below_twenty_questions() -> None:
    few, enough = (advise(columns(np.ones(n), np.ones(n))) for n in (19, 20))
    assert (few.row, few.sentence) == (0, "") and TOO_FEW in few.reason
    assert "not shown to be the best" not in enough.reason
    assert enough.row == 1  # the same score on every question leaves no doubt


def test_the_sentence_names_the_tolerance_the_system_and_the_saving() -> None:
    scores = columns(np.ones(20), np.ones(20))
    found = advise(scores, tolerance=2.5, returned=[1000.0, 100.0])
    assert found.sentence == (
        "Cheapest option shown to be within 2.5 points of the best: system 1. It returns 100 "
        "tokens per question where the best returns 1,000 tokens."
    )
    assert "one-sided t-test over questions at 2.5%, Holm" in found.reason
    assert "within 1 point of" in advise(scores, tolerance=1).sentence


def test_no_tolerance_leaves_nothing_to_recommend() -> None:
    scores = columns(np.ones(20), np.ones(20))
    assert advise(scores, tolerance=0).row == 0
    assert advise(columns(np.ones(20), np.zeros(20)), tolerance=100).row == 0


@pytest.mark.parametrize(
    ("costs", "row", "says"),
    [
        ({"returned": [1000, 950]}, 0, "No cheaper"),
        ({"returned": [1000, 900]}, 1, "returns 900"),
        ({"returned": [1000, 1000], "encoded": [500, 450]}, 1, "encodes 450"),
        ({"returned": [1000, 1000], "encoded": [500, 0]}, 1, "encodes no tokens"),
        ({"returned": [1000, 1000], "encoded": [0, 0]}, 0, "No cheaper"),
        ({"returned": [1000, 1500], "encoded": [500, 0]}, 0, "No cheaper"),
        ({"returned": [1000, 800], "encoded": [500, 900]}, 1, "returns 800"),
        ({"returned": [1000, 100], "reranked": [np.nan, 9000]}, 0, "No cheaper"),
        ({"returned": [1000, 1000], "reranked": [9000, np.nan]}, 1, "reranks no tokens"),
        ({"returned": [1000, 700, 500], "encoded": [9, 9, 9]}, 2, "returns 500"),
        ({"returned": [1000, 520, 500], "encoded": [9, 3, 9]}, 1, "returns 520"),
        ({"returned": [1000, 500, 500], "encoded": [9, 9, 9]}, 1, "returns 500"),
        ({"encoded": [500, 100]}, 1, "encodes 100"),
    ],
)
def test_a_recommended_system_saves_what_its_row_shows(
    costs: dict[str, Any], row: int, says: str
) -> None:
    number = max(map(len, costs.values()))
    found = advise(columns(*[np.ones(20)] * number), **costs)
    assert found.row == row and says in found.sentence


def test_ties_are_called_ties() -> None:
    tied = columns(np.ones(8), np.ones(8), np.zeros(8))
    frame = table(tied, returned=[1, 1, 1]).assign(measure="SpanRecall@5")
    tests = pd.DataFrame({"p_holm": [np.nan, 0.001]})
    answer = state_answer(frame, tests, ["X", "Y", "Z"])
    assert answer == (
        "No: X and Y tie at 100.0% (Recall of excerpts at 5), significantly more than the other "
        "(paired t-tests over questions)."
    )
    assert state_answer(frame.iloc[:2], tests.iloc[:1], ["X", "Y"]).startswith("No: X and Y tie")
    names = ["X, BM25 and Y", "X, BM25", "Z"]
    assert state_answer(frame, tests, names).startswith('No: "X, BM25 and Y" and "X, BM25" tie at')
    needed = pd.DataFrame([{"n": 8, "a minus b": 0.0, "more than there are": np.inf}])
    even = pd.DataFrame([{"p_holm": 1.0, "shown": "not shown"}])
    assert state_needed(even, needed).startswith("The best two tie, so that no number")
    over = tests.assign(documents=[20, 20])
    assert "over documents" in state_answer(frame, over, ["X", "Y", "Z"])
    reason = advise(columns(*[np.ones(20)] * 2), returned=[1, 1]).reason
    assert reason.startswith("The first of those that tie.")


@pytest.mark.parametrize("tolerance", [-0.1, 100.1, float("nan"), float("inf")])
def test_an_impossible_tolerance_is_refused_before_anything_is_read(tolerance: float) -> None:
    with pytest.raises(UserError, match="--tolerance must be between 0 and 100 points, got"):
        evaluate("nowhere", "nothing.jsonl", tolerance=tolerance)


def villages(count: int) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Documents and a question on each."""
    texts = {
        f"d{i}": f"The mill of village{i} turns by day.\n\n" + "Nobody lives there now. " * 40
        for i in range(count)
    }
    asked = [
        {"question": f"mill of village{i}?", "excerpts": [f"The mill of village{i} turns by day."]}
        for i in range(count)
    ]
    return texts, asked


def short(text: str) -> list[str]:
    return text.split("\n\n")


def whole(text: str) -> list[str]:
    return [text]


@pytest.mark.parametrize("count", [19, 20])
def test_nineteen_questions_leave_a_warning_everywhere_and_twenty_do_not(
    count: int, place: Path
) -> None:
    texts, asked = villages(count)
    found = evaluate(
        texts, asked, {"whole": whole, "short": short}, ["bm25"], k=1, output=place / "out"
    )
    chosen = (place / "out" / "chosen.yaml").read_text(encoding="utf-8")
    page = found.page.read_text(encoding="utf-8")
    few = count < 20
    assert (TOO_FEW in found.notes) == (TOO_FEW in chosen) == few
    assert (TOO_FEW in page[: page.index("<h1>")]) == few
    assert "short and whole tie at 100.0%" in found.answer and f"# {found.answer}\n" in chosen
    assert found.chosen == 0 and 'chunker: "short"' in chosen
    assert ("not shown to be the best" in chosen) == few


@pytest.mark.parametrize(
    "name", ["a: b", 'it\'s "so"', "Mühle 磨坊 🌾", "\x07bell", "\u2028line", "\x85next", "x" * 300]
)
def test_any_name_leaves_a_file_that_yaml_reads(name: str, place: Path) -> None:
    texts, asked = villages(5)
    evaluate(texts, asked, {name: whole}, ["bm25"], k=1, output=place / "out")
    chosen = (place / "out" / "chosen.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(chosen) == {
        "chunker": name,
        "encoder": "bm25",
        "ordering": "plain",
        "k": 1,
    }


def test_a_reranker_without_a_name_is_told_apart(place: Path) -> None:
    texts, asked = villages(5)
    found = evaluate(
        texts, asked, ["none"], ["bm25"], rerank=lambda _, texts: range(len(texts)),
        only_vectors=True, output=place / "out",
    )  # fmt: skip
    assert {"bm25", "bm25>lambda"} == set(found.table["encoder"])
    assert "reranked by lambda" in found.answer


@pytest.mark.parametrize(
    ("option", "value"),
    [("k", 2.5), ("k", "3"), ("k", True), ("max_tokens", 1.5), ("budget", 1.5), ("tolerance", "5")],
)
def test_an_option_that_is_no_number_is_refused_in_a_sentence(option: str, value: Any) -> None:
    with pytest.raises(UserError, match=f"{option} must be a .*number"):
        evaluate({"d": "rye"}, [{"question": "?", "excerpts": ["rye"]}], **{option: value})


def test_the_command_says_what_is_cheapest_and_warns_above_its_table(place: Path) -> None:
    for count in (19, 40):
        texts, asked = villages(count)
        folder = place / f"docs{count}"
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        lines = map(json.dumps, asked)
        (place / f"q{count}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    base = ["--encoder", "bm25", "--chunker", "paragraph", "--chunker", "none", "--k", "1"]
    few = CliRunner().invoke(app, ["evaluate", "docs19", "--questions", "q19.jsonl", *base])
    assert few.exit_code == 0, few.output
    assert few.stdout.startswith(f"Warning: {TOO_FEW}\n\n")
    assert "Cheapest" not in few.stdout and "To save" not in few.stdout
    base = [*base[:-2], "--max-tokens", "30", "--tolerance", "100"]
    enough = CliRunner().invoke(app, ["evaluate", "docs40", "--questions", "q40.jsonl", *base])
    assert enough.exit_code == 0 and "Warning" not in enough.stdout
    assert "within 100 points of the best" in " ".join(enough.stdout.split())
