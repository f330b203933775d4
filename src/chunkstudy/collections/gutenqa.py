"""GutenQA: questions about a book, each answered by one passage of it (LumberChunker).

Only one of the 100 books, Emma, is public as files, with the authors' own segmentations; the whole
set lies on the hub as ``LumberChunker/GutenQA`` (chunks with questions) and
``LumberChunker/GutenQA_Paragraphs``. A book's text is its paragraphs joined by a line feed, as in
ielab's qutenqa_processor.py:57-67.
"""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from chunkstudy.collections.sources import SourceError, SourceFile, locate
from chunkstudy.spans import Collection, Document, Judgment, Query, Span

REVISION: str | None = None
"""The hub commit of the whole set. It could not be looked up where this was written; until it is
stated here, loading the 100 books is refused."""

EMMA = "Emma_-_Jane_Austen"
DIGESTS = {
    "paragraphs": "0bd5a67e59f618cd8cdde00400c5ee84bdd68491cbd8c72eb8a58450f30931de",
    "questions": "faca956fedcfac8ab1d0ec54d6baa8a4e4e4eefb2c61f2cbe7cb663ffdc2b91d",
    "gemini_chunks": "226b3f93098f2c22ba04d71c14e8519d5f664dd94c355f63f3f9a3232a0ef851",
    "propositions": "7d3e818d8b6a0bf2d84c7790749b2ccf058d037c0c2b3e7584b6814efcd0d3d2",
    "semantic": "11b811be640ff0363c7bb61638f0a8ae3624b9b69e6157b7e215e848534b1812",
    "langchain_recursive": "058390c35af18137f729e0f4faaae258e93caedc45d262371ad7d2122ab705cc",
    "fixed_length_450": "1c436e8ccb9e6caedd374c9f746c3aa93de91ca90582dedf92d8628bc1774a2a",
}
FILES = {
    name: SourceFile(f"gutenqa_emma/{name}.jsonl.gz", "", digest)
    for name, digest in DIGESTS.items()
}
FOLDED = str.maketrans({**dict.fromkeys('“”„«»"‘’‚`´', "'"), **dict.fromkeys("‐‑‒–—―", "-")})
"""All quotation marks are one, since the questions' sheet turned some double ones into single."""


def available() -> bool:
    """Whether Emma's files are here; they have no public home in this form."""
    return all(locate(source) for source in FILES.values())


@lru_cache(maxsize=8)
def emma_rows(name: str) -> tuple[dict[str, Any], ...]:
    """The rows of one of Emma's files, with the columns of the authors' sheets.

    Raises:
        SourceError: if the file is not here, or is not what it should be.
    """
    path = locate(FILES[name])
    if path is None:
        raise SourceError(
            f"{FILES[name].path} is neither under CHUNKSTUDY_DATA nor in the cache; it was made "
            "from the LumberChunker repository's example sheets and cannot be downloaded in this "
            "form, so set CHUNKSTUDY_DATA to a folder that has it"
        )
    lines = gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def load_emma() -> Collection:
    """Emma and its 30 questions, ids ``Emma-Query-0`` and so on in the order of the sheet.

    A judged passage that folding does not locate leaves its question without judgment; see
    :func:`unlocated`.
    """
    paragraphs = [str(row["Chunk"]) for row in emma_rows("paragraphs")]
    return build("gutenqa-emma", {EMMA: paragraphs}, _emma_questions())


def load() -> Collection:
    """The 100 books and 3,000 questions.

    Raises:
        SourceError: since the revision is not pinned yet.
    """
    raise SourceError(
        "GutenQA's 100 books are not pinned to a revision of the hub; set REVISION in "
        "collections/gutenqa.py to the commit you checked, or use gutenqa-emma"
    )


def parse_books(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Book name to its paragraphs in order, from the hub's paragraph rows (Book Name, Chunk)."""
    books: dict[str, list[str]] = {}
    for row in rows:
        books.setdefault(str(row["Book Name"]), []).append(str(row["Chunk"]))
    return books


def parse_questions(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """(query id, book, question, judged text) from rows with Book ID, Book Name, Question and
    Chunk Must Contain; ids are ielab's, ``Book-{id}-Query-{row}``."""
    return [
        (
            f"Book-{row['Book ID']}-Query-{n}",
            str(row["Book Name"]),
            str(row["Question"]),
            str(row["Chunk Must Contain"]),
        )
        for n, row in enumerate(rows)
    ]


def build(
    name: str,
    books: Mapping[str, list[str]],
    questions: Iterable[tuple[str, str, str, str]],
) -> Collection:
    """A collection of books; each query searches its own, and its judged text is located there."""
    texts = {book: "\n".join(paragraphs) for book, paragraphs in books.items()}
    queries = []
    judgments = []
    for query, book, question, gold in questions:
        if book not in texts:
            raise SourceError(f"{name}: query {query} asks about {book!r}, which is missing")
        queries.append(Query(query, question, document=book))
        if span := find_passage(texts[book], gold):
            judgments.append(Judgment(query, book, *span))
    documents = tuple(Document(book, text) for book, text in sorted(texts.items()))
    return Collection(name, documents, tuple(queries), tuple(judgments))


def gold_strings() -> dict[str, str]:
    """Query id to the judged text as released, for relevance by substring."""
    return {query: gold for query, _, _, gold in _emma_questions()}


def proposition_answers() -> dict[str, str]:
    """Query id to the other judged text, which LumberChunker's evaluation asks of propositions."""
    rows = emma_rows("questions")
    return {f"Emma-Query-{n}": str(row["Proposition Answer"]) for n, row in enumerate(rows)}


def unlocated(collection: Collection) -> list[str]:
    """Queries whose judged passage stands nowhere in its document even after folding."""
    judged = {judgment.query for judgment in collection.judgments}
    return [query.id for query in collection.queries if query.id not in judged]


def find_passage(text: str, passage: str) -> Span | None:
    """Where a passage stands first: exactly, or after folding quotes, dashes, spaces, case and
    Unicode's compatible forms; None if nowhere."""
    start = text.find(passage)
    if passage and start >= 0:
        return start, start + len(passage)
    folded, places = fold(text)
    wanted = fold(passage)[0].strip()
    start = folded.find(wanted) if wanted else -1
    return None if start < 0 else (places[start], places[start + len(wanted) - 1] + 1)


@lru_cache(maxsize=4)
def fold(text: str) -> tuple[str, list[int]]:
    """The folded text and, of each of its characters, the place it comes from."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for one in unicodedata.normalize("NFKC", letter).translate(FOLDED).lower():
            if one.isspace():
                if letters and letters[-1] == " ":
                    continue
                one = " "
            letters.append(one)
            places.append(place)
    return "".join(letters), places


def _emma_questions() -> list[tuple[str, str, str, str]]:
    return [
        (f"Emma-Query-{n}", EMMA, str(row["Question"]), str(row["Chunk Must Contain"]))
        for n, row in enumerate(emma_rows("questions"))
    ]
