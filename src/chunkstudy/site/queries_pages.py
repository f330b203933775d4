"""The explorer of queries: why each was found or missed, with texts where they are ours to show."""

from __future__ import annotations

from chunkstudy.collections import builtin
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.site import inspector, inspector_page, kept, ranked_queries
from chunkstudy.site.diagnosis import CAUSES
from chunkstudy.site.kept import Kept
from chunkstudy.site.material import Material
from chunkstudy.site.pages import Page, render

SECTION = "queries.html"


def pages(material: Material) -> list[Page]:
    """The overview, a page per collection that inspections are kept of, the inspector's pages of
    the built-in collection, and a page per collection of which whole documents are looked for."""
    found = {name: kept.read(material.places, name) for name in at_hand(material.places)}
    ranked = ranked_queries.every(material.places)
    overview = render(
        material,
        SECTION,
        "queries.html",
        "Queries",
        collections=[(file(name), display_names.collection(name), one)
                     for name, one in found.items()],
        chunkers=_chunkers(next(iter(found.values()))) if found else [],
        causes=CAUSES,
        ranked=ranked,
    )  # fmt: skip
    return [
        overview,
        *(_index(material, one) for one in found.values()),
        *inspections(found),
        *ranked_queries.pages(material, ranked, SECTION),
    ]


def at_hand(places: Places) -> list[str]:
    """Collections that inspections are kept of."""
    return [name for name in kept.COLLECTIONS if kept.file(places, name).exists()]


def file(collection: str) -> str:
    return f"queries-{collection}.html"


def inspections(found: dict[str, Kept]) -> list[Page]:
    """The inspector's page of every query that was kept whole."""
    one = found.get(builtin.load().name)
    if one is None:
        return []
    collection = builtin.load()
    texts = {document.id: document.text for document in collection.documents}
    return [
        Page(
            _page_of(query.id),
            inspector_page.render(
                kept.page(one, query, collection), texts, index=f"../{file(one.collection)}"
            ),
        )
        for query in one.queries
        if query.whole
    ]


def _page_of(query: str) -> str:
    return f"queries/{inspector.file_name(query)}"


def _index(material: Material, found: Kept) -> Page:
    own = {query.id: query.text for query in builtin.load().queries}
    shows_text = found.collection in kept.OWN_TEXT
    name = display_names.collection(found.collection)
    return render(
        material,
        file(found.collection),
        "queries_of.html",
        f"Queries: {name}",
        section=SECTION,
        name=name,
        kept=found,
        chunkers=_chunkers(found),
        counts=found.counts(),
        recall=found.mean_recall(),
        causes=CAUSES,
        texts=own if shows_text else {},
        links={query.id: _page_of(query.id) for query in found.queries if query.whole},
        parts=sorted({query.part for query in found.queries if query.part}),
        model=display_names.encoder(found.encoder),
    )


def _chunkers(found: Kept) -> list[str]:
    return [display_names.chunker(one.name) for one in found.chunkers]
