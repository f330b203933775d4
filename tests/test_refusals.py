"""Bad input gets one sentence that says what is wrong, and nothing is written.

Each row is what a user gives and what the sentence says; whatever a command takes stands here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.collections import user_collections
from chunkstudy.core.errors import ResourceError
from chunkstudy.llm import openai_client
from chunkstudy.llm.prices import budget
from chunkstudy.pipeline.conditions import MINILM

RYE = "Rye is sown in autumn. Oats are sown in spring. Rye is cut first."
GOOD = {"document": "rye.md", "text": "autumn"}
MINE = """
number = 3
def one_text(text): return text
def nothing(text): return None
def empty(text): return [""]
def other(text): return ["other words"]
def unordered(text): return ["are sown", "Oats"]
def mixed(text): return ["Rye", (4, 7)]
def halves(text): return [(0.5, 3)]
def outside(text): return [(0, 99)]
def generated(text):
    yield text[:3]
    raise KeyError("x")
def makes(): return 1 // 0
def raising(texts): raise ValueError("no")
"""


def asked(**values: object) -> dict[str, object]:
    return {"id": "1", "question": "When?", **values}


FARM = [asked(excerpts=[GOOD]), asked(id="2", excerpts=[{"document": "oats.md", "text": "spring"}])]


def write(folder: Path, name: str, lines: Iterable[object]) -> None:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of one's own, which is an empty study too: documents, questions, functions."""
    for folder in ("texts", "notebooks", "results", "farm/documents"):
        (tmp_path / folder).mkdir(parents=True)
    texts = {"rye.md": RYE, "oats.md": RYE.replace("Rye", "Spelt"), "none.md": ""}
    for name, text in texts.items():
        for folder in ("texts", "farm/documents"):
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
    write(tmp_path, "questions.jsonl", FARM)
    write(tmp_path, "bad.jsonl", ["{"])
    write(tmp_path, "lost.jsonl", [{"question": "?", "excerpts": ["stands nowhere"]}])
    write(tmp_path, "mixed.jsonl", [FARM[0], {"question": "?", "documents": ["rye.md"]}])
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("1 // 0\n", encoding="utf-8")
    (tmp_path / "needs.py").write_text("import not_installed_anywhere\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for name in [one for one in os.environ if one.startswith("CHUNKSTUDY_") or "API_KEY" in one]:
        if name not in ("CHUNKSTUDY_ROOT", "CHUNKSTUDY_DATA"):
            monkeypatch.delenv(name)
    return tmp_path


def files(folder: Path) -> list[Path]:
    vectors = folder / "build" / "vectors"
    return sorted(one for one in folder.rglob("*.*") if not one.is_relative_to(vectors)
                  and one.suffix != ".pyc")  # fmt: skip


def refused(here: Path, arguments: Iterable[str]) -> str:
    """The sentence that a command ends with."""
    before = files(here)
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 1, done.output
    sentence = done.stderr.splitlines()[-1]  # lines before it say how far it came
    assert sentence.startswith("chunkstudy: ") and files(here) == before
    return sentence


COMMANDS = [
    ("study zz", "unknown study 'zz'; use one of b"),
    ("reproduce --profile zz", "unknown profile 'zz'; use builtin"),
    ("export --trec runs --only zz", "no record matches zz"),
    ("fetch nq", "unknown collection 'nq'; use one of chroma"),
    ("models minilm gpt-2", "'gpt-2'"),
    ("run --only builtin/none/none/none/corrected --dask h:1 --processes 2", "give one"),
    ("run --only builtin/none/none/none/corrected --processes -1", "-1 processes are too few"),
    ("list --only zz/none/none/none/corrected", "unknown collection 'zz'"),
    ("list --only chroma/none/nobody/pre_embedding/corrected", "unknown encoder 'nobody'"),
    (
        "list --only chroma/none/text-embedding-3-small-bfloat16/pre_embedding/corrected",
        "text-embedding-3-small is computed by its provider; leave -bfloat16 out",
    ),
    (f"run --only chroma/none/{MINILM}/pre_embedding/mine", "unknown protocol 'mine'"),
    ("list --only scifact/none/none/none/corrected", "ranks by vectors; name an encoder"),
    (f"list --only chroma/fixed-256-wordpiece/{MINILM}/pre_embedding/corrected", "write fixed-256"),
    (f"list --only chroma/none/{MINILM}-w256/pre_embedding/corrected", f"write {MINILM}"),
    (f"list --only chroma/none/{MINILM}/contextualized-64-16/corrected", "write contextualized-64"),
    (f"list --only chroma/none/{MINILM}-w600/pre_embedding/corrected", "has 512 positions"),
    (f"list --only chroma/none/{MINILM}-w2/pre_embedding/corrected", "3 are the fewest"),
    (f"list --only chroma-within/none/{MINILM}/pre_embedding/as_published-ielab", "use corrected"),
    (f"list --only builtin/fixed-64/{MINILM}/prepended-title/as_published-chroma",
     "no paper under study reads chunks so"),
    (f"list --only builtin-graded/fixed-64/{MINILM}/contextualized-64-packed/as_published-ielab",
     "under corrected only"),
    (f"list --only builtin/proposition-sentences/{MINILM}/contextualized-64-averaged/corrected",
     "do not hold the rewritten chunks"),
    ("list --only builtin/lumberchunker-by-gemini__gemini-2.5-flash/none/none/corrected",
     "another name of 'lumberchunker'; write"),
    ("generate texts --model local/someone/some-model", "is not registered"),
    ("inspect zz", "unknown collection 'zz'"),
    ("inspect builtin pros-01", "has no query 'pros-01' that is judged by an excerpt (perhaps "),
    ("inspect builtin prose-01 --chunker recursiv-200-0", "unknown chunker"),
    ("inspect builtin prose-01 --encoder no-model", "unknown encoder"),
    ("inspect builtin prose-01 --encoder none", "name an encoder"),
    ("inspect builtin prose-01 --encoder text-embedding-3-large", "cannot be inspected"),
    ("inspect builtin prose-01 --k 0", "at least 1"),
    ("generate nowhere --model openai/gpt-4o-mini", "nowhere is no folder"),
    ("generate texts --model gpt-4o-mini", "unknown language model 'gpt-4o-mini'"),
    ("generate texts --model openai/gpt-4o-mini --out texts/made", "lies inside"),
    ("generate texts --model openai/gpt-4o-mini --out ../my%questions", "cannot name a collection"),
    ("generate texts --model openai/gpt-4o-mini --out farm", "none.md, which is of no"),
    ("generate texts --model openai/gpt-4o-mini --out farm/documents", "holds none.md, which"),
    ("generate texts --model server/gemma", "needs an address; set CHUNKSTUDY_SERVER_URL"),
    ("merge nowhere", "there is no record below nowhere; name a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "sentence"), COMMANDS, ids=[one[0][:60] for one in COMMANDS])
def test_a_command_that_makes_no_sense(line: str, sentence: str, here: Path) -> None:
    assert sentence in refused(here, [word.replace("%", " ") for word in line.split()])


EVALUATED = [
    ("nowhere --questions questions.jsonl", "nowhere is no folder"),
    ("notebooks --questions questions.jsonl", "notebooks holds no text in UTF-8"),
    ("farm/documents/none.md --questions questions.jsonl", "none.md"),
    ("texts --questions none.jsonl", "there is no file none.jsonl"),
    ("texts --questions bad.jsonl", "bad.jsonl, line 1 is not JSON"),
    (
        "texts --questions lost.jsonl",
        "no question could be judged (`chunkstudy check` says what each",
    ),
    ("texts --questions mixed.jsonl", "keep the two kinds in two collections"),
    ("--budget -1", "--max-tokens must be between 1 and 1,000,000, got -1"),
    ("--max-tokens 0", "--max-tokens must be between 1 and 1,000,000, got 0"),
    ("--k 21", "--k must be between 1 and 20, got 21"),
    ("--k 5 --max-tokens 500", "--k 5 and --max-tokens 500 cannot both decide; leave one out"),
    ("--k 5 --budget 500", "--k 5 and --max-tokens 500 cannot both decide; leave one out"),
    ("--max-tokens 400 --budget 500", "--budget is the old name of --max-tokens"),
    ("--tolerance -1", "--tolerance must be between 0 and 100 points, got -1"),
    ("--tolerance 101", "--tolerance must be between 0 and 100 points, got 101"),
    ("--tolerance nan", "--tolerance must be between 0 and 100 points, got nan"),
    ("--tolerance -1 --dry-run", "--tolerance must be between 0 and 100 points, got -1"),
    ("--output bad.jsonl", "is a file"),
    ("--chunker semantic-released", "is a segmentation of gutenqa-emma"),
    ("--chunker none --chunker none", "two of them are called none"),
    ("--chunker zz:f", "no module zz to import"),
    ("--chunker zz.py:f", "there is no file zz.py"),
    ("--chunker mine.py:g", "has no g"),
    ("--chunker broken:f", "broken failed on import: ZeroDivisionError"),
    ("--chunker needs:f", "needs needs not_installed_anywhere; install it"),
    ("--chunker mine.py:number", "is int, which is no chunker"),
    ("--chunker mine.py:makes", "failed when it was called to make a chunker: ZeroDivisionError"),
    ("--chunker mine.py:one_text", "returned one text for document 'oats.md'"),
    ("--chunker mine.py:nothing", "returned nothing for document 'oats.md'"),
    ("--chunker mine.py:empty", "returned no chunk for document 'oats.md'"),
    ("--chunker mine.py:other", "of document 'oats.md' stands nowhere"),
    ("--chunker mine.py:unordered", "chunk 2 of 2 of document 'oats.md' stands nowhere after"),
    ("--chunker mine.py:mixed", "one kind for all"),
    ("--chunker mine.py:halves", "chunk 1 of document 'oats.md' is tuple"),
    ("--chunker mine.py:outside", "[0, 99) for document 'oats.md'"),
    ("--chunker mine.py:generated", "failed on document 'oats.md': KeyError"),
    ("--encoder ./none", "there is no folder ./none"),
    ("--encoder texts", "neither config.json nor"),
    ("--encoder nobody/no-model", "neither a folder nor in the hub's cache"),
    ("--encoder intfloat/multilingual-e5-large", "cannot be read yet: needs the weights of"),
    ("--encoder mine.py:number", "is no encoder; name a model, or give a function"),
    ("--encoder mine.py:raising", "failed on 2 texts: ValueError: no"),
    ("--encoder openai/text-embedding-3-large", "OPENAI_API_KEY"),
    ("--encoder openai/nomic --base-url localhost", "is no address; write it as http://"),
    ("--rerank nobody/no-model", "neither a folder nor in the hub's cache"),
    ("--rerank mine.py:number", "is no reranker; name a cross-encoder, or give a function"),
    ("--ordering zz", "unknown ordering 'zz'"),
    ("--ordering contextualized-4000", "reads 4000 tokens together"),
    ("--ordering late --encoder bm25", "bm25 takes no late chunking"),
]


@pytest.mark.parametrize(("line", "sentence"), EVALUATED, ids=[one[0] for one in EVALUATED])
def test_what_cannot_be_evaluated(line: str, sentence: str, here: Path, little_model: Path) -> None:
    arguments = line.split()
    if line.startswith("--"):
        arguments = ["texts", "--questions", "questions.jsonl", *arguments]
    for option, usual in (("--encoder", str(little_model)), ("--chunker", "recursive-40-0")):
        if option not in arguments:
            arguments += [option, usual]
    assert sentence in refused(here, ["evaluate", *arguments])


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"CHUNKSTUDY_BUDGET": "five"}, "CHUNKSTUDY_BUDGET is 'five'; set it to dollars, like 5"),
        ({"CHUNKSTUDY_BUDGET": "-1"}, "a budget of -1.0 dollars is impossible; use 0 or more"),
        (
            {"CHUNKSTUDY_BUDGET": "0", "OPENAI_BASE_URL": ""},
            "set CHUNKSTUDY_BUDGET to more",
        ),
        ({"OPENAI_BASE_URL": "here"}, "'here' is no address; write it as http://"),
        ({"OPENAI_API_KEY": "sk-\u200b1"}, "OPENAI_API_KEY holds characters no key has"),
        ({}, "at http://127.0.0.1:9/v1 cannot be reached; check that a server listens there"),
    ],
)
def test_a_budget_a_key_or_an_address_that_cannot_be_one(
    variables: dict[str, str], sentence: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"OPENAI_API_KEY": "sk-made", "OPENAI_BASE_URL": "http://me:secret@127.0.0.1:9/v1"}
    given |= variables
    monkeypatch.setattr(openai_client, "RETRIES", 0)
    budget.cache_clear()
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    line = "evaluate texts --questions questions.jsonl --chunker none --encoder"
    said = refused(here, [*line.split(), "openai/text-embedding-3-small"])
    assert sentence in said and given["OPENAI_API_KEY"] not in said and "secret@" not in said
    budget.cache_clear()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "holds no question"),
        (["[" * 100_000], "line 1 is not JSON"),
        (["[1]"], "line 1 is no question"),
        ([asked(question="", excerpts=[GOOD])], "question is wrong"),
        ([asked(excerpts=[GOOD], more=1)], "more is wrong"),
        ([asked(excerpts=[GOOD]), asked(excerpts=[GOOD])], "'1' stands in line 1 as well"),
        ([asked(excerpts=[GOOD]), asked(id="2")], "line 2 needs excerpts or documents"),
        ([asked(excerpts=[GOOD], documents={"rye.md": 1})], "keep the two kinds in two"),
        ([asked(documents={"gone.md": 1, "rye.md": 1})], "document 'gone.md', which is missing"),
        ([asked(documents={"none.md": 1, "rye.md": 1})], "document 'none.md', which is empty"),
        ([asked(documents={"rye.md": -1})], "has grade -1"),
        ([asked(excerpts=[GOOD, {"document": "rye.md"}])], "needs a document with start and end"),
        ([asked(excerpts=[GOOD, {"document": "rye.md", "start": 3}])], "needs both start and end"),
        ([asked(excerpts=[GOOD, {"text": "Rye", "anywhere": False}])], "stands there 2 times"),
        ([asked(excerpts=[GOOD, {"document": "rye.md", "text": "wheat"}])], "does not stand"),
        ([asked(excerpts=[GOOD, {"document": "rye.md", "start": 0, "end": 999}])], "0 to 999"),
        ([asked(excerpts=[{"document": "rye.md", "start": 1, "end": 4, "text": "Rye"}, GOOD])],
         "is not what stands at 1 to 4"),
        (['{"id": "\udce9"}'], "not UTF-8"),
    ],
)  # fmt: skip
def test_a_line_of_questions_that_is_wrong(lines: list[object], sentence: str, here: Path) -> None:
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    path = here / "farm" / "questions.jsonl"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises((ValueError, ResourceError), match=sentence) as caught:
        user_collections.load(path.parent)
    assert "questions.jsonl" in str(caught.value) and "\n" not in str(caught.value)
