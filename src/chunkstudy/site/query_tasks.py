"""What the pages of queries show: the tasks, their collections and ways of chunking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import MINILM

PLAIN = "plain"


@dataclass(frozen=True)
class Task:
    """What is looked for in some collections, and what a page of them shows.

    Attributes:
        chunkers: shown if they were run, in this order.
        ways: of encoding chunks, each with its encoder and ordering, plain first.
        compared: the way that plain chunking is compared with until a reader chooses others.
        places: where the first answer to a query may stand; the first is where its score is not 0.
        beside: said of these places beside a score.
        about: what a page says of its queries and answers, and ``finds`` of what they are found in.
        drawn: what intervals are drawn over, by collection, queries where it is not said.
    """

    collections: tuple[str, ...]
    chunkers: tuple[str, ...]
    ways: Mapping[str, tuple[str, str]]
    compared: str
    measure: str
    places: tuple[str, ...]
    beside: tuple[str, ...]
    about: str
    finds: str
    drawn: Mapping[str, str] = field(default_factory=dict)


DOCUMENTS = Task(
    ("scifact", "nfcorpus", "arguana"),
    ("none", "fixed-256", "fixed-64", "sentence-5", "semantic"),
    {
        PLAIN: (f"{MINILM}-w512", "pre_embedding"),
        "late": (f"{MINILM}-w512", "contextualized-512"),
    },
    "late",
    "nDCG@10",
    ("among the first ten", "from rank 11 to 100", "beyond rank 100"),
    ("", "11–100", "over 100"),
    "queries for whole documents, read by all-MiniLM-L6-v2 in windows of 512 tokens. A document "
    "counts by its best chunk; those judged to answer a query are its answers.",
    "documents",
)
PASSAGES = Task(
    ("covid-qa-within", "chroma-within"),
    ("fixed-256", "sentence-5"),
    {
        PLAIN: (f"{MINILM}-w512", "pre_embedding"),
        "late, 128": (f"{MINILM}-w128", "contextualized-128"),
        "late, 256": (MINILM, "contextualized-256"),
        "late, 512": (f"{MINILM}-w512", "contextualized-512"),
    },
    "late, 512",
    "DCG@10",
    ("among the first ten", "beyond rank 10"),
    ("", ""),
    "questions about one long document each, read by all-MiniLM-L6-v2: plain, and late in windows "
    "of 128, 256 and 512 tokens. A chunk that holds part of the answer is an answer; the sooner "
    "one stands among the first ten chunks, the higher the score.",
    "chunks",
    {covid_qa.WITHIN: "papers, each with all its questions"},
)
TASKS = (DOCUMENTS, PASSAGES)


def task_of(collection: str) -> Task:
    """What is looked for in a collection of :data:`TASKS`."""
    return next(task for task in TASKS if collection in task.collections)
