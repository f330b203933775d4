"""What a generation leaves in its folder: a collection, every candidate, and how it was made.

``questions.jsonl`` comes last, since it makes the folder a collection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.base.files import write_json, write_text
from chunkstudy.collections import own, own_questions
from chunkstudy.collections.own_documents import OwnDocuments
from chunkstudy.collections.own_questions import Question, Quotation
from chunkstudy.llm.prices import expected
from chunkstudy.studies.generated_questions.generate import Candidate, Generated
from chunkstudy.studies.generated_questions.prompts import GenerationSettings

CANDIDATES, REPORT, RECORDINGS = "candidates.jsonl", "generation.json", "llm"


class OutputError(ValueError):
    """A folder that may not be written."""


def question(candidate: Candidate, texts: Mapping[str, str]) -> Question:
    """A candidate as a line of ``questions.jsonl``; any copy of an excerpt that recurs will do."""
    text = texts[candidate.document]
    return Question(
        id=str(candidate.number),
        question=candidate.question,
        excerpts=tuple(
            Quotation(
                document=candidate.document,
                start=start,
                end=end,
                text=text[start:end],
                anywhere=sum(other.count(text[start:end]) for other in texts.values()) > 1 or None,
            )
            for start, end in candidate.excerpts
        ),
    )


def check(folder: Path, source: Path, documents: OwnDocuments) -> None:
    """Refuse a folder that would lie inside its own documents, or that holds something else: other
    things, or a generation from other documents.

    Raises:
        OutputError: if it does.
    """
    if folder.resolve().is_relative_to(source.resolve()):
        raise OutputError(f"{folder} lies inside {source}, whose texts it copies; write elsewhere")
    if not own.NAME.fullmatch(folder.name):
        raise OutputError(
            f"{folder.name!r} cannot name a collection; use letters, digits, dots, - and _"
        )
    copies = folder / own.DOCUMENTS
    holds = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if holds - {RECORDINGS} and own.DOCUMENTS not in holds:
        raise OutputError(f"{folder} holds other things already; name an empty or a new folder")
    wanted = {document.id: document.text.encode("utf-8") for document in documents.documents}
    there = {path.relative_to(copies).as_posix() for path in copies.rglob("*") if path.is_file()}
    changed = [name for name in there if (copies / name).read_bytes() != wanted.get(name)]
    if changed:
        raise OutputError(
            f"{folder} was made from other documents ({sorted(changed)[0]} differs); name another "
            "folder, or delete this one"
        )


def write(
    folder: Path,
    documents: OwnDocuments,
    settings: GenerationSettings,
    made: Generated,
    filtered: pd.DataFrame,
    thresholds: Mapping[str, float],
    encoder: Mapping[str, Any],
) -> list[str]:
    """Write candidates, report and questions; the report for reading, a line each.

    Args:
        folder: that already holds a copy of the documents.
        filtered: what became of each, of :func:`filters.apply`.
        thresholds: ``least`` and ``most`` of the same.
    """
    questions = [question(candidate, documents.texts) for candidate in made.candidates]
    became = filtered.round(6).astype(object).replace(float("nan"), None).to_dict("records")
    lines = [each.line | told for each, told in zip(questions, became, strict=True)]
    replies = [attempt.reply for attempt in made.attempts]
    read = sum(reply.input_tokens for reply in replies)
    took = expected(settings.model, len(replies), read, sum(r.output_tokens for r in replies))
    report: dict[str, Any] = {
        "settings": asdict(settings),
        "documents": len(documents.documents),
        "left out": _counted(documents.left_out.values()),
        "requests": took.requests,
        "candidates": len(questions),
        "given up": settings.questions - len(questions),
        "rejected": _counted(attempt.rejected for attempt in made.attempts),
        "input tokens": read,
        "output tokens": took.output_tokens,
        "dollars": None if isnan(took.dollars) else round(took.dollars, 6),
        "thresholds": dict(thresholds),
        "encoder": dict(encoder),
        "dropped": _counted(filtered["dropped"]),
        "kept": int((filtered["dropped"] == "").sum()),
    }
    written = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_text(folder / CANDIDATES, "".join(written))
    write_json(folder / REPORT, report)
    own_questions.write(
        folder / own.QUESTIONS,
        (each for each, told in zip(questions, became, strict=True) if not told["dropped"]),
    )
    return [
        f"{report['requests']} replies gave {report['candidates']} questions; "
        f"{report['given up']} were given up",
        *(
            f"{number} {became}: {why}"
            for became in ("rejected", "dropped")
            for why, number in report[became].items()
        ),
        f"{report['kept']} questions kept; {took}",
    ]


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    """How often each reason stands there, empty ones left out."""
    return dict(Counter(filter(None, reasons)))
