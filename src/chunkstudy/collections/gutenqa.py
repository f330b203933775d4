"""GutenQA: questions about novels, each answered by one passage; and Emma, its one public book.

Source: joaodsmarques/LumberChunker (arXiv 2406.17526). The search is limited to the question's own
book. A judged passage ("Chunk Must Contain") is a quotation, not an offset; it is located in the
book's text, which is its paragraphs joined by line breaks as in ielab's qutenqa_processor.py:57-67.
A question whose passage stands nowhere is kept without a judgment.

All of GutenQA is UNVERIFIED: its files on the hub could not be downloaded when this was written, so
``load`` stops with a sentence that says what to pin. The revision of the questions was read on a
stored copy of the hub's history page; the others are unknown, and so are the file names and columns
of the segmentations, whose repositories LumberChunker's README lists (033defab).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from chunkstudy.base import hub
from chunkstudy.base.folding import Searchable
from chunkstudy.base.sources import SourceError, SourceFile, fetch
from chunkstudy.base.spans import Collection, Document, Judgment, Query
from chunkstudy.collections import emma_files

Row = Mapping[str, Any]
Asked = tuple[str, str, Row]
"""A question: its document, its id and its row."""
EMMA, FULL = "gutenqa-emma", "gutenqa"
EMMA_DOCUMENT = "Emma_-_Jane_Austen"
BOOKS, QUESTIONS = 100, 3_000


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a dataset on the hub; what is None was never checked and blocks a load."""

    repository: str
    name: str
    revision: str | None = None
    sha256: str | None = None

    def source(self) -> SourceFile:
        """Where the file comes from.

        Raises:
            SourceError: if its revision or its digest is not pinned.
        """
        if self.revision is None or self.sha256 is None:
            raise SourceError(
                f"{self.name} of {self.repository} has no verified revision and sha256; look both "
                f"up at https://huggingface.co/datasets/{self.repository}/commits/main, write them "
                "into HUB_FILES in chunkstudy/collections/gutenqa.py and load again"
            )
        home = f"{hub.endpoint()}/datasets/{self.repository}/resolve/{self.revision}"
        return SourceFile(f"gutenqa/{self.name}", f"{home}/{self.name}", self.sha256)

    def rows(self) -> list[Row]:
        """Its rows by column name."""
        frame = pd.read_parquet(fetch(self.source()))
        return [
            {str(column): value for column, value in row.items()}
            for row in frame.to_dict("records")
        ]


QUESTIONS_REVISION = "0081c2cfe7477cd3df4a8c19b2b004d94e45f596"
HUB_FILES = {
    "paragraphs": HubFile("LumberChunker/GutenQA_Paragraphs", "GutenQA_paragraphs.parquet"),
    "questions": HubFile("LumberChunker/GutenQA", "questions.parquet", QUESTIONS_REVISION),
    "lumberchunker": HubFile("LumberChunker/GutenQA", "gutenqa_chunks.parquet", QUESTIONS_REVISION),
    "semantic": HubFile("LumberChunker/GutenQA_Semantic", "GutenQA_semantic.parquet"),
    "propositions": HubFile("LumberChunker/GutenQA_Propositions", "GutenQA_propositions.parquet"),
}
SEGMENTATIONS = {
    "lumberchunker-released": ("lumberchunker",),
    "semantic-released": ("semantic",),
    "proposition-released": ("lumberchunker", "propositions"),
}
"""The released segmentations of all books, by chunker, and the files that they take: propositions
name the chunk that they were drawn from."""


def lacks() -> tuple[str, str] | None:
    """What all of GutenQA lacks, and how to get it: a revision or a digest of its files."""
    if _pinned("paragraphs", "questions"):
        return None
    return (
        "GutenQA's 100 books, whose files are not pinned",
        "look up revision and sha256 of both and write them into HUB_FILES in "
        "collections/gutenqa.py",
    )


def lacks_segmentation(chunker: str) -> tuple[str, str] | None:
    """What a released segmentation of all books lacks, and how to get it."""
    what = f"the segmentation `{chunker}` of all 100 books"
    if chunker not in SEGMENTATIONS:
        return what, f"nobody released it, look up {' and '.join(SEGMENTATIONS)}, which were"
    if _pinned(*SEGMENTATIONS[chunker]):
        return None
    repositories = " and ".join(HUB_FILES[name].repository for name in SEGMENTATIONS[chunker])
    how = "on the hub and pin them in HUB_FILES in collections/gutenqa.py"
    return what, f"look up the files of {repositories} {how}"


def _pinned(*names: str) -> bool:
    return all(HUB_FILES[name].revision and HUB_FILES[name].sha256 for name in names)


def load_emma() -> Collection:
    """Emma as one document and its 30 questions.

    Query ids are ``Book-Emma-Query-{row}``, rows of the question file from 0: ielab's
    ``Book-{Book ID}-Query-{row}`` with the name in place of the Book ID, which the public folder
    does not give, and rows of one book instead of all hundred.

    Raises:
        SourceError: if a file is missing or has another digest.
    """
    for sheet in emma_files.SHEETS.values():  # so that the released chunkers need no network later
        emma_files.converted(sheet)
    texts = [cell(row, "Chunk", i) for i, row in enumerate(emma_files.read("paragraphs"))]
    return _assemble(EMMA, {EMMA_DOCUMENT: "\n".join(texts)}, _asked(EMMA))


def load() -> Collection:
    """All of GutenQA: 100 books, each a document, and their 3,000 questions, grouped by book.

    Raises:
        SourceError: if a file is not pinned (see above), missing, or not the release's.
    """
    collection = parse(HUB_FILES["paragraphs"].rows(), HUB_FILES["questions"].rows())
    if (len(collection.documents), len(collection.queries)) != (BOOKS, QUESTIONS):
        raise SourceError(
            f"GutenQA has {len(collection.documents)} books and {len(collection.queries)} "
            f"questions instead of {BOOKS} and {QUESTIONS}; check the pinned revisions"
        )
    return collection


def parse(paragraphs: Iterable[Row], questions: Iterable[Row]) -> Collection:
    """Documents ``Book-{Book ID}`` and queries ``Book-{Book ID}-Query-{row}`` from rows.

    As in ielab: a book's paragraphs in the file's order, joined by line breaks; rows counted over
    the whole question file from 0. Columns as the datasets' cards name them.

    Raises:
        SourceError: if a cell lacks its text or number, one Book ID has two names, a book's
            paragraphs are out of order or a question's book is missing.
    """
    texts: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    last: dict[str, int] = {}
    for i, row in enumerate(paragraphs):
        book, place, name = _book(row, i), _integer(row, "Chunk ID", i), cell(row, "Book Name", i)
        if names.setdefault(book, name) != name:
            raise SourceError(f"row {i}: {book} is named both {names[book]!r} and {name!r}")
        if place <= last.get(book, -1):
            raise SourceError(
                f"row {i}: paragraph {place} of {book} comes after {last[book]}; the file must "
                "list a book's paragraphs in order"
            )
        last[book] = place
        texts.setdefault(book, []).append(cell(row, "Chunk", i, blank=True))
    asked_rows = [_of_book(row, i) for i, row in enumerate(questions)]
    for book, query, _ in asked_rows:
        if book not in texts:
            raise SourceError(f"query {query} is about {book}, which has no paragraphs")
    books = {book: "\n".join(pieces) for book, pieces in texts.items()}
    return _assemble(FULL, books, asked_rows, {query: names[book] for book, query, _ in asked_rows})


def gold_strings(name: str = EMMA) -> dict[str, str]:
    """The judged passages as quoted, by query id, for the published rule: lower-cased, the string
    must occur in the chunk (LumberChunker's Retrieval_Granularities_Eval.ipynb)."""
    questions = enumerate(_asked(name))
    return {query: cell(row, "Chunk Must Contain", i) for i, (_, query, row) in questions}


def proposition_answers(name: str = EMMA) -> dict[str, str]:
    """The string that must occur in a proposition instead, by query id; 19 of Emma's 30 do. Of all
    books they stand with the propositions, under the question they answer.

    Raises:
        SourceError: if a question has no answer among a book's propositions.
    """
    column = "Proposition Answer"
    questions = _asked(name)
    if name == EMMA:
        return {query: cell(row, column, i) for i, (_, query, row) in enumerate(questions)}
    answers = {
        (_book(row, i), row["Question"]): cell(row, column, i)
        for i, row in enumerate(HUB_FILES["propositions"].rows())
        if isinstance(row.get("Question"), str)
    }
    by_query = {}
    for i, (book, query, row) in enumerate(questions):
        key = (book, cell(row, "Question", i))
        if key not in answers:
            raise SourceError(
                f"question {i} of {book} has no answer in {HUB_FILES['propositions'].name}; "
                "check that both files are of one release"
            )
        by_query[query] = answers[key]
    return by_query


def segmentation(name: str) -> dict[str, list[Row]]:
    """The rows of a released segmentation of all books, a key of ``HUB_FILES``, by document.

    Raises:
        SourceError: if the file is not pinned, missing, or has another digest.
    """
    rows: dict[str, list[Row]] = {}
    for i, row in enumerate(HUB_FILES[name].rows()):
        rows.setdefault(_book(row, i), []).append(row)
    return rows


def cell(row: Row, column: str, number: int, *, blank: bool = False) -> str:
    """The text in a row's column; only white space, or nothing, where ``blank`` allows it.

    Raises:
        SourceError: if the column is missing or the cell holds no text.
    """
    value = row.get(column)
    if not isinstance(value, str) or not (blank or value.strip()):
        raise SourceError(
            f"row {number} has no text in column {column!r}; check that the file is the release's"
        )
    return value


def _assemble(
    name: str,
    books: Mapping[str, str],
    asked: Iterable[Asked],
    groups: dict[str, str] | None = None,
) -> Collection:
    """A collection from texts by document id and the questions.

    A passage that stands several times is judged everywhere: the published rule accepts any place.
    """
    queries: list[Query] = []
    judgments: list[Judgment] = []
    indexed = {identifier: Searchable(text) for identifier, text in books.items()}
    for number, (document, query, row) in enumerate(asked):
        queries.append(Query(query, cell(row, "Question", number), document))
        for start, end in indexed[document].locate(cell(row, "Chunk Must Contain", number)):
            judgments.append(Judgment(query, document, start, end))
    documents = tuple(Document(identifier, text) for identifier, text in books.items())
    return Collection(name, documents, tuple(queries), tuple(judgments), groups or {})


def _asked(name: str) -> list[Asked]:
    """The questions of Emma or of all books."""
    if name == EMMA:
        rows = enumerate(emma_files.read("questions"))
        return [(EMMA_DOCUMENT, f"Book-Emma-Query-{i}", row) for i, row in rows]
    return [_of_book(row, i) for i, row in enumerate(HUB_FILES["questions"].rows())]


def _of_book(row: Row, number: int) -> Asked:
    book = _book(row, number)
    return book, f"{book}-Query-{number}", row


def _book(row: Row, number: int) -> str:
    return f"Book-{_integer(row, 'Book ID', number)}"


def _integer(row: Row, column: str, number: int) -> int:
    try:
        value = row[column]
        if int(value) == float(value):
            return int(value)
    except (KeyError, TypeError, ValueError, OverflowError):
        pass
    raise SourceError(f"row {number} has no whole number in column {column!r}")
