"""Chroma's collection: five corpora and 472 queries with 790 judged excerpts.

Source: brandonstarxel/chunking_evaluation at the commit below; files decoded as UTF-8, offsets
in characters. Query ids are the row numbers of the question file from 0.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from chunkstudy.core import sources
from chunkstudy.core.spans import Collection, Document, Judgment, Query

COMMIT = "d451fc4cf56e417b755994b4ca5212fd5057c0d2"
HOME = (
    "https://raw.githubusercontent.com/brandonstarxel/chunking_evaluation/"
    f"{COMMIT}/chunking_evaluation/evaluation_framework/general_evaluation_data"
)
QUESTIONS = sources.listed_file("chroma", "questions_df.csv", HOME)
AND = re.compile(r"(\w+)\W* and \W*(\w+)")


def load() -> Collection:
    """The collection.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    corpora = {
        Path(name).stem: sources.read("chroma", name, HOME).decode("utf-8")
        for name in sources.listed("chroma")
        if name.startswith("corpora/")
    }
    questions = sources.rows(sources.fetch(QUESTIONS).read_bytes())
    queries: list[Query] = []
    judgments: list[Judgment] = []
    groups: dict[str, str] = {}
    for row, record in enumerate(questions):
        identifier, corpus = str(row), record["corpus_id"]
        queries.append(Query(identifier, record["question"]))
        groups[identifier] = corpus
        for excerpt in json.loads(record["references"]):
            start, end = int(excerpt["start_index"]), int(excerpt["end_index"])
            judgments.append(Judgment(identifier, corpus, start, end))
    documents = tuple(Document(name, text) for name, text in sorted(corpora.items()))
    return Collection("chroma", documents, tuple(queries), tuple(judgments), groups)


def load_within() -> Collection:
    """Every question searched in its own corpus."""
    return load().within_documents()


def joins_with_and(question: str) -> bool:
    """Whether an ``and`` stands between two words that are not both parts of a name, which Chroma's
    prompt forbids (report, Appendix, Synthetic Dataset Prompt)."""
    return any(not (a[:1].isupper() and b[:1].isupper()) for a, b in AND.findall(question))
