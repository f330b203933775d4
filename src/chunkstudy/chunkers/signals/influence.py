"""How little the text after a boundary loses when the piece before it is hidden.

Source: Chroma's report, appendix "ContextCite Inspired Chunking", after Cohen-Wang et al.,
ContextCite (2024): each piece of 50 tokens was taken as the response and all pieces before it as
the prompt, of which random parts were masked, and weights were fitted; no clear structure emerged.
How a boundary would follow from the weights is left open. Here one piece is hidden, the ``BEFORE``
tokens in front of the boundary, and no weight has to be fitted: its influence is by how many bits a
token the likelihood of the ``AFTER`` tokens that follow the first one falls. Hidden means that
these cannot attend to it, all else staying where it stood. The first token itself is left out,
since it is predicted from the last token of the piece.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunkstudy.base.reading import Part, Read, Reader
from chunkstudy.chunkers.signals.attention import BEFORE
from chunkstudy.chunkers.signals.entropy import AFTER


def influence(
    reader: Reader, ids: Sequence[int], read: Read, places: Sequence[int], before: int = BEFORE
) -> list[float]:
    """Of the piece before each place, in bits a token; about 0 of an empty piece."""
    parts = [Part(place, AFTER, min(before, place)) for place in places]
    hidden = reader.again(ids, read, parts)
    return [
        float((without - read.surprisal[place + 1 : place + 1 + AFTER]).mean())
        for place, without in zip(places, hidden, strict=True)
    ]
