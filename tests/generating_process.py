"""A process that generates questions, to be killed: ``python -m tests.generating_process``.

Every line on its standard input names a folder of texts and one to write; it is answered with the
id of a child that generates, and the child's end with its status. Similarities are made up, so that
no weights are needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunkstudy.base.encoding import Vectors
from chunkstudy.base.places import Places
from chunkstudy.commands import generating
from chunkstudy.runs.generation.settings import Settings

QUESTIONS = 6
MODEL = "openai/gpt-4o-mini"


class MadeUp:
    """A store whose vectors a text's digest decides."""

    encoder: Any

    def __init__(self) -> None:
        self.encoder = self

    def describe(self) -> dict[str, Any]:
        return {"id": "made up"}

    def encode(self, texts: Sequence[str], role: str = "document") -> Vectors:
        found = np.zeros((len(texts), 8), dtype=np.float32)
        for i, text in enumerate(texts):
            seed = hashlib.sha256(text.encode()).digest()[:4]
            found[i] = np.random.default_rng(list(seed)).normal(size=8)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def generate(
    source: Path,
    out: Path,
    model: str = MODEL,
    say: Callable[[str], object] = lambda _: None,
    replay: bool = False,
) -> Path:
    generating.load_store = lambda *_: MadeUp()  # type: ignore[assignment]
    settings = Settings(model, QUESTIONS, characters=200, attempts=4)
    return generating.run(
        Places(source.parent), source, settings, out, "none", -1.0, 0.99, say, replay
    )


def main() -> None:
    import openai

    _ = openai.OpenAI(api_key="none").chat.completions.with_raw_response  # imported before a fork
    for line in sys.stdin:
        source, out = map(Path, json.loads(line))
        child = os.fork()
        if not child:
            generate(source, out)
            os._exit(0)
        print(child, flush=True)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main()
