"""A user's own collection: a folder with ``documents/`` and ``questions.jsonl``.

The file is described in docs/generation.md. A question a line, judged either by excerpts or by
whole documents, all lines alike::

    {"id": "7", "question": "…", "excerpts": [{"document": "a.md", "start": 10, "end": 42,
     "text": "…"}]}
    {"id": "8", "question": "…", "documents": {"a.md": 2, "b.md": 1}}

Of an excerpt either offsets or text may be left out; offsets count characters from 0, ``end`` is
the first one that is no longer in it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base import places
from chunkstudy.base.faults import first_fault
from chunkstudy.base.files import write_text
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection, Judgment, Query, Span, SpanError
from chunkstudy.collections import own_documents
from chunkstudy.collections.own_documents import OwnDocuments

DOCUMENTS, QUESTIONS = "documents", "questions.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What a collection may be called: its name is a part of a path."""
Task = Literal["token_overlap", "in_corpus"]
SHOWN = 40


class Excerpt(BaseModel):
    """``documents[document][start:end]``, which is ``text``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    document: str
    start: int | None = None
    end: int | None = None
    text: str | None = None


class Question(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    excerpts: tuple[Excerpt, ...] = Field(default=(), strict=False)
    documents: dict[str, int] = Field(default_factory=dict)


class ExcerptError(SpanError):
    """An excerpt that stands nowhere, or not only where it is said to; ``reason`` in few words."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


NOWHERE, SEVERAL = "not found in the document", "found more than once"
NO_PLACE, OUTSIDE, OTHER_TEXT = (
    "without offsets and text",
    "outside the document",
    "not the text at their offsets",
)


def collections_folder() -> Path:
    """Where collections of one's own lie: CHUNKSTUDY_COLLECTIONS, else ``build/collections``."""
    named = os.environ.get("CHUNKSTUDY_COLLECTIONS")
    return Path(named) if named else places.find().build / "collections"


def find(name: str) -> Path | None:
    """The folder of a collection of one's own, None where there is none of that name."""
    if not NAME.fullmatch(name):
        return None
    try:
        folder = collections_folder() / name
    except FileNotFoundError:  # outside a checkout, and none is named
        return None
    return folder if (folder / QUESTIONS).is_file() else None


def load(folder: Path) -> Collection:
    """The collection in a folder, called as the folder is.

    Raises:
        SourceError: if a file is missing.
        SpanError: if a line is not what it should be.
    """
    return load_from(folder / DOCUMENTS, folder / QUESTIONS, folder.name)


def load_from(documents: Path, questions: Path, name: str) -> Collection:
    """A collection from a folder of texts and a file of questions, wherever they lie.

    Raises:
        SourceError: if one of them is missing.
        SpanError: if a line is not what it should be.
    """
    if not questions.is_file():
        raise SourceError(f"{questions} is missing; `chunkstudy generate` writes such a file")
    read = own_documents.read(documents)
    asked = parse(text_of(questions), str(questions))
    judgments = tuple(
        judgment
        for line, one in asked
        for judgment in _judgments(one, read, f"{questions}, line {line}")
    )
    queries = tuple(Query(one.id, one.question) for _, one in asked)
    return Collection(name, read.documents, queries, judgments)


def task(folder: Path) -> Task:
    """What is asked of the collection in a folder: its first line tells."""
    asked = parse(text_of(folder / QUESTIONS), str(folder / QUESTIONS))
    return "in_corpus" if asked[0][1].documents else "token_overlap"


def parse(text: str, name: str) -> list[tuple[int, Question]]:
    """Every question with the number of its line, from 1; empty lines are skipped.

    Raises:
        SpanError: if a line is no question, is judged in no way or in both, or repeats an id.
    """
    found: list[tuple[int, Question]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        one = _question(line, where)
        if one.id in lines:
            raise SpanError(f"{where}: id {one.id!r} stands in line {lines[one.id]} as well")
        if bool(one.excerpts) == bool(one.documents):
            raise SpanError(
                f"{where}: question {one.id!r} needs either excerpts or documents, one of them; "
                "add what answers it, or drop the line"
            )
        if found and bool(one.excerpts) != bool(found[0][1].excerpts):
            raise SpanError(
                f"{where}: question {one.id!r} is judged by "
                f"{'excerpts' if one.excerpts else 'documents'} and line {found[0][0]} is not; "
                "keep the two kinds in two collections"
            )
        lines[one.id] = number
        found.append((number, one))
    if not found:
        raise SpanError(f"{name} holds no question; write one a line, as docs/generation.md says")
    return found


def write_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write a file that :func:`parse` reads, the same questions in the same bytes."""
    lines = [
        json.dumps(one.model_dump(exclude_none=True, exclude_defaults=True), ensure_ascii=False)
        for one in questions
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def _question(line: str, where: str) -> Question:
    try:
        content: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise SpanError(f"{where} is not JSON; write one object a line") from None
    try:
        return Question.model_validate(content)
    except ValidationError as error:
        at, fault = first_fault(error)
        raise SpanError(f"{where}: {at or 'the line'} is wrong ({fault.lower()})") from None


def _judgments(one: Question, read: OwnDocuments, where: str) -> list[Judgment]:
    texts = read.texts
    found: list[Judgment] = []
    for name, grade in one.documents.items():
        text = _document(name, texts, read, where)
        if grade < 0:
            raise SpanError(f"{where}: {name} has grade {grade}; use 0 or more")
        found.append(Judgment(one.id, name, 0, len(text), grade))
    for excerpt in one.excerpts:
        start, end = place(
            excerpt,
            _document(excerpt.document, texts, read, where),
            f"{where}: the excerpt of",
            read.before.get(excerpt.document, 0),
        )
        for other in found:
            if other.document == excerpt.document and start < other.end and other.start < end:
                raise SpanError(
                    f"{where}: two excerpts of {excerpt.document} share characters, from "
                    f"{max(start, other.start)} to {min(end, other.end)}; make one of them"
                )
        found.append(Judgment(one.id, excerpt.document, start, end))
    return found


def _document(name: str, texts: Mapping[str, str], read: OwnDocuments, where: str) -> str:
    if name not in texts:
        why = next((one.reason for one in read.left_out if one.name == name), "missing")
        raise SpanError(f"{where} names document {name!r}, which is {why}; mend it or the line")
    return texts[name]


def place(excerpt: Excerpt, text: str, where: str, before: int = 0) -> Span:
    """Where an excerpt stands: at its offsets, or where its text stands once.

    Args:
        excerpt: as it was written.
        text: the document's.
        where: the excerpt's place, for messages.
        before: characters of the text that offsets do not count.

    Raises:
        ExcerptError: if it cannot be placed.
    """
    start, end, said = excerpt.start, excerpt.end, excerpt.text
    where = f"{where} {excerpt.document}"
    if start is None and end is None and said:
        if (times := text.count(said)) != 1:
            raise ExcerptError(
                SEVERAL if times else NOWHERE,
                f"{where}, {said[:SHOWN]!r}, stands there {times} times; give start and end"
                if times
                else f"{where}, {said[:SHOWN]!r}, does not stand there; copy it letter by letter",
            )
        start = text.index(said)
        return start, start + len(said)
    if start is None or end is None:
        raise ExcerptError(NO_PLACE, f"{where} needs both start and end, or its text")
    start, end = start + before, end + before
    if not before <= start < end <= len(text):
        raise ExcerptError(
            OUTSIDE,
            f"{where} has offsets {start - before} to {end - before}, and the document "
            f"{len(text) - before} characters; count characters from 0",
        )
    if said is not None and text[start:end] != said:
        raise ExcerptError(
            OTHER_TEXT,
            f"{where}, {said[:SHOWN]!r}, is not what stands at {start - before} to "
            f"{end - before}, {text[start:end][:SHOWN]!r}; the documents may be of another version",
        )
    return start, end


def text_of(path: Path) -> str:
    """A file in UTF-8 with line feeds.

    Raises:
        SpanError: if it is in another encoding.
    """
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise SpanError(f"{path} is not UTF-8; save it as UTF-8") from None
