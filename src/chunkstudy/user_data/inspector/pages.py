"""The inspector: one page a question that shows why its chunks were found or missed.

A page is one HTML file without scripts that asks the network for nothing. It shows documents, which
nobody vouches for: their text is escaped, a content security policy forbids everything but the
page's own style, and unless somebody names another folder it is written below ``build``.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import jinja2
import numpy as np
from markupsafe import Markup

from chunkstudy.collections import user_formats
from chunkstudy.core.errors import UserError
from chunkstudy.core.files import write_text
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Collection, Span
from chunkstudy.display import titles
from chunkstudy.display.excerpts import escaped, marked, shortened
from chunkstudy.display.formats import percent
from chunkstudy.encoders.interface import ReadingReporter
from chunkstudy.pipeline import chunking, engine
from chunkstudy.pipeline.conditions import MINILM, NONE, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.vector_store import VectorStore, load_store
from chunkstudy.user_data.inspector.inspection import (
    AROUND,
    CAUSES,
    MEASURES,
    Inspection,
    RankedChunk,
    inspect,
    relevant,
)

CHUNKERS = ("recursive-200-0", "token-250-125", "cluster-200")
K = 5
WORST = 20
"""Pages that are written beside an index."""
BOUND = Markup('<i class="bound {}" data-ends="{}" data-starts="{}"></i>')
WINDOW = Markup('<i class="window"></i>')
Page = Sequence[Inspection]
"""One question under every system, in the same order on every page."""


def write(
    where: Project,
    collection: str,
    query: str | None = None,
    chunkers: Sequence[str] = CHUNKERS,
    *,
    encoder: str = MINILM,
    k: int = K,
) -> Path:
    """Write the page of a question, or without one the pages of the worst and their index.

    Args:
        where: pages go below its ``build/inspector``.
        collection: its name.
        query: a question's id.
        chunkers: slugs; the worst questions are worst over all of them.
        encoder: its slug or hub id.
        k: chunks taken as read.

    Returns:
        The file written, of several the index.

    Raises:
        UserError: if the question is unknown, or nothing would be ranked.
        UserError: if a collection or encoder is unknown or cannot be had here.
        ValueError: if a chunker is unknown.
    """
    slug = encoder.replace("/", "__")
    if k < 1 or slug == NONE:
        raise UserError("ranks are shown; name an encoder, and with --k at least 1 chunk")
    ways = [Condition(collection, chunker, slug, PRE_EMBEDDING, CORRECTED.name)
            for chunker in dict.fromkeys(chunkers)]  # fmt: skip
    for condition in ways:
        if reason := reason_not_run(condition):
            raise UserError(f"{condition} cannot be inspected: {reason}")
    judged = _asked(engine.load_collection(collection), query)
    store = load_store(slug, where.vectors)
    systems = [inspected(condition, judged, store, k) for condition in ways]
    pages, by = list(zip(*systems, strict=True)), titles.shown("encoder", slug)
    folder = where.build / "inspector" / collection
    folder /= _safe("+".join((*(way.chunker for way in ways), slug, str(k))))
    if query is None:
        return write_worst(pages, judged, folder / "index.html", len(pages), by)
    target = folder / f"{_safe(query)}.html"
    write_text(target, render("question.html", judged, page=pages[0], index="", by=by))
    return target


def inspected(
    condition: Condition, collection: Collection, store: VectorStore, k: int
) -> list[Inspection]:
    """Chunk, embed and rank in full; vectors at hand are not computed again."""
    chunks = chunking.cut(collection, condition.chunking, condition.rules, store)
    ranking = engine.search(engine.encode(collection, chunks, store), len(chunks))
    read_to = chunks.end
    if isinstance(store.encoder, ReadingReporter):
        read = store.encoder.characters_read(chunks.texts(collection.documents))
        read_to = np.minimum(chunks.start + read, chunks.end)
    name = titles.shown("chunker", condition.chunker)
    return inspect(name, collection, chunks, ranking, read_to, k)


def write_worst(
    pages: Sequence[Page], collection: Collection, target: Path, asked: int, by: str = ""
) -> Path:
    """Write the pages of the worst questions, and the index of all at ``target``; ``asked`` says of
    how many questions these were the worst already, ``by`` which one model ranks in all systems."""
    pages = sorted(pages, key=lambda page: sum(each.measures["SpanRecall"] for each in page))
    links: dict[str, str] = {}
    for page in pages[:WORST]:
        links[page[0].query.id] = link = f"{target.stem}/{_safe(page[0].query.id)}.html"
        html = render("question.html", collection, page=page, index=f"../{target.name}", by=by)
        write_text(target.parent / link, html)
    systems = list(zip(*pages, strict=True))
    html = render(
        "index.html",
        collection,
        pages=pages,
        links=links,
        asked=asked,
        by=by,
        tally=[Counter(each.cause for each in system) for system in systems],
        recall=[np.mean([each.measures["SpanRecall"] for each in system]) for system in systems],
    )
    write_text(target, html)
    return target


def render(template: str, collection: Collection, **values: object) -> str:
    """A template filled for a collection."""
    texts = {document.id: document.text for document in collection.documents}
    return templates().get_template(template).render(collection=collection, texts=texts, **values)


def bounded(text: str, span: Span, judged: Sequence[Span], chunks: Sequence[RankedChunk]) -> Markup:
    """``text[span]`` as HTML whose text is exactly that, judged text marked; the style draws where
    chunks start and end, red inside an excerpt, and where a window ends.

    Args:
        judged: what is judged of the document.
        chunks: chunks of the document that share a character with the span.
    """
    edges = {}
    for at in {at for chunk in chunks for at in (chunk.start, chunk.end, chunk.read_to)}:
        ends = " ".join(str(chunk.place) for chunk in chunks if chunk.end == at)
        starts = " ".join(str(chunk.place) for chunk in chunks if chunk.start == at)
        inside = any(first < at < last for first, last in judged)
        edges[at] = Markup("")
        if ends or starts:
            edges[at] += BOUND.format("inside" if inside else "outside", ends, starts)
        if any(chunk.start < at == chunk.read_to < chunk.end for chunk in chunks):
            edges[at] += WINDOW

    def look(start: int, end: int) -> str:
        inside = [chunk for chunk in chunks if chunk.start <= start and end <= chunk.end]
        if not inside:
            return "outside"
        retrieved = "kept" if any(chunk.retrieved for chunk in inside) else "left"
        # A chunk that is read no further than here is not found by what stands here.
        return f"{retrieved} unread" if all(c.read_to <= start for c in inside) else retrieved

    return marked(text, span, judged, edges, look)


@cache
def templates(*folders: Path) -> jinja2.Environment:
    """Templates of the folders and of this one, whose frame and style they may use."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, Path(__file__).parent]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"escaped": escaped, "percent": percent}
    environment.globals |= {
        "causes": CAUSES, "measures": MEASURES, "around": AROUND, "bounded": bounded,
        "shortened": shortened, "titled": titles.shown, "page_of": user_formats.page,
    }  # fmt: skip
    return environment


def _safe(name: str) -> str:
    """The name if a file can be called so, else what is left of it with a digest."""
    safe = re.sub(r"[^A-Za-z0-9_@+.-]", "-", name).lstrip(".")[:120]
    if safe and safe == name:
        return safe
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _asked(collection: Collection, query: str | None) -> Collection:
    """The collection with the question of an id alone, or with all that have a judged excerpt."""
    ids = [each for each, excerpts in relevant(collection).items() if excerpts]
    if query is None or query in ids:
        return collection.only(ids if query is None else [query])
    near = " or ".join(get_close_matches(query, ids)) or f"{ids[0]} to {ids[-1]}"
    raise UserError(
        f"{collection.name} has no query {query!r} that is judged by an excerpt (perhaps {near}); "
        f"`chunkstudy inspect {collection.name}` lists all that are"
    )
