"""Why a chunker missed: one self-contained HTML page for a query.

It shows the judged excerpts with the text around them, where chunks begin and end there, and what
was retrieved at which rank. Pages of real collections hold third-party text and stay in ``build``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import numpy as np
from numpy.typing import NDArray

from chunkstudy import retrieval
from chunkstudy.experiment.conditions import Condition
from chunkstudy.experiment.encoding import encode, parse_ordering
from chunkstudy.experiment.run import chunk, load_collection, load_store
from chunkstudy.files import write_text
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.spans import Chunks, Collection, Judgment, Query, Span

TEMPLATE = Path(__file__).with_name("inspector.html")
AROUND = 300
"""Characters shown on either side of an excerpt."""
DEPTH = 20
"""Chunks that can count as retrieved, at most."""


class InspectError(ValueError):
    """A query or a place that cannot be inspected; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text in which nothing changes.

    Attributes:
        text: as it stands in the document.
        judged: whether it belongs to a judged excerpt.
        retrieved: whether a retrieved chunk holds it.
        starts: labels of the chunks that begin where it begins.
        ends: labels of the chunks that end where it ends.
    """

    text: str
    judged: bool
    retrieved: bool
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The style: found, missed, read or other."""
        if self.judged:
            return "found" if self.retrieved else "missed"
        return "read" if self.retrieved else "other"


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk as it is listed: its number in the collection, rank from 1, place and text."""

    number: int
    rank: int
    score: float
    document: str
    start: int
    end: int
    judged_characters: int
    retrieved: bool
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownExcerpt:
    document: str
    start: int
    end: int
    segments: tuple[Segment, ...]
    touching: tuple[ShownChunk, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One condition's answer to one query."""

    condition: Condition
    query: Query
    cut: int
    diagnosis: str
    measures: dict[str, float]
    excerpts: tuple[ShownExcerpt, ...]
    retrieved: tuple[ShownChunk, ...]


@dataclass(frozen=True)
class Searched:
    """A condition's chunks and every query's ranking over all of them."""

    condition: Condition
    collection: Collection
    chunks: Chunks
    ranking: retrieval.Ranking

    def overlap(self) -> TokenOverlap:
        hit = PROTOCOLS[self.condition.protocol].hit
        return TokenOverlap.of(self.collection, self.chunks, hit)


def search(condition: Condition, vectors: Path) -> Searched:
    """Chunk, encode and rank every chunk for every query; vectors at hand are not computed again.

    Raises:
        InspectError: if the task has no excerpts to show.
    """
    if condition.task != "token_overlap":
        raise InspectError(
            f"{condition.collection} judges whole documents or passages; inspect chroma or builtin"
        )
    collection = load_collection(condition.collection)
    store = load_store(condition.encoder, vectors)
    chunks = chunk(condition, collection, store)
    ordering, protocol = parse_ordering(condition.ordering), PROTOCOLS[condition.protocol]
    of_chunks, _ = encode(store, collection.documents, chunks, ordering, protocol)
    of_queries = store.encode([query.text for query in collection.queries], "query")
    ranking = retrieval.search(of_queries, of_chunks, max(DEPTH, len(chunks)))
    return Searched(condition, collection, chunks, ranking)


def view(searched: Searched, query_id: str, cut: int = 5) -> View:
    """What a condition retrieved for a query among its first ``cut`` chunks, and why.

    Raises:
        InspectError: if the collection has no such query.
    """
    collection, chunks = searched.collection, searched.chunks
    row = next((i for i, q in enumerate(collection.queries) if q.id == query_id), None)
    if row is None:
        raise InspectError(
            f"collection {collection.name} has no query {query_id!r}; its ids run from "
            f"{collection.queries[0].id} to {collection.queries[-1].id}"
        )
    judgments = collection.judgments_by_query()[query_id]
    ranks = np.empty(len(chunks), dtype=np.int64)
    order = searched.ranking.chunk[row, : len(chunks)]
    ranks[order] = np.arange(1, len(chunks) + 1)
    scores = np.empty(len(chunks), dtype=np.float32)
    scores[order] = searched.ranking.score[row, : len(chunks)]
    page = _Page(collection, chunks, ranks, scores, cut, judgments)
    excerpts = tuple(page.excerpt(judgment) for judgment in judgments)
    top = order[:cut].tolist()
    measures = {
        name: float(values[row])
        for name, values in searched.overlap().at(searched.ranking.chunk[:, :DEPTH], cut).items()
    }
    return View(
        searched.condition,
        collection.queries[row],
        cut,
        page.diagnosis(excerpts),
        measures,
        excerpts,
        tuple(page.shown(number, with_text=True) for number in top),
    )


def worst(searched: Searched, cut: int = 5) -> list[tuple[Query, float]]:
    """Every query with its recall, the lowest first."""
    recall = searched.overlap().at(searched.ranking.chunk[:, :DEPTH], cut)["SpanRecall"]
    order = np.argsort(recall, kind="stable").tolist()
    return [(searched.collection.queries[i], float(recall[i])) for i in order]


def page(views: Sequence[View]) -> str:
    """The page of one query, a section per condition."""
    return _template().render(views=views, query=views[0].query, index=None)


def write_index(searched: Searched, folder: Path, pages: int = 20, cut: int = 5) -> Path:
    """A page for each of the worst queries, and an index of all with links to these."""
    ordered = worst(searched, cut)
    linked = {query.id for query, _ in ordered[:pages]}
    for query, _ in ordered[:pages]:
        write_text(folder / f"{query.id}.html", page([view(searched, query.id, cut)]))
    rows = [(query, recall, query.id in linked) for query, recall in ordered]
    text = _template().render(views=[], query=None, index=rows, condition=searched.condition)
    write_text(folder / "index.html", text)
    return folder / "index.html"


def refuse_committed(path: Path, root: Path) -> None:
    """Refuse to write where third-party text would be committed."""
    for name in ("results", "figures", "paper", "notebooks"):
        if (root / name) in path.resolve().parents:
            raise InspectError(
                f"{path} lies in {name}, which is committed; inspector pages show third-party "
                "text, so write them below build"
            )


@dataclass(frozen=True)
class _Page:
    """One query under one condition; ranks and scores have shape (chunks,)."""

    collection: Collection
    chunks: Chunks
    ranks: NDArray[np.int64]
    scores: NDArray[np.float32]
    cut: int
    judgments: list[Judgment]

    def excerpt(self, judgment: Judgment) -> ShownExcerpt:
        text = self.collection.documents[self._place(judgment)].text
        window = (max(0, judgment.start - AROUND), min(len(text), judgment.end + AROUND))
        touching = self._touching(judgment)
        return ShownExcerpt(
            judgment.document,
            judgment.start,
            judgment.end,
            self._segments(self._place(judgment), window, markers=True),
            tuple(sorted(map(self.shown, touching), key=lambda one: one.rank)),
        )

    def shown(self, number: int, with_text: bool = False) -> ShownChunk:
        document = int(self.chunks.document[number])
        span = int(self.chunks.start[number]), int(self.chunks.end[number])
        segments = self._segments(document, span, markers=False) if with_text else ()
        judged = [
            (max(j.start, span[0]), min(j.end, span[1]))
            for j in self.judgments
            if self._place(j) == document
        ]
        return ShownChunk(
            number,
            int(self.ranks[number]),
            float(self.scores[number]),
            self.collection.documents[document].id,
            *span,
            sum(max(0, end - start) for start, end in judged),
            bool(self.ranks[number] <= self.cut),
            segments,
        )

    def diagnosis(self, excerpts: Sequence[ShownExcerpt]) -> str:
        """One sentence on what was found and what kept the rest from being found."""
        judged = sum(one.end - one.start for one in excerpts)
        found = sum(
            len(segment.text)
            for one in excerpts
            for segment in self._segments(self._index(one.document), (one.start, one.end), False)
            if segment.retrieved
        )
        touching = {chunk.number: chunk for one in excerpts for chunk in one.touching}
        missed = sorted(
            (chunk for chunk in touching.values() if not chunk.retrieved), key=lambda c: c.rank
        )
        if found == judged:
            read = sum(len(s.text) for n in self._top() for s in self.shown(n, True).segments)
            return (
                f"Found whole: all {judged} judged characters lie in the first {self.cut} chunks, "
                f"among {read} characters that the reader gets."
            )
        if not touching:
            return "Lost before the search: no chunk holds any of the judged text."
        if not missed:
            return (
                f"{judged - found} of {judged} judged characters lie in no chunk at all; the "
                "chunker dropped them."
            )
        first = missed[0]
        late = f"chunk {first.number} ranks {_ordinal(first.rank)} of {len(self.ranks)}"
        places = first.rank - self.cut
        if found == 0:
            return (
                f"Ranked too low: the best chunk with judged text, {late}, stands {places} "
                f"{'place' if places == 1 else 'places'} below the cut at {self.cut}."
            )
        return (
            f"Cut apart: {judged - found} of {judged} judged characters lie in chunks that were "
            f"not retrieved; the best of these, {late}."
        )

    def _top(self) -> list[int]:
        return np.argsort(self.ranks)[: self.cut].tolist()

    def _place(self, judgment: Judgment) -> int:
        return self._index(judgment.document)

    def _index(self, document: str) -> int:
        return self.collection.positions[document]

    def _touching(self, judgment: Judgment) -> list[int]:
        same = self.chunks.document == self._place(judgment)
        hit = same & (self.chunks.start < judgment.end) & (self.chunks.end > judgment.start)
        return np.flatnonzero(hit).tolist()

    def _segments(self, document: int, window: Span, markers: bool) -> tuple[Segment, ...]:
        """The window cut wherever an excerpt or a chunk begins or ends."""
        low, high = window
        same = self.chunks.document == document
        inside = np.flatnonzero(same & (self.chunks.start < high) & (self.chunks.end > low))
        spans = [
            (int(self.chunks.start[n]), int(self.chunks.end[n]), int(n)) for n in inside.tolist()
        ]
        judged = [(j.start, j.end) for j in self.judgments if self._place(j) == document]
        cuts = {low, high}
        for start, end, *_ in (*spans, *judged):
            cuts |= {place for place in (start, end) if low < place < high}
        ordered = sorted(cuts)
        text = self.collection.documents[document].text
        segments = []
        for a, b in itertools.pairwise(ordered):
            holders = [n for start, end, n in spans if start <= a and b <= end]
            segments.append(
                Segment(
                    text[a:b],
                    any(start <= a and b <= end for start, end in judged),
                    any(self.ranks[n] <= self.cut for n in holders),
                    tuple(self._label(n) for s, _, n in spans if markers and s == a),
                    tuple(self._label(n) for _, e, n in spans if markers and e == b),
                )
            )
        return tuple(segments)

    def _label(self, number: int) -> str:
        return f"chunk {number}, rank {self.ranks[number]}"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{ending or 'th'}"


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
