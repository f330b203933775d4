"""What is evaluated on: somebody's documents and questions, in any of the forms they come in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkstudy.base.spans import Collection
from chunkstudy.collections import beir, own, own_documents, own_questions
from chunkstudy.collections.own import Task
from chunkstudy.collections.own_documents import OwnDocuments
from chunkstudy.commands.evaluate.arms import EvaluationError

Documents = str | Path | Mapping[str, str]
Questions = str | Path | Sequence[Mapping[str, Any]] | None
OFFER = (
    "questions are missing: name a file with --questions (docs/your-own-data.md shows its lines), "
    "or let a language model write some, `chunkstudy generate {} --model openai/gpt-4o-mini "
    "--dry-run`"
)


@dataclass(frozen=True)
class Texts:
    """A collection, what is asked of it, and in a sentence each what was left out of it."""

    collection: Collection
    task: Task
    notes: tuple[str, ...]


def read(documents: Documents, questions: Questions = None, name: str = "") -> Texts:
    """Documents and questions as a collection.

    Args:
        documents: a folder of texts, a file with a document a line, a folder in BEIR's form, what
            `chunkstudy generate` wrote, or texts by name.
        questions: a file with a question a line, or questions as such lines hold them; none where
            the documents come with their own.
        name: what the collection is called; after the documents if empty.

    Raises:
        EvaluationError: if there are no questions.
        SourceError, SpanError: if one cannot be read.
    """
    if isinstance(documents, Mapping):
        entries = [(f"document {key!r}", {"id": key, "text": t}) for key, t in documents.items()]
        return _judged(own_documents.from_entries(entries, "documents"), questions, name or "texts")
    path = Path(documents).expanduser()
    called = name or re.sub(r"[^A-Za-z0-9_.-]+", "-", path.resolve().stem).strip("-.") or "texts"
    if not own.NAME.fullmatch(called):
        raise EvaluationError(
            f"{called!r} cannot be a folder's name; use letters, digits, dots, hyphens"
        )
    if questions is None and beir.is_folder(path):
        return _in_beirs_form(path, called)
    if beir.is_folder(path):  # its documents, with other questions
        path = path / "corpus.jsonl"
    if questions is None and (path / own.QUESTIONS).is_file() and (path / own.DOCUMENTS).is_dir():
        path, questions = path / own.DOCUMENTS, path / own.QUESTIONS
    return _judged(own_documents.read_any(path), questions, called, str(documents))


def _judged(documents: OwnDocuments, questions: Questions, name: str, where: str = "") -> Texts:
    if questions is None:
        raise EvaluationError(OFFER.format(where or "FOLDER"))
    if isinstance(questions, str | Path):
        found = own_questions.read(Path(questions).expanduser(), documents, name)
    else:
        found = own_questions.judge(list(enumerate(questions, start=1)), documents, name)
    left_out = [f"{documents}."] if documents.left_out else []
    return Texts(found.collection, found.task, (*left_out, *found.notes))


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
