"""What stands in for the replies of every language model of the grid."""

from __future__ import annotations

import hashlib
import json
import re

from chunkstudy.chunkers.passages import ielab_sentences
from tests.api_server import Asked

UNUSABLE = 11
"""Of so many replies one cannot be used, so that what stands in for a reply is rehearsed too."""
SHOWN = re.compile(r"^ID (\d+): ", re.MULTILINE)
PIECE = re.compile(r"<\|start_chunk_(\d+)\|>")


def reply(asked: Asked) -> str:
    """A reply to LumberChunker's, the propositions' or Chroma's request; its texts decide."""
    text = asked.texts[-1]
    draw = int(hashlib.sha256(chr(0).join(asked.texts).encode()).hexdigest()[:8], 16)
    if draw % UNUSABLE == 0:
        return "I would rather talk about the weather."
    if pieces := [int(one) for one in PIECE.findall(text)]:
        return f"split_after: {pieces[min(len(pieces) - 1, 1 + draw % 4)]}"
    if shown := [int(one) for one in SHOWN.findall(text)]:
        return f"Answer: ID {shown[min(len(shown) - 1, 2 + draw % 3)]}"
    return json.dumps({"propositions": [one for *_, one in ielab_sentences(text, 1)]})
