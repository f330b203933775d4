"""What the tests of faults let a process do: a run, a reproduction, each a small one.

Every scene is the project's own code; what is small is what it works on.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import nbformat
import pandas as pd
from safetensors import SafetensorError, safe_open

from chunkstudy.core.files import json_text, write_json, write_text
from chunkstudy.core.models import MODELS
from chunkstudy.core.project import Project
from chunkstudy.display.formats import write_csv
from chunkstudy.llm import asking
from chunkstudy.llm.interface import Message, Request
from chunkstudy.pipeline import conditions, records, vector_store
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.run import read_together, run
from chunkstudy.pipeline.vector_store import SUFFIX
from chunkstudy.release import notebooks, readme, reproduce
from chunkstudy.studies.generated_questions import collection
from chunkstudy.studies.generated_questions.generate import GenerationSettings
from tests import (
    api_server,
    checkpoints,
    forking,
    mounts,
    small_notebook,
    small_study,
    small_training,
)

COLLECTION = "letters"
PACKAGE = "small_bert"
MODEL = "tests/bert"
DOCUMENTS, LETTERS, QUERIES = 8, 400, 12
ARMS = (
    ("fixed-64", "contextualized-64"),
    ("recursive-200-0", "contextualized-64"),
    ("recursive-200-0", "pre_embedding"),
    ("cluster-200", "pre_embedding"),
)
TEXTS, TOKENS = 8, 512
"""Of a block that the store writes at once, so that a small run has several."""
TABLES = ("verdicts", "labels_power", "what_to_do")
LANGUAGE_MODEL = "openai/gpt-4o-mini"
REQUESTS, AT_ONCE = 40, 4
FORK = get_context("fork")


def prepare(world: str) -> None:
    """Write down a collection of random letters and a small random model."""
    folder = Path(world)
    draw = random.Random(5)
    collection = folder / "collections" / COLLECTION
    texts = [
        " ".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=LETTERS)) for _ in range(DOCUMENTS)
    ]
    for i, text in enumerate(texts):
        write_text(collection / "documents" / f"{i}.txt", text)
    lines = []
    for i in range(QUERIES):
        start = 2 * draw.randrange(LETTERS - 30)
        name, text = f"{i % DOCUMENTS}.txt", texts[i % DOCUMENTS]
        excerpt = {"document": name, "start": start, "end": start + 59}
        asked = {"id": str(i), "question": text[start : start + 19], "excerpts": [excerpt]}
        lines.append(json_text(asked).replace("\n", "") + "\n")
    write_text(collection / "questions.jsonl", "".join(lines))
    write_text(folder / PACKAGE / "__init__.py", "")
    small_training.model(folder / PACKAGE / "model")


@contextmanager
def inside(world: Path) -> Iterator[list[Condition]]:
    """That collection and that model are known like any other; the conditions on them."""
    os.environ["CHUNKSTUDY_COLLECTIONS"] = str(world / "collections")
    sys.path.insert(0, str(world))
    model = world / PACKAGE / "model"
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    MODELS[MODEL] = checkpoints.specification(model, "bert", config)
    vector_store.BLOCK, vector_store.TOKENS = TEXTS, TOKENS
    named = (f"{COLLECTION}/{one}/{MODEL.replace('/', '__')}/{how}/corrected" for one, how in ARMS)
    yield list(map(conditions.parse, named))


def small_run(world: str, folder: str) -> None:
    """Run the conditions that are not recorded yet, as ``chunkstudy run`` does."""
    places = Project(Path(folder))
    vectors, runs = places.build / "vectors", places.runs
    with inside(Path(world)) as chosen:
        todo = [one for one in chosen if not records.complete(runs, one)]
        read_together(todo, vectors)
        for one in todo:
            run(one, vectors, runs)


def ask(address: str, folder: str) -> None:
    """Ask a server many things; the clock stands still, since seconds are recorded too."""
    os.environ["OPENAI_API_KEY"] = "sk-made"
    asking.time = SimpleNamespace(monotonic=float)  # type: ignore[assignment]
    asked = (
        Request(LANGUAGE_MODEL, (Message("user", f"question {i}"),), 20) for i in range(REQUESTS)
    )
    one = api_server.asker(address, Path(folder) / "recordings", at_once=AT_ONCE)
    replies = [asdict(reply) for reply in one.together(one.ask, asked)]
    write_json(Path(folder) / "replies.json", replies)


def generate(
    source: Path, out: Path, say: Callable[[str], object] = lambda _: None, replay: bool = False
) -> Path:
    """Generate questions on a folder of texts; letters are what similarities count, so that no
    weights are needed."""
    collection.load_store = lambda _, folder: vector_store.VectorStore(
        small_study.Letters(), folder
    )  # type: ignore[assignment]
    settings = GenerationSettings(LANGUAGE_MODEL, 6)
    places = Project(source.parent)
    return collection.make(places, source, settings, out, "none", -1.0, 0.99, say, replay)


def small_project(folder: str) -> None:
    """A project of a few tables."""
    here = Path(folder)
    for name in ("notebooks", "results"):
        (here / name).mkdir(parents=True, exist_ok=True)
    of_study = Project(Path(__file__).parents[1])
    if not (here / "results" / "studies").exists():
        (here / "results" / "studies").symlink_to(of_study.results / "studies")
    if not (here / "README.md").exists():
        write_text(here / "README.md", (of_study.root / "README.md").read_text(encoding="utf-8"))


def small_reproduce(folder: str) -> None:
    """Reproduce it with two processes."""
    small_project(folder)
    reproduce.compare = _tables
    reproduce.run_live = reproduce.publish = _left_out
    reproduce.pool = _forked
    reproduce.reproduce(Project(Path(folder)))


def _tables(places: Project) -> str:
    """Tables as notebooks write them, and the README."""
    given = Project(Path(__file__).parents[1])
    some = {name: _read(given.tables / f"{name}.csv") for name in TABLES}
    write_csv(places.results / "comparison.csv", _read(given.results / "comparison.csv"))
    for name, table in some.items():
        write_csv(places.tables / f"{name}.csv", table)
    readme.fill(places)
    return f"{len(some)} tables"


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def _left_out(places: Project) -> str:
    return "left out"


def _forked() -> ProcessPoolExecutor:
    """As ``reproduce.pool``, without importing everything again in each process."""
    return ProcessPoolExecutor(2, FORK, reproduce.begin)


def vectors(folder: Path) -> dict[bytes, bytes]:
    """What is remembered below a folder, without what is not whole."""
    found: dict[bytes, bytes] = {}
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        with suppress(SafetensorError), safe_open(path, framework="np") as file:
            keys, values = file.get_tensor("keys"), file.get_tensor("vectors")
            found |= {
                key.tobytes(): value.tobytes() for key, value in zip(keys, values, strict=True)
            }
    return found


def at_once(world: str, folder: str, processes: str, killed: str) -> None:
    """Several processes make the same small run; those numbered first are killed on the way."""
    draw = random.Random(folder)
    children = [FORK.Process(target=small_run, args=(world, folder)) for _ in range(int(processes))]
    for child in children:
        child.start()
    for child in children[: int(killed)]:
        time.sleep(draw.uniform(0, 0.1))
        child.kill()
    for child in children:
        child.join()
    ends = [child.exitcode for child in children[int(killed) :]]
    if any(ends):
        raise RuntimeError(f"the others ended with {ends}")


def filling_disk(scene: str, disk: str, out: str, step: str, *given: str) -> None:
    """Let a scene work on a disk that is too small, which grows by some kilobytes after each
    failure, until it ends; leave its files and how often it failed outside of that disk."""
    mounts.alone()
    folder, kilobytes, failures = Path(disk), int(step), []
    mounts.small_disk(folder, kilobytes)
    while (end := forking.run(scene, *given, disk, context=FORK)).status:
        failures.append(end.said.splitlines()[-1])
        kilobytes += int(step)
        mounts.run("mount", "-o", f"remount,size={kilobytes}k", folder)
    shutil.copytree(folder, out, symlinks=True)
    write_json(Path(f"{out}.json"), failures)


def read_only(scene: str, locked: str, *given: str) -> None:
    """Let a scene begin where a folder is read-only, then again where it is not; the first has to
    fail and to leave nothing."""
    mounts.alone()
    folder = Path(locked)
    folder.mkdir(parents=True, exist_ok=True)
    before = sorted(folder.rglob("*"))
    mounts.run("mount", "--bind", folder, folder)
    mounts.run("mount", "-o", "remount,bind,ro", folder)
    end = forking.run(scene, *given, context=FORK)
    mounts.run("umount", folder)
    print(end.said.splitlines()[-1], file=sys.stderr)
    if end.status != 1 or sorted(folder.rglob("*")) != before:
        raise RuntimeError("it did not end as it should")
    globals()[scene](*given)


def one_notebook(folder: str, begun: str, seconds: str) -> None:
    """Reproduce a project of nothing but a notebook, which says that it began and then waits."""
    small_project(folder)
    places = Project(Path(folder))
    source = f"import pathlib, time\npathlib.Path({begun!r}).touch()\ntime.sleep({seconds})\n"
    cell = nbformat.v4.new_code_cell(f"{source}print('the end')")
    text = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    write_text(places.notebooks / "small.ipynb", text)
    reproduce.pool = _forked
    with reproduce.pool() as processes:
        (made,) = processes.map(notebooks.run_one, [places], notebooks.sources(places))
    assert made == "small"


def kernel_killed(folder: str, begun: str) -> None:
    """The same, killed once the notebook has begun."""

    def watch() -> None:
        while not Path(begun).exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    one_notebook(folder, begun, "60")


def publication_killed(folder: str, replaced: str) -> None:
    """Reproduce the small notebook, killed after so many of its files were replaced."""
    places, left, replace = Project(Path(folder)), iter(range(int(replaced))), Path.replace

    def replace_some(part: Path, path: Path) -> Path:
        if Path(path).is_relative_to(folder) and next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(part, path)

    with patch.object(Path, "replace", replace_some):
        notebooks.run_one(places, places.notebooks / f"{small_notebook.NAME}.ipynb")


def notebook_in_a_read_only_checkout(folder: str, out: str) -> None:
    """Run the small notebook by papermill alone where nothing of its project can be written."""
    mounts.alone()
    mounts.run("mount", "--bind", folder, folder)
    mounts.run("mount", "-o", "remount,bind,ro", folder)
    small_notebook.run_plainly(Project(Path(folder)), Path(out))
