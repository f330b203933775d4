"""How long are the documents of the collections whose lengths Jina's first post states?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.spans import Collection
from chunkstudy.collections import beir
from chunkstudy.published.papers import JINA_TABLE
from chunkstudy.runs.study_runs import Context

NAME = "document-lengths"
COLLECTIONS = tuple(dict.fromkeys((*beir.LAPTOP, *JINA_TABLE)))


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``characters``: a row per collection; a large one only where it was fetched."""
    fetched = {name for name in beir.SOURCES if name in beir.LAPTOP or beir.available(name)}
    available = [name for name in collections if name in fetched or name not in beir.SOURCES]
    return {"characters": lengths([context.collection(name) for name in available])}


def lengths(collections: Sequence[Collection]) -> pd.DataFrame:
    """Mean characters of a document; of a title and a text without the space that joins them."""
    return pd.DataFrame(
        [
            {
                "collection": name.name,
                "documents": len(name.documents),
                "mean characters": _characters(name) / len(name.documents),
            }
            for name in collections
        ]
    )


def _characters(collection: Collection) -> int:
    if collection.name in beir.SOURCES:
        return beir.characters(collection.name)
    return sum(len(d.text) for d in collection.documents)
