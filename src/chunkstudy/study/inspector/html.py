"""The inspector's HTML: text cut at every boundary, and the templates around it.

Documents are untrusted: their text is escaped, and a content security policy in each page forbids
everything but the page's own style.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import jinja2
import numpy as np
from markupsafe import Markup, escape

from chunkstudy.base.spans import Query, Span
from chunkstudy.base.tokens import without_surrogates
from chunkstudy.study import titles
from chunkstudy.study.inspector.diagnosis import CAUSES, Diagnosis, ordinal, percent
from chunkstudy.study.inspector.inspection import MEASURES, Excerpt, Inspection, RankedChunk

CONTEXT = 300
"""Characters of text shown either side of an excerpt."""
MAP_CONTEXT = 1200
"""Characters drawn either side of an excerpt where chunkers are compared."""
LANES = 3
"""Lines below the text that tell overlapping chunks apart."""
KEPT = 150
"""Characters kept at either end where a long stretch that is not judged is folded."""


@dataclass(frozen=True, slots=True)
class Column:
    """A way of chunking on a page: what it is called, what ranks, what happened, why, and the
    measures under each protocol."""

    chunker: str
    encoder: str
    inspection: Inspection
    diagnosis: Diagnosis
    measures: dict[str, dict[str, float]]

    @property
    def anchor(self) -> str:
        """Its name as a link inside the page takes it."""
        return re.sub(r"[^A-Za-z0-9_.-]+", "-", self.chunker)


@dataclass(frozen=True, slots=True)
class Page:
    """A query of a collection under every way of chunking; chunks are those of the protocol."""

    collection: str
    protocol: str
    query: Query
    part: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """A stretch of a document to draw, and the numbers of the excerpts in it."""

    document: str
    span: Span
    excerpts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text that no boundary and no end of an excerpt divides.

    Attributes:
        text: its characters.
        state: ``found`` or ``missed`` where judged, else empty.
        lanes: of each lane ``kept`` (retrieved), ``left`` (not) or empty.
        unread: whether every chunk here lies beyond the encoder's window.
        ends, starts: the chunks that end or start before the segment.
        cuts: whether that boundary lies inside an excerpt.
        window: whether the encoder stops reading a chunk before the segment.
    """

    text: str
    state: str
    lanes: tuple[str, ...]
    unread: bool
    ends: tuple[RankedChunk, ...]
    starts: tuple[RankedChunk, ...]
    cuts: bool
    window: bool = False


def render(page: Page, texts: dict[str, str], index: str = "") -> str:
    """The page of a query as HTML.

    Args:
        index: where the index is, seen from the page, if there is one.
    """
    return templates().get_template("inspector.html").render(page=page, texts=texts, index=index)


def render_index(pages: Sequence[Page], links: dict[str, str], of: int = 0) -> str:
    """The index as HTML: every query in the order given, linked where ``links`` has its page;
    ``of``: of how many queries these are the worst, 0 where they are all."""
    columns = list(zip(*(page.columns for page in pages), strict=True))
    tally = [(own[0].chunker, Counter(one.diagnosis.cause for one in own)) for own in columns]
    recall = [
        float(np.mean([one.inspection.measures["SpanRecall"] for one in own])) for own in columns
    ]
    used = set().union(*(counts for _, counts in tally))
    return (
        templates()
        .get_template("inspector.html")
        .render(
            page=None, pages=pages, links=links, of=of, tally=tally, used=used, mean_recall=recall
        )
    )


def segments(
    text: str, span: Span, judged: Sequence[Span], chunks: Sequence[RankedChunk], depth: int
) -> list[Segment]:
    """Cut ``text[span]`` wherever a chunk or a judged span starts or ends.

    Args:
        chunks: chunks of the document that share a character with the part.
    """
    low, high = span
    spans = [*judged, *((chunk.start, chunk.end) for chunk in chunks)]
    spans += [(chunk.read_to, chunk.read_to) for chunk in chunks]
    cuts = sorted({low, high, *(at for one in spans for at in one if low < at < high)})
    lane = _lanes(chunks)
    found = []
    for start, end in pairwise(cuts):
        here = [i for i, chunk in enumerate(chunks) if chunk.start <= start and end <= chunk.end]
        lanes = [""] * LANES
        for i in here:
            lanes[lane[i]] = "kept" if chunks[i].rank <= depth else "left"
        state = ""
        if any(first <= start and end <= last for first, last in judged):
            state = "found" if any(chunks[i].rank <= depth for i in here) else "missed"
        one = Segment(
            text[start:end],
            state,
            tuple(lanes),
            bool(here) and all(chunks[i].read_to <= start for i in here),
            () if start == low else tuple(chunk for chunk in chunks if chunk.end == start),
            tuple(chunk for chunk in chunks if chunk.start == start),
            any(first < start < last for first, last in judged),
            any(chunk.start < start == chunk.read_to < chunk.end for chunk in chunks),
        )
        found.append(one)
    return found


def _lanes(chunks: Sequence[RankedChunk]) -> list[int]:
    """A lane for each chunk such that overlapping ones differ, as far as there are lanes."""
    free = [-1] * LANES
    found = []
    for chunk in chunks:
        lane = next((i for i, end in enumerate(free) if end <= chunk.start), int(np.argmin(free)))
        free[lane] = chunk.end
        found.append(lane)
    return found


def context(excerpt: Excerpt, texts: dict[str, str], margin: int) -> Span:
    """The excerpt's span with its surroundings, inside its document."""
    return max(0, excerpt.start - margin), min(len(texts[excerpt.document]), excerpt.end + margin)


def marked(parts: Sequence[Segment], depth: int, fold: bool = False) -> Markup:
    """Segments as HTML whose text is exactly theirs: markers and folds are drawn by the style.

    Args:
        fold: whether this is one chunk, to be shown without markers and with the middle of long
            stretches that are not judged folded.
    """
    html = Markup("")
    for part in parts:
        if (part.ends or part.starts) and not fold:
            html += _marker(part, depth)
        if part.window:
            html += Markup('<i class="window"></i>')
        names = ["s", part.state, "unread" if part.unread else ""]
        names += [f"{lane}-{kind}" for lane, kind in zip("abc", part.lanes, strict=True) if kind]
        html += (
            _folded(part.text, _classes(names))
            if fold and not part.state
            else _span(part.text, _classes(names))
        )
    return html


def _folded(text: str, names: str) -> Markup:
    """A stretch that is not judged; of a long one the middle opens on demand."""
    if len(text) <= 2 * KEPT + KEPT:
        return _span(text, names)
    middle = text[KEPT:-KEPT]
    fold = Markup(
        '<details><summary data-folded="{0:,}" aria-label="{0:,} characters folded"></summary>'
        "{1}</details>"
    )
    return (
        _span(text[:KEPT], names)
        + fold.format(len(middle), _span(middle, names))
        + _span(text[-KEPT:], names)
    )


def _span(text: str, names: str) -> Markup:
    return Markup('<span class="{}">{}</span>').format(names, shown(text))


def _marker(part: Segment, depth: int) -> Markup:
    names = ["inside"] if part.cuts else []
    html = Markup("")
    for name, chunks in (("ends", part.ends), ("starts", part.starts)):
        if chunks:
            places = " ".join(str(chunk.place) for chunk in chunks)
            html += Markup(' data-{}="{}"').format(name, places)
            names += [f"{name}-kept"] if any(chunk.rank <= depth for chunk in chunks) else []
    return Markup('<i class="{}"{}></i>').format(_classes(names), html)


def _classes(names: Sequence[str]) -> str:
    return " ".join(name for name in names if name)


def maps(inspection: Inspection, texts: dict[str, str]) -> list[Map]:
    """Stretches to draw: each excerpt with its surroundings, merged where they meet."""
    found: list[Map] = []
    for excerpt in sorted(inspection.excerpts, key=lambda e: (e.document, e.start)):
        low, high = context(excerpt, texts, MAP_CONTEXT)
        last = found[-1] if found else None
        if last and last.document == excerpt.document and low <= last.span[1]:
            span = (last.span[0], max(high, last.span[1]))
            found[-1] = Map(excerpt.document, span, (*last.excerpts, excerpt.number))
        else:
            found.append(Map(excerpt.document, (low, high), (excerpt.number,)))
    return found


def drawn(inspection: Inspection, one: Map) -> list[list[RankedChunk]]:
    """The chunks of a map in rows such that, as far as there are lanes, none overlaps another."""
    around = {chunk for number in one.excerpts for chunk in inspection.excerpts[number - 1].around}
    chunks = sorted(around, key=lambda chunk: (chunk.start, chunk.end, chunk.place))
    found: list[list[RankedChunk]] = [[] for _ in range(LANES)]
    for chunk, lane in zip(chunks, _lanes(chunks), strict=True):
        found[lane].append(chunk)
    return [row for row in found if row]


def shown(text: str) -> Markup:
    """A text escaped so that a browser shows each of its characters.

    A bare carriage return survives only as a reference; NUL and lone surrogates, which HTML and
    UTF-8 lack, become U+FFFD.
    """
    safe = escape(without_surrogates(text).replace("\0", "\ufffd"))
    return Markup(str(safe).replace("\r", "&#13;"))  # everything else is escaped already


def _share(value: int, span: Span) -> float:
    """Where an offset lies in a span, in percent of its length, for the drawing."""
    low, high = span
    return round(100 * (min(max(value, low), high) - low) / (high - low), 3)


@cache
def templates(*folders: Path) -> jinja2.Environment:
    """Templates of the folders and of this one, whose style they may include."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, Path(__file__).parent]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        shown=shown,
        percent=percent,
        ordinal=ordinal,
        name=lambda value, column: titles.shown(column, value),
    )
    environment.globals.update(
        causes=CAUSES,
        measure_names=MEASURES,
        segments=segments,
        marked=marked,
        maps=maps,
        drawn=drawn,
        context=context,
        share=_share,
        margin=CONTEXT,
        map_margin=MAP_CONTEXT,
    )
    return environment
