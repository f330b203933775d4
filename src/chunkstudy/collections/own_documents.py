"""A folder of a user's own texts, read as they stand.

Every file below it is a document, its path below the folder the document's id; docs/generation.md
says what is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chunkstudy.collections.sources import SourceError
from chunkstudy.spans import Document

EMPTY = "empty"
BINARY = "not text"
ENCODING = "not UTF-8"
REPEATED = "the same text as another"
SHOWN = 3


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is no document, and why: one of the reasons above."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class OwnDocuments:
    """Documents in the order of their ids, and the files that are none."""

    documents: tuple[Document, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        return {document.id: document.text for document in self.documents}

    def __str__(self) -> str:
        """How many documents, and how many files of which reason are left out, the first named."""
        said = [f"{len(self.documents)} documents"]
        for reason in dict.fromkeys(one.reason for one in self.left_out):
            names = [one.name for one in self.left_out if one.reason == reason]
            more = ", …" if len(names) > SHOWN else ""
            said.append(f"{len(names)} left out, {reason} ({', '.join(names[:SHOWN])}{more})")
        return "; ".join(said)


def read(folder: Path) -> OwnDocuments:
    """Every text below a folder.

    Left out: files and folders whose name begins with a dot, which are not counted; what is empty
    or only white space; what holds a zero byte; what is not UTF-8; and a text that stands in an
    earlier file as well, since a passage of it would then be right in one place and wrong in the
    other. A byte order mark is dropped; line ends stay as they are.

    Raises:
        SourceError: if there is no such folder, or no document in it.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is no folder; name one that holds texts")
    found: dict[str, Document] = {}
    left_out: list[LeftOut] = []
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    for name in sorted(names):
        if not names[name].is_file() or any(part.startswith(".") for part in name.split("/")):
            continue
        text = _text(names[name].read_bytes())
        if isinstance(text, LeftOut):
            left_out.append(LeftOut(name, text.reason))
        elif text in found:
            left_out.append(LeftOut(name, REPEATED))
        else:
            found[text] = Document(name, text)
    if not found:
        raise SourceError(f"{folder} holds no text in UTF-8; name a folder that does")
    return OwnDocuments(tuple(found.values()), tuple(left_out))


def _text(content: bytes) -> str | LeftOut:
    if b"\0" in content:
        return LeftOut("", BINARY)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return LeftOut("", ENCODING)
    return text if text.strip() else LeftOut("", EMPTY)
