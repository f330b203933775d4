"""A user's own collection: a folder with ``documents/`` and ``questions.jsonl``, as `chunkstudy
generate` writes it; the file is that of ``own_questions``."""

from __future__ import annotations

import os
import re
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection, SpanError
from chunkstudy.collections import own_documents, own_questions
from chunkstudy.collections.own_questions import Task

DOCUMENTS, QUESTIONS = "documents", "questions.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What a collection may be called: its name is a part of a path."""


def collections_folder() -> Path:
    """Where collections of one's own lie: CHUNKSTUDY_COLLECTIONS, else ``build/collections`` of the
    checkout, or of the folder here where there is none."""
    named = os.environ.get("CHUNKSTUDY_COLLECTIONS")
    return Path(named) if named else places.here().build / "collections"


def find(name: str) -> Path | None:
    """The folder of a collection of one's own, None where there is none of that name."""
    if not NAME.fullmatch(name):
        return None
    folder = collections_folder() / name
    return folder if (folder / QUESTIONS).is_file() else None


def load(folder: Path) -> Collection:
    """The collection in a folder, called as the folder is; of an excerpt that stands in several
    places the first is judged.

    Raises:
        SourceError: if a file is missing.
        SpanError: if a line is not what it should be, or anything cannot be placed.
    """
    questions = folder / QUESTIONS
    if not questions.is_file():
        raise SourceError(f"{questions} is missing; `chunkstudy generate` writes such a file")
    judged = own_questions.read(questions, own_documents.read(folder / DOCUMENTS), folder.name)
    for one in judged.lost:
        raise one
    for line in judged.without:
        raise SpanError(
            f"{questions}, line {line} needs excerpts or documents; add what answers it"
        )
    return judged.collection


def task(folder: Path) -> Task:
    """What is asked of the collection in a folder."""
    asked = own_questions.parse(own_questions.lines(folder / QUESTIONS), str(folder / QUESTIONS))
    return "in_corpus" if any(one.documents for one in asked.values()) else "token_overlap"
