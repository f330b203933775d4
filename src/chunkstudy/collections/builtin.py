"""The built-in collection: original documents in the manner of Chroma's five domains, and a story.

Plain files under ``data/builtin``: ``documents/<domain>/<name>`` and ``queries/<set>.jsonl``, a
query a line with its excerpts (each stands exactly once in its document) and graded document
judgments (2 answers, 1 is related).
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from chunkstudy.core.spans import Collection, Document, Judgment, Query

FOLDER = Path(str(resources.files("chunkstudy"))) / "data" / "builtin"


def load() -> Collection:
    """Documents, queries and excerpts, for token overlap."""
    documents = load_documents()
    texts = {document.id: document.text for document in documents}
    judgments = []
    queries = []
    groups = {}
    for record in records():
        queries.append(Query(record["id"], record["query"]))
        for excerpt in record["excerpts"]:
            name, text = excerpt["document"], excerpt["text"]
            start = texts[name].index(text)
            judgments.append(Judgment(record["id"], name, start, start + len(text)))
            groups[record["id"]] = name.split("/")[0]
    return Collection("builtin", documents, tuple(queries), tuple(judgments), groups)


def load_graded() -> Collection:
    """The same queries with graded judgments of whole documents, for in-corpus retrieval."""
    documents = load_documents()
    lengths = {document.id: len(document.text) for document in documents}
    judgments = tuple(
        Judgment(record["id"], name, 0, lengths[name], grade)
        for record in records()
        for name, grade in record["documents"].items()
    )
    queries = tuple(Query(record["id"], record["query"]) for record in records())
    return Collection("builtin", documents, queries, judgments)


def load_documents() -> tuple[Document, ...]:
    """Every document, its path below ``documents`` as its id, in sorted order."""
    root = FOLDER / "documents"
    return tuple(
        Document(path.relative_to(root).as_posix(), path.read_bytes().decode("utf-8"))
        for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix())
        if path.is_file()
    )


def records() -> list[dict[str, Any]]:
    """Every query as its line has it."""
    return [
        json.loads(line)
        for path in sorted((FOLDER / "queries").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
