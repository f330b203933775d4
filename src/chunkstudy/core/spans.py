"""The data types that cross a wall: documents, queries, judgments and chunks, all as spans.

An offset counts Python characters (Unicode code points) from 0; a span is half-open, so
``text[start:end]`` is what it covers.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.errors import ChunkerError, UserError

Span = tuple[int, int]
RewrittenSpan = tuple[int, int, str]
Chunker = Callable[[str], Sequence[Span] | Sequence[RewrittenSpan]]
"""A chunker turns one text into spans; a third member holds the text where it rewrites it. One
that had to fall back returns them as :class:`Drawn`."""
AnySpan = TypeVar("AnySpan", bound=Span | RewrittenSpan)


class Drawn(list[AnySpan]):
    """The spans of one text, and how often a fixed rule drew boundaries because the chunker's own
    way to them gave none: a text of one sentence has no neighbours to compare and stays whole.

    What an official algorithm does wrong is not among them: it is that algorithm's own way.
    """

    def __init__(self, spans: Iterable[AnySpan], fallbacks: int) -> None:
        super().__init__(spans)
        self.fallbacks = fallbacks


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as spans that do not overlap, ascending; those that only touch stay
    apart."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def stripped(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; empty where it holds nothing else."""
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return first, max(first, start + len(part.rstrip()))


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A query; where ``document`` is named, the search is limited to that document."""

    id: str
    text: str
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """``document[start:end]`` is relevant to the query with this grade."""

    query: str
    document: str
    start: int
    end: int
    grade: int = 1


@dataclass(frozen=True)
class Collection:
    """Documents in sorted id order, queries, and judged spans.

    Raises:
        UserError: if an id is repeated or a judgment names what does not exist.
    """

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    judgments: tuple[Judgment, ...]
    groups: dict[str, str] = field(default_factory=dict)
    """Query id to the name of its part (Chroma's corpora), for tables per part."""
    absent: tuple[tuple[str, str, int], ...] = ()
    """Judged documents that are missing or empty, as (query id, document id, grade): never
    retrieved, but counted in every ideal (ArguAna has five)."""
    skips_own_id: bool = False
    """Whether a query never retrieves the document that bears its own id (ArguAna's queries are
    documents of the corpus)."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """By document, the title that its owner gave it, where there is one."""

    def __post_init__(self) -> None:
        ids = [document.id for document in self.documents]
        if ids != sorted(ids):
            object.__setattr__(
                self, "documents", tuple(sorted(self.documents, key=lambda document: document.id))
            )
        _refuse_repeated(ids, self.name, "document")
        _refuse_repeated([query.id for query in self.queries], self.name, "query")
        lengths = {document.id: len(document.text) for document in self.documents}
        queries = {query.id for query in self.queries}
        for judged, name, _ in self.absent:
            if lengths.get(name) or judged not in queries:
                raise UserError(
                    f"collection {self.name}: document {name!r} of query {judged!r} is declared "
                    "absent; it must be missing or empty, and the query must exist"
                )
        for judgment in self.judgments:
            if judgment.document not in lengths:
                raise UserError(
                    f"collection {self.name}: query {judgment.query} is judged on document "
                    f"{judgment.document!r}, which is missing; add the file or drop the judgment"
                )
            if judgment.query not in queries:
                raise UserError(
                    f"collection {self.name}: a judgment names query {judgment.query!r}, "
                    "which is missing"
                )
            if not 0 <= judgment.start < judgment.end <= lengths[judgment.document]:
                raise UserError(
                    f"collection {self.name}: query {judgment.query} has a judged span "
                    f"[{judgment.start}, {judgment.end}) outside document {judgment.document!r} "
                    f"of {lengths[judgment.document]} characters"
                )

    @property
    def positions(self) -> dict[str, int]:
        """Document id to its index in ``documents``."""
        return {document.id: i for i, document in enumerate(self.documents)}

    def judgments_by_query(self) -> dict[str, list[Judgment]]:
        """Query id to its judgments, in their order; queries without any have an empty list."""
        judged: dict[str, list[Judgment]] = {query.id: [] for query in self.queries}
        for judgment in self.judgments:
            judged[judgment.query].append(judgment)
        return judged

    def asked_of(self, documents: Container[str]) -> Collection:
        """The same with the questions asked of some documents alone, and their judgments."""
        return self.only(query.id for query in self.queries if query.document in documents)

    def only(self, ids: Iterable[str]) -> Collection:
        """The same with these queries alone, in its order, their judgments and groups."""
        wanted = set(ids)
        return replace(
            self,
            queries=tuple(query for query in self.queries if query.id in wanted),
            judgments=tuple(judgment for judgment in self.judgments if judgment.query in wanted),
            groups={query: group for query, group in self.groups.items() if query in wanted},
        )

    def within_documents(self) -> Collection:
        """The same as ``<name>-within``, each query naming the document it is judged on.

        Raises:
            UserError: if a query is judged on several documents, or on none.
        """
        queries = []
        for query, judgments in zip(self.queries, self.judgments_by_query().values(), strict=True):
            documents = {judgment.document for judgment in judgments}
            if len(documents) != 1:
                raise UserError(
                    f"query {query.id} of {self.name} is judged on {len(documents)} documents; "
                    "within a document it takes exactly one"
                )
            queries.append(replace(query, document=documents.pop()))
        return replace(self, name=f"{self.name}-within", queries=tuple(queries))

    def digest(self) -> str:
        """sha256 over documents, queries and judgments in their order."""
        return _digest(self._lines())

    def order_free_digest(self) -> str:
        """sha256 that does not change when documents, queries or judgments are reordered."""
        return _digest(sorted(self._lines()))

    def _lines(self) -> Iterator[str]:
        for document in self.documents:
            yield f"document\t{document.id}\t{text_digest(document.text)}"
        for query in self.queries:
            yield f"query\t{query.id}\t{query.document or ''}\t{text_digest(query.text)}"
        for j in self.judgments:
            yield f"judgment\t{j.query}\t{j.document}\t{j.start}\t{j.end}\t{j.grade}"
        for judged, name, grade in self.absent:
            yield f"absent\t{judged}\t{name}\t{grade}"
        if self.skips_own_id:
            yield "skips own id"


@dataclass(frozen=True)
class Chunks:
    """The chunks of a whole collection as parallel arrays.

    ``document``, ``start`` and ``end`` have shape (chunks,), dtype int64; ``document`` indexes
    the collection's documents. ``text`` holds what is embedded where that is not the source
    between the offsets, else None. ``fallbacks`` is the sum over documents, see :class:`Drawn`.
    ``rewritten`` is True if the chunker wrote the texts itself, so that the documents do not hold
    them; a text that a splitter only joins or decodes is not rewritten.
    """

    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    text: tuple[str, ...] | None = None
    fallbacks: int = 0
    rewritten: bool = False

    def __len__(self) -> int:
        return len(self.start)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters between the offsets, shape (chunks,)."""
        return self.end - self.start

    def only(self, here: NDArray[np.bool_ | np.int64]) -> Chunks:
        """Those chunks where ``here``, of shape (chunks,), is true, or those of its indices."""
        places = np.arange(len(self))[here]
        text = None if self.text is None else tuple(self.text[i] for i in places.tolist())
        return Chunks(
            self.document[places],
            self.start[places],
            self.end[places],
            text,
            rewritten=self.rewritten,
        )

    def texts(self, documents: Sequence[Document]) -> list[str]:
        """What is embedded: the rewritten text where there is one, else the source."""
        if self.text is not None:
            return list(self.text)
        return [documents[d].text[s:e] for d, s, e in self._spans()]

    def digest(self) -> str:
        """sha256 over offsets and rewritten texts."""
        lines = [f"{d}\t{s}\t{e}" for d, s, e in self._spans()]
        if self.text is not None:
            lines += [text_digest(text) for text in self.text]
        return _digest(lines)

    def _spans(self) -> Iterator[tuple[int, int, int]]:
        return zip(self.document.tolist(), self.start.tolist(), self.end.tolist(), strict=True)


@dataclass(frozen=True, eq=False)
class ChunkIndex:
    """Matched chunks and the spans that they return (small-to-large).

    Attributes:
        matched: the chunks that are embedded and searched, at their own offsets.
        returned: the distinct spans that are returned and scored.
        returned_index: shape (matched,), the index in ``returned`` of each matched chunk.
    """

    matched: Chunks
    returned: Chunks
    returned_index: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.matched)

    @property
    def is_small_to_large(self) -> bool:
        """Return True if a matched chunk returns another span than its own."""
        spans = self.returned.only(self.returned_index)
        return not (
            np.array_equal(spans.start, self.matched.start)
            and np.array_equal(spans.end, self.matched.end)
        )

    def digest(self) -> str:
        """Return the sha256 of the matched chunks, and of the returned ones if they differ."""
        if not self.is_small_to_large:
            return self.matched.digest()
        indices = map(str, self.returned_index.tolist())
        return _digest([self.matched.digest(), self.returned.digest(), *indices])


def chunk_documents(
    chunker: Chunker, documents: Iterable[Document], rewritten: bool | None = None
) -> Chunks:
    """Apply a chunker to every document.

    Spans must lie inside the text; empty ones are refused unless they carry rewritten text (the
    official location of a chunk that is only a full stop has length zero).

    Args:
        chunker: a function from a text to spans.
        documents: the documents.
        rewritten: whether the chunker writes its texts itself; if None, it does where a text
            differs from the source between its offsets.

    Raises:
        ChunkerError: naming the document and the span that does not fit.
    """
    index: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    differs = False
    fallbacks = 0
    for position, document in enumerate(documents):
        spans = chunker(document.text)
        fallbacks += spans.fallbacks if isinstance(spans, Drawn) else 0
        for span in spans:
            start, end = span[0], span[1]
            nothing = start >= end if len(span) == 2 else start > end
            if nothing or not 0 <= start <= end <= len(document.text):
                raise ChunkerError(
                    f"the chunker returned span [{start}, {end}) for document {document.id!r} of "
                    f"{len(document.text)} characters; spans must be non-empty and lie inside it"
                )
            index.append(position)
            starts.append(start)
            ends.append(end)
            if len(span) == 3:
                texts.append(span[2])
                differs = differs or span[2] != document.text[start:end]
    if texts and len(texts) != len(index):
        raise ChunkerError("the chunker rewrote some chunks and not others; it must do all or none")
    return Chunks(
        np.asarray(index, dtype=np.int64),
        np.asarray(starts, dtype=np.int64),
        np.asarray(ends, dtype=np.int64),
        tuple(texts) if texts else None,
        fallbacks,
        rewritten=differs if rewritten is None else rewritten and bool(texts),
    )


def text_digest(text: str) -> str:
    """sha256 of a text as UTF-8; lone surrogates, which UTF-8 lacks, are kept apart."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _digest(lines: Iterable[str]) -> str:
    total = hashlib.sha256()
    for line in lines:
        total.update(line.encode("utf-8", errors="surrogatepass") + b"\n")
    return total.hexdigest()


def _refuse_repeated(ids: list[str], name: str, kind: str) -> None:
    repeated, times = max(Counter(ids).items(), key=lambda item: item[1], default=("", 0))
    if times > 1:
        raise UserError(f"collection {name}: {kind} id {repeated!r} occurs twice")
