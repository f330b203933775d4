"""Small collections in the files of the real ones: BEIR's archives, GutenQA's tables, Chroma's
corpora and questions. Their texts are those of the built-in collection, whose documents are in the
manner of Chroma's five domains and whose queries have exact excerpts, laid out anew.

What is odd in the real ones is here too: a document without text that is judged, a judged document
that is missing, a grade of 0, queries that are documents, a question whose passage stands nowhere.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType

import pandas as pd

from chunkstudy.base.sources import SourceFile
from chunkstudy.chunkers.passages import ielab_sentences
from chunkstudy.chunkers.structure import sentences
from chunkstudy.collections import beir, berlin, builtin, chroma, gutenqa

DOCUMENTS, QUERIES = 16, 14
"""Of a BEIR set at most."""
BOOK_PARAGRAPHS, BOOK_QUESTIONS, VOLUMES = 36, 4, 16
CORPUS_CHARACTERS, CORPUS_QUESTIONS = 5_000, 4
EMPTY, MISSING = "empty", "missing"
CORPORA = {
    "chatlogs": "chatlogs",
    "finance": "finance",
    "pubmed": "pubmed",
    "state_of_the_union": "speeches",
    "wikitexts": "encyclopedia",
}
"""Chroma's corpora to the built-in domains."""
BERLIN = (
    "Berlin is the largest town of this example.",
    " Its more than a few streets lead to the river.",
    " The city is said to have been founded twice.",
)
"""Sentences that begin as those of Jina's example do, whose cells are named after them."""


@dataclass
class Made:
    """What was made.

    Attributes:
        home: the address of the server that will have the files.
        files: content by the path of its address.
        pins: what the study's modules have to say of these files: module, name, value.
    """

    home: str
    files: dict[str, bytes] = field(default_factory=dict)
    pins: list[tuple[ModuleType, str, object]] = field(default_factory=list)


def every(home: str) -> Made:
    """All collections of the published grid, at an address."""
    made = Made(home)
    sources = {name: _beir(made, name, i) for i, name in enumerate(sorted(beir.SOURCES))}
    made.pins += [(beir, "HOME", f"{home}/beir/"), (beir, "SOURCES", sources)]
    _chroma(made)
    _gutenqa(made)
    _berlin(made)
    return made


def _beir(made: Made, name: str, number: int) -> beir.Source:
    """A set of BEIR's: other documents of one pool for each, so that sets share some."""
    corpus = _documents(number)
    asked = [one for one in builtin.records() if corpus.keys() & one["documents"].keys()]
    queries = {one["id"]: one["query"] for one in asked[:QUERIES]}
    grades = {
        one["id"]: {key: grade for key, grade in one["documents"].items() if key in corpus}
        for one in asked[:QUERIES]
    }
    first, second, third = list(queries)[:3]
    grades[first][EMPTY], grades[second][MISSING] = 1, 1
    grades[third][next(key for key in corpus if key not in grades[third])] = 0
    corpus[EMPTY] = ("", "")
    if beir.SOURCES[name].skips_own_id:
        _ask_with_documents(corpus, queries, grades)
    lines = (
        {"_id": key, "title": title, "text": text, "metadata": {}}
        for key, (title, text) in corpus.items()
    )
    asking = ({"_id": key, "text": text, "metadata": {}} for key, text in queries.items())
    rows = [f"{q}\t{d}\t{grade}" for q, found in grades.items() for d, grade in found.items()]
    members = {
        "corpus.jsonl": _jsonl(lines),
        "queries.jsonl": _jsonl(asking),
        "qrels/test.tsv": "\n".join(["query-id\tcorpus-id\tscore", *rows, ""]).encode(),
    }
    archive = _zip({f"{name}/{member}": content for member, content in members.items()})
    made.files[f"/beir/{name}.zip"] = archive
    return replace(
        beir.SOURCES[name],
        md5=hashlib.md5(archive).hexdigest(),
        documents=len(corpus),
        queries=len(queries),
        characters=sum(len(f"{title} {text}".strip()) for title, text in corpus.values()),
        sha256={member: (_sha256(content),) for member, content in members.items()},
    )


def _documents(number: int) -> dict[str, tuple[str, str]]:
    """Title and text by id, every other one under a title."""
    books = ("story", "speeches", "chatlogs")
    pool = [key for key in _texts() if _domain(key) not in books]
    chosen = dict.fromkeys(pool[(5 * number + 3 * i) % len(pool)] for i in range(DOCUMENTS))
    return {
        key: (
            key.split("/")[1].split(".")[0].replace("-", " ") if i % 2 else "",
            "\n\n".join(_paragraphs(_texts()[key], 4)),
        )
        for i, key in enumerate(chosen)
    }


def _ask_with_documents(
    corpus: dict[str, tuple[str, str]], queries: dict[str, str], grades: dict[str, dict[str, int]]
) -> None:
    """Let some queries be documents of the collection, under their own ids, as ArguAna's are."""
    for document, old in zip(list(corpus)[:4], list(queries)[-4:], strict=True):
        queries.pop(old)
        judged = grades.pop(old)
        queries[document] = corpus[document][1]
        grades[document] = {key: grade for key, grade in judged.items() if key != document} or {
            next(key for key in corpus if key != document): 1
        }


def _chroma(made: Made) -> None:
    rows: list[dict[str, str]] = []
    corpora: dict[str, str] = {}
    for corpus, domain in CORPORA.items():
        names: list[str] = []
        for name, text in _texts().items():
            if _domain(name) == domain and len(corpora.get(corpus, "")) < CORPUS_CHARACTERS:
                corpora[corpus] = f"{corpora.get(corpus, '')}{text}\n\n"
                names.append(name)
        inside = [
            one
            for one in builtin.records()
            if one["excerpts"] and all(quote["document"] in names for quote in one["excerpts"])
        ]
        for one in inside[:CORPUS_QUESTIONS]:
            references = []
            for excerpt in (quote["text"] for quote in one["excerpts"]):
                start = corpora[corpus].index(excerpt)
                end = start + len(excerpt)
                references.append({"content": excerpt, "start_index": start, "end_index": end})
            row = {"question": one["query"], "references": json.dumps(references)}
            rows.append(row | {"corpus_id": corpus})
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, ["question", "references", "corpus_id"])
    writer.writeheader()
    writer.writerows(rows)
    files = {"questions_df.csv": table.getvalue().encode()}
    files |= {f"corpora/{name}.md": text.encode() for name, text in corpora.items()}
    made.pins += [
        (chroma, "FILES", {n: _served(made, f"chroma/{n}", one) for n, one in files.items()}),
    ]


def _served(made: Made, path: str, content: bytes) -> SourceFile:
    """Let a file be served, and what is pinned of it."""
    made.files[f"/{path}"] = content
    return SourceFile(path, f"{made.home}/{path}", _sha256(content))


def _berlin(made: Made) -> None:
    """Jina's example in the form in which it is kept, with other sentences."""
    chunks = [{"text": text} for text in BERLIN]
    content = {"text": "".join(BERLIN), "chunks": chunks, "query": "Berlin"}
    file = _served(made, "jina/berlin.json", json.dumps(content).encode())
    made.pins.append((berlin, "FILE", file))


def _gutenqa(made: Made) -> None:
    """Books in paragraphs, their questions, and the three segmentations that were released."""
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in gutenqa.HUB_FILES}
    for book, (title, pieces) in enumerate(_books()):
        about: dict[str, object] = {"Book ID": book, "Book Name": title}
        tables["paragraphs"] += _chunks(about, pieces)
        tables["lumberchunker"] += _chunks(about, _joined(pieces, 3, "\n"))
        tables["semantic"] += _chunks(about, _joined(pieces, 4, " "))
        asked = _asked("\n".join(pieces))
        tables["questions"] += [
            about | {key: one[key] for key in one if key != "Proposition Answer"} for one in asked
        ]
        tables["propositions"] += _propositions(_chunks(about, _joined(pieces, 3, "\n")), asked)
    tables["questions"][-1]["Chunk Must Contain"] = "a passage that stands in no book"
    files = {}
    for name, rows in tables.items():
        buffer = io.BytesIO()
        pd.DataFrame(rows).to_parquet(buffer, index=False)
        content = buffer.getvalue()
        file = replace(
            gutenqa.HUB_FILES[name],
            revision=hashlib.sha1(content).hexdigest(),
            sha256=_sha256(content),
        )
        files[name] = file
        made.files[f"/datasets/{file.repository}/resolve/{file.revision}/{file.name}"] = content
    made.pins += [
        (gutenqa, "HUB_FILES", files),
        (gutenqa, "BOOKS", len({row["Book ID"] for row in tables["paragraphs"]})),
        (gutenqa, "QUESTIONS", len(tables["questions"])),
    ]


def _chunks(about: Mapping[str, object], pieces: Iterable[str]) -> list[dict[str, object]]:
    return [
        {**about, "Chunk ID": place, "Chapter": "I", "Chunk": piece}
        for place, piece in enumerate(pieces)
    ]


def _propositions(
    chunks: Iterable[dict[str, object]], asked: Iterable[dict[str, str]]
) -> list[dict[str, object]]:
    """A row per sentence of a chunk; the first rows of a book have its questions beside them."""
    rows: list[dict[str, object]] = []
    for chunk in chunks:
        about = {key: chunk[key] for key in chunk if key != "Chunk"}
        said = ielab_sentences(str(chunk["Chunk"]), 1)
        rows += [about | {"Proposition": text} for *_, text in said]
    for row, one in zip(rows, asked, strict=False):
        row |= {key: one[key] for key in ("Question", "Answer", "Proposition Answer")}
    return rows


def _joined(pieces: list[str], size: int, between: str) -> list[str]:
    return [between.join(pieces[i : i + size]) for i in range(0, len(pieces), size)]


def _books() -> Iterable[tuple[str, list[str]]]:
    """Titles and paragraphs: speeches, and a story in volumes of different lengths that overlap, so
    many that a correlation over books is left five of them that score at all."""
    for name, text in _texts().items():
        if _domain(name) not in ("story", "speeches"):
            continue
        pieces = _paragraphs(text)
        for volume in range(VOLUMES if _domain(name) == "story" else 1):
            start = volume * (len(pieces) - BOOK_PARAGRAPHS) // VOLUMES
            part = pieces[start : start + BOOK_PARAGRAPHS - volume]
            yield f"{name.split('/')[1]}, volume {volume + 1}", part


def _asked(text: str) -> list[dict[str, str]]:
    """Questions of whose excerpt a sentence stands in a book."""
    found: list[dict[str, str]] = []
    for one in builtin.records():
        quoted = [" ".join(quote["text"].split()) for quote in one["excerpts"]]
        sentences = [piece for quote in quoted for *_, piece in ielab_sentences(quote, 1)]
        known = [piece for piece in sentences if piece in text]
        if known and len(found) < BOOK_QUESTIONS:
            passages = ("Answer", "Chunk Must Contain", "Proposition Answer")
            found.append({"Question": one["query"], **dict.fromkeys(passages, known[0])})
    return found


@cache
def _texts() -> Mapping[str, str]:
    """Of the built-in documents, by name."""
    return {one.id: one.text for one in builtin.load_documents()}


def _domain(name: str) -> str:
    return name.split("/")[0]


def _paragraphs(text: str, most: int = 2) -> list[str]:
    """A text in paragraphs of a few sentences, as a novel has them."""
    pieces = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    return [" ".join(pieces[i : i + most]) for i in range(0, len(pieces), most)]


def _jsonl(rows: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _zip(members: Mapping[str, bytes]) -> bytes:
    """An archive without times, so that it is the same each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
