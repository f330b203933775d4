"""The code collection of Anthropic's guide to contextual retrieval: source files, and questions
with the chunks that answer them.

Source: anthropics/claude-cookbooks at the commit below, MIT; the code is that of nine open projects
with their own licences. The guide's chunks partition its files, so its judged chunks are spans.
The questions were written by a language model that saw the chunks: they favour that cut.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import accumulate
from typing import Any

from chunkstudy.core import sources
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.spans import Collection, Document, Judgment, Query, Span, text_digest

ALL, FOLDER = "contextual-code", "contextual_code"
COMMIT = "4b36a1e1f64361397f4cbe4fbc7cdace338f16f8"
HOME = (
    f"https://raw.githubusercontent.com/anthropics/claude-cookbooks/{COMMIT}"
    "/skills/contextual-embeddings/data"
)


def load() -> Collection:
    """All files searched together; a file's title is its path, which stands beside its questions.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    files = {row["original_uuid"]: (row["doc_id"], row["content"]) for row in _files()}
    spans = {row["original_uuid"]: _spans(row["doc_id"]) for row in _files()}
    queries, judgments, paths = [], [], {}
    for number, line in enumerate(sources.read(FOLDER, "evaluation_set.jsonl", HOME).splitlines()):
        row = json.loads(line)
        queries.append(Query(str(number), row["query"]))
        for identifier, chunk in dict.fromkeys(map(tuple, row["golden_chunk_uuids"])):
            span = spans[identifier][chunk]
            judgments.append(Judgment(str(number), files[identifier][0], *span))
            paths[files[identifier][0]] = row["meta"]["relative_path"].lstrip("/")
    documents = tuple(Document(*row) for row in files.values())
    return Collection(ALL, documents, tuple(queries), tuple(judgments), titles=paths)


def guides_chunks(text: str) -> list[Span]:
    """The chunks into which the guide cut one of its files.

    Raises:
        ResourceError: for another text.
    """
    names = {text_digest(row["content"]): row["doc_id"] for row in _files()}
    if text_digest(text) not in names:
        raise ResourceError("the guide cut no such file; use another chunker")
    return _spans(names[text_digest(text)])


@lru_cache(maxsize=1)
def _files() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(sources.read(FOLDER, "codebase_chunks.json", HOME))
    return rows


def _spans(file: str) -> list[Span]:
    """Where the guide's chunks of a file stand, by their number."""
    row = next(row for row in _files() if row["doc_id"] == file)
    ends = list(accumulate(len(chunk["content"]) for chunk in row["chunks"]))
    return list(zip([0, *ends], ends, strict=False))
