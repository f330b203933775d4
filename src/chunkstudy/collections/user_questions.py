"""Questions as their owner has them, judged as far as they can be, and an account of the rest.

The file is described in docs/your-own-data.md. A question a line, judged either by excerpts or by
whole documents, all lines alike::

    {"id": "7", "question": "…", "excerpts": ["copied letter by letter"]}
    {"question": "…", "excerpts": [{"document": "a.md", "start": 10, "end": 42, "text": "…"}]}
    {"question": "…", "documents": {"a.md": 2, "b.md": 1}}

Offsets count characters from 0, ``end`` is the first one that is no longer in it. An excerpt
without offsets whose text stands in several places is found by any of them, unless it says
``"anywhere": false``; with ``"anywhere": true`` so is one with offsets or a document. Words that
stand nowhere letter by letter are found whatever their white space, quotation marks, dashes and
case, which is counted (``quoted``). What cannot be placed is left out and counted, the question
keeps the rest, and a question that loses all is left out and counted too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.collections import quoted
from chunkstudy.collections.quoted import ExcerptPlace
from chunkstudy.collections.user_documents import OwnDocuments, json_lines
from chunkstudy.core.errors import UserError, first_fault
from chunkstudy.core.files import write_text
from chunkstudy.core.folding import is_blank
from chunkstudy.core.spans import Collection, Judgment, Query

Task = Literal["token_overlap", "in_corpus"]
NO_DOCUMENT = "of a document that is missing"
NOWHERE, SEVERAL = "found in no document", "found more than once"
BLANK = "blank"
NO_PLACE, OUTSIDE = "without offsets and text", "outside the document"
OTHER_TEXT = "not the text at their offsets"
UNANSWERED = "questions are left out, since nothing that could be placed answers them"
BENT = (
    "of {} excerpts were found only with other white space, quotation marks, dashes, case or form "
    "of letters"
)
NOT_ASKED = "questions are left out, since they are blank"
SHOWN, WORDS, MOST_SHOWN = 5, 40, 300
"""Lines that a note names, and characters that a message shows of an excerpt and of what is nearest
to it."""


class Quotation(BaseModel):
    """An excerpt as a line names it: ``documents[document][start:end]``, which is ``text``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    document: str | None = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    anywhere: bool | None = None

    def __str__(self) -> str:
        """What messages call it."""
        of = f" of {self.document}" if self.document else ""
        return f"the excerpt{of}" + (f", {self.text[:WORDS]!r}," if self.text else "")


class Question(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    excerpts: tuple[Quotation, ...] = Field(default=(), strict=False)
    documents: dict[str, int] = Field(default_factory=dict)

    @property
    def line(self) -> dict[str, Any]:
        """What the file says of it."""
        return self.model_dump(exclude_none=True, exclude_defaults=True)


@dataclass(frozen=True)
class Judged:
    """Questions with what answers them.

    Attributes:
        collection: the questions that something judges; without any where none were asked.
        task: what is asked.
        notes: in a sentence each, what was left out or is found in several places.
        copies: of an excerpt that any of several places answers, the places beside the one that the
            collection judges.
        faults: in a sentence each, excerpts and graded documents that cannot be placed, and lines
            that nothing answers; the same that the notes count.
        none: why no question can be judged, in a sentence; empty where one can.
    """

    collection: Collection
    task: Task
    notes: tuple[str, ...] = ()
    copies: Mapping[Judgment, tuple[Judgment, ...]] = field(default_factory=dict)
    faults: tuple[UserError, ...] = ()
    none: str = ""


def read(
    questions: Path | Sequence[Mapping[str, Any]], documents: OwnDocuments, name: str
) -> Judged:
    """The questions of a file, or as its lines hold them, judged in documents.

    Raises:
        ResourceError: if there is no such file, or a line is no JSON.
        UserError: if a line is no question.
    """
    where, asked = _where(questions), parse(questions)
    kind = task(asked)
    lost: list[tuple[int, UserError]] = []
    lines: dict[str, list[int]] = {UNANSWERED: [], BENT: [], NOT_ASKED: []}
    judgments: list[Judgment] = []
    copies: dict[Judgment, tuple[Judgment, ...]] = {}
    absent: list[tuple[str, str, int]] = []
    judged: list[Query] = []
    for number, question in asked.items():
        if is_blank(question.question):
            lines[NOT_ASKED].append(number)
            continue
        answers, gone, bent = _answers(question, documents, f"{where}, line {number}")
        lost += [(number, error) for error in gone]
        lines[BENT] += [number] * bent
        if not any(first.grade for first, *_ in answers):
            lines[UNANSWERED].append(number)
            continue
        absent += [
            (question.id, document, grade)
            for document, grade in question.documents.items()
            if document not in documents.texts and document not in documents.twins
        ]
        judged.append(Query(question.id, question.question))
        judgments += [first for first, *_ in answers]
        copies |= {first: tuple(others) for first, *others in answers if others}
    collection = Collection(
        name,
        documents.documents,
        tuple(judged),
        tuple(judgments),
        absent=tuple(absent),
        titles=documents.titles,
    )
    count = sum(len(question.excerpts) + len(question.documents) for question in asked.values())
    remedy = "needs excerpts or documents; add what answers it"
    unanswered = [UserError(f"{where}, line {at} {remedy}") for at in lines[UNANSWERED]]
    faults = (*(error for _, error in lost), *unanswered)
    notes = tuple(_notes(kind, count, len(copies), lost, lines))
    none = f"{where}: no question could be judged (`chunkstudy check` says what each lacks)."
    return Judged(
        collection, kind, notes, copies, faults, "" if judged else " ".join((none, *notes))
    )


def write(path: Path, questions: Iterable[Question]) -> None:
    """Write a file that :func:`read` reads, the same questions in the same bytes."""
    lines = (json.dumps(question.line, ensure_ascii=False) for question in questions)
    write_text(path, "".join(f"{line}\n" for line in lines))


def _answers(
    question: Question, documents: OwnDocuments, at: str
) -> tuple[list[list[Judgment]], list[UserError], int]:
    """What answers a question, each with the places that would do as well; what is lost; and how
    many excerpts stand there in another form."""
    answers: list[list[Judgment]] = []
    lost: list[UserError] = []
    grades: dict[str, int] = {}
    for target_id, grade in question.documents.items():
        kept = documents.twins.get(target_id, target_id)
        grades[kept] = max(grade, grades.get(kept, grade))
    for name, grade in grades.items():
        if grade < 0:
            raise UserError(f"{at}: {name} has grade {grade}; use 0 or more")
        try:
            whole = len(_text(name, documents, at))
            answers.append([Judgment(question.id, name, 0, whole, grade)])
        except UserError as error:
            lost.append(error)
    placed: list[list[ExcerptPlace]] = []
    bent = 0
    for excerpt in question.excerpts:
        try:
            places = _places(excerpt, documents, at)
        except UserError as error:
            lost.append(error)
            continue
        name, start, end = places[0]
        bent += bool(excerpt.text) and documents.texts[name][start:end] != excerpt.text
        placed.append(places)
    answers += [[Judgment(question.id, *place) for place in some] for some in _apart(placed)]
    return answers, lost, bent


def task(questions: Mapping[int, Question]) -> Task:
    """What is asked by questions."""
    graded = any(question.documents for question in questions.values())
    return "in_corpus" if graded else "token_overlap"


def parse(given: Path | Sequence[Mapping[str, Any]]) -> dict[int, Question]:
    """Every question of a file, or as its lines hold them, by the number of its line; an id that is
    missing is that number.

    Raises:
        ResourceError: if there is no such file, or a line is no JSON.
        UserError: if a line is no question, is judged in both ways, or repeats an id.
    """
    questions: dict[int, Question] = {}
    ids: dict[str, int] = {}
    kinds: dict[str, int] = {}
    where = _where(given)
    lines: Iterable[tuple[int, Any]] = (
        json_lines(given, "a question a line") if isinstance(given, Path) else enumerate(given, 1)
    )
    for number, content in lines:
        at = f"{where}, line {number}"
        if not isinstance(content, Mapping):
            raise UserError(f'{at} is no question; write {{"question": "…", "excerpts": […]}}')
        try:
            question = Question.model_validate(_completed(content, number))
        except ValidationError as error:
            key, fault = first_fault(error)
            raise UserError(f"{at}: {key or 'the line'} is wrong ({fault.lower()})") from None
        if question.id in ids:
            raise UserError(f"{at}: id {question.id!r} stands in line {ids[question.id]} as well")
        ids[question.id] = number
        for kind in ("excerpts", "documents"):
            if getattr(question, kind):
                kinds.setdefault(kind, number)
        if len(kinds) > 1:
            raise UserError(
                f"{at}: question {question.id!r} is judged by documents where line "
                f"{min(kinds.values())} is judged by excerpts, or the other way round; keep the "
                "two kinds in two collections"
            )
        questions[number] = question
    if not questions:
        raise UserError(f"{where} holds no question; write one a line (docs/your-own-data.md)")
    return questions


def _where(questions: Path | Sequence[Mapping[str, Any]]) -> str:
    return str(questions) if isinstance(questions, Path) else "questions"


def _completed(content: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A line with an id, grades of its documents, and excerpts as objects."""
    line = {key: value for key, value in content.items() if value is not None}
    line["id"] = str(line.get("id", number))
    if isinstance(line.get("documents"), list):
        line["documents"] = {str(name): 1 for name in line["documents"]}
    excerpts = line.get("excerpts", [])
    excerpts = [excerpts] if isinstance(excerpts, str | dict) else excerpts
    if isinstance(excerpts, list | tuple):
        excerpts = [{"text": text} if isinstance(text, str) else text for text in excerpts]
    return line | {"excerpts": excerpts}


def _places(excerpt: Quotation, documents: OwnDocuments, where: str) -> list[ExcerptPlace]:
    """Where an excerpt stands, the place it names first.

    Raises:
        UserError: if it cannot be placed.
    """
    name, words, at = excerpt.document, excerpt.text, f"{where}: {excerpt}"
    text = None if name is None else _text(name, documents, where)
    before = documents.before.get(name or "", 0)
    name = documents.twins.get(name or "", name)
    offsets = excerpt.start is not None or excerpt.end is not None
    if name is not None and text is not None and offsets:
        start, end = _span(excerpt, text, at, before)
        first = ExcerptPlace(name, start, end)
        if not excerpt.anywhere:
            return [first]
        copies = quoted.letter_by_letter(text[start:end], documents.texts)
        return [first, *(place for place in copies if place != first)]
    if offsets or not words:
        raise UserError(f"{at} needs a document with start and end, or its text", reason=NO_PLACE)
    if is_blank(words):
        raise UserError(
            f"{at} shows nothing; copy the words that answer the question", reason=BLANK
        )
    everywhere = quoted.letter_by_letter(words, documents.texts)
    matching = [place for place in everywhere if name in (None, place.document)]
    if not matching:
        everywhere = quoted.whatever_the_form(words, documents.texts)
        matching = [place for place in everywhere if name in (None, place.document)]
    if not matching:
        near = quoted.nearest(words, documents.texts if text is None else {str(name): text})
        if near is None:
            raise UserError(f"{at} does not stand there; copy it letter by letter", reason=NOWHERE)
        instead = near._asdict() | {"text": documents.texts[near.document][near.start : near.end]}
        raise UserError(
            f"{at} does not stand there; nearest is {instead['text'][:MOST_SHOWN]!r} of "
            f"{near.document}, at {near.start} to {near.end}",
            reason=NOWHERE,
            paste=json.dumps(instead, ensure_ascii=False),
        )
    if excerpt.anywhere is False and len(matching) > 1:
        raise UserError(
            f'{at} stands there {len(matching)} times; give start and end, or say "anywhere": true',
            reason=SEVERAL,
        )
    others = [place for place in everywhere if place not in matching]
    return matching + others if excerpt.anywhere else matching


def _text(name: str, documents: OwnDocuments, where: str) -> str:
    name = documents.twins.get(name, name)
    if name not in documents.texts:
        why = documents.left_out.get(name, "missing")
        raise UserError(
            f"{where} names document {name!r}, which is {why}; mend it or the line",
            reason=NO_DOCUMENT,
        )
    return documents.texts[name]


def _span(excerpt: Quotation, text: str, at: str, before: int) -> tuple[int, int]:
    """The offsets that an excerpt names; ``before``: characters that they do not count."""
    if excerpt.start is None or excerpt.end is None:
        raise UserError(f"{at} needs both start and end, or its text", reason=NO_PLACE)
    start, end = excerpt.start + before, excerpt.end + before
    if not before <= start < end <= len(text):
        raise UserError(
            f"{at} has offsets {excerpt.start} to {excerpt.end}, and the document "
            f"{len(text) - before} characters; count characters from 0",
            reason=OUTSIDE,
        )
    if is_blank(text[start:end]):
        raise UserError(
            f"{at} shows nothing between {excerpt.start} and {excerpt.end}", reason=BLANK
        )
    if excerpt.text is not None and not quoted.same_but_for_form(text[start:end], excerpt.text):
        raise UserError(
            f"{at} is not what stands at {excerpt.start} to {excerpt.end}, "
            f"{text[start:end][:WORDS]!r}; the documents may be of another version",
            reason=OTHER_TEXT,
        )
    return start, end


def _apart(placed: Sequence[Sequence[ExcerptPlace]]) -> list[list[ExcerptPlace]]:
    """A question's excerpts so that none shares a character with another: those at one place that
    do become one, and one of several places stands at that which it shares."""
    groups = [list(places) for places in placed]
    for i, group in enumerate(groups):
        others = [place for j, other in enumerate(groups) if i != j for place in other]
        if len(group) > 1:
            shared = [place for place in group if any(_meet(place, other) for other in others)]
            groups[i] = shared[:1] or group
    joined: list[ExcerptPlace] = []
    for place in sorted(group[0] for group in groups if len(group) == 1):
        if joined and _meet(joined[-1], place):
            name, start, end = joined.pop()
            place = ExcerptPlace(name, start, max(end, place.end))
        joined.append(place)
    return [*([place] for place in joined), *(group for group in groups if len(group) > 1)]


def _meet(first: ExcerptPlace, second: ExcerptPlace) -> bool:
    return first[0] == second[0] and first[1] < second[2] and second[1] < first[2]


def _notes(
    task: Task,
    judgments: int,
    copied: int,
    lost: Sequence[tuple[int, UserError]],
    lines: Mapping[str, Sequence[int]],
) -> Iterator[str]:
    """What was lost or is found in several places, a sentence each; ``judgments`` are in the file,
    ``copied`` of them in several places, and of what ``lines`` say there is one in each."""
    if copied:
        yield (
            f"{copied} of {judgments} excerpts stand in several places, and any of these counts as "
            'found; "anywhere": false leaves such an excerpt out.'
        )
    if lost:
        graded = task == "in_corpus"
        what = "graded documents" if graded else "excerpts"
        then = "they count as never found" if graded else "they are left out"
        by_reason: dict[str, list[int]] = {}
        for number, error in lost:
            by_reason.setdefault(error.reason, []).append(number)
        parts = [f"{len(at)} {reason} ({_lines(at)})" for reason, at in by_reason.items()]
        yield (
            f"{len(lost)} of {judgments} {what} could not be placed and {then}: {', '.join(parts)}."
        )
    for says, at in lines.items():
        if at:
            yield f"{len(at)} {says.format(judgments)} ({_lines(at)})."


def _lines(numbers: Iterable[int]) -> str:
    each = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, each[:SHOWN]))
    return f"line{'s' if len(each) > 1 else ''} {shown}{', …' if len(each) > SHOWN else ''}"
