"""``chunkstudy evaluate`` and ``from chunkstudy import evaluate``: chunkers, encoders and orderings
compared on somebody's own documents and questions.

Everything is the study's own way: protocol ``corrected``, exact search, per-query scores, intervals
and tests, and a record for each arm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.base import places
from chunkstudy.base.places import Places
from chunkstudy.commands.evaluate import arms as compared
from chunkstudy.commands.evaluate import price, record, report, running, tables
from chunkstudy.commands.evaluate import questions as one_by_one
from chunkstudy.commands.evaluate import texts as read_texts
from chunkstudy.commands.evaluate.texts import Documents, Questions
from chunkstudy.runs.conditions import MINILM
from chunkstudy.show.inspector.pages import refuse_committed

CHUNKERS = ("recursive-200-0",)
DEPTHS = {"token_overlap": 5, "in_corpus": 10}


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found and where it lies.

    Attributes:
        answer: whether one way is best, in a sentence.
        more: how many more questions would tell the best two apart, in a sentence.
        table: a row for each chunker, encoder and ordering, the best first; scores are fractions,
            ``low`` to ``high`` their 95% interval.
        tests: every other against the best, p corrected for their number by Holm.
        needed: how many questions the best two take.
        scores: by question id, the question and every arm's score.
        notes: what was left out, a sentence each.
        record: what the evaluation rests on, as ``evaluation.json`` holds it.
        folder: with all files; ``page`` is the one to open first.
    """

    answer: str
    more: str
    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    notes: tuple[str, ...]
    record: dict[str, Any]
    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / report.PAGE


def evaluate(
    documents: Documents,
    questions: Questions = None,
    chunkers: Iterable[Any] | Mapping[str, Any] = CHUNKERS,
    encoders: Iterable[str] = (MINILM,),
    *,
    orderings: Sequence[str] = (compared.PLAIN,),
    k: int | None = None,
    seed: int = 0,
    name: str = "",
    output: str | Path | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Evaluation:
    """Compare ways of chunking on your own documents and questions (docs/your-own-data.md).

    Args:
        documents: a folder of texts, a file with a document a line, a folder in BEIR's form, or
            texts by name.
        questions: a file with a question a line, or such questions; none where the documents
            bring theirs.
        chunkers: names of the catalogue, ``module:name``, functions from a text to texts or spans,
            LangChain text splitters, LlamaIndex node parsers, chonkie chunkers; as a mapping,
            under names of your own.
        encoders: hub ids or folders.
        orderings: ``plain``, ``late``.
        k: chunks, or documents, that count as read: 5, or 10 of whole documents.
        seed: of the resamples behind the intervals.
        name: of the collection; after the documents if empty.
        output: the folder to write; below ``build/evaluations`` if none.
        say: told how it goes.

    Raises:
        ValueError, RuntimeError, FileNotFoundError: in a sentence on what to do.
    """
    where = _places()
    texts, asked, depth = _asked(documents, questions, chunkers, encoders, orderings, k, name)
    folder = _folder(where, output, texts.collection.name)
    notes = (*texts.notes, *asked.notes)
    for note in notes:
        say(note)
    ran = running.run(texts, asked.arms, depth, where.vectors, folder / record.RUNS, say)
    found = tables.tables(texts, ran, depth, seed)
    ranked = sorted(ran, key=lambda one: tables.place(found.table, one))
    names = running.measures(texts.task, depth)
    page = ""
    if texts.task == "token_overlap":
        say("looking at the questions that are answered worst")
        page = one_by_one.write(texts, ranked, names[0], depth, where.vectors, folder).name
    described = record.describe(texts, ran, notes, names, seed)
    report.write(folder, texts, found, notes, described, page)
    return Evaluation(
        found.answer,
        found.more,
        found.table,
        found.tests,
        found.needed,
        found.scores,
        notes,
        described,
        folder,
    )


def estimate(
    documents: Documents,
    questions: Questions = None,
    chunkers: Iterable[Any] | Mapping[str, Any] = CHUNKERS,
    encoders: Iterable[str] = (MINILM,),
    *,
    orderings: Sequence[str] = (compared.PLAIN,),
    k: int | None = None,
    name: str = "",
) -> list[str]:
    """What :func:`evaluate` would take, and what it would leave out, a line each."""
    texts, asked, _ = _asked(documents, questions, chunkers, encoders, orderings, k, name)
    lines = price.price(texts, asked.arms, _places().vectors)
    return [*texts.notes, *asked.notes, *lines]


def _asked(
    documents: Documents,
    questions: Questions,
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[str],
    orderings: Sequence[str],
    k: int | None,
    name: str,
) -> tuple[read_texts.Texts, compared.Arms, int]:
    if isinstance(chunkers, str) or isinstance(encoders, str) or isinstance(orderings, str):
        raise compared.EvaluationError("give chunkers, encoders and orderings as lists")
    texts = read_texts.read(documents, questions, name)
    depth = DEPTHS[texts.task] if k is None else k
    running.measures(texts.task, depth)
    called = texts.collection.name
    return texts, compared.arms(called, texts.task, chunkers, encoders, orderings), depth


def _folder(where: Places, output: str | Path | None, name: str) -> Path:
    if output is None:
        return where.build / "evaluations" / name
    folder = Path(output).expanduser()
    if folder.exists() and not folder.is_dir():
        raise compared.EvaluationError(f"--output {output} is a file; name a folder")
    refuse_committed(folder, where)
    return folder


def _places() -> Places:
    """The checkout; outside of one, the folder in which this was started."""
    try:
        return places.find()
    except FileNotFoundError:
        return Places(Path.cwd())
