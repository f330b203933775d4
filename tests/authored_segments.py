"""Records the segments that were written by hand as replies: ``python -m tests.authored_segments``.

They are of one built-in document, a reply for each way to draw segments, and show what is done with
replies; no model wrote them.
"""

from __future__ import annotations

import json
from pathlib import Path

from chunkstudy.base import tokens
from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.breakpoints import Kind
from chunkstudy.collections import builtin
from chunkstudy.llm.interface import Reply, Request
from chunkstudy.llm.providers import Authored
from chunkstudy.llm.recordings import Recordings, replies_folder

NAME = "segments-on-the-builtin-collection"
MODEL = f"authored/{NAME}"
WRITTEN = "2026-11-22"
DOCUMENT = "encyclopedia/skarrow-light.md"


def text() -> str:
    (found,) = (one.text for one in builtin.load_documents() if one.id == DOCUMENT)
    return found


def replies() -> dict[Kind, str]:
    """What was written, by how segments are drawn."""
    path = builtin.FOLDER / "replies" / "segments.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["document"] for row in rows} == {DOCUMENT}
    return {row["meant"]: row["reply"] for row in rows}


def record(folder: Path) -> None:
    recordings = Recordings(folder, Authored(), NAME)
    for kind, reply in replies().items():

        def ask(request: Request, said: str = reply) -> Reply:
            read, wrote = request.tokens, len(tokens.encode_cl100k(said))
            answer = Reply(said, "stop", read, wrote, "authored", NAME, date=WRITTEN)
            return recordings.write(request, answer)

        breakpoints.chunk(text(), ask, MODEL, kind)
    recordings.settle()


if __name__ == "__main__":
    record(replies_folder())
