"""Where a published cell comes from: a condition, a computation over several, or a study; and what
those wait for that have no record.

A further published work takes one entry in `WORKS`, by which its notebooks' names begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from chunkstudy.core.project import Project
from chunkstudy.core.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    CORRECTED,
)
from chunkstudy.encoders import models
from chunkstudy.pipeline.conditions import (
    LARGE,
    MINILM,
    NONE,
    PRE_EMBEDDING,
    Condition,
    EncoderName,
)
from chunkstudy.pipeline.requirements import requirements, weights_needed
from chunkstudy.published import cells, papers
from chunkstudy.published.cells import Cell

CHROMA_LENGTH = "-wordpiece-special"
"""Chroma's MiniLM table counts recursive chunks in WordPiece tokens with [CLS] and [SEP]; see the
table of length functions."""
TOKEN_WINDOWS = {
    "token-200-0": "token-222-0",
    "token-250-0": "token-278-0",
    "token-250-125": "token-278-139",
}
"""Chroma's rows of token windows with all-MiniLM-L6-v2 are wider than they say: with the stated
size divided by 0.9 every printed Precision Omega of them comes out, with the stated one hardly any;
see the table of token windows. Its rows with text-embedding-3-large have their stated sizes."""
AVERAGE = "average"
LENGTHS = "nothing to run: the mean length of the collection's documents"
CORRELATION = "nothing to run: a correlation over records, see taxonomy_4_correlations"
IN_CORPUS = tuple(name for name in papers.TAXONOMY_COLLECTIONS if name != "gutenqa")


@dataclass(frozen=True, slots=True)
class Mean:
    """A row's or a column's average."""

    parts: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The relative change between two scores."""

    before: Condition
    after: Condition


@dataclass(frozen=True, slots=True)
class Measured:
    """What no single score gives, such as a correlation over records.

    Attributes:
        study: whose table gives it.
        waits: for what it waits before the study ran.
    """

    study: str
    waits: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()


Scored = Condition | Mean | Change
Source = Scored | Measured


@dataclass(frozen=True, slots=True)
class Work:
    """A published work.

    Attributes:
        short: what narrow tables call it.
        protocol: under which its cells were made, where it prints any.
        source_of: what a cell was computed from.
        ties_open: whether nothing says in which order equal scores were ranked.
    """

    title: str
    short: str
    protocol: str = ""
    source_of: Callable[[Cell], Source] | None = None
    ties_open: bool = False


def source_of(cell: Cell) -> Source:
    """What a published cell was, or would be, computed from, under its work's protocol.

    Raises:
        ValueError: if nothing says what the cells of that work come from.
    """
    if cell.work not in WORKS or (known := WORKS[cell.work].source_of) is None:
        raise ValueError(
            f"nothing says what the cells of {cell.work!r} come from; say it in WORKS in "
            "published/sources.py"
        )
    return known(cell)


def conditions_of(source: Source) -> Iterator[Condition]:
    """Every condition that a cell rests on."""
    if isinstance(source, Condition):
        yield source
    elif isinstance(source, Change):
        yield from (source.before, source.after)
    elif isinstance(source, Measured):
        yield from source.conditions
    else:
        for part in source.parts:
            yield from conditions_of(part)


def of_missing(conditions: Iterable[Condition]) -> list[str]:
    """What conditions without a record wait for, whatever this machine has, so that the table is
    the same everywhere."""
    missing = list(conditions)
    sentences = [sentence for condition in missing for sentence in requirements(condition)]
    return sentences or [f"open: run `chunkstudy run --only '{missing[0]}'`"]


def published_grid(places: Project) -> list[Condition]:
    """Every condition that published cells rest on, each followed by its corrected twin, and all of
    the E5 that the taxonomy's text names and its code does not run."""
    e5, run_as_e5 = map(papers.slug, (papers.E5, papers.E5_INSTRUCT))
    sources = map(source_of, cells.read(places))
    behind = list(dict.fromkeys(one for source in sources for one in conditions_of(source)))
    behind += [replace(one, encoder=e5) for one in behind if one.encoder == run_as_e5]
    both = ((one, papers.corrected(one)) for one in behind)
    return list(dict.fromkeys(one for pair in both for one in pair))


def corrected_source(source: Scored) -> Scored:
    """The same computation under the corrected protocol."""
    if isinstance(source, Condition):
        return papers.corrected(source)
    if isinstance(source, Change):
        return Change(*map(papers.corrected, conditions_of(source)))
    return Mean(tuple(map(corrected_source, source.parts)))


def pattern(source: Source) -> str:
    """The condition's path; of several, ``*`` where they differ, as ``--only`` takes it."""
    paths = (condition.path.parts for condition in conditions_of(source))
    parts = [set(names) for names in zip(*paths, strict=True)]
    return "/".join(min(names) if len(names) == 1 else "*" for names in parts)


def _chroma(cell: Cell) -> Source:
    if cell.encoder != LARGE:
        return chroma_minilm(cell.chunker)
    model_free = cell.chunker.startswith(("recursive", "token"))
    named = (NONE, NONE) if model_free and not cell.of_retrieval else (LARGE, PRE_EMBEDDING)
    return Condition("chroma", cell.chunker, *named, AS_PUBLISHED_CHROMA.name)


def chroma_minilm(row: str) -> Condition:
    """The condition of a row of Chroma's tables of all-MiniLM-L6-v2."""
    chunker = TOKEN_WINDOWS.get(row, row)
    if row.startswith("recursive"):
        chunker += CHROMA_LENGTH
    return Condition("chroma", chunker, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)


def _jina(cell: Cell) -> Source:
    if cell.measure == "characters":
        return Measured("document-lengths", (LENGTHS,))
    if cell.measure == "cosine":
        weights = weights_needed(models.spec(cell.encoder))
        return Measured("berlin", (*weights, "needs `chunkstudy study berlin` then"))
    return papers.jina(cell.collection, cell.chunker, cell.encoder, cell.ordering)


def _correlation(cell: Cell) -> Source:
    """Of Figure 2: within documents, or over the collections that are searched as a whole."""
    collections = (cell.collection,) if cell.collection == "gutenqa" else IN_CORPUS
    methods = papers.TAXONOMY_METHODS if cell.chunker == "all" else (cell.chunker,)
    orderings = papers.ORDERINGS
    behind = (
        papers.taxonomy(name, method, cell.encoder, ordering)
        for name in collections
        for method in methods
        for ordering in (orderings[:1] if cell.ordering == PRE_EMBEDDING else orderings)
    )
    return Measured("chunk-sizes", (CORRELATION,), tuple(behind))


def _taxonomy(cell: Cell) -> Source:
    if cell.unit == "correlation":
        return _correlation(cell)
    if cell.statistic == "original":
        # Table 1 quotes LumberChunker's scores, Table 2 Jina's: their protocols made them.
        if cell.table == "1":
            return papers.lumberchunker(cell.chunker)
        return papers.jina(cell.collection, cell.chunker, cell.encoder, cell.ordering)

    def at(collection: str, chunker: str) -> Scored:
        if cell.table != "4":
            return papers.taxonomy(collection, chunker, cell.encoder, cell.ordering)
        before, after = (
            papers.taxonomy(collection, chunker, cell.encoder, name) for name in papers.ORDERINGS
        )
        return Change(before, after)

    collections = IN_CORPUS if cell.collection == AVERAGE else (cell.collection,)
    chunkers = papers.TAXONOMY_METHODS if cell.chunker == AVERAGE else (cell.chunker,)
    parts = tuple(at(name, method) for method in chunkers for name in collections)
    return parts[0] if len(parts) == 1 else Mean(parts)


def _mteb(cell: Cell) -> Source:
    """Documents read whole up to the model's own window: nothing that the corrected protocol does
    otherwise."""
    encoder = str(EncoderName(cell.encoder))
    return Condition(cell.collection, cell.chunker, encoder, cell.ordering, CORRECTED.name)


WORKS = {
    "chroma": Work("Chroma's report", "Chroma", AS_PUBLISHED_CHROMA.name, _chroma),
    "jina": Work("Jina's posts", "Jina", AS_PUBLISHED_JINA.name, _jina),
    "taxonomy": Work("Beyond Chunk-Then-Embed", "the taxonomy", AS_PUBLISHED_IELAB.name, _taxonomy),
    "tutorial": Work("the tutorial", "tutorial"),
    "mteb": Work("MTEB's leaderboard", "MTEB", CORRECTED.name, _mteb, ties_open=True),
}
"""Every published work by the name that its cells have and that its notebooks begin with; a cell
that quotes another work names that one's protocol itself."""
SHORTER = {one.title: one.short for one in WORKS.values()}
