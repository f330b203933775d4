"""A user's own texts, read as they stand: a folder, or a file with a document a line.

Every file below a folder is a document, its path below the folder the document's id; other formats
than plain text become Markdown (``own_formats``), and docs/generation.md says what is left out. A
line is ``{"id": "a", "text": "…"}``, and may have a title, which is put before the text as BEIR's
collections have it.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from chunkstudy.collections import user_formats
from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.core.folding import is_blank
from chunkstudy.core.project import project_or_working_folder
from chunkstudy.core.spans import Document

EMPTY = "empty"
BINARY = "not text"
ENCODING = "not UTF-8"
REPEATED = "the same text as another"
BROKEN_LINK = "a link to nothing"
QUESTIONS = "the file of questions"
WRITTEN = "written by chunkstudy"
EVALUATION = "evaluation.json"
"""The record of an evaluation, beside all else that it wrote."""
LARGEST = 20_000_000
LARGE = f"larger than {LARGEST // 10**6} MB"
LARGEST_FILE = 10 * LARGEST
"""Bytes of a file of another format, most of which may be pictures."""
HEAD = 8192
"""Bytes at a file's beginning that tell whether it is text before the rest is read."""
SHOWN = 3


@dataclass(frozen=True)
class OwnDocuments:
    """Documents in the order of their ids, and by name why other files are none: one of the reasons
    above, or of a format's."""

    documents: tuple[Document, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    """By id, characters of the title that stand before the text that offsets count in."""
    twins: Mapping[str, str] = field(default_factory=dict)
    """By the id of a document left out for its text, the id of the one that has the same text."""

    @cached_property
    def texts(self) -> dict[str, str]:
        return {document.id: document.text for document in self.documents}

    @property
    def titles(self) -> dict[str, str]:
        """By id, of those that have one."""
        before = {name: n for name, n in self.before.items() if name in self.texts}
        return {name: self.texts[name][: length - 1] for name, length in before.items()}

    def __str__(self) -> str:
        """How many documents, and how many files of which reason are left out, the first named."""
        parts = [f"{len(self.documents)} documents"]
        for reason in dict.fromkeys(self.left_out.values()):
            names = [name for name, why in self.left_out.items() if why == reason]
            more = ", …" if len(names) > SHOWN else ""
            parts.append(f"{len(names)} left out, {reason} ({', '.join(names[:SHOWN])}{more})")
        return "; ".join(parts)


def read(folder: Path) -> OwnDocuments:
    """Every text below a folder, or of a file whose name ends in ``.jsonl`` with a document a line.

    Left out: files and folders whose name begins with a dot, which are not counted; files of
    questions; ``build`` and what evaluations wrote; what is empty or only white space; what holds a
    zero byte; what is not UTF-8; what is larger than ``LARGEST``; formats that hold no text, or
    whose library is not installed (the extra ``documents``); and a text that stands in an earlier
    file as well, whose judgments become the earlier one's. Links are followed, each folder once. A
    byte order mark is dropped; line ends stay as they are.

    Raises:
        ResourceError: if there is no such folder or file, no document in it, a line is none, or an
            id stands twice.
    """
    if folder.suffix == ".jsonl":
        lines = json_lines(folder, "a document a line, or a folder")
        return from_entries(((f"{folder}, line {at}", line) for at, line in lines), str(folder))
    if not folder.is_dir():
        raise ResourceError(f"{folder} is no folder; name one that holds texts")
    build, paths = project_or_working_folder().build.resolve(), {}
    entered: set[Path] = set()
    for name, folders, files in os.walk(folder, followlinks=True):
        inside = Path(name)
        if inside.resolve() in entered:  # behind a link, or a link to where it stands
            folders[:] = []
            continue
        entered.add(inside.resolve())
        if inside != folder and (EVALUATION in files or inside.resolve() == build):
            paths[inside.relative_to(folder).as_posix()] = inside
            folders[:] = files[:] = []
        folders[:] = [below for below in folders if not below.startswith(".")]  # not gone into
        visible = (inside / file for file in files if not file.startswith("."))
        paths |= {
            path.relative_to(folder).as_posix(): path
            for path in visible
            if path.is_file() or path.is_symlink()
        }
    texts = {readable(name): partial(_text, path) for name, path in sorted(paths.items())}
    return _each_once(texts, {}, f"{folder} holds no text in UTF-8; name a folder that does")


def json_lines(path: Path, what: str) -> list[tuple[int, Any]]:
    """Every line of a file that holds something, with its number from 1; of that file with ``.gz``
    behind its name where there is only this.

    Raises:
        ResourceError: if there is no file, which then ends in ``what`` to name, or a line is no
            JSON.
    """
    packed = path.with_name(f"{path.name}.gz")
    if not path.is_file() and not packed.is_file():
        raise ResourceError(f"there is no file {path}; name one with {what}")
    try:
        data = path.read_bytes() if path.is_file() else gzip.decompress(packed.read_bytes())
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ResourceError(f"{path} is not UTF-8; save it as UTF-8") from None
    lines = []
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            try:
                lines.append((number, json.loads(line)))
            except (ValueError, RecursionError):
                raise ResourceError(
                    f"{path}, line {number} is not JSON; write one object a line"
                ) from None
    return lines


def from_entries(entries: Iterable[tuple[str, Any]], name: str) -> OwnDocuments:
    """Documents from objects with ``id``, ``text`` and perhaps ``title``, each with where it stands
    for messages; keys beside these are passed over.

    Raises:
        ResourceError: if one is no document, an id stands twice, or there is none.
    """
    texts: dict[str, Callable[[], str]] = {}
    before: dict[str, int] = {}
    for where, entry in entries:
        if not isinstance(entry, dict):
            raise ResourceError(f'{where} is no document; write {{"id": "…", "text": "…"}}')
        key, text = entry.get("id", entry.get("_id")), entry.get("text")
        title = entry.get("title") or ""
        if not isinstance(key, str | int) or not isinstance(text, str) or str(key) == "":
            raise ResourceError(f"{where} needs id and text, both in quotation marks")
        key = readable(str(key))
        if key in texts:
            raise ResourceError(f"{where}: id {key!r} stands twice; give each document its own")
        texts[key] = partial(_unless_blank, f"{title} {text}" if title else text)
        if title:
            before[key] = len(title) + 1
    none = f"{name} holds no document; write one a line, with id and text"
    return _each_once(dict(sorted(texts.items())), before, none)


def _each_once(
    named: Mapping[str, Callable[[], str]], before: Mapping[str, int], none: str
) -> OwnDocuments:
    """The first of each text, which what stands there gives or refuses by :class:`UserError`."""
    by_text: dict[str, Document] = {}
    left_out: dict[str, str] = {}
    twins: dict[str, str] = {}
    for name, read_text in named.items():
        try:
            text = read_text()
        except UserError as error:
            left_out[name] = str(error)
            continue
        if text in by_text:
            left_out[name] = REPEATED
            twins[name] = by_text[text].id
        else:
            by_text[text] = Document(name, text)
    if not by_text:
        raise ResourceError(none)
    return OwnDocuments(tuple(by_text.values()), left_out, before, twins)


def readable(name: str) -> str:
    """A name whose bytes are no UTF-8 with these written as URLs write them, so that it can be
    shown and stored."""
    escaped = re.sub("[\udc80-\udcff]", lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", name)
    return escaped.encode("utf-8", "replace").decode()


def _text(path: Path) -> str:
    if path.is_dir():
        raise UserError(WRITTEN)
    if not path.exists():
        raise UserError(BROKEN_LINK)
    with path.open("rb") as file:
        content = file.read(HEAD)
        kind = user_formats.format_of(path.name, content)
        if path.stat().st_size > (LARGEST_FILE if kind else LARGEST):
            raise UserError(LARGE)
        if kind or b"\0" not in content:
            content += file.read()
    if kind:
        _unless_blank(content.decode("latin-1"))
        text = user_formats.read(kind, content)
        if len(text) > LARGEST:
            raise UserError(LARGE)
        return text
    if b"\0" in content:
        raise UserError(BINARY)
    try:
        text = _unless_blank(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UserError(ENCODING) from None
    if _asks(text.lstrip().split("\n", 1)[0]):
        raise UserError(QUESTIONS)
    return text


def _unless_blank(text: str) -> str:
    if is_blank(text):
        raise UserError(EMPTY)
    return text


def _asks(line: str) -> bool:
    """Whether a line is a question with what answers it (``own_questions``)."""
    try:
        entry = json.loads(line) if line.startswith("{") else {}
    except (ValueError, RecursionError):
        return False
    return "question" in entry and ("excerpts" in entry or "documents" in entry)
