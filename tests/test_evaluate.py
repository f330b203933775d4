"""Own documents, questions and encoders are scored as the study scores its own, and nothing that is
left out goes unsaid."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.cli.main import app
from chunkstudy.collections import user_collections
from chunkstudy.user_data import conclusions
from chunkstudy.user_data.evaluate import Evaluation, prepared

WORDS = [
    *("rye", "oats", "barley", "spelt", "millet", "sorghum"),
    *("maize", "wheat", "buckwheat", "teff", "quinoa", "fonio"),
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
        "only_vectors": True,
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
    assert len(found.tests) == 3 and (found.tests["family_size"] == 3).all()
    unread = found.table[found.table["chunker"] == "none"].set_index("ordering")[["cut", "unread"]]
    assert unread["cut"]["pre_embedding"] == 1 and 0 < unread["unread"]["pre_embedding"] < 1
    assert (unread.loc["contextualized-128"] == 0).all()
    (warning,) = (text for text in found.warnings if "never reads" in text)
    assert "No chunking" in warning and body.index("<h1>") == 0 and warning not in body
    assert html.unescape(page[: page.index("<h1>")]).count(warning) == 1
    pages = [path.read_text(encoding="utf-8") for path in (found.folder / "questions").iterdir()]
    assert any('<i class="window"></i><' in page for page in pages)


def test_a_run_that_was_killed_goes_on_and_leaves_the_same_record_again(
    folder: Path, little_model: Path
) -> None:
    def killed(line: str) -> None:
        if line.startswith("[2/2]"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, little_model, say=killed)
    assert not (folder / "out" / "index.html").exists()
    first = run(folder, little_model)
    kept = (first.folder / "evaluation.json").read_bytes()
    runs = sorted(first.folder.glob("trec/*.run"))
    before = [path.read_bytes() for path in runs]
    run(folder, little_model, seed=0)
    assert (first.folder / "evaluation.json").read_bytes() == kept
    assert [path.read_bytes() for path in runs] == before and len(runs) == 4
    other = run(folder, little_model, documents={"a": document("rye"), "b": document("oats")},
                questions=[{"question": "When is rye dried?", "excerpts": ["rye2"]}],
                chunkers=["none"])  # fmt: skip
    assert other.record["sha256"] != first.record["sha256"]
    left = {path.name.split(".")[0] for path in other.folder.glob("trec/*")}
    assert left == {"none", "documents"}  # no rankings of the evaluation before
    assert str(folder) not in kept.decode() and str(little_model.parent) not in kept.decode()


def test_rankings_are_read_back_by_ir_measures(folder: Path, little_model: Path) -> None:
    import ir_measures
    from ir_measures import RR, Success, nDCG

    spaced = folder / "grains" / "two words%.md"
    spaced.write_text(document("einkorn"), encoding="utf-8")
    asked = [question("rye", 1), question("oats", 4)]
    asked.append({"question": "When is einkorn sown?", "excerpts": ["month of einkorn0"]})
    found = run(folder, little_model, questions=asked, k=3)
    rows = found.table.set_index("chunker")

    def read(qrels: str, run: str) -> dict[str, float]:
        judged = list(ir_measures.read_trec_qrels(str(found.folder / qrels)))
        ranked = list(ir_measures.read_trec_run(str(found.folder / run)))
        assert {one.query_id for one in ranked} == {"1", "2", "3"}
        assert any("two%20words%25.md" in one.doc_id for one in judged)
        measured = ir_measures.calc_aggregate([nDCG @ 3, RR @ 3, Success @ 3], judged, ranked)
        return {str(name): value for name, value in measured.items()}

    for arm in found.record["arms"]:
        base, row = arm["run"], rows.loc[arm["chunker"]]
        of_chunks = read(f"{base}.chunks.qrels", f"{base}.chunks.run")
        assert of_chunks == pytest.approx({name: row[name] for name in of_chunks}, abs=1e-6)
        of_documents = read("trec/documents.qrels", f"{base}.documents.run")
        assert of_documents["Success@3"] >= row["Success@3"] - 1e-9


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


def test_documents_and_questions_are_read_in_whatever_form_they_come(folder: Path) -> None:
    inside = folder / "grains" / "questions.jsonl"
    (folder / "questions.jsonl").rename(inside)
    found = user_collections.read(folder / "grains", inside)
    assert len(found.collection.documents) == len(WORDS) and len(found.collection.queries) == 12
    assert "the file of questions (questions.jsonl)" in found.notes[0]
    (folder / "grains" / "out").mkdir()
    for written in ("evaluation.json", "index.html"):
        (folder / "grains" / "out" / written).write_text("{}", encoding="utf-8")
    again = user_collections.read(folder / "grains")
    assert again.collection.documents == found.collection.documents
    assert again.notes[0].endswith(
        "written by chunkstudy (out); 1 left out, the file of questions (questions.jsonl)."
    )
    made = folder / "made"
    made.mkdir()
    inside.rename(made / "questions.jsonl")
    (folder / "grains").rename(made / "documents")
    assert user_collections.read(made).collection == replace(found.collection, name="made")
    lines = [
        {"id": "a", "title": "On rye", "text": document("rye")},
        {"_id": 7, "text": document("oats")},
        {"id": "empty", "text": " "},
    ]
    asked = [{"question": "?", "excerpts": [{"document": "a", "start": 4, "end": 7}]}]
    found = user_collections.read(write(folder / "grains.jsonl", lines), asked)
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
    other = user_collections.read(beir, [{"question": "?", "documents": ["rye"]}])
    assert len(other.collection.documents) == len(WORDS) and other.notes == ()


@given(
    st.lists(st.floats(0, 1), max_size=4), st.integers(0, 4), st.integers(1, 60),
    st.floats(0, 0.5), st.sampled_from([float("nan"), float("inf")]) | st.floats(0, 1e12),
)  # fmt: skip
def test_whatever_comes_out_has_short_sentences_with_few_numbers(
    p: list[float], tied: int, n: int, gap: float, questions: float
) -> None:
    row = {"measure": "SpanRecall@5", "n": n}
    scores = [0.5 if i <= tied else 0.4 for i in range(len(p) + 1)]
    table = pd.DataFrame([row | {"score": score} for score in scores])
    told = "not shown" if questions == questions else conclusions.NOT_TESTED
    tests = pd.DataFrame([{"p_holm": one, "shown": told} for one in p])
    need = {"n": n, "a minus b": gap, "more than there are": questions}
    needed = pd.DataFrame([need] if p else [])
    names = [f"System {letter}" for letter in "ABCDE"[: len(scores)]]
    first = conclusions.state_answer(table, tests, names)
    more = conclusions.state_needed(tests, needed)
    for text in (first, more):
        parts = text.split(". ")
        assert len(parts) <= 2 and "nan" not in text and "inf" not in text
        for part in parts:
            assert sum(any(c.isdigit() for c in word) for word in part.split()) <= 4
    assert not p or first.split(":")[0] in ("Yes", "In part", "Not shown", "No", "Not tested")
    assert p or not more
    assert ("tie at" in first) == (bool(p) and tied > 0) != ("leads with" in first or not p)
    if p and n >= conclusions.MIN_TESTED and p[0] >= 0.05:  # to and fro is not by the same on all
        assert ("differ on no question" in more) == (told == conclusions.NOT_TESTED)


def test_what_is_needed_is_never_fewer_than_what_did_not_tell(
    folder: Path, little_model: Path
) -> None:
    ways = ["recursive-40-0", "none", "sentence-1"]
    found = run(folder, little_model, chunkers=ways)
    (needed,) = found.needed.to_dict("records")
    apart = found.tests["p_holm"].iloc[0] < 0.05
    assert needed["questions needed"] - needed["n"] == needed["more than there are"]
    assert (needed["more than there are"] == 0) == apart
    same: dict[str, Any] = {"half": lambda text: [text[: len(text) // 2]], "whole": "none"}
    same |= {"one": "sentence-1", "same": "sentence-1+window-1"}
    beside = run(folder, little_model, chunkers=same, k=20).tests
    assert "not tested" in set(beside["shown"]) != {"not tested"}
    assert list(beside)[list(beside).index("difference") :][1:3] == ["low", "high"]
    few = run(folder, little_model, questions=[question(word, 1) for word in WORDS[:4]])
    assert few.tests["shown"].eq("not tested").all() and few.tests["p_holm"].isna().all()
    assert few.answer.startswith("Not tested") and "more questions" not in few.more


def test_a_budget_hands_every_way_as_many_tokens(folder: Path, little_model: Path) -> None:
    from chunkstudy.core.tokens import counter

    ways = ["none", "recursive-40-0"]
    whole = run(folder, little_model, chunkers=ways, budget=100_000)
    assert whole.table["measure"].eq("SpanRecall@100000tokens").all()
    assert whole.table["score"].eq(1).all() and "SpanRecall@5" in whole.table
    few = run(folder, little_model, chunkers=["none"], budget=20)
    smallest = min(counter("cl100k").count_many([document(word) for word in WORDS]))
    assert smallest > 20 and few.table["score"].iloc[0] < 0.5  # a chunk is cut where 20 tokens end
    assert "within 20 tokens" in few.answer


def test_words_and_models_rank_beside_each_other(folder: Path, little_model: Path) -> None:
    encoders = [str(little_model), "bm25", f"bm25+{little_model}"]
    found = run(folder, little_model, chunkers=["recursive-40-0"], encoders=encoders)
    assert found.table["encoder"].tolist().count("bm25") == 1 and len(found.table) == 3
    scores = found.table.set_index("encoder")["score"]
    assert scores["bm25"] > 0.9  # each answer holds a word that stands nowhere else
    assert scores.min() <= scores[f"bm25+{little_model.name}"] <= 1
    assert "BM25" in (found.folder / "questions.html").read_text(encoding="utf-8")
    nothing = [{"question": "Xyzzy?", "excerpts": ["month of rye0"]} for _ in range(2)]
    lost = run(folder, little_model, chunkers=["none"], encoders=["bm25"], questions=nothing)
    assert lost.table["score"].iloc[0] == 0


def test_small_chunks_return_large_ones_and_are_scored_by_them(
    folder: Path, little_model: Path
) -> None:
    ways = ["sentence-1", "sentence-1+paragraph", "sentence-1+window-1", "sentence-1+none"]
    found = run(folder, little_model, chunkers=ways, k=5).table.set_index("chunker")
    assert found.loc["sentence-1+none", "chunks"] == len(WORDS)
    read = found["tokens that a reader gets"]
    assert read["sentence-1"] < read["sentence-1+paragraph"] < read["sentence-1+none"]
    assert (found.loc[ways[1:], "score"] >= found["score"]["sentence-1"] - 1e-9).all()
    (folder / "grains" / "list.md").write_text("# Grains\n\n- rye\n\n- oats\n\nThat is all.")
    listed = run(folder, little_model, chunkers=["sentence-1+paragraph"]).table
    assert listed["text in no chunk"].iloc[0] == 0


def test_any_copy_of_an_excerpt_will_do(folder: Path, little_model: Path) -> None:
    for name in ("a.md", "b.md"):
        text = f"Notice {name}. The licence is free.\n\n{document(name[0])}"
        (folder / "grains" / name).write_text(text, encoding="utf-8")
    asked = [{"question": "The licence is free.", "excerpts": ["The licence is free."]}]
    some = run(folder, little_model, questions=asked, encoders=["bm25"], chunkers=["sentence-1"])
    assert some.table["score"].iloc[0] == 1 and "stand in several places" in some.notes[0]
    page = next((folder / "out" / "questions").iterdir()).read_text(encoding="utf-8")
    assert "<b>Found.</b>" in page


def test_bm25_and_its_fusion_stand_beside_unless_they_are_left_out_or_named(
    folder: Path, little_model: Path
) -> None:
    both = run(folder, little_model, only_vectors=False, chunkers=["sentence-{1,3}"])
    names = both.table["encoder"].unique().tolist()
    assert len(both.table) == 6 and sum("bm25" in name for name in names) == 2
    assert set(both.table["chunker"]) == {"sentence-1", "sentence-3"}
    drawn = run(folder, little_model, only_vectors=False, chunkers=["semantic"])
    assert len(drawn.table) == 2 and any("BM25 by itself is left out" in x for x in drawn.notes)
    named = run(folder, little_model, only_vectors=False, encoders=["bm25"], chunkers=["none"])
    assert len(named.table) == 1


def test_chunks_are_screened_before_anybody_asks_by_what_documents_have(
    folder: Path, little_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    rows = "".join(f"| grain {i} | {i} francs a sack, in any month |\n" for i in range(12))
    (folder / "grains" / "prices.md").write_text(f"| grain | price |\n|---|---|\n{rows}")
    asked = ["evaluate", "grains", "--encoder", str(little_model), "--chunker", "sentence-1",
             "--chunker", "token-40-20"]  # fmt: skip
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0 and "chunkstudy generate grains" in done.output
    numbers = [line.split()[-4:] for line in done.stdout.splitlines()]
    sentences, windows = (row for row in numbers if len(row) == 4 and row[0].isdigit())
    assert float(sentences[-1]) == 0 and float(windows[-1]) > 20  # of the sentences broken
    assert "table rows" in done.stdout and "code blocks" not in done.stdout
    torn = [line.split()[-2:] for line in done.stdout.splitlines()[-9:] if line.strip()]
    (whole, cut) = (row for row in torn if len(row) == 2 and row[0].isdigit())
    assert int(cut[0]) <= 40 and float(cut[1]) > 50 and float(whole[1]) == 0


def test_sections_match_later_rows_of_a_table_with_its_header_and_return_their_span(
    folder: Path,
) -> None:
    rows = "".join(f"| grain {i} | {i} francs a sack, in any month |\n" for i in range(30))
    (folder / "grains" / "prices.md").write_text(
        f"# Prices\n\n| grain | price |\n|---|---|\n{rows}"
    )
    pipeline, (system,), _ = prepared(
        folder / "grains", folder / "questions.jsonl", ["markdown-60"], ["bm25"]
    )
    index = pipeline.chunk(system)
    texts = pipeline.collection.documents
    table = [
        (matched, index.returned.texts(texts)[place])
        for matched, place in zip(index.texts, index.returned_index.tolist(), strict=True)
        if "francs" in matched
    ]
    assert len(table) > 3 and all("| grain | price |" in matched for matched, _ in table)
    assert sum("| grain | price |" in returned for _, returned in table) == 1


ASKED = ["grains", "--questions", "questions.jsonl"]


def test_a_dry_run_prices_and_writes_nothing(
    folder: Path, little_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    asked = [*ASKED, "--encoder", str(little_model), "--chunker", "recursive-40-0", "--chunker",
             "semantic", "--ordering", "plain", "--ordering", "late", "--dry-run"]  # fmt: skip
    asked.append("--only-vectors")
    done = CliRunner().invoke(app, ["evaluate", *asked])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and lines[-1].startswith(
        f"in all, {len(WORDS)} documents and 12 questions"
    )
    assert f"{len(WORDS)} documents, 12 questions" in done.stderr
    assert "boundaries to be drawn" in lines[1] and not list(folder.rglob("index.html"))
    run(folder, little_model, chunkers=["recursive-40-0"], orderings=["plain", "late"])
    known = CliRunner().invoke(app, ["evaluate", *asked]).stdout.splitlines()
    assert ["chunks, 0 s" in line for line in known] == [True, False, True, False, False]
