"""How the columns of this page's tables are shown."""

from __future__ import annotations

import re

from chunkstudy.runs.conditions import PRE_EMBEDDING
from chunkstudy.runs.display_names import ordering, shown
from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, whole

WINDOW = re.compile(r"(?<=late|lain), (\d+) tokens")
"""What one that reads chunks of as many tokens is not to be taken for."""


def arm(chunker: str, slug: str, window: object) -> str:
    """An arm by its names; late chunking says its window itself."""
    read = f"plain, {window} tokens" if slug == PRE_EMBEDDING else ordering(slug)
    read = WINDOW.sub(r" in windows of \1", read)
    return f"{shown('chunker', chunker)}, {read}"


def arms(text: str) -> str:
    """``chunker ordering window; …`` by their names."""
    return "; ".join(arm(*one.split(" ")) for one in text.split("; ") if one)


COLUMNS: Columns = {
    "window": Column("read at once, tokens", whole),
    "collections": named("collection"),
    **dict.fromkeys(("shown to be as good within a point", "not shown to be worse"), arms),
    "chunking s/M tokens": Column("chunking: seconds per million tokens", number),
    "tokens that a reader gets": whole,
}
