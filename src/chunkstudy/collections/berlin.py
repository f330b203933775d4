"""Three sentences on Berlin, with which Jina introduces late chunking
(jina-ai/late-chunking, examples.ipynb, db558c3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.base.sources import SourceFile

FILE = SourceFile(
    "jina/berlin.json", "", "2d8e29b9d32aebfa49a2e5d63697305fbd221c8d3f1470827873cd956b638989"
)


@dataclass(frozen=True)
class Example:
    """A text, its chunks, which joined give it, and what they are compared with."""

    text: str
    chunks: tuple[str, ...]
    query: str


def load(path: Path) -> Example:
    """The example as its authors published it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Example(content["text"], tuple(c["text"] for c in content["chunks"]), content["query"])
