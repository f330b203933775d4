"""COVID-QA: 98 papers on coronaviruses and what biomedical experts asked of each of them.

Source: deepset-ai/COVID-QA at the commit below, the file of 23 April 2020, in SQuAD's form
(Moeller et al., "COVID-QA: A Question Answering Dataset for COVID-19", 2020). The later, final
COVID-QA.json with 2,019 questions could not be had. The repository is under Apache-2.0; 92 papers
name cc-by in their head, the six without a head name no licence.

What is done to it (docs/protocols.md has the counts):

- An answer whose offset is not where it stands is put where it stands, if that is exactly one
  place of its paper; a question whose answer stands in several is dropped.
- White space at the ends of an answer is no part of the judged span.
- A question asked again of the same paper is one query that is judged on all its answers: one
  ranking cannot be told to prefer either.
- Over all papers, a question that several papers were asked ("What are coronaviruses?") is dropped,
  since nothing says which paper is meant; within documents it is kept.

Two questions are the same if they differ in nothing but case, white space and the mark at the end.
Texts are as released: the head of a paper (title, address, authors, date, licence) is part of it,
each line a paragraph, and three papers have lines of print for paragraphs.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from chunkstudy.core.sources import SourceFile, fetch
from chunkstudy.core.spans import Collection, Document, Judgment, Query, Span, stripped, union

ALL, WITHIN = "covid-qa", "covid-qa-within"
COMMIT = "fb2eb5e249618457e5359806601086c635c8eb8f"
FILE = SourceFile(
    "covid_qa/200423_covidQA.json",
    f"https://raw.githubusercontent.com/deepset-ai/COVID-QA/{COMMIT}"
    "/data/question-answering/200423_covidQA.json",
    "ab310b4e39f726e087c8fa3d1787c73771dacddc584977204ebe3cc889ee1264",
)


def chooses(paper: str) -> bool:
    """Whether a paper belongs to the half on which something is chosen, to be reported on the other
    (results/predictions/layouts.md): an even sha256 of its id."""
    return hashlib.sha256(paper.encode()).digest()[-1] % 2 == 0


def load() -> Collection:
    """All papers searched together, judged by spans; the paper of each query as its group.

    Raises:
        ResourceError: if the file is missing or has another digest.
    """
    return over_all_papers(parse(fetch(FILE).read_bytes()))


def load_within() -> Collection:
    """Every query searched in its own paper.

    Raises:
        ResourceError: see :func:`load`.
    """
    return parse(fetch(FILE).read_bytes()).within_documents()


def parse(released: bytes) -> Collection:
    """The queries of every paper, those that papers share included.

    Query ids are the release's, of merged questions the first one's; documents are named
    ``paper-{id}``, since the release numbers papers and questions alike. In its form, SQuAD's, a
    paper is one context and a question has one answer.
    """
    papers = [entry["paragraphs"][0] for entry in json.loads(released)["data"]]
    queries: list[Query] = []
    judgments: list[Judgment] = []
    groups: dict[str, str] = {}
    texts = {f"paper-{paper['document_id']}": paper["context"] for paper in papers}
    for paper, document in zip(papers, texts, strict=True):
        by_question: dict[str, tuple[Mapping[str, Any], list[Span]]] = {}
        for question in paper["qas"]:
            if span := _answer(texts[document], question["answers"][0]):
                by_question.setdefault(_folded(question["question"]), (question, []))[1].append(
                    span
                )
        for question, spans in by_question.values():
            name = str(question["id"])
            queries.append(Query(name, question["question"]))
            groups[name] = document
            judgments += [Judgment(name, document, *span) for span in union(spans)]
    documents = tuple(Document(name, text) for name, text in texts.items())
    return Collection(ALL, documents, tuple(queries), tuple(judgments), groups)


def over_all_papers(collection: Collection) -> Collection:
    """The same without the queries that several papers were asked."""
    papers: dict[str, set[str]] = defaultdict(set)
    for query in collection.queries:
        papers[_folded(query.text)].add(collection.groups[query.id])
    alone = {query.id for query in collection.queries if len(papers[_folded(query.text)]) == 1}
    return collection.only(alone)


def _answer(paper: str, answer: Mapping[str, Any]) -> Span | None:
    """Where the answer stands, without white space at its ends; None where that is not known."""
    text, start = answer["text"], answer["answer_start"]
    if paper[start : start + len(text)] != text:
        start = paper.find(text)
        if start < 0 or paper.find(text, start + 1) >= 0:
            return None
    return stripped(paper, start, start + len(text))


def _folded(question: str) -> str:
    """A question without what does not tell it from another."""
    return " ".join(question.casefold().split()).rstrip("?. ")
