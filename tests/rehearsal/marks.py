"""Marks on all that a rehearsal leaves, so that nobody takes it for a result."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from chunkstudy.runs import records

FILE = "REHEARSAL.txt"
SENTENCE = (
    "A rehearsal on random weights, made-up collections and services on the loopback: nothing here "
    "is a result."
)
COLUMN = "rehearsal"
CELL = "no result: random weights"
MARKED = ("tables", "comparison.csv", "facts", "studies")
"""What is derived below ``results``; records say so themselves."""


class Run(records.Run):
    """What a rehearsed condition leaves; the study refuses it, whose records lack this field."""

    rehearsal: Literal[True] = True


def every_file(root: Path) -> None:
    """Mark each derived table, set table and page below a rehearsal's folder, once."""
    results = root / "results"
    for name in MARKED:
        for path in sorted(_files(results / name)):
            _mark(path)
    for path in sorted(_files(root / "paper")):
        _mark(path)


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]


def _mark(path: Path) -> None:
    text = path.read_text(encoding="utf-8") if path.suffix in WAYS else ""
    if text and SENTENCE not in text and not text.startswith(COLUMN):
        path.write_text(WAYS[path.suffix](text), encoding="utf-8")


def _csv(text: str) -> str:
    """With a first column that says so in each row."""
    lines, inside = [], False
    for number, line in enumerate(text.splitlines(keepends=True)):
        head = "" if inside else f"{COLUMN if number == 0 else CELL},"
        lines.append(head + line)
        inside ^= line.count('"') % 2 == 1  # a quoted cell may go over several lines
    return "".join(lines)


def _tex(text: str) -> str:
    return f"% {SENTENCE}\n\\textbf{{{SENTENCE}}}\\par\n{text}"


def _html(text: str) -> str:
    return f'<p role="alert"><strong>{SENTENCE}</strong></p>\n{text}'


WAYS = {".csv": _csv, ".tex": _tex, ".html": _html}
