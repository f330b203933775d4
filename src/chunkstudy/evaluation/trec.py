"""Rankings and judgments as trec_eval reads them: runs and qrels, a line a result.

White space, which separates the columns, and the percent sign are written as URLs write them, so
that :func:`name` can be undone with ``urllib.parse.unquote``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.files import write_text
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.ranking import judged_documents
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each

UNSAFE = re.compile(r"[\s%]")


def name(text: str) -> str:
    """An id without white space."""
    return UNSAFE.sub(
        lambda match: "".join(f"%{b:02X}" for b in match[0].encode("utf-8", "replace")), text
    )


def chunk_names(collection: Collection, chunks: Chunks) -> list[str]:
    """A chunk is named by its document and its characters, as in ``rye.md:0-120``."""
    ids = [document.id for document in collection.documents]
    spans = zip(chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True)
    return [f"{ids[document]}:{start}-{end}" for document, start, end in spans]


def write_run(
    path: Path, collection: Collection, ranking: Ranking, names: Sequence[str], tag: str
) -> None:
    """A run: query, Q0, what was found, rank, a score that falls with the rank, tag.

    trec_eval orders by score and breaks ties by id; scores here are those of the rank, so that the
    order is kept.

    Args:
        path: the file.
        collection: whose queries were asked.
        ranking: of chunks, or of documents.
        names: of each that can be ranked.
        tag: of the run.
    """
    depth, tag = ranking.chunk.shape[1], name(tag)
    lines = []
    for query, row in zip(collection.queries, ranking.chunk.tolist(), strict=True):
        for rank, item in enumerate((index for index in row if index != NO_CHUNK), start=1):
            score = depth + 1 - rank
            lines.append(f"{name(query.id)} Q0 {name(names[item])} {rank} {score} {tag}\n")
    write_text(path, "".join(lines))


def write_qrels(path: Path, judged: Iterable[tuple[str, str, int]]) -> None:
    """Judgments: query, 0, what is judged, grade."""
    rows = (f"{name(query)} 0 {name(item)} {grade}\n" for query, item, grade in judged)
    write_text(path, "".join(rows))


def of_documents(collection: Collection) -> list[tuple[str, str, int]]:
    """Documents that are judged or hold a judged span, absent ones included."""
    return [
        (query, document, grade)
        for query, grades in judged_documents(collection).items()
        for document, grade in grades.items()
    ]


def write_rankings(
    base: Path,
    collection: Collection,
    ranking: Ranking,
    chunks: Chunks | None = None,
    hits: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> None:
    """The run of the documents that a system ranks and, where it ranks chunks, theirs, with the
    qrels of those that hit a judged span.

    Args:
        base: the files' path but for what they hold; its name is the runs' tag.
        collection: whose queries were asked.
        ranking: of chunks where these are given, else of documents.
        hits: query and chunk, as ``TokenOverlap.hit_pairs`` gives them.
    """
    if chunks is not None and hits is not None:
        names = chunk_names(collection, chunks)
        write_run(Path(f"{base}.chunks.run"), collection, ranking, names, base.name)
        pairs = zip(*(indices.tolist() for indices in hits), strict=True)
        judged = ((collection.queries[query].id, names[chunk], 1) for query, chunk in pairs)
        write_qrels(Path(f"{base}.chunks.qrels"), judged)
        ranking = best_of_each(ranking, chunks.document)
    ids = [document.id for document in collection.documents]
    write_run(Path(f"{base}.documents.run"), collection, ranking, ids, base.name)
