"""Own documents, questions and encoders are scored as the study scores its own, and nothing that
is left out goes unsaid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.commands.cli import app
from chunkstudy.commands.evaluate import evaluate as door
from chunkstudy.commands.evaluate import tables, texts
from chunkstudy.commands.evaluate.evaluate import Evaluation
from chunkstudy.evaluation.statistics import power
from chunkstudy.runs import records

WORDS = [
    "rye",
    "oats",
    "barley",
    "spelt",
    "millet",
    "sorghum",
    "maize",
    "wheat",
    "buckwheat",
    "teff",
    "quinoa",
    "fonio",
]
FIELDS = ["sown", "cut", "dried", "milled", "baked", "stored"]


def document(word: str) -> str:
    """A text of six paragraphs, one about each thing that is done to a grain."""
    return "\n\n".join(
        f"The {word} is {done} in the month of {word}{i}. Nothing more is known of it, and the "
        f"year goes on as it went before the {word} was {done} by those who live there."
        for i, done in enumerate(FIELDS)
    )


def question(word: str, i: int) -> dict[str, object]:
    answer = f"The {word} is {FIELDS[i]} in the month of {word}{i}."
    asked = f"When is the {word} {FIELDS[i]}, which month?"
    return {"question": asked, "excerpts": [{"document": f"{word}.md", "text": answer}]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents, questions, and a place for vectors and pages outside the checkout."""
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "root"))
    (tmp_path / "grains").mkdir()
    for word in WORDS:
        (tmp_path / "grains" / f"{word}.md").write_text(document(word), encoding="utf-8")
    write(tmp_path / "questions.jsonl", [question(word, i) for word in WORDS[:6] for i in (1, 4)])
    return tmp_path


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def run(folder: Path, model: Path, **changes: Any) -> Evaluation:
    asked: dict[str, Any] = {
        "documents": folder / "grains",
        "questions": folder / "questions.jsonl",
        "chunkers": ["recursive-40-0", "none"],
        "encoders": [str(model)],
        "output": folder / "out",
    }
    return evaluate(**(asked | changes))


def recall_by_hand(folder: Path, model: Path, chunks: dict[str, list[str]], k: int) -> float:
    """Mean recall of the excerpts' characters by the first chunks, with the library's vectors."""
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(model))
    pairs = [(name, text) for name, of in sorted(chunks.items()) for text in of]
    vectors = library.encode([text for _, text in pairs], normalize_embeddings=True)
    found = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        (excerpt,) = asked["excerpts"]
        first = np.argsort(-(vectors @ library.encode(asked["question"])), kind="stable")[:k]
        inside = any(
            pairs[i][0] == excerpt["document"] and excerpt["text"] in pairs[i][1] for i in first
        )
        found.append(float(inside))
    return float(np.mean(found))


def test_scores_are_those_of_a_plain_computation(folder: Path, little_model: Path) -> None:
    ways = {"blank lines": lambda text: text.split("\n\n"), "none": "none"}
    found = run(folder, little_model, chunkers=ways, k=3)
    score = found.table.set_index("chunker")["score"]
    paragraphs = {f"{word}.md": document(word).split("\n\n") for word in WORDS}
    whole = {f"{word}.md": [document(word)] for word in WORDS}
    assert score["blank lines"] == pytest.approx(
        recall_by_hand(folder, little_model, paragraphs, 3)
    )
    assert score["none"] == pytest.approx(recall_by_hand(folder, little_model, whole, 3))
    assert 0 < score["blank lines"] < 1
    assert score.is_monotonic_decreasing


def test_every_file_is_left_and_the_page_begins_with_its_answer(
    folder: Path, little_model: Path
) -> None:
    found = run(folder, little_model, orderings=["plain", "late"])
    assert len(found.table) == 4 and set(found.table["ordering"]) == {
        "pre_embedding",
        "contextualized-128",
    }
    names = {"index.html", "questions.html", "evaluation.json", "scores.csv", "evaluation.csv"}
    names |= {"evaluation.tex", "evaluation_tests.csv", "evaluation_tests.tex"}
    assert names <= {path.name for path in found.folder.iterdir()}
    page = found.page.read_text(encoding="utf-8")
    body = page[page.index("<h1>") :]
    assert body.index(found.answer) < body.index("<h2>")
    assert "http" not in page.replace("http-equiv", "")
    assert "href=" in (found.folder / "questions.html").read_text(encoding="utf-8")
    low, score, high = (found.table[name] for name in ("low", "score", "high"))
    assert ((low <= score) & (score <= high)).all()
    assert len(found.tests) == 3 and (found.tests["family_size"] == 3).all()
    assert (found.tests["p_holm"] >= found.tests["p"]).all()


def test_the_record_is_the_same_when_the_evaluation_is_made_again(
    folder: Path, little_model: Path
) -> None:
    first = run(folder, little_model)
    kept = (first.folder / "evaluation.json").read_bytes()
    runs = sorted(first.folder.glob("runs/**/run.json"))
    before = [path.read_bytes() for path in runs]
    again = run(folder, little_model, seed=0)
    assert (again.folder / "evaluation.json").read_bytes() == kept
    assert [path.read_bytes() for path in runs] == before and len(runs) == 2
    other = run(folder, little_model, documents={"a": document("rye"), "b": document("oats")},
                questions=[{"question": "When is rye dried?", "excerpts": ["rye2"]}])  # fmt: skip
    assert other.record["sha256"] != first.record["sha256"]
    assert str(folder) not in kept.decode() and str(little_model.parent) not in kept.decode()


def test_a_run_that_was_killed_goes_on_where_it_was(folder: Path, little_model: Path) -> None:
    def killed(line: str) -> None:
        if line.startswith("[2/2]"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, little_model, say=killed)
    assert not (folder / "out" / "index.html").exists()
    found = run(folder, little_model)
    timing = {
        arm["chunker"]: json.loads(
            (found.folder / arm["run"]).with_name("timing.json").read_text(encoding="utf-8")
        )
        for arm in found.record["arms"]
    }
    assert timing["recursive-40-0"]["encoded_texts"] == 0
    assert timing["none"]["encoded_texts"] > 0


def test_a_record_holds_scores_that_its_digest_proves(folder: Path, little_model: Path) -> None:
    found = run(folder, little_model, k=3)
    for arm in found.record["arms"]:
        path = found.folder / arm["run"]
        kept = records.Run.model_validate_json(path.read_text(encoding="utf-8"))
        scores = records.read_in_order(path.parent, kept)
        assert "SpanRecall@3" in scores and "TokensRead@3" in scores
        assert kept.model and kept.model["weights_sha256"]


def test_any_depth_reads_what_its_chunks_hold(folder: Path, little_model: Path) -> None:
    deep, usual = (run(folder, little_model, k=k).table.set_index("chunker") for k in (2, 5))
    read = "tokens that a reader gets"
    assert (deep[read] < usual[read]).all()
    one = run(folder, little_model, k=1, chunkers=["none"]).table.iloc[0]
    from chunkstudy.base.tokens import counter

    sizes = counter("cl100k").count_many([document(word) for word in WORDS])
    assert min(sizes) <= one[read] <= max(sizes)


LOST: list[dict[str, Any]] = [
    question("rye", 0),
    {"question": "Where?", "excerpts": ["nowhere at all"]},
    {"id": "both", "question": "What?", "excerpts": ["in the month of oats1", "in the month of"]},
    {"question": "Which?", "excerpts": [{"document": "rye.md", "text": "in the month of"}]},
    {"question": "How?", "excerpts": [{"document": "gone.md", "text": "rye"}]},
    {"question": "Why?", "excerpts": [{"document": "rye.md", "start": 4, "end": 99_999}]},
    {"question": "Who?"},
    {"question": "Joined?", "excerpts": [{"document": "rye.md", "start": 0, "end": 9},
                                         {"document": "rye.md", "start": 5, "end": 12}]},
]  # fmt: skip


def test_what_cannot_be_placed_is_counted_and_its_lines_are_named(folder: Path) -> None:
    found = texts.read(folder / "grains", LOST)
    assert [query.id for query in found.collection.queries] == ["1", "both", "8"]
    (joined,) = (j for j in found.collection.judgments if j.query == "8")
    assert (joined.start, joined.end) == (0, 12)
    excerpts, questions = found.notes
    assert excerpts.startswith("5 of 9 excerpts could not be placed and they are left out: ")
    for part in (
        "1 found in no document (line 2)",
        "2 found more than once (lines 3, 4)",
        "1 of a document that is missing (line 5)",
        "1 outside the document (line 6)",
    ):
        assert part in excerpts
    assert questions.startswith("5 questions are left out") and "lines 2, 4, 5, 6, 7" in questions


def test_missing_graded_documents_lower_the_ideal(folder: Path, little_model: Path) -> None:
    asked = [
        {"question": "When is the rye sown?", "documents": {"rye.md": 2, "gone.md": 1}},
        {"question": "When is the oats cut?", "documents": ["oats.md"]},
    ]
    found = run(folder, little_model, questions=asked, chunkers=["none", "recursive-40-0"])
    assert found.table["measure"].eq("nDCG@10").all()
    assert "1 of 3 graded documents could not be placed" in found.notes[0]
    assert found.scores.drop(columns="question").loc["1"].max() <= 2 / (2 + 1 / np.log2(3)) + 1e-6
    assert not (found.folder / "questions.html").exists()


def test_a_line_a_document_with_its_title_before_it(folder: Path) -> None:
    path = write(
        folder / "grains.jsonl",
        [
            {"id": "a", "title": "On rye", "text": document("rye")},
            {"_id": 7, "text": document("oats")},
            {"id": "empty", "text": " "},
        ],
    )
    asked = [{"question": "?", "excerpts": [{"document": "a", "start": 4, "end": 7}]}]
    found = texts.read(path, asked)
    assert [one.id for one in found.collection.documents] == ["7", "a"]
    (judgment,) = found.collection.judgments
    text = found.collection.documents[1].text
    assert text.startswith("On rye The rye") and text[judgment.start : judgment.end] == "rye"
    assert found.notes == ("2 documents; 1 left out, empty (empty).",)


def test_a_folder_in_beirs_form_brings_its_own_questions(folder: Path, little_model: Path) -> None:
    import gzip

    beir = folder / "little"
    (beir / "qrels").mkdir(parents=True)
    lines = [{"_id": word, "title": word, "text": document(word)} for word in WORDS]
    corpus = "".join(f"{json.dumps(line)}\n" for line in lines)
    (beir / "corpus.jsonl.gz").write_bytes(gzip.compress(corpus.encode()))
    write(beir / "queries.jsonl", [{"_id": "q1", "text": "rye sown"}, {"_id": "q2", "text": "x"}])
    (beir / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\trye\t1\nq2\tgone\t1\n"
    )
    found = run(folder, little_model, documents=beir, questions=None, chunkers=["none"])
    assert found.table["n"].iloc[0] == 2 and found.table["score"].iloc[0] <= 0.5
    assert "1 judged documents are missing" in found.notes[0]
    other = texts.read(beir, [{"question": "?", "documents": ["rye"]}])
    assert len(other.collection.documents) == len(WORDS) and other.notes == ()


def test_what_generate_wrote_is_read_with_its_own_questions(folder: Path) -> None:
    made = folder / "made"
    made.mkdir()
    (folder / "grains").rename(made / "documents")
    (folder / "questions.jsonl").rename(made / "questions.jsonl")
    assert len(texts.read(made).collection.queries) == 12


def test_a_difference_is_seen_as_often_as_the_number_of_questions_promises() -> None:
    generator = np.random.default_rng(1)
    differences = generator.normal(0.1, 0.4, 40)
    needed = power.queries_needed(float(differences.mean()), float(differences.std(ddof=1)))
    (share,) = power.share_seen(differences, [int(needed)], resamples=4000)
    assert share == pytest.approx(power.POWER, abs=0.05)


def facts() -> Iterator[dict[str, object]]:
    words = {"best": "Recursive", "measure": "Recall", "score": 0.5, "power": 0.8}
    gaps = ((0.0, float("inf")), (0.1, 5.0), (0.1, -5.0), (1e-9, 1e12), (0.1, float("nan")))
    for arms, behind, n, apart, (gap, more) in product((1, 2, 5), (0, 1, 4), (1, 50), (0, 1), gaps):
        if behind < arms and (n > 1) == (more == more) and (behind > 0 or not apart):
            yield words | {
                "arms": arms, "others": arms - 1, "behind": behind, "n": n, "apart": apart,
                "difference": gap, "more": more,
            }  # fmt: skip


def test_whatever_comes_out_has_one_sentence_with_few_numbers() -> None:
    said = set()
    for one in facts():
        best, needed = (tables.answer(about, one) for about in ("best", "needed"))
        for text in (best, needed):
            numbers = [word for word in text.split() if any(c.isdigit() for c in word)]
            assert len(numbers) <= 3 and "nan" not in text and "inf" not in text and "{" not in text
        said |= {best.split(":")[0], needed.split(",")[0]}
    assert {"Yes", "In part", "Not shown"} <= said and len(said) >= 9


ASKED = ["grains", "--questions", "questions.jsonl"]
BAD: list[tuple[list[str], str]] = [
    (["grains"], "questions are missing"),
    (["nowhere", "--questions", "questions.jsonl"], "nowhere is no folder"),
    (["none.jsonl", "--questions", "questions.jsonl"], "there is no file none.jsonl"),
    (["grains", "--questions", "none.jsonl"], "there is no file none.jsonl"),
    (["grains", "--questions", "bad.jsonl"], "bad.jsonl, line 1 is not JSON"),
    (["grains", "--questions", "lost.jsonl"], "no question could be judged. Of what should answer"),
    (["grains", "--questions", "mixed.jsonl"], "keep the two kinds in two collections"),
    ([*ASKED, "--chunker", "zz"], "unknown chunker 'zz'"),
    ([*ASKED, "--chunker", "zz:f"], "no module zz to import"),
    ([*ASKED, "--chunker", "zz.py:f"], "there is no file zz.py"),
    ([*ASKED, "--chunker", "mine.py:g"], "has no g"),
    ([*ASKED, "--chunker", "mine.py:number"], "is int, which is no chunker"),
    ([*ASKED, "--chunker", "mine.py:other"], "of document 'barley.md' stands nowhere"),
    ([*ASKED, "--chunker", "lumberchunker-handmade"], "is a segmentation of builtin"),
    ([*ASKED, "--encoder", "./none"], "there is no folder ./none"),
    ([*ASKED, "--encoder", "grains"], "neither config.json nor"),
    ([*ASKED, "--ordering", "zz"], "unknown ordering 'zz'"),
    ([*ASKED, "--ordering", "contextualized-4000"], "reads 4000 tokens together"),
    ([*ASKED, "--k", "21"], "--k 21 is impossible; use 1 to 20"),
    ([*ASKED, "--output", "bad.jsonl"], "is a file"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=[one[1][:30] for one in BAD])
def test_bad_input_ends_in_one_sentence(
    arguments: list[str],
    sentence: str,
    folder: Path,
    little_model: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "bad.jsonl").write_text("{", encoding="utf-8")
    write(folder / "lost.jsonl", [{"question": "?", "excerpts": ["stands nowhere"]}])
    write(folder / "mixed.jsonl", [question("rye", 0), {"question": "?", "documents": ["rye.md"]}])
    code = "number = 3\ndef other(text):\n    return ['other words']\n"
    (folder / "mine.py").write_text(code, encoding="utf-8")
    if "--encoder" not in arguments:
        arguments = [*arguments, "--encoder", str(little_model)]
    done = CliRunner().invoke(app, ["evaluate", *arguments])
    assert done.exit_code == 1, done.output
    last = done.output.splitlines()[-1]
    assert last.startswith("chunkstudy: ") and sentence in last
    assert not list(folder.rglob("index.html"))


def test_a_dry_run_prices_and_writes_nothing(
    folder: Path, little_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    asked = [*ASKED, "--encoder", str(little_model), "--chunker", "recursive-40-0", "--chunker",
             "semantic", "--ordering", "plain", "--ordering", "late", "--dry-run"]  # fmt: skip
    done = CliRunner().invoke(app, ["evaluate", *asked])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert len(lines) == 5 and lines[-1].startswith(
        f"in all, {len(WORDS)} documents and 12 questions"
    )
    assert "boundaries to be drawn" in lines[1] and not list(folder.rglob("index.html"))
    run(folder, little_model, chunkers=["recursive-40-0"])
    assert ", 0 tokens to encode," in CliRunner().invoke(app, ["evaluate", *asked]).output


def test_the_command_prints_its_table_and_its_answer(
    folder: Path, little_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    asked = [*ASKED, "--encoder", str(little_model), "--chunker", "none", "--chunker",
             "recursive-40-0", "--output", "out"]  # fmt: skip
    done = CliRunner().invoke(app, ["evaluate", *asked])
    assert done.exit_code == 0, done.output
    assert "Ways of chunking, the best first" in done.output
    assert done.output.rstrip().endswith("index.html")
    answered = pd.read_csv(folder / "out" / "evaluation.csv")
    assert set(answered["chunker"]) == {"none", "recursive-40-0"}


def test_pages_of_somebodys_texts_are_not_written_into_the_project(
    folder: Path, little_model: Path
) -> None:
    with pytest.raises(ValueError, match="would be committed with the project"):
        run(folder, little_model, output=folder / "root" / "docs")
    assert door.CHUNKERS
