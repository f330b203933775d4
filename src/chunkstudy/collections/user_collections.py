"""A user's own collection: documents and questions in any of the forms they come in.

One form has a name and is found by it: a folder with ``documents/`` and ``questions.jsonl``, as
`chunkstudy generate` writes it; the file is that of ``own_questions``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chunkstudy.collections import beir, user_documents, user_questions
from chunkstudy.collections.user_questions import Judged, Task
from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.core.project import project_or_working_folder
from chunkstudy.core.settings import Settings
from chunkstudy.core.spans import Collection

Documents = str | Path | Mapping[str, str]
Questions = str | Path | Sequence[Mapping[str, Any]] | None

DOCUMENTS, QUESTIONS = "documents", "questions.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What a collection may be called: its name is a part of a path."""


def collections_folder() -> Path:
    """Where collections of one's own lie: CHUNKSTUDY_COLLECTIONS, else ``build/collections`` of the
    checkout, or of the folder here where there is none."""
    return Settings.from_env().collections or project_or_working_folder().build / "collections"


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
        ResourceError: if a file is missing.
        UserError: if a line is not what it should be, or anything cannot be placed.
    """
    documents = user_documents.read(folder / DOCUMENTS)
    judged = user_questions.read(folder / QUESTIONS, documents, folder.name)
    if judged.none or judged.faults:
        raise UserError(judged.none or str(judged.faults[0]))
    return judged.collection


def task(folder: Path) -> Task:
    """What is asked of the collection in a folder."""
    return user_questions.task(user_questions.parse(folder / QUESTIONS))


def read(documents: Documents, questions: Questions = None, name: str = "") -> Judged:
    """Documents and questions as a collection, as :func:`looked_up` gives them.

    Raises:
        ResourceError, UserError: if one cannot be read, or no question can be judged.
    """
    judged = looked_up(documents, questions, name)
    if judged.none:
        raise UserError(judged.none)
    return judged


def looked_up(documents: Documents, questions: Questions = None, name: str = "") -> Judged:
    """Documents and questions as a collection, with an account of what was left out.

    Args:
        documents: a folder of texts, a file with a document a line, a folder in BEIR's form, what
            `chunkstudy generate` wrote, or texts by name.
        questions: a file with a question a line, or questions as such lines hold them; none where
            the documents come with their own, or there are none yet.
        name: what the collection is called; after the documents if empty.

    Raises:
        ResourceError, UserError: if one cannot be read.
    """
    if isinstance(documents, Mapping):
        entries = [(f"document {key!r}", {"id": key, "text": t}) for key, t in documents.items()]
        texts = user_documents.from_entries(entries, "documents")
        name = collection_name(documents, name)
    else:
        path = Path(documents).expanduser()
        name = collection_name(documents, name)
        if not NAME.fullmatch(name):
            raise ResourceError(
                f"{name!r} cannot be a folder's name; use letters, digits, dots, hyphens"
            )
        if questions is None and beir.is_folder(path):
            return _in_beirs_form(path, name)
        if beir.is_folder(path):  # its documents, with other questions
            path = path / "corpus.jsonl"
        if questions is None and _is_generated(path):
            path, questions = path / DOCUMENTS, path / QUESTIONS
        texts = user_documents.read(path)
    left_out = (f"{texts}.",) if texts.left_out else ()
    if questions is None:
        collection = Collection(name, texts.documents, (), (), titles=texts.titles)
        return Judged(collection, "token_overlap", left_out)
    if isinstance(questions, str | Path):
        questions = Path(questions).expanduser()
    judged = user_questions.read(questions, texts, name)
    return replace(judged, notes=(*left_out, *judged.notes))


def collection_name(documents: Documents, name: str = "") -> str:
    """Return the given name, or one made of the name of the documents' folder or file."""
    if name or isinstance(documents, Mapping):
        return name or "texts"
    stem = Path(documents).expanduser().resolve().stem
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-.") or "texts"


def brings_questions(documents: Documents) -> bool:
    """Whether documents come with questions of their own."""
    if isinstance(documents, Mapping):
        return False
    path = Path(documents).expanduser()
    return beir.is_folder(path) or _is_generated(path)


def _is_generated(path: Path) -> bool:
    return (path / QUESTIONS).is_file() and (path / DOCUMENTS).is_dir()


def _in_beirs_form(path: Path, name: str) -> Judged:
    collection = beir.load_folder(path, name)
    notes = []
    if collection.absent:
        notes.append(
            f"{len(collection.absent)} judged documents are missing or empty; they count as never "
            "found."
        )
    if collection.skips_own_id:
        notes.append("Queries that are documents of the collection never retrieve themselves.")
    return Judged(collection, "in_corpus", tuple(notes))
