"""The built-in collection: original documents in the manner of Chroma's five domains, and a story.

Plain files under ``data/builtin``: ``documents/<domain>/<name>`` and ``queries/<set>.jsonl``, a
query a line with its excerpts (checked: each stands exactly once in its document) and graded
document judgments (2 answers, 1 is related).
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from chunkstudy.base.spans import Collection, Document, Judgment, Query, SpanError

FOLDER = Path(str(resources.files("chunkstudy"))) / "data" / "builtin"


def load(folder: Path = FOLDER) -> Collection:
    """Documents, queries and excerpts, for token overlap.

    Raises:
        SpanError: if an excerpt is not exactly once in its document, or the document is missing.
    """
    documents = load_documents(folder)
    texts = {document.id: document.text for document in documents}
    judgments = []
    queries = []
    groups = {}
    for record in _records(folder):
        queries.append(Query(record["id"], record["query"]))
        for excerpt in record["excerpts"]:
            name, text = excerpt["document"], excerpt["text"]
            if name not in texts:
                raise SpanError(f"query {record['id']} names document {name!r}, which is missing")
            if (times := texts[name].count(text)) != 1:
                raise SpanError(
                    f"query {record['id']}: the excerpt {text[:40]!r} stands {times} times in "
                    f"{name}; an excerpt must stand exactly once"
                )
            start = texts[name].index(text)
            judgments.append(Judgment(record["id"], name, start, start + len(text)))
            groups[record["id"]] = name.split("/")[0]
    return Collection("builtin", documents, tuple(queries), tuple(judgments), groups)


def load_graded(folder: Path = FOLDER) -> Collection:
    """The same queries with graded judgments of whole documents, for in-corpus retrieval."""
    documents = load_documents(folder)
    lengths = {document.id: len(document.text) for document in documents}
    records = _records(folder)
    judgments = tuple(
        Judgment(record["id"], name, 0, lengths.get(name, 0), grade)
        for record in records
        for name, grade in record["documents"].items()
    )
    queries = tuple(Query(record["id"], record["query"]) for record in records)
    return Collection("builtin", documents, queries, judgments)


def load_documents(folder: Path = FOLDER) -> tuple[Document, ...]:
    """Every document, its path below ``documents`` as its id, in sorted order."""
    root = folder / "documents"
    return tuple(
        Document(path.relative_to(root).as_posix(), path.read_bytes().decode("utf-8"))
        for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix())
        if path.is_file()
    )


def _records(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((folder / "queries").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
