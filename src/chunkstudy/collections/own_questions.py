"""Questions as their owner has them, judged as far as they can be, and an account of the rest.

A generated collection refuses a line that is wrong (``own``), since nobody but a program wrote it.
Here the file is somebody's: an excerpt that cannot be placed is left out and counted, the question
keeps its others, and a question that loses all of them is left out and counted too.

Beside what ``own`` reads, a question may lack its id (the number of its line then), an excerpt may
be a string alone or lack its document, which is looked for in all, and graded documents may be a
list, each then of grade 1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection, Judgment, Query, SpanError
from chunkstudy.collections import own
from chunkstudy.collections.own import ExcerptError, Question, Task
from chunkstudy.collections.own_documents import OwnDocuments

NO_DOCUMENT = "of a document that is missing"
NOWHERE = "found in no document"
SHOWN = 5
KINDS = ("excerpts", "documents")


@dataclass(frozen=True, slots=True)
class Lost:
    """An excerpt or a graded document that could not be placed, of the question in a line."""

    line: int
    reason: str


@dataclass(frozen=True)
class Judged:
    """Questions with what answers them.

    Attributes:
        collection: the questions that something judges.
        task: what is asked.
        judgments: excerpts or graded documents in the file.
        lost: those of them that are left out, or, where whole documents are graded, missing.
        without: lines of questions that lost all, or never had any.
    """

    collection: Collection
    task: Task
    judgments: int
    lost: tuple[Lost, ...]
    without: tuple[int, ...]

    @property
    def notes(self) -> list[str]:
        """What was lost, in a sentence each; none where nothing was."""
        found = []
        if self.lost:
            reasons = Counter(one.reason for one in self.lost)
            where = {
                reason: _lines(one.line for one in self.lost if one.reason == reason)
                for reason in reasons
            }
            parts = (f"{count} {reason} ({where[reason]})" for reason, count in reasons.items())
            what, then = (
                ("graded documents", "they count as never found")
                if self.task == "in_corpus"
                else ("excerpts", "they are left out")
            )
            found.append(
                f"{len(self.lost)} of {self.judgments} {what} could not be placed and {then}: "
                f"{', '.join(parts)}."
            )
        if self.without:
            found.append(
                f"{len(self.without)} questions are left out, since nothing that could be placed "
                f"answers them ({_lines(self.without)})."
            )
        return found


def read(path: Path, documents: OwnDocuments, name: str) -> Judged:
    """The questions of a file, judged in documents.

    Raises:
        SourceError: if there is no such file.
        SpanError: if a line is no question, or none can be judged.
    """
    if not path.is_file():
        raise SourceError(f"there is no file {path}; name one with a question a line")
    lines: list[tuple[int, Any]] = []
    for number, line in enumerate(own.text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            lines.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            raise SpanError(f"{path}, line {number} is not JSON; write one object a line") from None
    return judge(lines, documents, name, str(path))


def judge(
    lines: Sequence[tuple[int, Any]], documents: OwnDocuments, name: str, where: str = "questions"
) -> Judged:
    """The same from objects, each with the number of its line."""
    texts = documents.texts
    lost: list[Lost] = []
    without: list[int] = []
    asked: dict[int, str] = {}
    count = 0
    for number, content in lines:
        if not isinstance(content, Mapping):
            raise SpanError(
                f'{where}, line {number} is no question; write {{"question": "…", "excerpts": […]}}'
            )
        one = _completed(content, number)
        count += sum(len(found) for k in KINDS if isinstance(found := one.get(k), list | dict))
        if isinstance(one.get("excerpts"), list):
            one["excerpts"] = [
                found
                for excerpt in one["excerpts"]
                if (found := _with_document(excerpt, texts, number, lost)) is not None
            ]
        if not one.get("excerpts") and not one.get("documents"):
            without.append(number)
        else:
            asked[number] = json.dumps(one)
    last = max(asked, default=0)
    text = "\n".join(asked.get(number, "") for number in range(1, last + 1))
    if not asked:
        raise SpanError(f"{where}: no question could be judged. {_all_lost(lost)}")
    questions = own.parse(text, where)
    task: Task = "in_corpus" if questions[0][1].documents else "token_overlap"
    absent: list[tuple[str, str, int]] = []
    judgments: list[Judgment] = []
    for number, question in questions:
        if task == "in_corpus":
            found = _graded(question, texts, f"{where}, line {number}", number, lost, absent)
        else:
            found = _placed(question, documents, texts, number, lost)
        judgments += found
        if not any(one.grade for one in found):
            without.append(number)
    left = {number: question for number, question in questions if number not in set(without)}
    if not left:
        raise SpanError(f"{where}: no question could be judged. {_all_lost(lost)}")
    ids = {question.id for question in left.values()}
    collection = Collection(
        name,
        documents.documents,
        tuple(Query(one.id, one.question) for one in left.values()),
        tuple(one for one in judgments if one.query in ids),
        absent=tuple(one for one in absent if one[0] in ids),
    )
    return Judged(collection, task, count, tuple(lost), tuple(sorted(without)))


def _completed(content: Mapping[str, Any], number: int) -> dict[str, Any]:
    one = dict(content)
    one["id"] = str(one.get("id", number))
    if isinstance(one.get("documents"), list):
        one["documents"] = {str(name): 1 for name in one["documents"]}
    for key in KINDS:
        if one.get(key) is None:
            one.pop(key, None)
    if isinstance(one.get("excerpts"), str | dict):
        one["excerpts"] = [one["excerpts"]]
    return one


def _with_document(
    excerpt: Any, texts: Mapping[str, str], number: int, lost: list[Lost]
) -> dict[str, Any] | None:
    """An excerpt that names its document; None, and noted as lost, where none can be told."""
    found = {"text": excerpt} if isinstance(excerpt, str) else excerpt
    if not isinstance(found, dict) or "document" in found:
        return found  # what else is wrong with it, the schema says
    said = found.get("text")
    if not isinstance(said, str) or not said:
        lost.append(Lost(number, own.NO_PLACE))
        return None
    holding = [name for name, text in texts.items() if said in text]
    if len(holding) != 1:
        lost.append(Lost(number, own.SEVERAL if holding else NOWHERE))
        return None
    return {**found, "document": holding[0]}


def _placed(
    question: Question,
    documents: OwnDocuments,
    texts: Mapping[str, str],
    number: int,
    lost: list[Lost],
) -> list[Judgment]:
    """The question's excerpts; those that share characters become one."""
    spans: dict[str, list[list[int]]] = {}
    for excerpt in question.excerpts:
        name = excerpt.document
        if name not in texts:
            lost.append(Lost(number, NO_DOCUMENT))
            continue
        try:
            found = own.place(excerpt, texts[name], "", documents.before.get(name, 0))
        except ExcerptError as error:
            lost.append(Lost(number, error.reason))
            continue
        spans.setdefault(name, []).append(list(found))
    judged = []
    for name, of_document in spans.items():
        joined: list[list[int]] = []
        for start, end in sorted(of_document):
            if joined and start < joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], end)
            else:
                joined.append([start, end])
        judged += [Judgment(question.id, name, start, end) for start, end in joined]
    return judged


def _graded(
    question: Question,
    texts: Mapping[str, str],
    where: str,
    number: int,
    lost: list[Lost],
    absent: list[tuple[str, str, int]],
) -> list[Judgment]:
    judged = []
    for name, grade in question.documents.items():
        if grade < 0:
            raise SpanError(f"{where}: {name} has grade {grade}; use 0 or more")
        if name in texts:
            judged.append(Judgment(question.id, name, 0, len(texts[name]), grade))
        else:
            lost.append(Lost(number, NO_DOCUMENT))
            absent.append((question.id, name, grade))
    return judged


def _all_lost(lost: Sequence[Lost]) -> str:
    if not lost:
        return "Give each question excerpts or documents (docs/your-own-data.md)."
    reasons = Counter(one.reason for one in lost)
    said = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return f"Of what should answer them: {said}; copy excerpts letter by letter."


def _lines(numbers: Iterable[int]) -> str:
    each = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, each[:SHOWN]))
    return f"line{'s' if len(each) > 1 else ''} {shown}{', …' if len(each) > SHOWN else ''}"
