"""What a worker does with a unit, on this machine or another."""

from __future__ import annotations

import gc
import hashlib
import platform
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.base.files import write_text
from chunkstudy.collections import own, registry
from chunkstudy.runs import records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.run import PACKAGES, load_collection, load_store, read_together, run
from chunkstudy.runs.units import Unit
from chunkstudy.runs.vectors import UnitFolder

ONE_AT_A_TIME = threading.Lock()
"""A worker with several threads runs one unit after the other, since torch has threads enough."""
UNITS = "units"
"""The folder of the units' vectors, below that of all."""


@dataclass(frozen=True, slots=True)
class Order:
    """A unit and what is expected of the worker that takes it.

    Attributes:
        unit: what to run.
        again: whether conditions are run that are recorded.
        alone: whether nobody else works on this machine's vectors, so that they are shared among
            units; otherwise a unit has a folder of its own.
        here: whether the worker is on this machine, so that it may read the vectors that lie there.
        versions: of packages, and a digest of this one's code.
        collection_sha256: the collection that is meant; empty where nothing is expected.
    """

    unit: Unit
    again: bool = False
    alone: bool = False
    here: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)
    collection_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a unit.

    Attributes:
        failure: a sentence; empty where the unit is done.
    """

    unit: Unit
    seconds: float = 0.0
    failure: str = ""


def perform(order: Order) -> Done:
    """Run a unit in this process; never raises an error of the unit, which may not be one that
    another process can read."""
    with ONE_AT_A_TIME:
        started, failure = time.perf_counter(), ""
        where = places.find()
        try:
            _refuse_others(order)
            _run(order, where, where.vectors if order.alone else _folder(order, where))
        except Exception as error:
            failure = sentence(error)
        finally:
            if not order.alone:  # the models of the next unit may have no room beside these
                load_store.cache_clear()
                gc.collect()
        return Done(order.unit, time.perf_counter() - started, failure)


def gather_here(order: Order) -> None:
    """Move a unit's vectors to those of this machine, when nobody runs it any more."""
    _folder(order, places.find()).gather()


def _folder(order: Order, where: places.Places) -> UnitFolder:
    folder = where.vectors / UNITS / order.unit.name
    return UnitFolder(folder, where.vectors if order.here else None)


def records_folder(condition: Condition, where: places.Places) -> Path:
    """Where a condition's record lies: that of a collection of one's own beside its questions."""
    if condition.collection in registry.COLLECTIONS:
        return where.runs / condition.path
    return own.collections_folder() / condition.collection / "runs" / condition.path


@cache
def versions() -> dict[str, str]:
    """What has to be alike for records to be alike: packages, Python, and the code itself."""
    found = {name: version(name) for name in PACKAGES} | {"Python": platform.python_version()}
    digest = hashlib.sha256()
    folder = Path(__file__).parents[1]
    for path in sorted(folder.rglob("*.py")) + sorted(folder.rglob("*.toml")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found | {"chunkstudy's code": digest.hexdigest()[:12]}


def sentence(error: BaseException) -> str:
    """An error in one line; one that nobody foresaw with its kind."""
    said = " ".join(str(error).split())
    expected = isinstance(error, ValueError | RuntimeError | FileNotFoundError) and said
    return said if expected else f"{type(error).__name__}: {said}".removesuffix(": ")


def _run(order: Order, where: places.Places, vectors: Path | UnitFolder) -> None:
    todo = [c for c in order.unit.conditions if order.again or not _done(c, where, vectors)]
    read_together(todo, vectors)
    for condition in todo:
        folder = records_folder(condition, where)
        run(condition, vectors, folder.parents[4], where.rankings)
        if isinstance(vectors, UnitFolder):
            write_text(vectors.noted(str(condition)), f"{condition}\n")


def _done(condition: Condition, where: places.Places, vectors: Path | UnitFolder) -> bool:
    """Whether nothing is left to do for a condition.

    A unit's vectors are computed in blocks, in whose company they have their last bits. So where a
    unit is taken over without the vectors of a condition that is recorded, that one runs again,
    and the blocks after it are what they would have been.
    """
    kept = not isinstance(vectors, UnitFolder) or vectors.noted(str(condition)).is_file()
    return kept and records.complete(records_folder(condition, where))


def _refuse_others(order: Order) -> None:
    """Refuse a unit that this worker would not compute as it was meant.

    Raises:
        RuntimeError: if a package or the collection is another one here.
    """
    at = f"worker {platform.node()}"
    for name, wanted in order.versions.items():
        if (found := versions().get(name, "missing")) != wanted:
            raise RuntimeError(
                f"{at} has {name} {found} and the command {wanted}; install the same on both "
                "(requirements.lock)"
            )
    if order.collection_sha256:
        found = load_collection(order.unit.collection).digest()
        if found != order.collection_sha256:
            raise RuntimeError(
                f"{at} has another {order.unit.collection} ({found[:12]}) than the command "
                f"({order.collection_sha256[:12]}); give both the same CHUNKSTUDY_DATA"
            )
