"""What chunkers need, made of digests: vectors, replies of a language model."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence

import numpy as np

from chunkstudy.core.tokens import Vectors
from chunkstudy.llm.interface import Ask, Reply, Request

PROSE = " ".join(f"Sentence number {i} speaks of topic {i // 7}." for i in range(120))


def hashed(texts: Sequence[str]) -> Vectors:
    """Unit vectors with cosine distances in [0, 1], from a digest of each text."""
    rows = [np.random.default_rng(_number(text)).uniform(size=16) for text in texts]
    vectors = np.asarray(rows).reshape(len(texts), 16)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def asking(reply: Callable[[Request], str], asked: list[Request] | None = None) -> Ask:
    """A language model that replies so; what it was asked goes into a list."""

    def ask(request: Request) -> Reply:
        if asked is not None:
            asked.append(request)
        return Reply(reply(request), "stop", 10, 5, "authored", "made")

    return ask


def replies(request: Request) -> str:
    """A reply that counts, now and then one that does not."""
    return replied(request.messages[0].text, request.messages[-1].text)


def replied(system: str, shown: str) -> str:
    """The same by the texts of a request."""
    number = _number(shown)
    if number % 7 == 0:
        return "I would rather not."
    if units := re.findall(r"^ID (\d+):", shown, re.MULTILINE):
        return f"Answer: ID {units[number % len(units)]}"
    if pieces := re.findall(r"start_chunk_(\d+)\|", shown):
        return f"split_after: {pieces[number % len(pieces)]}"
    if "propositions" in system:
        return json.dumps({"propositions": ["It says something.", "It says more."]})
    words = shown.split()
    return json.dumps({"segments": [{"begins": " ".join(words[number % len(words) :][:8])}]})


def _number(text: str) -> int:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little")
