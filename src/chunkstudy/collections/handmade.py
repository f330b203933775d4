"""A segmentation of the built-in documents made by hand, in the place of an LLM's.

``data/builtin/segmentations/lumberchunker-handmade.json`` names, per document, how each chunk but
the first begins: a paragraph, heading or turn at which the matter changes, judged by a person from
how each begins, where LumberChunker asks an LLM (A.3). A document that is not named is one chunk,
as the official code leaves texts of fewer than five paragraphs. No model took part.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise

from chunkstudy.base.spans import Span, text_digest
from chunkstudy.collections import builtin

LUMBERCHUNKER = "lumberchunker-handmade"


class HandmadeError(ValueError):
    """A text that nobody segmented."""


def chunk(text: str) -> list[Span]:
    """The chunks of a built-in document; they cover it without overlap.

    Raises:
        HandmadeError: if the text is none of the built-in documents.
    """
    found = load().get(text_digest(text))
    if found is None:
        raise HandmadeError(
            f"{LUMBERCHUNKER} segments the built-in documents only; use it with builtin or "
            "builtin-graded"
        )
    return list(found)


@lru_cache(maxsize=1)
def load() -> dict[str, list[Span]]:
    """The spans of each document by the digest of its text; in a chat log a chunk starts at its
    turn's brace."""
    found, begun = {}, beginnings()
    for document in builtin.load_documents():
        text = document.text
        places = [text.index(one) for one in begun.get(document.id, [])]
        if document.id.endswith(".json"):
            places = [text.rindex("{", 0, place) for place in places]
        found[text_digest(text)] = list(pairwise([0, *places, len(text)])) if text else []
    return found


def beginnings() -> dict[str, list[str]]:
    """How each chunk but the first begins, by document; each stands once in it, in this order."""
    path = builtin.FOLDER / "segmentations" / f"{LUMBERCHUNKER}.json"
    begun: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return begun
