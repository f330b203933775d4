"""What a study does at every stage, as data passed down (DESIGN: protocols).

The official implementations depart from their papers and from each other in ways that move the
numbers; each departure is one field here, so that both ways can be scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way of doing every stage.

    Attributes:
        chunk_text: ``joined``: what the official splitter returns; ``source``: the source between
            the offsets.
        offsets: ``located``: the text is searched for afterwards, first occurrence, one trailing
            full stop dropped; ``exact``: by construction.
        hit: ``touching``: a chunk that ends where an excerpt starts counts; ``overlap``: at least
            one character is shared.
        quirks: keep the official algorithms' faults (the cluster chunker's start, its diagonal).
        true_tokens: score in cl100k tokens as well as in characters.
    """

    name: str
    chunk_text: Literal["joined", "source"]
    offsets: Literal["located", "exact"]
    hit: Literal["touching", "overlap"]
    quirks: bool
    true_tokens: bool


AS_PUBLISHED_CHROMA = Protocol(
    "as_published-chroma", "joined", "located", "touching", quirks=True, true_tokens=False
)
CORRECTED = Protocol("corrected", "source", "exact", "overlap", quirks=False, true_tokens=True)

PROTOCOLS = {protocol.name: protocol for protocol in (AS_PUBLISHED_CHROMA, CORRECTED)}
