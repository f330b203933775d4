"""Collections whose texts belong to others, query by query: what each way of chunking finds, and
which queries move between two of them. Ids and numbers only, from the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import covid_qa
from chunkstudy.grid import facts, records
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.site.material import Material, SiteError, embedded
from chunkstudy.site.pages import Page, render
from chunkstudy.site.query_tasks import PLAIN, TASKS, Task, task_of
from chunkstudy.statistics.clusters import clustered_means
from chunkstudy.statistics.intervals import Interval, bootstrap_intervals

COMPARED = "fixed-256"
"""The chunker whose plain and late chunks are compared until a reader chooses others."""
PROTOCOL = "corrected"
STEPS = 10_000
"""A score on a page is a whole number of these parts of one."""
MOST = 5
"""Queries named that gain or lose most."""


@dataclass(frozen=True)
class Arm:
    """A chunker with plain or late chunking.

    Attributes:
        chunker: its name, and ``ordering`` plain or late, by its window where several are shown.
        scores: of each query by the task's measure, in :data:`STEPS`.
        places: of each query, where its first answer stands, an index of the task's places.
        mean: of the scores as recorded, with its interval.
    """

    chunker: str
    ordering: str
    scores: NDArray[np.int64]
    places: NDArray[np.int64]
    mean: float
    interval: Interval

    @property
    def name(self) -> str:
        return f"{self.chunker}, {self.ordering}"


@dataclass(frozen=True)
class Pair:
    """The second arm minus the first, over the same queries, as fractions."""

    first: int
    second: int
    mean: float
    interval: Interval


@dataclass(frozen=True)
class Ranked:
    """What became of a collection's queries.

    Attributes:
        pairs: of every two arms, the earlier first.
        compared: the pair that a page shows before a reader chooses.
    """

    collection: str
    queries: tuple[str, ...]
    arms: tuple[Arm, ...]
    pairs: tuple[Pair, ...]
    compared: Pair

    @property
    def name(self) -> str:
        return display_names.collection(self.collection)

    @property
    def task(self) -> Task:
        return task_of(self.collection)

    @property
    def moves(self) -> NDArray[np.int64]:
        """Of each query, the second compared arm minus the first, in :data:`STEPS`."""
        return self.arms[self.compared.second].scores - self.arms[self.compared.first].scores

    @property
    def order(self) -> list[int]:
        """Queries by how far they move, the furthest first."""
        return [int(one) for one in np.argsort(-np.abs(self.moves), kind="stable")]

    @property
    def counts(self) -> dict[str, int]:
        """Queries that gain, lose and stay."""
        moves = self.moves
        return {
            "gains": int((moves > 0).sum()),
            "loses": int((moves < 0).sum()),
            "stays": int((moves == 0).sum()),
        }

    def most(self, sign: int) -> list[tuple[str, float]]:
        """The queries that move furthest up, or down, with by how much."""
        moves = sign * self.moves
        found = [one for one in np.argsort(-moves, kind="stable")[:MOST] if moves[one] > 0]
        return [(self.queries[one], float(sign * moves[one] / STEPS)) for one in found]

    @property
    def unanswered(self) -> int:
        """Queries of which no arm finds a judged document among the first ten."""
        return int((np.stack([arm.places for arm in self.arms]) > 0).all(axis=0).sum())

    @property
    def chunkers(self) -> list[tuple[str, int]]:
        """Each chunker with how many arms it has."""
        names = [arm.chunker for arm in self.arms]
        return [(name, names.count(name)) for name in dict.fromkeys(names)]

    def data(self) -> str:
        """What the page's script chooses from."""
        return embedded(
            {
                "steps": STEPS,
                "most": MOST,
                "scores": [arm.scores.tolist() for arm in self.arms],
                "pairs": {
                    f"{one.first}-{one.second}": [
                        round(value, 6) for value in (one.mean, one.interval.low, one.interval.high)
                    ]
                    for one in self.pairs
                },
            }
        )


def pages(material: Material, found: list[Ranked], section: str) -> Iterator[Page]:
    """A page per collection."""
    for one in found:
        yield render(
            material,
            file(one.collection),
            "queries_ranked.html",
            f"Queries: {one.name}",
            section=section,
            found=one,
            measure=one.task.measure,
            steps=STEPS,
        )


def file(collection: str) -> str:
    return f"queries-{collection}.html"


def every(places: Places) -> list[Ranked]:
    """Of the collections that have records, what became of their queries."""
    names = [name for task in TASKS for name in task.collections]
    return [one for name in names if (one := read(places, name))]


def read(places: Places, collection: str) -> Ranked | None:
    """What became of a collection's queries, if two arms were run.

    Raises:
        SiteError: if two records have not the same queries.
    """
    task = task_of(collection)
    columns: list[Any] = []
    named: list[tuple[str, str]] = []
    for chunker, way, folder in _folders(places, task, collection):
        named.append((chunker, way))
        columns.append(records.read_scores(folder))
    if len(columns) < 2:
        return None
    queries = tuple(columns[0].index)
    for (chunker, way), table in zip(named, columns, strict=True):
        if tuple(table.index) != queries:
            raise SiteError(
                f"the record of {collection}, {chunker}, {way} has other queries than its "
                "fellows; run `chunkstudy check`"
            )
    scores = np.stack([table[task.measure].to_numpy(float) for table in columns], axis=1)
    at = list(combinations(range(len(columns)), 2))
    differences = np.stack([scores[:, second] - scores[:, first] for first, second in at], axis=1)
    papers = _papers(places, collection, queries)
    pairs = tuple(
        Pair(*one, float(mean), interval)
        for one, mean, interval in zip(
            at, differences.mean(axis=0), _intervals(differences, papers), strict=True
        )
    )
    arms = tuple(
        Arm(
            display_names.chunker(chunker),
            way,
            np.rint(STEPS * score).astype(np.int64),
            _places(task, table),
            float(score.mean()),
            interval,
        )
        for (chunker, way), table, score, interval in zip(
            named, columns, scores.T, _intervals(scores, papers), strict=True
        )
    )
    return Ranked(collection, queries, arms, pairs, _compared(task, named, pairs))


def _papers(places: Places, collection: str, queries: Sequence[str]) -> pd.Series | None:
    """Of each query the paper that it is asked of, for the collection that has many of them."""
    if collection != covid_qa.WITHIN:
        return None
    return facts.read(places, collection).set_index("query_id")["part"].loc[list(queries)]


def _intervals(columns: NDArray[np.float64], papers: pd.Series | None) -> list[Interval]:
    """Of the mean of each column, papers drawn with all their queries where they are known."""
    if papers is None:
        return bootstrap_intervals(columns.T)
    return [one.interval for one in clustered_means((column, papers) for column in columns.T)]


def _folders(places: Places, task: Task, collection: str) -> Iterator[tuple[str, str, Path]]:
    for chunker in task.chunkers:
        for way, (encoder, ordering) in task.ways.items():
            folder = places.runs / collection / chunker / encoder / ordering / PROTOCOL
            if folder.exists():
                yield chunker, way, folder


def _places(task: Task, table: Any) -> NDArray[np.int64]:
    """Where a query's first answer stands: by its score, and by its recalls where there are more
    than two places."""
    if len(task.places) == 2:
        return np.asarray(table[task.measure] == 0, dtype=np.int64)
    found: NDArray[np.int64] = np.where(
        table["R@10"] > 0, 0, np.where(table["R@100"] > 0, 1, 2)
    ).astype(np.int64)
    return found


def _compared(task: Task, named: list[tuple[str, str]], pairs: tuple[Pair, ...]) -> Pair:
    """Plain against late chunks of :data:`COMPARED`, else the first pair."""
    wanted = [(COMPARED, PLAIN), (COMPARED, task.compared)]
    return next((one for one in pairs if [named[one.first], named[one.second]] == wanted), pairs[0])
