"""Collections of which whole documents are looked for, query by query: what each way of chunking
finds, and which queries move between two of them. Ids and numbers only, from the records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.grid import records
from chunkstudy.grid.conditions import MINILM
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.site.material import Material, SiteError, embedded
from chunkstudy.site.pages import Page, render
from chunkstudy.statistics.intervals import Interval, bootstrap_intervals

COLLECTIONS = ("scifact", "nfcorpus", "arguana")
CHUNKERS = ("none", "fixed-256", "fixed-64", "sentence-5", "semantic")
ENCODER = f"{MINILM}-w512"
ORDERINGS = ("pre_embedding", "contextualized-512")
PROTOCOL = "corrected"
MEASURE = "nDCG@10"
COMPARED = "fixed-256"
"""The chunker whose plain and late chunks are compared until a reader chooses others."""
STEPS = 10_000
"""A score on a page is a whole number of these parts of one."""
MOST = 5
"""Queries named that gain or lose most."""
PLACES = ("among the first ten", "from rank 11 to 100", "beyond rank 100")


@dataclass(frozen=True)
class Arm:
    """A chunker with plain or late chunking.

    Attributes:
        chunker: its name, and ``ordering`` plain or late.
        scores: nDCG@10 of each query, in :data:`STEPS`.
        places: of each query, where its first judged document stands, an index of
            :data:`PLACES`.
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
            model=display_names.encoder(ENCODER),
            measure=MEASURE,
            places=PLACES,
            steps=STEPS,
        )


def file(collection: str) -> str:
    return f"queries-{collection}.html"


def every(places: Places) -> list[Ranked]:
    """Of the collections that have records, what became of their queries."""
    return [one for name in COLLECTIONS if (one := read(places, name))]


def read(places: Places, collection: str) -> Ranked | None:
    """What became of a collection's queries, if two arms were run.

    Raises:
        SiteError: if two records have not the same queries.
    """
    columns: list[Any] = []
    named: list[tuple[str, str]] = []
    for chunker, ordering, folder in _folders(places, collection):
        named.append((chunker, ordering))
        columns.append(records.read_scores(folder))
    if len(columns) < 2:
        return None
    queries = tuple(columns[0].index)
    for (chunker, ordering), table in zip(named, columns, strict=True):
        if tuple(table.index) != queries:
            raise SiteError(
                f"the record of {collection}, {chunker}, {ordering} has other queries than its "
                "fellows; run `chunkstudy check`"
            )
    scores = np.stack([table[MEASURE].to_numpy(float) for table in columns], axis=1)
    at = list(combinations(range(len(columns)), 2))
    differences = np.stack([scores[:, second] - scores[:, first] for first, second in at], axis=1)
    pairs = tuple(
        Pair(*one, float(mean), interval)
        for one, mean, interval in zip(
            at, differences.mean(axis=0), bootstrap_intervals(differences), strict=True
        )
    )
    arms = tuple(
        Arm(
            display_names.chunker(chunker),
            "late" if ordering != ORDERINGS[0] else "plain",
            np.rint(STEPS * score).astype(np.int64),
            _places(table),
            float(score.mean()),
            interval,
        )
        for (chunker, ordering), table, score, interval in zip(
            named, columns, scores.T, bootstrap_intervals(scores), strict=True
        )
    )
    return Ranked(collection, queries, arms, pairs, _compared(named, pairs))


def _folders(places: Places, collection: str) -> Iterator[tuple[str, str, Path]]:
    for chunker in CHUNKERS:
        for ordering in ORDERINGS:
            folder = places.runs / collection / chunker / ENCODER / ordering / PROTOCOL
            if folder.exists():
                yield chunker, ordering, folder


def _places(table: Any) -> NDArray[np.int64]:
    """Where a query's first judged document stands, from its recalls."""
    found: NDArray[np.int64] = np.where(
        table["R@10"] > 0, 0, np.where(table["R@100"] > 0, 1, 2)
    ).astype(np.int64)
    return found


def _compared(named: list[tuple[str, str]], pairs: tuple[Pair, ...]) -> Pair:
    """Plain against late chunks of :data:`COMPARED`, else the first pair."""
    wanted = [(COMPARED, ordering) for ordering in ORDERINGS]
    return next((one for one in pairs if [named[one.first], named[one.second]] == wanted), pairs[0])
