"""Vectors of a user's function are reused only while its code and the values that it holds are the
same; of any model they are counted, and ignored if asked."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from typer.testing import CliRunner

from chunkstudy import evaluate
from chunkstudy.chunkers import user_chunker
from chunkstudy.cli.main import app
from chunkstudy.encoders.user_function import FURTHER_PROBES, PROBES, FunctionEncoder
from chunkstudy.pipeline.vector_store import VectorStore

DOCUMENTS = {f"{word}.md": f"The {word} is red.\n\nIt is old." for word in ("gate", "mill", "roof")}
QUESTIONS = [{"question": "Where is the mill?", "excerpts": ["The mill is red."]}]
MODULE = '''
import re
SIZE = 50
def embed(texts):
    """Return counts of letters."""
    rows = [[text.count(chr(97 + i)) + 1 for i in range(26)] for text in texts]
    return [[one % SIZE for one in row] for row in rows]
'''


@pytest.fixture(autouse=True)
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "vectors"


def reused(encoder: Any, **changes: Any) -> int:
    """Return the number of vectors that an evaluation says it reused."""
    said: list[str] = []
    evaluate(
        DOCUMENTS, QUESTIONS, ["none"], [encoder], output="out", only_vectors=True,
        say=lambda line: said.append(str(line)), **changes,
    )  # fmt: skip
    (line,) = (line for line in said if "vectors reused" in line)
    found = re.search(r": ([\d,]+) vectors reused", line)
    assert found is not None
    return int(found[1].replace(",", ""))


def letters(texts: list[str], shift: int = 0) -> list[list[int]]:
    return [[text.count(chr(97 + i)) + 1 + shift for i in range(26)] for text in texts]


def scaled(size: float) -> Callable[[list[str]], Any]:
    return lambda texts: np.array(letters(texts)) * size


def projected(matrix: Any) -> Callable[[list[str]], Any]:
    return lambda texts: np.array(letters(texts)) @ matrix


class Model:
    """A model as an object, with a way to encode."""

    def __init__(self, size: float) -> None:
        self.size = size

    def encode(self, texts: list[str]) -> Any:
        return np.array(letters(texts)) * self.size

    def __call__(self, texts: list[str]) -> Any:
        return self.encode(texts)


def test_a_function_of_an_unchanged_file_reuses_its_vectors_and_no_probe_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MODULE)
    assert reused("mine.py:embed") == 0
    assert reused("mine.py:embed") == 4
    path.write_text(MODULE.replace("SIZE = 50", "SIZE = 51"))
    assert reused("mine.py:embed") == 0
    path.write_text(MODULE)
    assert reused("mine.py:embed") == 4


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (scaled(1), scaled(2)),
        (functools.partial(letters, shift=0), functools.partial(letters, shift=1)),
        (Model(1), Model(2)),
        (Model(1).encode, Model(2).encode),
        (lambda texts, size=1: letters(texts), lambda texts, size=2: letters(texts)),
        (lambda texts: letters(texts), lambda texts: letters([*texts])),
        (projected(np.ones((26, 9_000))), projected(np.ones((26, 9_000)) * 2)),
    ],
    ids=["closure", "partial", "object", "method", "default", "code", "array"],
)
def test_a_changed_value_makes_another_function(first: Any, other: Any, tmp_path: Path) -> None:
    def computed(function: Any) -> int:
        store = VectorStore(FunctionEncoder(function, name="mine"), tmp_path / "v")
        store.encode(["one", "two", "one"])
        return store.computed

    assert [computed(first), computed(first), computed(other), computed(other)] == [2, 0, 2, 0]


NAMES_VALUES = """import numpy as np

SIZES = {"letters": 50}


class Setting:
    def __init__(self):
        self.size = 0
        self.lock = object()


SETTING = Setting()


def shift(text):
    return SIZES["letters"] + SETTING.size if "mill" in text else 0


def embed(texts):
    return [[len(text) + shift(text), 1.0] for text in texts]
"""


def test_a_value_that_a_file_names_counts_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "valued.py").write_text(NAMES_VALUES)
    module = user_chunker.named(f"{tmp_path}/valued.py:embed").__globals__
    assert [reused(module["embed"]), reused(module["embed"])] == [0, 4]
    module["SIZES"]["letters"] = 51
    assert [reused(module["embed"]), reused(module["embed"])] == [0, 4]
    module["SETTING"].size = 1
    assert [reused(module["embed"]), reused(module["embed"])] == [0, 4]


@pytest.mark.parametrize(
    "named",
    [
        "import middle\n\n\ndef h(t):\n    return middle.help_(t)\n",
        "from deepest import cached as h\n",
        "import deepest\n\nh = lambda t: deepest.help_(t)\n",
    ],
)
def test_a_change_in_any_module_behind_a_function_makes_another_one(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "middle.py").write_text("from deepest import help_\n")
    body = "\n\ndef embed(texts):\n    return [[len(t) + h(t), 1.0] for t in texts]\n"
    (tmp_path / "top.py").write_text(named + body)

    def embed(size: int) -> Any:
        (tmp_path / "deepest.py").write_text(
            "import functools\n\n\n"
            f"def help_(text):\n    return {size} if 'mill' in text else 0\n\n\n"
            "cached = functools.lru_cache(help_)\n"
        )
        for name in ("deepest", "middle", "top"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module("top").embed

    assert [reused(embed(1)), reused(embed(1)), reused(embed(2))] == [0, 4, 0]


def test_what_a_function_notes_while_it_is_called_is_no_part_of_it() -> None:
    seen: list[str] = []

    def embed(texts: list[str]) -> Any:
        seen.extend(texts)
        return letters(texts)

    assert reused(embed) == 0
    before = len(seen)
    assert reused(embed) == 4
    assert seen[before:] == PROBES + FURTHER_PROBES


def test_a_function_without_a_source_or_with_a_value_that_cannot_be_told_reuses_nothing() -> None:
    names: dict[str, Any] = {"letters": letters}
    exec("embed = lambda texts: letters(texts)", names)
    lock = threading.Lock()

    def locked(texts: list[str]) -> Any:
        with lock:
            return letters(texts)

    for function, reason in ((names["embed"], "source"), (locked, "cannot be pickled")):
        assert [reused(function), reused(function)] == [0, 0]
        assert reason in FunctionEncoder(function).why_not_reused


def test_a_window_beyond_the_first_words_and_another_script_tell_two_functions_apart() -> None:
    def cut(words: int) -> Any:
        return lambda texts: letters([" ".join(text.split()[:words]) for text in texts])

    def ends(texts: list[str]) -> Any:
        return [[*map(ord, text.ljust(30)[-3:])] for text in texts]

    def ascii_only(texts: list[str]) -> Any:
        return ends([text.encode("ascii", "ignore").decode() for text in texts])

    revisions = [FunctionEncoder(function, name="mine").revision for function in (
        cut(14), cut(100), cut(256), cut(500), ascii_only, ends)]  # fmt: skip
    assert len(set(revisions)) == 6


def test_fresh_ignores_the_vectors_made_before_and_its_own_are_taken_later(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    assert [reused("mine.py:embed"), reused("mine.py:embed", fresh=True)] == [0, 0]
    assert reused("mine.py:embed") == 4
    state = {"size": 1.0}

    class Changing:
        """An encoder that says it is the same while its vectors are not."""

        dimension = 2

        def describe(self) -> dict[str, Any]:
            return {"id": "changing"}

        def keys(self, texts: Any, role: str = "document") -> list[bytes]:
            return [text.encode().ljust(32) for text in texts]

        def encode(self, texts: Any, role: str = "document") -> Any:
            return np.array([[state["size"], 0] for _ in texts], dtype=np.float32)

    def store() -> VectorStore:
        return VectorStore(Changing(), tmp_path / "changing")

    assert store().encode(["a", "b"])[0, 0] == 1
    state["size"] = 2.0
    assert store().encode(["a", "b"])[0, 0] == 1
    fresh = store()
    fresh.ignore_stored()
    assert fresh.encode(["a"])[0, 0] == 2
    assert fresh.encode(["a", "b"]).tolist() == [[2, 0], [2, 0]] and fresh.computed == 2
    assert store().encode(["a", "b"])[:, 0].tolist() == [2, 2]


def test_the_option_fresh_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "q.jsonl").write_text('{"question": "mill?", "excerpts": ["The mill is red."]}\n')
    asked = ["evaluate", "docs", "--questions", "q.jsonl", "--encoder", "mine.py:embed",
             "--chunker", "none", "--only-vectors", "--output", "out"]  # fmt: skip
    counts = []
    for more in ([], [], ["--fresh"], []):
        done = CliRunner().invoke(app, [*asked, *more])
        assert done.exit_code == 0, done.output
        counts += re.findall(r"mine.py:embed: (\d+) vectors reused", done.stderr)
    assert counts == ["0", "4", "0", "4"]


CELLS = [
    "from chunkstudy import evaluate\nSIZE = 50\n"
    "def count(text):\n    return [text.count(chr(97 + i)) % SIZE + 1 for i in range(26)]",
    "def embed(texts):\n    return [count(text) for text in texts]",
    f"evaluate({DOCUMENTS!r}, {QUESTIONS!r}, ['none'], [embed], output='out', only_vectors=True, "
    "say=lambda line: 'reused' in str(line) and print(line))\nNone",
]


@pytest.mark.parametrize("twice", [False, True], ids=["two kernels", "one kernel"])
def test_a_function_of_a_notebook_reuses_its_vectors_until_it_is_changed(
    tmp_path: Path, twice: bool
) -> None:
    def lines(*cells: str) -> list[str]:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
        printed = "".join(
            output["text"]
            for cell in notebook.cells
            for output in cell["outputs"]
            if output.get("name") == "stdout"
        )
        return re.findall(r"embed: (\d+) vectors reused", printed)

    size, helper = "SIZE = 51", CELLS[0].replace("+ 1", "+ 1 + 0")
    if twice:
        assert lines(*CELLS, CELLS[1], CELLS[2], size, CELLS[2]) == ["0", "4", "0"]
        return
    assert lines(*CELLS) == ["0"]
    assert lines(*CELLS) == ["4"]
    assert lines(helper, *CELLS[1:]) == ["0"]


def test_a_function_that_does_not_take_long_texts_is_called_and_reuses_nothing() -> None:
    def embed(texts: list[str]) -> Any:
        if any(len(text) > 1_000 for text in texts):
            raise ValueError("too long")
        return letters(texts)

    assert [reused(embed), reused(embed)] == [0, 0]
    assert "too long" in FunctionEncoder(embed).why_not_reused
