"""Runs an experiment, whole or in parts, and writes what it found beside what it was found with.

A module registers its experiment by the decorator :func:`experiment` on the function that answers
its question; nothing else lists it.

An experiment asks its context for collections, models and chunks; the context notes what it hands
out, so that provenance is what was used and not what somebody wrote down.

Each part is written as soon as it is there, and none is run twice. Every table of an experiment in
parts has a column ``part``; the table ``parts`` names all that were run.
"""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import folder_lock, sha256
from chunkstudy.core.project import Project
from chunkstudy.core.sources import SourceFile, fetch
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline import experiment_tables
from chunkstudy.pipeline.chunking import cut
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.environment import PACKAGES, describe_environment
from chunkstudy.pipeline.vector_store import VectorStore, load_store

Tables = dict[str, pd.DataFrame]
Answer = TypeVar("Answer", bound=Callable[..., Tables])
"""The function that answers an experiment's question, whole or a part at a time."""
BESIDE = "; "
"""Between two versions of which each made some parts of a study."""


@dataclass(frozen=True)
class Experiment:
    """A question outside the conditions, and the functions that answer it.

    Attributes:
        name: of its folder below ``results/studies``.
        tables: from a context and collections, its tables by name; None of one in parts.
        collections: what it takes.
        packages: what it needs that not every run does.
        plan: of one in parts these, in order, each with a ``name``.
        part: from a context and a part, that part's rows of every table.
        estimate: of a part, what it takes.
    """

    name: str
    question: str
    tables: Callable[..., Tables] | None = None
    collections: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    plan: Sequence[Any] = ()
    part: Callable[..., Tables] | None = None
    estimate: Callable[..., Estimate] | None = None

    @property
    def module(self) -> str:
        """Return the name of the module that registered the experiment."""
        function = self.tables or self.part
        assert function
        return function.__module__


REGISTERED: dict[str, Experiment] = {}
"""Every experiment of the modules imported so far, by its name."""


def experiment(
    name: str,
    *,
    collections: Sequence[str] = (),
    packages: Sequence[str] = (),
    plan: Sequence[Any] = (),
    estimate: Callable[..., Estimate] | None = None,
) -> Callable[[Answer], Answer]:
    """Register the decorated function as what answers its module's question.

    The function takes a context, and the collections or, of an experiment in parts, one part. The
    first paragraph of the module's docstring is the question.

    Args:
        name: the name of its folder below ``results/studies``.
        collections: the collections that it takes.
        packages: the packages that it needs and not every run does.
        plan: the parts, in order, each with a ``name``; none of an experiment that is run whole.
        estimate: function from a part to what it takes.

    Raises:
        ValueError: if another module has registered that name.
    """

    def register(function: Answer) -> Answer:
        question = (sys.modules[function.__module__].__doc__ or "").split("\n\n")[0]
        registered = Experiment(
            name,
            " ".join(question.split()),
            None if plan else function,
            tuple(collections),
            tuple(packages),
            plan,
            function if plan else None,
            estimate,
        )
        if (other := REGISTERED.get(name)) and other.module != registered.module:
            raise ValueError(
                f"{registered.module} and {other.module} both register the experiment {name!r}; "
                "rename one"
            )
        REGISTERED[name] = registered
        return function

    return register


class Context:
    """What a study works with; it notes what was asked of it."""

    def __init__(self, places: Project) -> None:
        self.places = places
        self.collections: dict[str, dict[str, object]] = {}
        self.chunks_used: dict[str, dict[str, object]] = {}
        self.models: list[dict[str, Any]] = []
        self.sources: dict[str, str] = {}

    def collection(self, name: str) -> Collection:
        loaded = load_collection(name)
        if name not in self.collections:
            self.collections[name] = {
                "sha256": loaded.digest(),
                "order_free_sha256": loaded.order_free_digest(),
                "documents": len(loaded.documents),
                "queries": len(loaded.queries),
            }
        return loaded

    def store(self, encoder: str) -> VectorStore:
        """The model of a slug and what it has computed."""
        opened = load_store(encoder, self.places.vectors)
        self.note(opened.encoder.describe())
        return opened

    def note(self, model: dict[str, Any]) -> None:
        """Note a model that the study set up by itself, as it describes itself."""
        if model not in self.models:
            self.models.append(model)

    def chunks(self, condition: Condition, store: VectorStore | None = None) -> Chunks:
        """The chunks of a condition; ``store`` where its chunker asks a model for boundaries."""
        collection = self.collection(condition.collection)
        made = cut(collection, condition.chunking, condition.rules, store)
        parts = (condition.collection, condition.chunker, condition.encoder, condition.protocol)
        return self.cut("/".join(parts), made)

    def cut(self, name: str, chunks: Chunks) -> Chunks:
        """Note chunks that the study cut by itself."""
        self.chunks_used[name] = {"sha256": chunks.digest(), "chunks": len(chunks)}
        return chunks

    def file(self, source: SourceFile) -> Path:
        """A file that is no collection, checked against its pinned digest."""
        return self.read(fetch(source), source.path)

    def read(self, path: Path, name: str = "") -> Path:
        """Note a file that the study reads."""
        self.sources[name or path.name] = sha256(path)
        return path

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)


def todo(places: Project, experiment: Experiment, pattern: str = "*") -> list[Any]:
    """The parts whose name fits a pattern and that were not run yet.

    Raises:
        StudyError: if there are none, or the experiment does not come in parts.
    """
    name = experiment.name
    if not experiment.plan:
        raise StudyError(f"study {name} does not come in parts; leave --part and --dry-run out")
    matching = [part for part in experiment.plan if fnmatch.fnmatch(part.name, pattern)]
    if not matching:
        named = ", ".join(part.name for part in experiment.plan)
        raise StudyError(f"no part of study {name} is asked for; its parts are {named}")
    tables = experiment_tables.tables(places, name)
    done = set(tables["parts"]["part"]) if "parts" in tables else set()
    return [part for part in matching if part.name not in done]


def estimates(places: Project, experiment: Experiment, pattern: str) -> dict[str, Estimate]:
    """What the parts that :func:`todo` names would take, by their names."""
    parts = todo(places, experiment, pattern)
    assert experiment.estimate
    return {part.name: experiment.estimate(part) for part in parts}


def run(places: Project, experiment: Experiment, pattern: str = "*") -> tuple[Path, Tables]:
    """Run an experiment, or of one in parts those that :func:`todo` names, and write its tables and
    provenance: the folder, and the tables by name."""
    name, folder = experiment.name, experiment_tables.folder(places, experiment.name)
    if experiment.tables and pattern == "*":
        context = Context(places)
        tables = experiment.tables(context, experiment.collections)
        experiment_tables.write(folder, tables, made_by(context, experiment))
        return folder, tables
    for part in todo(places, experiment, pattern):
        assert experiment.part
        context = Context(places)
        context.say(f"{name}: {part.name}")
        tables_of_part = experiment.part(context, part)
        with folder_lock(folder):  # other processes may run other parts
            tables = _joined(
                experiment.plan, experiment_tables.tables(places, name), tables_of_part
            )
            experiment_tables.write(folder, tables, _merged(folder, made_by(context, experiment)))
    return folder, experiment_tables.tables(places, name)


def made_by(context: Context, experiment: Experiment) -> dict[str, Any]:
    """What an experiment's tables were made with, for its provenance."""
    return {
        "study": experiment.name,
        "question": experiment.question,
        "origin": "run",
        "collections": context.collections,
        "chunks": context.chunks_used,
        "models": context.models,
        "sources": context.sources,
        **describe_environment((*PACKAGES, *experiment.packages)),
    }


def _joined(
    plan: Sequence[Any], known: Mapping[str, pd.DataFrame], new: Mapping[str, pd.DataFrame]
) -> Tables:
    """All rows in the order of the plan, so that the order of running does not show."""
    order = {part.name: i for i, part in enumerate(plan)}
    tables = {}
    for name in dict.fromkeys([*known, *new]):
        rows = [tables_of[name] for tables_of in (known, new) if len(tables_of.get(name, ()))]
        if rows:
            whole = pd.concat(rows, ignore_index=True)
            tables[name] = whole.sort_values(
                "part", key=lambda column: column.map(order), kind="stable", ignore_index=True
            )
    return tables


def _merged(folder: Path, now: dict[str, Any]) -> dict[str, Any]:
    """What made these parts, and those before."""
    before = experiment_tables.provenance(folder)
    if not before:
        return now
    versions, others = before["packages"], now["packages"]
    models = [model for model in before["models"] if model not in now["models"]]
    return {
        **now,
        "packages": {
            name: _both(versions.get(name), others.get(name))
            for name in sorted(versions.keys() | others.keys())
        },
        **{name: _both(before[name], now[name]) for name in ("python", "platform")},
        **{name: before[name] | now[name] for name in ("collections", "chunks", "sources")},
        "models": models + now["models"],
    }


def _both(before: str | None, now: str | None) -> str:
    """What earlier parts were made with and what these were, each once, the earliest first."""
    known = (before or "").split(BESIDE) + (now or "").split(BESIDE)
    return BESIDE.join(dict.fromkeys(filter(None, known)))
