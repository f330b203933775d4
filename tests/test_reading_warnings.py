"""Text that a model never reads, chunks larger than asked for and too few questions are warnings
above the table, on the page and in the notes."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.cli.main import app
from chunkstudy.collections import user_collections
from chunkstudy.pipeline.conditions import MINILM_512
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.reading_warnings import reading_warnings
from chunkstudy.user_data.systems import systems

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WIDER = f"`--encoder {MINILM}-w512` reads 512; otherwise "
THAI = "โรงสีตั้งอยู่ริมแม่น้ำและหมุนในเวลากลางวัน "
"""A stretch without spaces, which WordPiece does not know and reads as one token."""
WORDS = "rye oats barley spelt millet teff maize wheat sorghum fonio "


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(count: int = 20, question: str = "When is rye sown?") -> list[dict[str, Any]]:
    excerpt = {"document": "d", "start": 0, "end": 3}
    return [{"question": f"{question} {i}", "excerpts": [excerpt]} for i in range(count)]


def warnings(
    text: str,
    chunkers: list[str],
    encoders: list[str],
    questions: list[dict[str, Any]] | None = None,
    unread: float = 0.0,
) -> tuple[str, ...]:
    """The warnings of systems that are not run."""
    texts = user_collections.read({"d": text}, questions or asked())
    compared, _ = systems(chunkers, encoders, ["plain"])
    pipeline = Pipeline(texts, Path("vectors"))
    return reading_warnings(pipeline, compared, [unread] * len(compared))


def test_a_chunker_that_does_not_keep_its_size_is_named_with_its_largest_chunk() -> None:
    (warning,) = warnings(THAI * 200, ["fixed-20", "recursive-20-0", "token-20-5"], ["bm25"])
    assert warning.startswith("fixed-20 makes chunks of up to ")
    assert int(warning.split()[6].replace(",", "")) > 400
    assert "tokens here, although 20 were asked for." in warning
    assert "an unknown word of any length is one token" in warning


@pytest.mark.parametrize(
    "chunker",
    [
        *(
            "fixed-20",
            "fixed-128",
            "recursive-20-0",
            "recursive-50-10",
            "recursive-200-0-wordpiece",
        ),
        *("token-40-10", "markdown-40", "recursive-100-0-characters", "sentence-5", "none"),
    ],
)
def test_a_chunker_that_keeps_its_size_or_has_none_is_not_named(chunker: str) -> None:
    english = (
        "The mill stands by the river, and it turns by day. 1,234 sacks cost 5.67 francs.\n" * 60
    )
    assert warnings(english, [chunker], ["bm25"]) == ()


def test_of_small_to_large_both_sizes_are_looked_at() -> None:
    for way in ("fixed-20+none", "sentence-1+fixed-20"):
        (warning,) = warnings(THAI * 200, [way], ["bm25"])
        assert warning.startswith("fixed-20 makes")


def test_text_that_is_never_read_is_a_warning_with_the_option_that_reads_it(place: Path) -> None:
    documents = {f"d{i}": f"{i} {WORDS * 40}" for i in range(3)} | {"d": "rye"}
    chunkers = ["none", "recursive-200-0"]
    found = evaluate(documents, asked(), chunkers, [MINILM], output=place / "out")
    (warning,) = found.warnings
    share = found.table.set_index(["chunker", "encoder"])["unread"].max()
    assert 0.2 < share < 0.9
    assert warning == (
        f"{MINILM} reads the first 256 tokens of a chunk and never reads the rest of its text "
        f"(No chunking: {share:.1%}). {WIDER}make smaller chunks."
    )
    assert warning in found.notes and warning not in found.record["left_out"]
    page = html.unescape(found.page.read_text(encoding="utf-8"))
    assert page.index(warning) < page.index("<h1>")
    followed = evaluate(documents, asked(), chunkers, [f"{MINILM}-w512"], output=place / "out")
    (warning,) = followed.warnings  # 520 tokens a document: a model's positions end
    assert "reads the first 512 tokens" in warning
    assert warning.endswith("Use a model that reads more, or make smaller chunks.")


def test_a_hundredth_of_the_text_is_worth_a_warning_and_less_is_not() -> None:
    assert warnings(WORDS, ["none"], [MINILM], unread=0.0099) == ()
    (warning,) = warnings(WORDS, ["none"], [MINILM], unread=0.01)
    assert "(No chunking: 1.0%)" in warning
    assert warnings(WORDS, ["none"], ["bm25"], unread=float("nan")) == ()


def test_a_model_is_named_once_whatever_ranks_beside_it() -> None:
    both = [MINILM, f"bm25+{MINILM}"]
    chunkers = ["none", *(f"recursive-{size}-0" for size in (300, 400, 500, 600))]
    (warning,) = warnings(WORDS, chunkers, both, unread=0.5)
    assert warning.count(": 50.0%") == 3 and "; and of 2 more chunkers)" in warning


def test_a_question_that_is_cut_off_is_counted(little_model: Path) -> None:
    long = [*asked(18), *asked(2, question=WORDS * 18)]
    (warning,) = warnings(WORDS, ["none"], [MINILM], long)
    assert f"{MINILM} reads the first 256 tokens of a question and cuts off 2 of 20" in warning
    assert warning.endswith(f"% of their text). {WIDER}shorten them.")
    assert warnings(WORDS, ["none"], [f"{MINILM}-w512"], long) == ()
    (other,) = warnings(WORDS, ["none"], [str(little_model)], long)
    assert "reads the first 128 tokens of a question and cuts off 2 of 20" in other
    assert other.endswith("Use a model that reads more, or shorten them.")
    assert warnings(WORDS, ["none"], ["bm25"], long) == ()


def test_the_studys_window_is_the_default(place: Path) -> None:
    (place / "docs").mkdir()
    (place / "docs" / "d.md").write_text("rye " + WORDS * 16, encoding="utf-8")
    lines = [
        {"question": f"rye {i}?", "excerpts": [{"document": "d.md", "start": 0, "end": 3}]}
        for i in range(20)
    ]
    (place / "q.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in lines), encoding="utf-8")
    found = evaluate(place / "docs", lines, ["none"], output=place / "out")
    assert MINILM_512 in set(found.table["encoder"]) and not found.warnings
    base = ["evaluate", "docs", "--chunker", "none", "--questions", "q.jsonl", "--only-vectors"]
    usual = CliRunner().invoke(app, base)
    assert usual.exit_code == 0 and "Warning" not in usual.stdout
    short = CliRunner().invoke(app, [*base, "--encoder", MINILM])
    assert short.stdout.startswith(f"Warning: {MINILM} reads the first 256 tokens of a chunk")
    base = ["evaluate", "docs", "--chunker", "none", "--encoder", MINILM]
    screened = CliRunner().invoke(app, base)  # without questions
    assert screened.stdout.startswith(f"Warning: {MINILM} reads the first 256 tokens of a chunk")


def test_few_questions_are_a_warning_for_one_system_too(place: Path) -> None:
    found = evaluate({"d": "rye"}, asked(3), ["none"], ["bm25"], output=place / "out")
    assert found.warnings == (
        "3 questions are too few for a score to be relied on; ask 20 or more.",
    )
