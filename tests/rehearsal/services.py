"""Every paid service of the grid behind one address on the loopback: vectors and replies."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from chunkstudy.base.models import MODELS
from chunkstudy.chunkers.passages import ielab_sentences
from tests import chat_server, embeddings_server
from tests.chat_server import Asked
from tests.loopback import running

UNUSABLE = 11
"""Of so many replies one cannot be used, so that what stands in for a reply is rehearsed too."""
SHOWN = re.compile(r"^ID (\d+): ", re.MULTILINE)
PIECE = re.compile(r"<\|start_chunk_(\d+)\|>")


class Handler(chat_server.Handler):
    """Embeddings where the path ends so, a language model's replies elsewhere."""

    def do_POST(self) -> None:
        if not self.path.endswith("/embeddings"):
            super().do_POST()
            return
        request = self.read_json()
        dimension = MODELS[request["model"]].dimension
        self.send(200, json.dumps(embeddings_server.reply(request, dimension)).encode())


@contextmanager
def serving() -> Iterator[str]:
    """Its address."""
    with running(Handler, chat_server.State(says=reply)) as address:
        yield address


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
