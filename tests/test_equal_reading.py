"""Systems are compared by what the first tokens hold that they return, not by how much they
return."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.cli.main import app
from chunkstudy.core.errors import UserError
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.core.tokens import cl100k_offsets, counter
from chunkstudy.evaluation.measures import excerpts
from chunkstudy.evaluation.retrieval.chunks import Ranking

READ = "tokens that a reader gets"
NAMES = [f"village{i}" for i in range(24)]
FILLER = "Nobody has written down what the people there do for the rest of the year. " * 9


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def long_documents() -> dict[str, str]:
    """Documents of some 1,500 tokens, the answer in the last paragraph of each."""
    return {
        name: "\n\n".join([f"About {name}. {FILLER}"] * 9 + [f"The mill of {name} is of oak."])
        for name in NAMES
    }


QUESTIONS = [
    {"question": f"Of what is the mill of {name}?", "excerpts": [f"The mill of {name} is of oak."]}
    for name in NAMES
]
WAYS = {"paragraphs": lambda text: text.split("\n\n"), "whole": lambda text: [text]}


def run(place: Path, **changes: Any) -> Any:
    given: dict[str, Any] = {"chunkers": WAYS, "encoders": ["bm25"], "output": place / "out"}
    return evaluate(long_documents(), QUESTIONS, **(given | changes))


def test_a_chunker_that_returns_whole_documents_does_not_win_by_returning_more(
    place: Path,
) -> None:
    found = run(place)
    assert found.table["measure"].eq("SpanRecall@1000tokens").all()
    table = found.table.set_index("chunker")
    assert found.answer.startswith("Yes: paragraphs leads with 100.0%")
    assert table.loc["whole", "score"] == 0  # each answer is behind the first 1,000 tokens
    # a reader of five chunks finds it there, in many times the text, which is shown beside
    assert table["SpanRecall@5"].eq(1).all()
    assert table.loc["whole", "TokensRead@5"] > 5_000 > 1_000 > table.loc["paragraphs", READ] - 1
    assert (table[READ] <= 1_000).all()


def test_k_decides_only_where_it_is_given_and_the_answer_names_the_tokens(place: Path) -> None:
    found = run(place, k=5)
    table = found.table.set_index("chunker")
    assert found.table["measure"].eq("SpanRecall@5").all() and table["score"].eq(1).all()
    assert found.answer.startswith("No: paragraphs and whole tie at 100.0%")
    first, other = found.table.iloc[0], found.table.iloc[1]
    assert first["chunker"] == "paragraphs"  # of a tie, what returns less
    tokens = [f"{row[READ]:,.0f}" for row in (first, other)]
    assert f"paragraphs returns {tokens[0]} tokens per question and whole {tokens[1]}." in (
        found.answer
    )


def test_what_returns_most_is_named_with_how_many_times_the_text(place: Path) -> None:
    ways = {"whole": WAYS["whole"], "halves": lambda text: [text[:2000], text[2000:4000]]}
    found = run(place, k=1, chunkers=ways)
    assert found.answer.startswith("Yes: whole leads with 100.0%")
    whole, halves = found.table[READ]
    times = whole / halves
    said = f"{times:.0f}" if times >= 9.95 else f"{times:.1f}"
    assert (
        f"whole returns {whole:,.0f} tokens per question, {said} times the text of halves "
        f"({halves:,.0f})."
    ) in found.answer


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, {"max_tokens": 1000}),
        ({"max_tokens": 300}, {"max_tokens": 300}),
        ({"budget": 300}, {"max_tokens": 300}),
        ({"k": 3}, {"k": 3}),
    ],
)
def test_the_setting_that_decides_is_recorded(
    given: dict[str, int], read: dict[str, int], place: Path
) -> None:
    found = run(place, chunkers={"paragraphs": WAYS["paragraphs"]}, **given)
    assert found.record["read"] == read
    (name, value), *_ = read.items()
    assert f"\n{name}: {value}\n" in (place / "out" / "chosen.yaml").read_text(encoding="utf-8")


def test_whole_documents_are_still_judged_by_ndcg_at_ten(place: Path) -> None:
    asked = [{"question": f"mill of {name}", "documents": [name]} for name in NAMES]
    found = evaluate(long_documents(), asked, WAYS, ["bm25"], output=place / "out")
    assert found.table["measure"].eq("nDCG@10").all() and found.record["read"] == {"k": 10}
    with pytest.raises(UserError, match="--max-tokens counts the tokens read of excerpts"):
        evaluate(long_documents(), asked, WAYS, ["bm25"], max_tokens=500)


@pytest.mark.parametrize("given", [{"max_tokens": 500}, {"budget": 500}])
def test_k_and_tokens_together_are_refused_before_anything_is_chunked(
    given: dict[str, int],
) -> None:
    def never(text: str) -> list[str]:
        raise AssertionError("chunked")

    with pytest.raises(UserError, match="--k 5 and --max-tokens 500 cannot both decide"):
        evaluate(long_documents(), QUESTIONS, [never], ["bm25"], k=5, **given)  # type: ignore[arg-type]


def angles(texts: list[str]) -> Any:
    """Vectors that turn away from the question with the number in a text."""
    turns = np.array([int(re.sub(r"\D", "", text) or 3000) / 1000 for text in texts])
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def question_vectors(texts: list[str]) -> Any:
    return np.array([[1.0, 0.0]] * len(texts))


@pytest.mark.parametrize("wanted", [10, 210, 240, 399])
def test_the_ranking_is_searched_as_deep_as_the_tokens_reach(wanted: int, place: Path) -> None:
    lines = [f"word{i}." for i in range(400)]
    tokens = counter("cl100k").count_many([f"{line}\n" for line in lines])
    asked = [{"question": "Which?", "excerpts": [{"document": "d", "text": lines[wanted]}]}]
    found = evaluate(
        {"d": "\n".join(lines)}, asked, {"lines": str.splitlines},
        [(angles, question_vectors)], only_vectors=True, output=place / "out",
    )  # fmt: skip
    # chunks come in the order of their numbers, some three tokens each
    inside = sum(tokens[: wanted + 1]) <= 1_000
    assert inside == (wanted < 300)  # some of them behind the 200 that are searched first
    assert found.table["score"].tolist() == [float(inside)]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(1, 60), st.data())
def test_tokens_read_within_a_budget_are_those_of_a_plain_loop(
    sizes: list[int], budget: int, data: st.DataObject
) -> None:
    text = "".join(" the" * size for size in sizes)
    ends = np.cumsum([4 * size for size in sizes])
    chunks = Chunks(np.zeros(len(sizes), np.int64), ends - 4 * np.array(sizes), ends, None)
    order = data.draw(st.permutations(range(len(sizes))))
    document = Document("d", text)
    judged = Collection("c", (document,), (Query("q", "?"),), (Judgment("q", "d", 0, 4),))
    ranking = Ranking(np.array([order]), np.zeros((1, len(sizes)), np.float32))
    offsets = [cl100k_offsets(text)]
    measure = f"TokensRead@{budget}tokens"
    (read,) = excerpts.per_query(judged, chunks, ranking, [measure], offsets)[measure]
    left = budget
    for chunk in order:
        left -= min(left, sizes[chunk])
    assert read == budget - left


def test_the_command_shows_recall_at_k_beside_and_hides_the_old_name(place: Path) -> None:
    (place / "docs").mkdir()
    for name, text in long_documents().items():
        (place / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    lines = (f'{{"question": "mill of {x}?", "excerpts": ["mill of {x} is"]}}' for x in NAMES)
    (place / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    base = ["evaluate", "docs", "--questions", "q.jsonl", "--encoder", "bm25"]
    base += ["--chunker", "recursive-200-0", "--chunker", "none"]
    named = CliRunner().invoke(app, [*base, "--max-tokens", "700"])
    old = CliRunner().invoke(app, [*base, "--budget", "700"])
    assert named.exit_code == old.exit_code == 0, named.output
    assert named.stdout == old.stdout and "within 700 tokens" in named.stdout
    header = " ".join(named.stdout.split())
    assert "recall in 5" in header and "(tokens)" in header
    shown = CliRunner().invoke(app, ["evaluate", "--help"], env={"COLUMNS": "200"}).stdout
    assert "--max-tokens" in shown and "--budget" not in shown
