"""GutenQA: questions about novels, each answered by one passage; and Emma, its one public book.

Source: joaodsmarques/LumberChunker (arXiv 2406.17526); Emma's workbooks at the commit below. The
ada-002 embeddings of its 30 questions, which lie there too, are not fetched: without those of the
chunks, which were never published, nothing can be scored. The search is limited to the question's
own book. A judged passage ("Chunk Must Contain") is a quotation, not an offset; it is located in
the book's text, which is its paragraphs joined by line breaks as in ielab's
qutenqa_processor.py:57-67. A question whose passage stands nowhere is kept without a judgment.

All of GutenQA is UNVERIFIED: its files on the hub could not be downloaded when this was written, so
``load`` stops with a sentence that says what to pin. The revision of the questions was read on a
stored copy of the hub's history page; that of the paragraphs is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

import pandas as pd

from chunkstudy.core import hub
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.folding import locate
from chunkstudy.core.sources import SourceFile, fetch, lines
from chunkstudy.core.spans import Collection, Document, Judgment, Query

EMMA, FULL = "gutenqa-emma", "gutenqa"
EMMA_DOCUMENT = "Emma_-_Jane_Austen"
BOOKS, QUESTIONS = 100, 3_000
COMMIT = "5537bdfe68c9c1b3c788556bdca5ab902d20e8b6"
HOME = (
    f"https://raw.githubusercontent.com/joaodsmarques/LumberChunker/{COMMIT}"
    "/Example/Emma_-_Jane_Austen/"
)
WORKBOOKS = {
    name: SourceFile(f"gutenqa_emma/raw/{file}", HOME + quote(file), sha256)
    for name, file, sha256 in map(str.split, lines("gutenqa_emma"))
}
"""Emma's paragraphs, questions and segmentations, each the only sheet of a workbook."""


@lru_cache
def sheet(name: str) -> pd.DataFrame:
    """The rows of one of ``WORKBOOKS``; an empty cell is an empty text.

    Raises:
        ResourceError: if it can be had nowhere or has another digest.
    """
    return pd.read_excel(fetch(WORKBOOKS[name]), dtype=str, keep_default_na=False)


@lru_cache(maxsize=1)
def emma_text() -> str:
    """Emma, as its released paragraphs give it."""
    return "\n".join(sheet("paragraphs")["Chunk"])


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a dataset on the hub; what is None was never checked and blocks a load."""

    repository: str
    name: str
    revision: str | None = None
    sha256: str | None = None

    def table(self) -> pd.DataFrame:
        """What it holds, downloaded if need be.

        Raises:
            ResourceError: if its revision or its digest is not pinned.
        """
        if self.revision is None or self.sha256 is None:
            raise ResourceError(
                f"{self.name} of {self.repository} has no verified revision and sha256; look both "
                f"up at https://huggingface.co/datasets/{self.repository}/commits/main, write them "
                "into HUB_FILES in chunkstudy/collections/gutenqa.py and load again"
            )
        home = f"{hub.endpoint()}/datasets/{self.repository}/resolve/{self.revision}"
        source = SourceFile(f"gutenqa/{self.name}", f"{home}/{self.name}", self.sha256)
        return pd.read_parquet(fetch(source))


QUESTIONS_REVISION = "0081c2cfe7477cd3df4a8c19b2b004d94e45f596"
HUB_FILES = {
    "paragraphs": HubFile("LumberChunker/GutenQA_Paragraphs", "GutenQA_paragraphs.parquet"),
    "questions": HubFile("LumberChunker/GutenQA", "questions.parquet", QUESTIONS_REVISION),
}


def lacks() -> str:
    """What all of GutenQA lacks, and how to get it: a revision or a digest of its files."""
    if all(file.revision and file.sha256 for file in HUB_FILES.values()):
        return ""
    return (
        "GutenQA's 100 books, whose files are not pinned: look up revision and sha256 of both and "
        "write them into HUB_FILES in collections/gutenqa.py"
    )


def load_emma() -> Collection:
    """Emma as one document and its 30 questions.

    Query ids are ``Book-Emma-Query-{row}``, rows of the question file from 0: ielab's
    ``Book-{Book ID}-Query-{row}`` with the name in place of the Book ID, which the public folder
    does not give, and rows of one book instead of all hundred.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    for workbook in WORKBOOKS.values():  # so that the released chunkers need no network later
        fetch(workbook)
    return _assembled(EMMA, {EMMA_DOCUMENT: emma_text()}, asked(EMMA), {})


def load() -> Collection:
    """All of GutenQA: 100 books, each a document, and their 3,000 questions, grouped by book.

    Raises:
        ResourceError: if a file is not pinned (see above), missing, or not the release's.
    """
    collection = parse(HUB_FILES["paragraphs"].table(), asked(FULL))
    if (len(collection.documents), len(collection.queries)) != (BOOKS, QUESTIONS):
        raise ResourceError(
            f"GutenQA has {len(collection.documents)} books and {len(collection.queries)} "
            f"questions instead of {BOOKS} and {QUESTIONS}; check the pinned revisions"
        )
    return collection


def asked(name: str) -> pd.DataFrame:
    """The questions of Emma or of all books as released, with each one's ``document`` and ``id``:
    rows counted over the whole file from 0.

    Raises:
        ResourceError: if a file cannot be had.
    """
    if name == EMMA:
        questions = sheet("questions")
        return questions.assign(
            document=EMMA_DOCUMENT, id=[f"Book-Emma-Query-{i}" for i in range(len(questions))]
        )
    questions = HUB_FILES["questions"].table()
    books = books_of(questions)
    return questions.assign(
        document=books, id=[f"{book}-Query-{i}" for i, book in enumerate(books)]
    )


def parse(paragraphs: pd.DataFrame, questions: pd.DataFrame) -> Collection:
    """Documents ``Book-{Book ID}`` from paragraphs as released, and what is :func:`asked` of them.

    As in ielab: a book's paragraphs in the file's order, joined by line breaks. Columns as the
    datasets' cards name them.
    """
    books: dict[str, str] = {}
    names: dict[str, str] = {}
    for book, rows in paragraphs.groupby(pd.Index(books_of(paragraphs)), sort=False):
        books[book], names[book] = "\n".join(rows["Chunk"]), rows["Book Name"].iloc[0]
    groups = {
        query: names[book]
        for query, book in zip(questions["id"], questions["document"], strict=True)
    }
    return _assembled(FULL, books, questions, groups)


def gold_strings(name: str = EMMA) -> dict[str, str]:
    """The judged passages as quoted, by query id, for the published rule: lower-cased, the string
    must occur in the chunk (LumberChunker's Retrieval_Granularities_Eval.ipynb)."""
    questions = asked(name)
    return dict(zip(questions["id"], questions["Chunk Must Contain"], strict=True))


def proposition_answers() -> dict[str, str]:
    """The string that must occur in a proposition of Emma instead, by query id; 19 of 30 do."""
    questions = asked(EMMA)
    return dict(zip(questions["id"], questions["Proposition Answer"], strict=True))


def books_of(table: pd.DataFrame) -> list[str]:
    """The document of each row."""
    return [f"Book-{number}" for number in table["Book ID"].astype(int)]


def _assembled(
    name: str, books: Mapping[str, str], questions: pd.DataFrame, groups: dict[str, str]
) -> Collection:
    """A collection from texts by document id and the questions.

    A passage that stands several times is judged everywhere: the published rule accepts any place.
    """
    ids, documents = questions["id"], questions["document"]
    passages = zip(ids, documents, questions["Chunk Must Contain"], strict=True)
    return Collection(
        name,
        tuple(Document(*book) for book in books.items()),
        tuple(map(Query, ids, questions["Question"], documents)),
        tuple(
            Judgment(query, document, *span)
            for query, document, passage in passages
            for span in locate(books[document], passage)
        ),
        groups,
    )
