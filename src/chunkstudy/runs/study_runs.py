"""Runs a study, whole or in parts, and writes what it found beside what it was found with.

A study asks its context for collections, models and chunks; the context notes what it hands out,
so that provenance is what was used and not what somebody wrote down.

A study in parts defines ``PLAN``, its parts in order, each with a ``name``, ``part(context, one)``,
which gives one part's rows of every table, and ``estimate(parts)``, lines about what they take.
Each part is written as soon as it is there, and none is run twice. Every table has a column
``part``; the table ``parts`` names all that were run.
"""

from __future__ import annotations

import fnmatch
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from chunkstudy.base.files import alone, sha256
from chunkstudy.base.places import Places
from chunkstudy.base.sources import SourceFile, fetch
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs import study_results
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.run import PACKAGES, made_on
from chunkstudy.runs.store import VectorStore, load_store
from chunkstudy.runs.study_results import StudyError


class Context:
    """What a study works with; it notes what was asked of it."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.collections: dict[str, dict[str, object]] = {}
        self.chunks_used: dict[str, dict[str, object]] = {}
        self.models: list[dict[str, Any]] = []
        self.sources: dict[str, str] = {}

    def collection(self, name: str) -> Collection:
        found = load_collection(name)
        if name not in self.collections:
            self.collections[name] = describe(found)
        return found

    def store(self, encoder: str) -> VectorStore:
        """The model of a slug and what it has computed."""
        found = load_store(encoder, self.places.vectors)
        self.note(found.encoder.describe())
        return found

    def note(self, model: dict[str, Any]) -> None:
        """Note a model that the study set up by itself, as it describes itself."""
        if model not in self.models:
            self.models.append(model)

    def chunks(
        self,
        condition: Condition,
        store: VectorStore | None = None,
        boundaries: VectorStore | None = None,
    ) -> Chunks:
        """The chunks of a condition; ``store`` where its chunker asks a model for boundaries,
        ``boundaries`` where that is another model than the evaluated one."""
        collection = self.collection(condition.collection)
        found = chunk(condition, collection, store, boundaries=boundaries)
        one = condition
        return self.cut(f"{one.collection}/{one.chunker}/{one.encoder}/{one.protocol}", found)

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


def studies() -> dict[str, str]:
    """Every study's question by its name."""
    return {name: question(module(name)) for name in study_results.names()}


def question(study: ModuleType) -> str:
    """The paragraph that a study's file opens with."""
    return " ".join((study.__doc__ or "").split("\n\n")[0].split())


def run(
    places: Places, name: str, collections: Sequence[str] | None = None
) -> tuple[Path, dict[str, pd.DataFrame]]:
    """Run a study and write its tables and provenance: the folder, and the tables by name.

    With other collections than its own the tables go to ``build/studies``, since those below
    ``results`` are of all of them.

    Raises:
        StudyError: if the study or a collection is unknown.
    """
    study = module(study_results.checked(name))
    wanted = tuple(collections or study.COLLECTIONS)
    if collections and not study.COLLECTIONS:
        raise StudyError(f"study {name} takes no collection; leave --collection out")
    for one in wanted:
        if one not in registry.COLLECTIONS:
            raise StudyError(
                f"unknown collection {one!r}; use one of {', '.join(registry.COLLECTIONS)}"
            )
    context = Context(places)
    found = study.tables(context, wanted)
    whole = wanted == tuple(study.COLLECTIONS)
    folder = study_results.folder(places, name) if whole else places.build / "studies" / name
    study_results.write(folder, found, made_by(context, name, study))
    return folder, found


def chosen(study: ModuleType, pattern: str = "*", **fields: object) -> list[Any]:
    """The parts whose name fits a pattern and whose fields have these values; None is any.

    Raises:
        StudyError: if there are none, or the study does not come in parts.
    """
    name = study.__name__.rsplit(".", 1)[-1].replace("_", "-")
    if not hasattr(study, "PLAN"):
        raise StudyError(f"study {name} does not come in parts; leave --fold, --arm and --part out")
    found = [
        one
        for one in study.PLAN
        if fnmatch.fnmatch(one.name, pattern)
        and all(value is None or getattr(one, key) == value for key, value in fields.items())
    ]
    if not found:
        named = ", ".join(one.name for one in study.PLAN)
        raise StudyError(f"no part of study {name} is asked for; its parts are {named}")
    return found


def todo(places: Places, name: str, parts: Sequence[Any]) -> list[Any]:
    """Those of the parts that were not run yet."""
    done = set(study_results.tables(places, name).get("parts", pd.DataFrame({"part": []}))["part"])
    return [one for one in parts if one.name not in done]


def run_parts(
    places: Places, name: str, parts: Sequence[Any]
) -> tuple[Path, dict[str, pd.DataFrame]]:
    """Run parts that were not run yet; the study's folder, and its tables with all parts so far."""
    study = module(name)
    folder = study_results.folder(places, name)
    for one in todo(places, name, parts):
        context = Context(places)
        context.say(f"{name}: {one.name}")
        found = study.part(context, one)
        with alone(folder):  # other processes may run other parts
            tables = _joined(study, study_results.tables(places, name), found)
            study_results.write(folder, tables, _merged(folder, made_by(context, name, study)))
    return folder, study_results.tables(places, name)


def made_by(context: Context, name: str, study: ModuleType) -> dict[str, Any]:
    """What a study's tables were made with, for its provenance."""
    return {
        "study": name,
        "question": question(study),
        "origin": "run",
        "collections": context.collections,
        "chunks": context.chunks_used,
        "models": context.models,
        "sources": context.sources,
        **made_on((*PACKAGES, *getattr(study, "PACKAGES", ()))),
    }


def describe(collection: Collection) -> dict[str, object]:
    """Digests and counts of a collection."""
    return {
        "sha256": collection.digest(),
        "order_free_sha256": collection.order_free_digest(),
        "documents": len(collection.documents),
        "queries": len(collection.queries),
    }


def module(name: str) -> ModuleType:
    """A study's file."""
    return importlib.import_module(study_results.modules()[study_results.checked(name)])


def _joined(
    study: ModuleType, known: Mapping[str, pd.DataFrame], found: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """All rows in the order of the plan, so that the order of running does not show."""
    order = {one.name: i for i, one in enumerate(study.PLAN)}
    tables = {}
    for name in dict.fromkeys([*known, *found]):
        rows = [one[name] for one in (known, found) if name in one and len(one[name])]
        if rows:
            whole = pd.concat(rows, ignore_index=True)
            tables[name] = whole.sort_values(
                "part", key=lambda column: column.map(order), kind="stable", ignore_index=True
            )
    return tables


def _merged(folder: Path, now: dict[str, Any]) -> dict[str, Any]:
    """What made these parts, and those before."""
    if not (folder / study_results.PROVENANCE).exists():
        return now
    before = study_results.read_provenance(folder).model_dump(mode="json", exclude_none=True)
    models = [one for one in before["models"] if one not in now["models"]]
    return {
        **now,
        "collections": before["collections"] | now["collections"],
        "chunks": before["chunks"] | now["chunks"],
        "sources": before["sources"] | now["sources"],
        "models": models + now["models"],
    }
