"""Inspections kept with the project, so that the site's pages of queries need no encoder.

``results/inspections/<collection>.json`` says of every query why it was found or missed, with
what the inspections were made. Of the collection written for this project the worst queries are
kept whole, so that their pages can be drawn again; of any other, whose texts are someone else's,
ids, ranks and causes only.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.faults import first_fault
from chunkstudy.files import write_json
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.records import Sha256
from chunkstudy.grid.run import load_collection, load_store
from chunkstudy.grid.study_runs import describe
from chunkstudy.places import Places
from chunkstudy.site import inspector
from chunkstudy.site.diagnosis import Diagnosis
from chunkstudy.site.inspection import (
    Alone,
    Excerpt,
    Inspection,
    RankedChunk,
    covered,
    only_queries,
)
from chunkstudy.site.inspector_page import Column, Page
from chunkstudy.spans import Collection, Query

OWN_TEXT = ("builtin",)
"""Collections whose texts may be shown."""
COLLECTIONS = ("builtin", "chroma", "gutenqa-emma")
WHOLE = 24
"""Queries kept whole of a collection whose texts may be shown, the worst first."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptColumn(_Strict):
    """One chunker's outcome for one query.

    Attributes:
        recall, precision, iou: at the depth, as fractions.
        complete_at: how many of the first chunks hold every excerpt whole; None if all do not.
        best_rank: of the chunks that touch an excerpt.
        alone: the best rank that an excerpt would have as a chunk of its own.
    """

    cause: str
    sentence: str
    recall: float
    precision: float
    iou: float
    alone: int
    complete_at: int | None = None
    best_rank: int | None = None


class KeptQuery(_Strict):
    id: str
    part: str
    columns: list[KeptColumn]
    whole: list[dict[str, Any]] | None = None
    """Of each column, its inspection and its measures by protocol."""


class Chunker(_Strict):
    name: str
    chunks: Annotated[int, Field(gt=0)]


class Kept(_Strict):
    """What became of a collection's queries, and what they were inspected with."""

    schema_version: int = 1
    collection: str
    sha256: Sha256
    encoder: str
    model: dict[str, Any]
    protocol: str
    depth: Annotated[int, Field(gt=0)]
    chunkers: list[Chunker]
    queries: list[KeptQuery]

    def counts(self) -> dict[str, list[int]]:
        """Queries by cause, of each chunker in order."""
        causes = {c.cause for query in self.queries for c in query.columns}
        return {
            cause: [sum(q.columns[i].cause == cause for q in self.queries) for i in self._places]
            for cause in causes
        }

    def mean_recall(self) -> list[float]:
        """Of each chunker, over the queries."""
        return [float(np.mean([q.columns[i].recall for q in self.queries])) for i in self._places]

    @property
    def _places(self) -> range:
        return range(len(self.chunkers))


class KeptError(RuntimeError):
    """A file of kept inspections that is not what it should be."""


def file(places: Places, collection: str) -> Path:
    return places.results / "inspections" / f"{collection}.json"


def keep(places: Places, collection: str, depth: int = inspector.DEPTH) -> Path:
    """Inspect every query of a collection with the default chunkers and model, and write it down.

    Raises:
        ConditionError: if the collection cannot be had here.
    """
    conditions = inspector.conditions_of(collection, inspector.CHUNKERS, MINILM, "corrected")
    loaded = load_collection(collection)
    store = load_store(MINILM, places.vectors)
    judged = only_queries(loaded, inspector.judged_ids(loaded))
    pages = inspector.inspect(judged, conditions, store, depth)
    pages.sort(key=inspector.recall)
    whole = WHOLE if collection in OWN_TEXT else 0
    found = Kept(
        collection=collection,
        sha256=str(describe(loaded)["sha256"]),
        encoder=MINILM,
        model=store.encoder.describe(),
        protocol=conditions[0].protocol,
        depth=depth,
        chunkers=[
            Chunker(name=one.chunker, chunks=one.inspection.chunk_count) for one in pages[0].columns
        ],
        queries=[kept_query(page, at < whole) for at, page in enumerate(pages)],
    )
    path = file(places, collection)
    write_json(path, found.model_dump(mode="json", exclude_none=True))
    return path


def read(places: Places, collection: str) -> Kept:
    """The kept inspections of a collection.

    Raises:
        KeptError: if there are none, or the file is not what it should be.
    """
    path = file(places, collection)
    if not path.exists():
        raise KeptError(
            f"no inspections of {collection} are kept; `chunkstudy inspect {collection} --keep` "
            "writes them"
        )
    try:
        return Kept.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        where, fault = first_fault(error)
        raise KeptError(f"{path.name} is not as it was written ({where}: {fault})") from error


def page(kept: Kept, query: KeptQuery, collection: Collection) -> Page:
    """The inspector's page of a query that was kept whole, as it was before it was written.

    Raises:
        KeptError: if the query was not kept whole.
    """
    if query.whole is None:
        raise KeptError(f"query {query.id} of {kept.collection} was kept without its chunks")
    asked = next(one for one in collection.queries if one.id == query.id)
    texts = {document.id: document.text for document in collection.documents}
    columns = [
        Column(
            _inspection(kept, asked, chunker, one["inspection"], texts),
            Diagnosis(column.cause, column.sentence),
            one["measures"],
        )
        for chunker, column, one in zip(kept.chunkers, query.columns, query.whole, strict=True)
    ]
    return Page(asked, query.part, tuple(columns))


def kept_query(page: Page, whole: bool) -> KeptQuery:
    """What is kept of a page, with or without its chunks."""
    kept = [_column(one) for one in page.columns]
    bodies = [{"inspection": _body(c.inspection), "measures": c.measures} for c in page.columns]
    return KeptQuery(
        id=page.query.id, part=page.part, columns=kept, whole=_rounded(bodies) if whole else None
    )


def _column(column: Column) -> KeptColumn:
    found = column.inspection
    ranks = [chunk.rank for excerpt in found.excerpts for chunk in excerpt.chunks]
    return KeptColumn(
        cause=column.diagnosis.cause,
        sentence=column.diagnosis.sentence,
        recall=_rounded(found.measures["SpanRecall"]),
        precision=_rounded(found.measures["SpanPrecision"]),
        iou=_rounded(found.measures["SpanIoU"]),
        complete_at=found.complete_at,
        best_rank=min(ranks, default=None),
        alone=min(excerpt.alone.rank for excerpt in found.excerpts),
    )


def _body(inspection: Inspection) -> dict[str, Any]:
    """An inspection without what its document and chunks tell."""
    return {
        "measures": inspection.measures,
        "retrieved": [asdict(chunk) for chunk in inspection.retrieved],
        "excerpts": [
            {
                "document": one.document,
                "start": one.start,
                "end": one.end,
                "around": [asdict(chunk) for chunk in one.around],
                "complete_at": one.complete_at,
                "alone": list(one.alone),
                "copies": [asdict(chunk) for chunk in one.copies],
            }
            for one in inspection.excerpts
        ],
    }


def _inspection(
    kept: Kept, query: Query, chunker: Chunker, body: dict[str, Any], texts: dict[str, str]
) -> Inspection:
    retrieved = _chunks(body["retrieved"])
    return Inspection(
        Condition(kept.collection, chunker.name, kept.encoder, "pre_embedding", kept.protocol),
        query,
        kept.depth,
        tuple(
            _excerpt(number, one, retrieved, texts)
            for number, one in enumerate(body["excerpts"], start=1)
        ),
        retrieved,
        body["measures"],
        chunker.chunks,
    )


def _excerpt(
    number: int, body: dict[str, Any], retrieved: tuple[RankedChunk, ...], texts: dict[str, str]
) -> Excerpt:
    span = (body["document"], body["start"], body["end"])
    around = _chunks(body["around"])
    return Excerpt(
        number,
        *span,
        texts[span[0]][span[1] : span[2]],
        tuple(chunk for chunk in around if chunk.shared(*span)),
        around,
        covered(span, retrieved),
        covered(span, around),
        body.get("complete_at"),
        Alone(*body["alone"]),
        _chunks(body["copies"]),
    )


def _chunks(found: list[dict[str, Any]]) -> tuple[RankedChunk, ...]:
    return tuple(RankedChunk(**one) for one in found)


def _rounded(found: Any) -> Any:
    """Numbers to six decimals: more than a page shows, fewer than machines disagree on."""
    if isinstance(found, float):
        return round(found, 6)
    if isinstance(found, dict):
        return {key: _rounded(value) for key, value in found.items()}
    return [_rounded(one) for one in found] if isinstance(found, list) else found
