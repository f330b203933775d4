"""The inspector: one page a question that shows why its chunks were found or missed.

A page is one HTML file without scripts that asks the network for nothing. It shows documents, which
nobody vouches for: their text is escaped, a content security policy forbids everything but the
page's own style, and unless somebody names another folder it is written below ``build``.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Collection, Span
from chunkstudy.base.tokens import without_surrogates
from chunkstudy.collections import own_formats
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs.conditions import MINILM, NONE, Condition, ConditionError
from chunkstudy.runs.requirements import reason_not_run
from chunkstudy.runs.store import load_store
from chunkstudy.study import titles
from chunkstudy.study.inspector.inspection import (
    AROUND,
    CAUSES,
    MEASURES,
    Inspection,
    RankedChunk,
    ordinal,
    percent,
    relevant,
    search,
)

CHUNKERS = ("recursive-200-0", "token-250-125", "cluster-200")
DEPTH = 5
FOLDED = 150
"""Characters kept at either end where a long stretch that is not judged is folded."""
Page = Sequence[Inspection]
"""One question under every system, in the same order on every page."""


class InspectorError(ValueError):
    """A page that cannot be written as asked; the message says what to do."""


def write(
    where: Places,
    collection: str,
    query: str | None = None,
    chunkers: Sequence[str] = CHUNKERS,
    *,
    encoder: str = MINILM,
    depth: int = DEPTH,
    worst: int = 20,
) -> Path:
    """Write the page of a question, or without one the pages of the worst and their index.

    Args:
        where: pages go below its ``build/inspector``.
        collection: its name.
        query: a question's id.
        chunkers: slugs; the worst questions are worst over all of them.
        encoder: its slug or hub id.
        depth: chunks taken as read.
        worst: pages written beside an index.

    Returns:
        The file written, of several the index.

    Raises:
        InspectorError: if the question is unknown.
        ConditionError: if a collection or encoder is unknown or cannot be had here.
        ValueError: if a chunker is unknown.
    """
    if depth < 1 or worst < 1:
        raise InspectorError(f"depth and worst must be at least 1, not {depth} and {worst}")
    conditions = _conditions(collection, chunkers, encoder.replace("/", "__"))
    target = _target(where, conditions, query, depth)
    loaded = replace(load_collection(collection), name=collection)
    judged = loaded.only([_known(loaded, query)] if query is not None else _judged(loaded))
    store = load_store(conditions[0].encoder, where.vectors)
    systems = [
        search(each, judged, store).inspect(titles.shown("chunker", each.chunker), depth)
        for each in conditions
    ]
    pages = list(zip(*systems, strict=True))
    if query is None:
        return write_worst(pages, judged, target, worst)
    write_text(target, render(judged, pages))
    return target


def write_worst(
    pages: Sequence[Page], collection: Collection, target: Path, worst: int, of: int = 0
) -> Path:
    """Write the pages of the worst questions, and the index of all at ``target``; ``of`` says of
    how many questions these were the worst already."""
    pages = sorted(pages, key=_recall)
    links = {page[0].query.id: f"{target.stem}/{file_name(page[0].query.id)}"
             for page in pages[:worst]}  # fmt: skip
    for page in pages[:worst]:
        html = render(collection, [page], index=f"../{target.name}")
        write_text(target.parent / links[page[0].query.id], html)
    write_text(target, render(collection, pages, links, of=of or len(pages)))
    return target


def render(
    collection: Collection,
    pages: Sequence[Page],
    links: dict[str, str] | None = None,
    index: str = "",
    of: int = 0,
) -> str:
    """The page of a question as HTML; with ``links`` the index of several, in the order given.

    Args:
        links: by a question's id, its page.
        index: where the index is, seen from the page, if there is one.
        of: of how many questions these are the worst.
    """
    systems = list(zip(*pages, strict=True))
    return templates().get_template("inspector.html").render(
        collection=collection,
        pages=pages,
        page=None if links is not None else pages[0],
        links=links,
        index=index,
        of=of,
        tally=[Counter(each.cause for each in system) for system in systems],
        recall=[sum(each.measures["SpanRecall"] for each in s) / len(s) for s in systems],
        texts={document.id: document.text for document in collection.documents},
    )  # fmt: skip


def marked(
    text: str,
    span: Span,
    judged: Sequence[Span],
    chunks: Sequence[RankedChunk],
    depth: int,
    fold: bool = False,
) -> Markup:
    """``text[span]`` as HTML whose text is exactly that, cut wherever a chunk or a judged span
    starts or ends; markers and folds are drawn by the style.

    Args:
        judged: what is judged of the document.
        chunks: chunks of the document that share a character with the part.
        depth: chunks taken as read.
        fold: whether this is one chunk, to be shown without markers and with the middle of long
            stretches that are not judged folded.
    """
    low, high = span
    bounds = [*judged, *((chunk.start, chunk.end) for chunk in chunks)]
    bounds += [(chunk.read_to, chunk.read_to) for chunk in chunks]
    cuts = sorted({low, high, *(at for ends in bounds for at in ends if low < at < high)})
    html = Markup("")
    for start, end in pairwise(cuts):
        if not fold:
            html += _marker(start, low, judged, chunks, depth)
        if any(chunk.start < start == chunk.read_to < chunk.end for chunk in chunks):
            html += Markup('<i class="window"></i>')
        inside = [chunk for chunk in chunks if chunk.start <= start and end <= chunk.end]
        retrieved = any(chunk.rank <= depth for chunk in inside)
        names = ["kept" if retrieved else "left"] if inside else []
        # A chunk that is read no further than here is not found by what stands here.
        names += ["unread"] if inside and all(c.read_to <= start for c in inside) else []
        if any(first <= start and end <= last for first, last in judged):
            html += _stretch(text[start:end], [*names, "found" if retrieved else "missed"])
        elif fold and end - start > 3 * FOLDED:
            html += _stretch(text[start : start + FOLDED], names)
            html += Markup(
                '<details><summary data-folded="{0:,}" aria-label="{0:,} characters folded">'
                "</summary>{1}</details>"
            ).format(end - start - 2 * FOLDED, _stretch(text[start + FOLDED : end - FOLDED], names))
            html += _stretch(text[end - FOLDED : end], names)
        else:
            html += _stretch(text[start:end], names)
    return html


def _marker(
    at: int, low: int, judged: Sequence[Span], chunks: Sequence[RankedChunk], depth: int
) -> Markup:
    """Which chunks end and start at an offset, red inside an excerpt; what ended before the text
    that is shown goes without."""
    ends = [chunk for chunk in chunks if chunk.end == at > low]
    starts = [chunk for chunk in chunks if chunk.start == at]
    if not ends and not starts:
        return Markup("")
    names = ["inside"] if any(first < at < last for first, last in judged) else []
    places = Markup("")
    for name, some in (("ends", ends), ("starts", starts)):
        if some:
            places += Markup(' data-{}="{}"').format(name, " ".join(str(c.place) for c in some))
            names += [f"{name}-kept"] if any(chunk.rank <= depth for chunk in some) else []
    return Markup('<i class="{}"{}></i>').format(" ".join(names), places)


def _stretch(text: str, names: Sequence[str]) -> Markup:
    return Markup('<span class="{}">{}</span>').format(" ".join(("s", *names)), shown(text))


def shown(text: str) -> Markup:
    """A text escaped so that a browser shows each of its characters.

    A bare carriage return survives only as a reference; NUL and lone surrogates, which HTML and
    UTF-8 lack, become U+FFFD.
    """
    safe = escape(without_surrogates(text).replace("\0", "\ufffd"))
    return Markup(str(safe).replace("\r", "&#13;"))  # everything else is escaped already


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
    environment.filters |= {"shown": shown, "percent": percent, "ordinal": ordinal}
    environment.filters["name"] = lambda value, kind: titles.shown(kind, value)
    environment.globals |= {
        "causes": CAUSES, "measures": MEASURES, "marked": marked, "around": AROUND,
        "page_of": own_formats.page,
    }  # fmt: skip
    return environment


def _conditions(collection: str, chunkers: Sequence[str], encoder: str) -> list[Condition]:
    """A condition a chunker, each once.

    Raises:
        ConditionError: if one cannot be inspected, with the reason.
    """
    if encoder == NONE:
        raise ConditionError("the inspector shows ranks, so it needs an encoder; name one")
    conditions = [
        Condition(collection, chunker, encoder, "pre_embedding", CORRECTED.name)
        for chunker in dict.fromkeys(chunkers)
    ]
    for condition in conditions:
        if reason := reason_not_run(condition):
            raise ConditionError(f"{condition} cannot be inspected: {reason}")
    return conditions


def _target(where: Places, conditions: Sequence[Condition], query: str | None, depth: int) -> Path:
    """The file to write."""
    first = conditions[0]
    folder = "+".join(condition.chunker for condition in conditions)
    for value, usual in ((first.encoder, MINILM), (depth, DEPTH)):
        folder += f"@{value}" if value != usual else ""
    name = "index.html" if query is None else file_name(query)
    return where.build / "inspector" / first.collection / _short(folder) / name


def file_name(query: str) -> str:
    """A file name for a question's id, which may hold anything."""
    return f"{_short(query)}.html"


def _short(name: str) -> str:
    """The name if it is safe and short, else what is left of it with a digest."""
    safe = re.sub(r"[^A-Za-z0-9_@+.-]", "-", name).lstrip(".")[:120]
    if safe and safe == name:
        return safe
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _judged(collection: Collection) -> list[str]:
    """The questions that have a judged excerpt, in the collection's order."""
    return [query for query, excerpts in relevant(collection).items() if excerpts]


def _known(collection: Collection, query: str) -> str:
    ids = _judged(collection)
    if query in ids:
        return query
    if any(each.id == query for each in collection.queries):
        raise InspectorError(
            f"query {query!r} of {collection.name} has no judged excerpt; choose one that has"
        )
    near = difflib.get_close_matches(query, ids, n=3)
    hint = f"perhaps {' or '.join(near)}" if near else f"ids run from {ids[0]} to {ids[-1]}"
    raise InspectorError(
        f"{collection.name} has no query {query!r} ({hint}); `chunkstudy inspect "
        f"{collection.name}` lists them all"
    )


def _recall(page: Page) -> tuple[float, float]:
    """Worst first: mean recall over the systems, then mean IoU."""
    recall, _, iou = (sum(each.measures[name] for each in page) for name in MEASURES)
    return recall, iou
