"""Finding a chunk's text in its document afterwards, as Chroma's code does (utils.py:26-69).

Only the ``as_published`` protocol does this; everything else carries offsets. See
docs/protocols.md#chroma-locating-chunks.
"""

from __future__ import annotations

import re

from chunkstudy.base.spans import Span


class LocateError(ValueError):
    """A chunk whose text cannot be found in its document."""


def locate(document: str, chunk: str) -> Span:
    """The first place where the chunk stands, one final full stop dropped.

    Exactly, else whatever the white space and the case. A chunk that is only a full stop is
    "found" with length zero at the start, as in the official code. The official third step, a
    fuzzy sentence match (utils.py:55-69), is never reached on Chroma's corpora and an error here.

    Raises:
        LocateError: if the text stands nowhere.
    """
    target = chunk[:-1] if chunk.endswith(".") else chunk
    start = document.find(target)
    if start >= 0:
        return start, start + len(target)
    words = re.sub(r"\s+", " ", target).strip().split()
    match = re.compile(r"\s*".join(map(re.escape, words)), re.IGNORECASE).search(document)
    if match is None:
        raise LocateError(
            f"the chunk {chunk[:60]!r} stands nowhere in its document; score it under the "
            "corrected protocol, which carries offsets"
        )
    return match.start(), match.end()
