"""The inspector: one page a query that shows why its chunks were found or missed.

A page is one HTML file without scripts that asks the network for nothing. It shows documents, so
inside the checkout it is only written below ``build``.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Collection
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs.conditions import MINILM, NONE, Condition, ConditionError
from chunkstudy.runs.requirements import reason_not_run
from chunkstudy.runs.store import VectorStore, boundary_store, load_store
from chunkstudy.study.inspector.diagnosis import diagnose
from chunkstudy.study.inspector.html import MAP_CONTEXT, Column, Page, render, render_index
from chunkstudy.study.inspector.inspection import SCORED, Searched, search

CHUNKERS = ("recursive-200-0", "token-250-125", "cluster-200")
DEPTH = 5


class InspectorError(ValueError):
    """A page that cannot be written as asked; the message says what to do."""


def write(
    where: Places,
    collection: str,
    query: str | None = None,
    chunkers: Sequence[str] = CHUNKERS,
    *,
    encoder: str = MINILM,
    protocol: str = CORRECTED.name,
    depth: int = DEPTH,
    worst: int = 20,
    out: Path | None = None,
) -> Path:
    """Write the page of a query, or without one the pages of the worst queries and their index.

    Args:
        where: pages go below its ``build/inspector`` unless ``out`` says otherwise.
        collection: its name.
        query: a query id.
        chunkers: slugs; each is one column, and the worst queries are worst over all of them.
        encoder: its slug or hub id.
        protocol: the one whose chunks are drawn; measures are given under it and under ``SCORED``.
        depth: chunks taken as read.
        worst: pages written beside an index.
        out: the page's file, or the index's; its pages go into a folder of its name beside it.

    Returns:
        The file written, of several the index.

    Raises:
        InspectorError: if the query is unknown, or ``out`` may not be written.
        ConditionError: if a collection, encoder or protocol is unknown or cannot be had here.
        ValueError: if a chunker is unknown.
    """
    if depth < 1 or worst < 1:
        raise InspectorError(f"depth and worst must be at least 1, not {depth} and {worst}")
    conditions = conditions_of(collection, chunkers, encoder.replace("/", "__"), protocol)
    target = _target(where, conditions, query, depth, out)
    loaded = replace(load_collection(collection), name=collection)
    ids = judged_ids(loaded) if query is None else [_known(loaded, query)]
    store = load_store(conditions[0].encoder, where.vectors)
    pages = inspect(loaded.only(ids), conditions, store, where.vectors, depth)
    texts = {document.id: document.text for document in loaded.documents}
    if query is not None:
        write_text(target, render(pages[0], texts))
        return target
    return write_worst(pages, texts, target, worst)


def write_worst(
    pages: list[Page], texts: dict[str, str], target: Path, worst: int, of: int = 0
) -> Path:
    """Write the pages of the worst queries, and the index of all at ``target``; ``of`` says of how
    many queries these were the worst already."""
    pages = sorted(pages, key=recall)
    links = {page.query.id: f"{target.stem}/{file_name(page.query.id)}" for page in pages[:worst]}
    for page in pages[:worst]:
        html = render(page, texts, index=f"../{target.name}")
        write_text(target.parent / links[page.query.id], html)
    write_text(target, render_index(pages, links, of))
    return target


def refuse_committed(path: Path) -> None:
    """Refuse a place inside a checkout other than its ``build``.

    Raises:
        InspectorError: since pages show documents that may be someone else's.
    """
    try:
        checkout = places.find()
    except FileNotFoundError:
        return
    inside, root = path.resolve(), checkout.root.resolve()
    if inside.is_relative_to(root) and not inside.is_relative_to(checkout.build.resolve()):
        raise InspectorError(
            f"{path} would be committed with the project, and the page shows documents that may "
            "be someone else's; write it below build/ or outside the checkout"
        )


def inspect(
    collection: Collection,
    conditions: Sequence[Condition],
    store: VectorStore,
    vectors: Path,
    depth: int,
) -> list[Page]:
    """Every query of the collection under every condition, in the collection's order; ``vectors``
    is the folder of a model that draws boundaries for the evaluated one."""
    searched: dict[str, dict[str, Searched]] = {}
    for condition in conditions:
        boundaries = boundary_store(condition, vectors)
        searched[condition.chunker] = {
            name: search(replace(condition, protocol=name), collection, store, boundaries)
            for name in dict.fromkeys((*SCORED, condition.protocol))
        }
    return pages_of(collection, searched, conditions[0].protocol, depth)


def pages_of(
    collection: Collection,
    searched: Mapping[str, Mapping[str, Searched]],
    protocol: str,
    depth: int,
) -> list[Page]:
    """Every query of the collection, in its order.

    Args:
        collection: with the queries.
        searched: by the name of a column, and by protocol: what was found.
        protocol: the one whose chunks are drawn.
        depth: chunks taken as read.
    """
    columns: list[list[Column]] = [[] for _ in collection.queries]
    for name, by_protocol in searched.items():
        drawn = by_protocol[protocol]
        values = {of: under.measures(depth) for of, under in by_protocol.items()}
        for i, inspection in enumerate(drawn.inspect(depth, MAP_CONTEXT)):
            measures = {
                of: {measure: float(value[i]) for measure, value in measured.items()}
                for of, measured in values.items()
            }
            columns[i].append(
                Column(name, drawn.encoder, inspection, diagnose(inspection), measures)
            )
    return [
        Page(collection.name, protocol, query, collection.groups.get(query.id, ""), tuple(of_query))
        for query, of_query in zip(collection.queries, columns, strict=True)
    ]


def conditions_of(
    collection: str, chunkers: Sequence[str], encoder: str, protocol: str
) -> list[Condition]:
    """A condition per chunker, each once.

    Raises:
        ConditionError: if one cannot be inspected, with the reason.
    """
    if encoder == NONE:
        raise ConditionError("the inspector shows ranks, so it needs an encoder; name one")
    found = [
        Condition(collection, chunker, encoder, "pre_embedding", protocol)
        for chunker in dict.fromkeys(chunkers)
    ]
    for condition in found:
        if reason := reason_not_run(condition):
            raise ConditionError(f"{condition} cannot be inspected: {reason}")
    return found


def _target(
    where: Places,
    conditions: Sequence[Condition],
    query: str | None,
    depth: int,
    out: Path | None,
) -> Path:
    """The file to write; inside the checkout only ``build`` may hold one."""
    if out is None:
        first = conditions[0]
        folder = "+".join(condition.chunker for condition in conditions)
        if first.encoder != MINILM:
            folder += f"@{first.encoder}"
        if first.protocol != CORRECTED.name:
            folder += f"@{first.protocol}"
        if depth != DEPTH:
            folder += f"@{depth}"
        name = "index.html" if query is None else file_name(query)
        return where.build / "inspector" / first.collection / _short(folder) / name
    refuse_committed(out)
    path = out.resolve()
    if path.suffix != ".html" or path.is_dir():
        raise InspectorError(f"--out {out} must name a file that ends in .html")
    return path


def file_name(query: str) -> str:
    """A file name for a query id, which may hold anything."""
    return f"{_short(query)}.html"


def _short(name: str) -> str:
    """The name if it is safe and short, else what is left of it with a digest."""
    safe = re.sub(r"[^A-Za-z0-9_@+.-]", "-", name).lstrip(".")[:120]
    if safe and safe == name:
        return safe
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def judged_ids(collection: Collection) -> list[str]:
    """The queries that have a judged excerpt, in the collection's order."""
    judged = {j.query for j in collection.judgments if j.grade > 0}
    return [query.id for query in collection.queries if query.id in judged]


def _known(collection: Collection, query: str) -> str:
    ids = judged_ids(collection)
    if query in ids:
        return query
    if any(one.id == query for one in collection.queries):
        raise InspectorError(
            f"query {query!r} of {collection.name} has no judged excerpt; choose one that has"
        )
    near = difflib.get_close_matches(query, ids, n=3)
    hint = f"perhaps {' or '.join(near)}" if near else f"ids run from {ids[0]} to {ids[-1]}"
    raise InspectorError(
        f"{collection.name} has no query {query!r} ({hint}); `chunkstudy inspect "
        f"{collection.name}` lists them all"
    )


def recall(page: Page) -> tuple[float, float]:
    """Worst first: mean recall over the chunkers, then mean IoU."""
    found = [column.inspection.measures for column in page.columns]
    return (
        sum(measures["SpanRecall"] for measures in found),
        sum(measures["SpanIoU"] for measures in found),
    )
