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
from pathlib import Path

from chunkstudy.base.spans import Span, text_digest
from chunkstudy.collections import builtin

LUMBERCHUNKER = "lumberchunker-handmade"


class HandmadeError(ValueError):
    """A beginning that does not stand exactly once, or a text that nobody segmented."""


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
def load(folder: Path = builtin.FOLDER) -> dict[str, list[Span]]:
    """The spans of each document by the digest of its text.

    Raises:
        HandmadeError: if a beginning does not stand exactly once in its document, beginnings are
            out of order, or a document is missing.
    """
    path = folder / "segmentations" / f"{LUMBERCHUNKER}.json"
    begun: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    documents = {document.id: document.text for document in builtin.load_documents(folder)}
    if missing := sorted(set(begun) - set(documents)):
        raise HandmadeError(f"{path.name} segments {missing[0]}, which is missing")
    return {
        text_digest(text): spans(text, begun.get(document, []), document)
        for document, text in documents.items()
    }


def spans(text: str, beginnings: list[str], document: str) -> list[Span]:
    """The spans between the beginnings; in a chat log a chunk starts at its turn's brace."""
    if not text:
        return []
    cuts = [0]
    for one in beginnings:
        if (times := text.count(one)) != 1:
            raise HandmadeError(
                f"{one!r} stands {times} times in {document}; a beginning must stand exactly once"
            )
        place = text.index(one)
        cuts.append(text.rindex("{", 0, place) if document.endswith(".json") else place)
        if cuts[-1] <= cuts[-2]:
            raise HandmadeError(f"{one!r} is out of order in {document}; name beginnings in order")
    return list(pairwise([*cuts, len(text)]))
