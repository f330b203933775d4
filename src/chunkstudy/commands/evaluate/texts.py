"""What is evaluated on: somebody's documents and questions, in any of the forms they come in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chunkstudy.base.spans import Collection, Judgment
from chunkstudy.collections import beir, own, own_documents, own_questions
from chunkstudy.collections.own_documents import OwnDocuments
from chunkstudy.collections.own_questions import Task
from chunkstudy.commands.evaluate.arms import EvaluationError

Documents = str | Path | Mapping[str, str]
Questions = str | Path | Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True)
class Texts:
    """A collection and what is asked of it.

    Attributes:
        collection: without queries where there are no questions yet.
        task: what is asked.
        notes: in a sentence each, what was left out.
        copies: of a judged excerpt, the other places that answer as well.
    """

    collection: Collection
    task: Task
    notes: tuple[str, ...] = ()
    copies: Mapping[Judgment, tuple[Judgment, ...]] = field(default_factory=dict)


def read(documents: Documents, questions: Questions = None, name: str = "") -> Texts:
    """Documents and questions as a collection.

    Args:
        documents: a folder of texts, a file with a document a line, a folder in BEIR's form, what
            `chunkstudy generate` wrote, or texts by name.
        questions: a file with a question a line, or questions as such lines hold them; none where
            the documents come with their own, or there are none yet.
        name: what the collection is called; after the documents if empty.

    Raises:
        EvaluationError, SourceError, SpanError: if one cannot be read.
    """
    if isinstance(documents, Mapping):
        entries = [(f"document {key!r}", {"id": key, "text": t}) for key, t in documents.items()]
        return _judged(own_documents.from_entries(entries, "documents"), questions, name or "texts")
    path = Path(documents).expanduser()
    asked = Path(questions).expanduser() if isinstance(questions, str | Path) else questions
    called = name or re.sub(r"[^A-Za-z0-9_.-]+", "-", path.resolve().stem).strip("-.") or "texts"
    if not own.NAME.fullmatch(called):
        raise EvaluationError(
            f"{called!r} cannot be a folder's name; use letters, digits, dots, hyphens"
        )
    if asked is None and beir.is_folder(path):
        return _in_beirs_form(path, called)
    if beir.is_folder(path):  # its documents, with other questions
        path = path / "corpus.jsonl"
    if asked is None and _generated(path):
        path, asked = path / own.DOCUMENTS, path / own.QUESTIONS
    return _judged(own_documents.read_any(path), asked, called)


def brings_questions(documents: Documents) -> bool:
    """Whether documents come with questions of their own."""
    if isinstance(documents, Mapping):
        return False
    path = Path(documents).expanduser()
    return beir.is_folder(path) or _generated(path)


def _generated(path: Path) -> bool:
    return (path / own.QUESTIONS).is_file() and (path / own.DOCUMENTS).is_dir()


def _judged(
    documents: OwnDocuments, questions: Path | Sequence[Mapping[str, Any]] | str | None, name: str
) -> Texts:
    titles = {name: documents.texts[name][: n - 1] for name, n in documents.before.items()}
    left_out = [f"{documents}."] if documents.left_out else []
    if questions is None:
        collection = Collection(name, documents.documents, (), (), titles=titles)
        return Texts(collection, "token_overlap", tuple(left_out))
    if isinstance(questions, str | Path):
        found = own_questions.read(Path(questions).expanduser(), documents, name)
    else:
        found = own_questions.judge(list(enumerate(questions, start=1)), documents, name)
    notes = (*left_out, *found.notes)
    return Texts(replace(found.collection, titles=titles), found.task, notes, found.copies)


def _in_beirs_form(path: Path, name: str) -> Texts:
    found = beir.load_folder(path, name)
    notes = []
    if found.absent:
        notes.append(
            f"{len(found.absent)} judged documents are missing or empty; they count as never found."
        )
    if found.skips_own_id:
        notes.append("Queries that are documents of the collection never retrieve themselves.")
    return Texts(found, "in_corpus", tuple(notes))
