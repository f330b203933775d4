"""How far do Chroma's scores move when its own approximate search is run again?

What the official code asks of chromadb: a search list of 50, batches of 500 chunks, corpora in the
order of its questions (base_evaluation.py:64-98, 299-318); a client in memory unless a folder for
the chunks is named. See :mod:`chunkstudy.evaluation.retrieval.hnsw` for what chromadb makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.files import replacing
from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.base.spans import Chunks, Collection, chunk_documents
from chunkstudy.evaluation.measures.token_overlap import MIN, MIN_DEPTH, TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.hnsw import Graph, Insertion, Ints, Vectors, as_asked, missed
from chunkstudy.evaluation.statistics import population_std
from chunkstudy.published.sources import CHROMA_LENGTH, TOKEN_WINDOWS
from chunkstudy.published.verdicts import OFFICIAL
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.chroma.models import MINILM_ROWS

COLLECTIONS = ("chroma",)
PACKAGES = ("chroma-hnswlib",)
CHUNKERS = (
    *(f"{row}{CHROMA_LENGTH}" if row.startswith("recursive") else row for row in MINILM_ROWS),
    *reversed(TOKEN_WINDOWS.values()),
)
"""The rows of the MiniLM table, recursive ones by the length function that prints their sizes, and
token windows at the sizes that they have too (:data:`chunkstudy.published.sources.TOKEN_WINDOWS`).
"""
INSERTIONS = {
    "official": Insertion(500, "set"),
    "official, 8 threads": Insertion(500, "set", threads=8),
    "official, on disk": Insertion(100, "set", rest="compared"),
    "as written": Insertion(500, "written"),
    "shuffled": Insertion(500, "shuffled"),
}
SEARCH_LISTS = (50, 20, 10)
SEEDS = 20
CUTS: tuple[int | str, ...] = (5, 10, MIN)
SETTING = ["insertion", "search list"]
CELL = ["offsets", "part", "measure", "statistic"]


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``spread``: every printed kind of cell by exact search, and its lowest, mean and highest over
    the seeds of each setting. ``missed``: by corpus, the share of the five nearest chunks that a
    setting does not return, mean over seeds. ``moved``: by corpus, how many chunks were located
    elsewhere than they stand.
    """
    store = context.store(MINILM)
    found: dict[str, list[pd.DataFrame]] = {"spread": [], "missed": [], "moved": []}
    for name in collections:
        for at, slug in enumerate(CHUNKERS, start=1):
            context.say(f"{name}, {slug}: row {at} of {len(CHUNKERS)}")
            row = Row.of(context, store, name, slug)
            runs = _remembered(context, row)
            values = runs[runs["measure"] != "missed"]
            over_seeds = values.groupby([*SETTING, *CELL], sort=False)["value"]
            spread = over_seeds.agg(low="min", mean="mean", high="max").reset_index()
            exact = row.cells(dict.fromkeys(row.overlaps, row.exact)).rename(
                columns={"value": "exact"}
            )
            lost = runs[runs["measure"] == "missed"].groupby([*SETTING, "part"], sort=False)
            made = {
                "spread": spread.merge(exact, on=CELL),
                "missed": lost["value"].mean().rename("missed").reset_index(),
                "moved": row.moved(),
            }
            for table, rows in made.items():
                rows.insert(0, "chunker", slug)
                found[table].append(rows)
    return {table: pd.concat(rows, ignore_index=True) for table, rows in found.items()}


@dataclass(frozen=True)
class Row:
    """A row of the published table: its chunks under both offsets, vectors and exact ranking."""

    slug: str
    collection: Collection
    chunks: dict[str, Chunks]
    overlaps: dict[str, TokenOverlap]
    queries: Vectors
    vectors: Vectors
    exact: Ints

    @classmethod
    def of(cls, context: Context, store: VectorStore, name: str, slug: str) -> Row:
        collection = context.collection(name)
        condition = Condition(name, slug, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)
        chunks = {"located": context.chunks(condition, store)}
        at_home = replace(AS_PUBLISHED_CHROMA, offsets="exact")
        chunker = build_chunker(slug, at_home, store.encode, None)
        chunks["true"] = context.cut(
            f"{name}/{slug}/true offsets", chunk_documents(chunker, collection.documents)
        )
        queries = store.encode([query.text for query in collection.queries], "query")
        vectors = store.encode(chunks["located"].texts(collection.documents), label=slug)
        return cls(
            slug,
            collection,
            chunks,
            {
                offsets: TokenOverlap.of(collection, one, AS_PUBLISHED_CHROMA.hit)
                for offsets, one in chunks.items()
            },
            queries,
            vectors,
            search(queries, vectors, MIN_DEPTH).chunk,
        )

    def key(self) -> str:
        """A digest of everything that its results rest on."""
        settings = {name: asdict(one) for name, one in INSERTIONS.items()}
        rests = (settings, SEARCH_LISTS, SEEDS, [one.digest() for one in self.chunks.values()])
        values = self.vectors.tobytes() + self.queries.tobytes()
        return sha256(repr(rests).encode() + values).hexdigest()[:16]

    def at_min(self, offsets: str) -> int:
        """Chunks that the official code asks for at the cut Min (base_evaluation.py:405-406)."""
        return min(MIN_DEPTH, int(self.overlaps[offsets].touching_counts.max()))

    def parts(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """All queries, then those of each corpus."""
        of = np.array([self.collection.groups[query.id] for query in self.collection.queries])
        yield "all", np.ones(len(of), dtype=np.bool_)
        for name in sorted(set(of.tolist())):
            yield name, of == name

    def cells(
        self, ranking: dict[str, Ints], asked: Sequence[int | str] = CUTS, every: bool = True
    ) -> pd.DataFrame:
        """The columns of `CELL` and a value, a fraction.

        Args:
            ranking: of each kind of offsets, deep enough for the cuts.
            asked: the cuts.
            every: every printed kind of cell, or recall by corpus and the means of all corpora.
        """
        rows = []
        for offsets, overlap in self.overlaps.items():
            for cut in asked:
                scores = overlap.at(ranking[offsets], cut)
                rows += [
                    (offsets, part, f"{measure}@{cut}", statistic, value)
                    for part, of in self.parts()
                    for measure, statistic, value in _printed(scores, of)
                    if every or measure == "SpanRecall" or (part, statistic) == ("all", "mean")
                ]
        return pd.DataFrame(rows, columns=[*CELL, "value"])

    def missed(self, found: Ints) -> pd.DataFrame:
        """The share of the five nearest chunks that were not found, by corpus."""
        share = missed(self.queries, self.vectors, found[:, :5], self.exact[:, :5])
        rows = [("", part, "missed", "mean", share[of].mean()) for part, of in self.parts()]
        return pd.DataFrame(rows, columns=[*CELL, "value"])

    def moved(self) -> pd.DataFrame:
        """By corpus: chunks, and how many of them were located at another place than their own; a
        final full stop or white space lost is none."""
        located, true = self.chunks["located"], self.chunks["true"]
        elsewhere = (located.end <= true.start) | (located.start >= true.end)
        rows = [
            (
                document.id,
                int((true.document == at).sum()),
                int(elsewhere[true.document == at].sum()),
            )
            for at, document in enumerate(self.collection.documents)
        ]
        return pd.DataFrame(rows, columns=["part", "chunks", "moved"])


def _printed(
    scores: dict[str, NDArray[np.float64]], of: NDArray[np.bool_]
) -> Iterator[tuple[str, str, float]]:
    """Mean and deviation of what the report prints."""
    for measure in ("SpanRecall", "SpanPrecision", "SpanIoU"):
        values = pd.Series(scores[measure][of])
        yield measure, "mean", float(values.mean())
        yield measure, "std", population_std(values)


def _runs(row: Row) -> Iterator[pd.DataFrame]:
    """Every setting and seed of a row; ``value`` is a fraction."""
    order = as_asked(row.collection, row.chunks["located"])
    for name, insertion in INSERTIONS.items():
        for seed in range(SEEDS):
            graph = Graph.build(row.vectors, order, insertion, seed)
            for size in SEARCH_LISTS:
                found = [row.missed(graph.search(row.queries, 5, size))]
                for cut in CUTS:
                    depths = {o: cut if cut != MIN else row.at_min(o) for o in row.overlaps}
                    of_depth = {
                        depth: graph.search(row.queries, int(depth), size)
                        for depth in set(depths.values())
                    }
                    ranking = {offsets: of_depth[depth] for offsets, depth in depths.items()}
                    every = (name, size) == (OFFICIAL["insertion"], OFFICIAL["search list"])
                    found.append(row.cells(ranking, [cut], every))
                made = pd.concat(found, ignore_index=True)
                made[["insertion", "search list", "seed"]] = name, size, seed
                yield made


def _remembered(context: Context, row: Row) -> pd.DataFrame:
    """The runs of a row, from ``build`` where an earlier call finished them."""
    path = context.places.build / "studies" / "chroma-search" / f"{row.slug}-{row.key()}.parquet"
    if not path.exists():
        found = pd.concat(list(_runs(row)), ignore_index=True)
        with replacing(path) as temporary:
            found.to_parquet(temporary)
    return pd.read_parquet(path)
