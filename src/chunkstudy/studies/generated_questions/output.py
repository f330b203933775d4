"""What a generation leaves in its folder: a collection, every candidate, and a report.

``questions.jsonl`` comes last, since it makes the folder a collection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from chunkstudy.base.files import write_json, write_text
from chunkstudy.collections import own, own_questions
from chunkstudy.collections.own_documents import OwnDocuments
from chunkstudy.collections.own_questions import Question, Quotation
from chunkstudy.llm.prices import price
from chunkstudy.studies.generated_questions.filters import ALIKE, UNLIKE, Filtered
from chunkstudy.studies.generated_questions.generate import Candidate, Generated
from chunkstudy.studies.generated_questions.prompts import Settings
from chunkstudy.studies.generated_questions.replies import REASONS

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
                anywhere=sum(one.count(text[start:end]) for one in texts.values()) > 1 or None,
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
    here = folder / own.DOCUMENTS
    holds = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if holds - {RECORDINGS} and own.DOCUMENTS not in holds:
        raise OutputError(f"{folder} holds other things already; name an empty or a new folder")
    wanted = {document.id: document.text.encode("utf-8") for document in documents.documents}
    there = {path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()}
    changed = [name for name in there if (here / name).read_bytes() != wanted.get(name)]
    if changed:
        raise OutputError(
            f"{folder} was made from other documents ({sorted(changed)[0]} differs); name another "
            "folder, or delete this one"
        )


def write_documents(folder: Path, documents: OwnDocuments) -> None:
    """Copy the documents, so that the offsets stay right whatever becomes of their source."""
    for document in documents.documents:
        write_text(folder / own.DOCUMENTS / document.id, document.text)


def write(
    folder: Path,
    documents: OwnDocuments,
    settings: Settings,
    made: Generated,
    filtered: Filtered,
    thresholds: Mapping[str, float],
    encoder: Mapping[str, Any],
) -> dict[str, Any]:
    """Write candidates, report and questions; the report.

    Args:
        folder: that already holds the documents.
        thresholds: ``least`` and ``most``, see :func:`filters.apply`.
    """
    texts = documents.texts
    lines, kept = [], []
    for one, least, most, dropped in zip(
        made.candidates, filtered.least, filtered.most, filtered.dropped, strict=True
    ):
        line = question(one, texts)
        kept += [] if dropped else [line]
        lines.append(
            line.model_dump(exclude_none=True, exclude_defaults=True)
            | {
                "least similar excerpt": round(float(least), 6),
                "most similar earlier question": None if np.isnan(most) else round(float(most), 6),
                "dropped": dropped,
                "oath": one.oath,
                "joins with and": one.joins,
                "excerpts that recur": one.recurring,
            }
        )
    report = {
        "settings": asdict(settings),
        "documents": len(documents.documents),
        "left out": dict(Counter(one.reason for one in documents.left_out)),
        **counts(made, settings.model),
        "thresholds": dict(thresholds),
        "encoder": dict(encoder),
        "dropped": {why: filtered.dropped.count(why) for why in (UNLIKE, ALIKE)},
        "kept": len(kept),
    }
    written = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_text(folder / CANDIDATES, "".join(written))
    write_json(folder / REPORT, report)
    own_questions.write(folder / own.QUESTIONS, kept)
    return report


def counts(made: Generated, model: str) -> dict[str, Any]:
    """Requests and what became of the replies; tokens, seconds and dollars of all replies, recorded
    ones included."""
    rejected = Counter(one.rejected for one in made.asked if one.rejected)
    read = sum(one.input_tokens for one in made.asked)
    written = sum(one.output_tokens for one in made.asked)
    sold = price(model)
    return {
        "requests": len(made.asked),
        "candidates": len(made.candidates),
        "given up": made.given_up,
        "rejected": {why: rejected[why] for why in REASONS if rejected[why]},
        "without the oath": sum(not one.oath for one in made.candidates),
        "joined with and": sum(one.joins for one in made.candidates),
        "with an excerpt that recurs": sum(one.recurring > 0 for one in made.candidates),
        "input tokens": read,
        "output tokens": written,
        "seconds": round(sum(one.seconds for one in made.asked), 3),
        "dollars": None if sold is None else round(sold.dollars(read, written), 6),
    }


def summary(report: Mapping[str, Any]) -> Iterable[str]:
    """The report for reading, a line each."""
    yield (
        f"{report['requests']} replies gave {report['candidates']} questions; "
        f"{report['given up']} were given up"
    )
    for why, number in report["rejected"].items():
        yield f"{number} rejected: {why}"
    for why, number in report["dropped"].items():
        yield f"{number} dropped: {why}"
    yield f"{report['kept']} questions kept"
    money = "" if report["dollars"] is None else f", ${report['dollars']:.2f}"
    yield (
        f"{report['input tokens']:,} tokens in, {report['output tokens']:,} out, "
        f"{report['seconds']:.0f} seconds{money}"
    )
