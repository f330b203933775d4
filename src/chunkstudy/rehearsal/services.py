"""Every paid service of the grid behind one address on the loopback: vectors and replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chunkstudy.encoders.registry import MODELS
from chunkstudy.rehearsal import chat_api, embeddings_api, replies
from chunkstudy.rehearsal.loopback import running


class Handler(chat_api.Handler):
    """Embeddings where the path ends so, a language model's replies elsewhere."""

    def do_POST(self) -> None:
        if not self.path.endswith("/embeddings"):
            super().do_POST()
            return
        request: dict[str, Any] = self.read_json()
        dimension = MODELS[request["model"]].dimension
        self.send(200, json.dumps(embeddings_api.reply(request, dimension)).encode())


@contextmanager
def serving() -> Iterator[str]:
    """Its address."""
    state = chat_api.State(says=replies.says)
    with running(type("Bound", (Handler,), {"state": state})) as address:
        yield address
