"""Questions as their owner has them, judged as far as they can be, and an account of the rest.

The file is described in docs/your-own-data.md. A question a line, judged either by excerpts or by
whole documents, all lines alike::

    {"id": "7", "question": "…", "excerpts": ["copied letter by letter"]}
    {"question": "…", "excerpts": [{"document": "a.md", "start": 10, "end": 42, "text": "…"}]}
    {"question": "…", "documents": {"a.md": 2, "b.md": 1}}

Offsets count characters from 0, ``end`` is the first one that is no longer in it. An excerpt
without offsets whose text stands in several places is found by any of them, unless it says
``"anywhere": false``; with ``"anywhere": true`` so is one with offsets or a document. What cannot
be placed is left out and counted, the question keeps the rest, and a question that loses all is
left out and counted too.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.faults import first_fault
from chunkstudy.base.files import write_text
from chunkstudy.base.spans import Collection, Judgment, Query, SpanError
from chunkstudy.collections.own_documents import OwnDocuments, json_lines

Task = Literal["token_overlap", "in_corpus"]
Place = tuple[str, int, int]
"""A document and the characters of an excerpt in it."""
NO_DOCUMENT = "of a document that is missing"
NOWHERE, SEVERAL = "found in no document", "found more than once"
NO_PLACE, OUTSIDE = "without offsets and text", "outside the document"
OTHER_TEXT = "not the text at their offsets"
SHOWN, WORDS = 5, 40
"""Lines that a note names, and characters of an excerpt that a message shows."""


class Excerpt(BaseModel):
    """``documents[document][start:end]``, which is ``text``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    document: str | None = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    anywhere: bool | None = None


class Question(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    excerpts: tuple[Excerpt, ...] = Field(default=(), strict=False)
    documents: dict[str, int] = Field(default_factory=dict)


class LostError(SpanError):
    """An excerpt or a graded document that cannot be placed, of the question in a line: why in few
    words, and in a sentence."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.line = 0


@dataclass(frozen=True)
class Judged:
    """Questions with what answers them.

    Attributes:
        collection: the questions that something judges; without any where none were asked.
        task: what is asked.
        notes: in a sentence each, what was left out or is found in several places.
        copies: of an excerpt that any of several places answers, the places beside the one that the
            collection judges.
        lost: excerpts that are left out, or, where whole documents are graded, missing ones.
        without: lines of questions that lost all, or never had any.
    """

    collection: Collection
    task: Task
    notes: tuple[str, ...] = ()
    copies: Mapping[Judgment, tuple[Judgment, ...]] = field(default_factory=dict)
    lost: tuple[LostError, ...] = ()
    without: tuple[int, ...] = ()


def read(path: Path, documents: OwnDocuments, name: str) -> Judged:
    """The questions of a file, judged in documents.

    Raises:
        SourceError: if there is no such file, or a line is no JSON.
        SpanError: if a line is no question, or none can be judged.
    """
    return judge(lines(path), documents, name, str(path))


def lines(path: Path) -> list[tuple[int, Any]]:
    """Every line that holds something as JSON, with its number from 1."""
    return json_lines(path, "a question a line")


def write(path: Path, questions: Iterable[Question]) -> None:
    """Write a file that :func:`read` reads, the same questions in the same bytes."""
    written = [
        json.dumps(one.model_dump(exclude_none=True, exclude_defaults=True), ensure_ascii=False)
        for one in questions
    ]
    write_text(path, "".join(f"{line}\n" for line in written))


def judge(
    lines: Sequence[tuple[int, Any]], documents: OwnDocuments, name: str, where: str = "questions"
) -> Judged:
    """The same from objects, each with the number of its line."""
    questions = parse(lines, where)
    task: Task = (
        "in_corpus" if any(one.documents for one in questions.values()) else "token_overlap"
    )
    texts = _Texts(documents)
    judgments: list[Judgment] = []
    copies: dict[Judgment, tuple[Judgment, ...]] = {}
    absent: list[tuple[str, str, int]] = []
    lost: list[LostError] = []
    without: list[int] = []
    for number, one in questions.items():
        before = len(lost)
        at = f"{where}, line {number}"
        found: list[list[Judgment]] = []
        for graded, grade in one.documents.items():
            if grade < 0:
                raise SpanError(f"{at}: {graded} has grade {grade}; use 0 or more")
            try:
                found.append([Judgment(one.id, graded, 0, len(texts.of(graded, at)), grade)])
            except LostError as error:
                lost.append(error)
                absent.append((one.id, graded, grade))
        placed = []
        for excerpt in one.excerpts:
            try:
                placed.append(texts.places(excerpt, at))
            except LostError as error:
                lost.append(error)
        for missing in lost[before:]:
            missing.line = number
        found += [[Judgment(one.id, *place) for place in places] for places in _apart(placed)]
        if not any(first.grade for first, *_ in found):
            without.append(number)
            continue
        judgments += [first for first, *_ in found]
        copies |= {first: tuple(others) for first, *others in found if others}
    left = {number: one for number, one in questions.items() if number not in set(without)}
    if not left:
        raise SpanError(f"{where}: no question could be judged. {_all_lost(lost)}")
    ids = {one.id for one in left.values()}
    collection = Collection(
        name,
        documents.documents,
        tuple(Query(one.id, one.question) for one in left.values()),
        tuple(judgments),
        absent=tuple(one for one in absent if one[0] in ids),
        titles=documents.titles,
    )
    count = sum(len(one.excerpts) + len(one.documents) for one in questions.values())
    notes = tuple(_notes(task, count, len(copies), lost, without))
    return Judged(collection, task, notes, copies, tuple(lost), tuple(without))


def parse(lines: Sequence[tuple[int, Any]], where: str) -> dict[int, Question]:
    """Every question by the number of its line; an id that is missing is that number.

    Raises:
        SpanError: if a line is no question, is judged in both ways, or repeats an id.
    """
    found: dict[int, Question] = {}
    ids: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for number, content in lines:
        at = f"{where}, line {number}"
        if not isinstance(content, Mapping):
            raise SpanError(f'{at} is no question; write {{"question": "…", "excerpts": […]}}')
        try:
            one = Question.model_validate(_completed(content, number))
        except ValidationError as error:
            key, fault = first_fault(error)
            raise SpanError(f"{at}: {key or 'the line'} is wrong ({fault.lower()})") from None
        if one.id in ids:
            raise SpanError(f"{at}: id {one.id!r} stands in line {ids[one.id]} as well")
        ids[one.id] = number
        for kind in ("excerpts", "documents"):
            if getattr(one, kind):
                kinds.setdefault(kind, number)
        if len(kinds) > 1:
            raise SpanError(
                f"{at}: question {one.id!r} is judged by documents where line "
                f"{min(kinds.values())} is judged by excerpts, or the other way round; keep the "
                "two kinds in two collections"
            )
        found[number] = one
    if not found:
        raise SpanError(f"{where} holds no question; write one a line (docs/your-own-data.md)")
    return found


def _completed(content: Mapping[str, Any], number: int) -> dict[str, Any]:
    one = {key: value for key, value in content.items() if value is not None}
    one["id"] = str(one.get("id", number))
    if isinstance(one.get("documents"), list):
        one["documents"] = {str(name): 1 for name in one["documents"]}
    excerpts = one.get("excerpts", [])
    excerpts = [excerpts] if isinstance(excerpts, str | dict) else excerpts
    if isinstance(excerpts, list | tuple):
        excerpts = [{"text": text} if isinstance(text, str) else text for text in excerpts]
    return one | {"excerpts": excerpts}


class _Texts:
    """Documents in which excerpts are looked for, all in one search."""

    def __init__(self, documents: OwnDocuments) -> None:
        self._documents = documents
        self._texts = documents.texts
        self._names = list(self._texts)
        self._all = "\0".join(self._texts.values())
        lengths = [len(text) + 1 for text in self._texts.values()]
        self._starts = [0, *accumulate(lengths)][: len(lengths)]

    def of(self, name: str, where: str) -> str:
        """A document's text.

        Raises:
            LostError: if it is missing or left out.
        """
        if name not in self._texts:
            left_out = self._documents.left_out
            why = next((one.reason for one in left_out if one.name == name), "missing")
            raise LostError(
                NO_DOCUMENT, f"{where} names document {name!r}, which is {why}; mend it or the line"
            )
        return self._texts[name]

    def places(self, excerpt: Excerpt, where: str) -> list[Place]:
        """Where an excerpt stands, the place it names first.

        Raises:
            LostError: if it cannot be placed.
        """
        name, said = excerpt.document, excerpt.text
        text = None if name is None else self.of(name, where)
        at = f"{where}: the excerpt" + (f" of {name}" if name else "")
        offsets = excerpt.start is not None or excerpt.end is not None
        if name is not None and text is not None and offsets:
            named = (name, *self._span(excerpt, text, at, self._documents.before.get(name, 0)))
            everywhere = self._found(text[named[1] : named[2]]) if excerpt.anywhere else []
            return [named, *(place for place in everywhere if place != named)]
        if offsets or not said:
            raise LostError(NO_PLACE, f"{at} needs a document with start and end, or its text")
        everywhere = self._found(said)
        found = [place for place in everywhere if name in (None, place[0])]
        if not found:
            raise LostError(
                NOWHERE, f"{at}, {said[:WORDS]!r}, does not stand there; copy it letter by letter"
            )
        if excerpt.anywhere is False and len(found) > 1:
            raise LostError(
                SEVERAL,
                f"{at}, {said[:WORDS]!r}, stands there {len(found)} times; give start and end, or "
                'say "anywhere": true',
            )
        others = [place for place in everywhere if place not in found]
        return found + others if excerpt.anywhere else found

    def _found(self, said: str) -> list[Place]:
        """Every place of some words, none of which overlap."""
        found, start = [], 0
        while (start := self._all.find(said, start)) >= 0:
            document = bisect_right(self._starts, start) - 1
            first = start - self._starts[document]
            found.append((self._names[document], first, first + len(said)))
            start += len(said)
        return found

    def _span(self, excerpt: Excerpt, text: str, at: str, before: int) -> tuple[int, int]:
        """The offsets that an excerpt names; ``before``: characters that they do not count."""
        if excerpt.start is None or excerpt.end is None:
            raise LostError(NO_PLACE, f"{at} needs both start and end, or its text")
        start, end = excerpt.start + before, excerpt.end + before
        if not before <= start < end <= len(text):
            raise LostError(
                OUTSIDE,
                f"{at} has offsets {excerpt.start} to {excerpt.end}, and the document "
                f"{len(text) - before} characters; count characters from 0",
            )
        if excerpt.text is not None and text[start:end] != excerpt.text:
            raise LostError(
                OTHER_TEXT,
                f"{at}, {excerpt.text[:WORDS]!r}, is not what stands at {excerpt.start} to "
                f"{excerpt.end}, {text[start:end][:WORDS]!r}; the documents may be of another "
                "version",
            )
        return start, end


def _apart(placed: Sequence[Sequence[Place]]) -> list[list[Place]]:
    """A question's excerpts so that none shares a character with another: those at one place that
    do become one, and one of several places stands at that which it shares."""
    groups = [list(places) for places in placed]
    for i, group in enumerate(groups):
        others = [place for j, other in enumerate(groups) if i != j for place in other]
        if len(group) > 1:
            shared = (one for one in group if any(_meet(one, other) for other in others))
            groups[i] = [one] if (one := next(shared, None)) else group
    fixed = sorted(group[0] for group in groups if len(group) == 1)
    joined: list[Place] = []
    for place in fixed:
        if joined and _meet(joined[-1], place):
            name, start, end = joined.pop()
            place = (name, start, max(end, place[2]))
        joined.append(place)
    return [*([place] for place in joined), *(group for group in groups if len(group) > 1)]


def _notes(
    task: Task, judgments: int, copied: int, lost: Sequence[LostError], without: Sequence[int]
) -> Iterator[str]:
    """What was lost or is found in several places, a sentence each; ``judgments`` are in the file,
    ``copied`` of them in several places."""
    if copied:
        yield (
            f"{copied} of {judgments} excerpts stand in several places, and any of these counts as "
            'found; "anywhere": false leaves such an excerpt out.'
        )
    if lost:
        graded = task == "in_corpus"
        what = "graded documents" if graded else "excerpts"
        then = "they count as never found" if graded else "they are left out"
        parts = []
        for reason in dict.fromkeys(error.reason for error in lost):
            numbers = [error.line for error in lost if error.reason == reason]
            parts.append(f"{len(numbers)} {reason} ({_lines(numbers)})")
        yield (
            f"{len(lost)} of {judgments} {what} could not be placed and {then}: {', '.join(parts)}."
        )
    if without:
        yield (
            f"{len(without)} questions are left out, since nothing that could be placed answers "
            f"them ({_lines(without)})."
        )


def _meet(one: Place, other: Place) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _all_lost(lost: Sequence[LostError]) -> str:
    if not lost:
        return "Give each question excerpts or documents (docs/your-own-data.md)."
    reasons = Counter(one.reason for one in lost)
    said = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return f"Of what should answer them: {said}; copy excerpts letter by letter."


def _lines(numbers: Iterable[int]) -> str:
    each = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, each[:SHOWN]))
    return f"line{'s' if len(each) > 1 else ''} {shown}{', …' if len(each) > SHOWN else ''}"
