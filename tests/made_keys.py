"""Vector keys of made-up encoders, which show nothing of what they read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from chunkstudy.encoders.interface import Role


def text_keys(texts: Sequence[str], role: Role) -> list[bytes]:
    """A key per text: of the text and its role."""
    return [hashlib.sha256(f"{role}\0{text}".encode()).digest() for text in texts]
