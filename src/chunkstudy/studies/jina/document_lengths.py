"""How long are the documents of the collections whose lengths Jina's first post states?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.spans import Collection
from chunkstudy.collections import beir
from chunkstudy.runs.published_grid import JINA_TABLE
from chunkstudy.runs.study_runs import Context

NAME = "document-lengths"
COLLECTIONS = tuple(dict.fromkeys((*beir.LAPTOP, *JINA_TABLE)))


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``characters``: a row per collection; a large one only where it was fetched."""
    fetched = {name for name in beir.SOURCES if name in beir.LAPTOP or beir.available(name)}
    here = [name for name in collections if name in fetched or name not in beir.SOURCES]
    return {"characters": lengths([context.collection(name) for name in here])}


def lengths(collections: Sequence[Collection]) -> pd.DataFrame:
    """Mean characters of a document; of a title and a text without the space that joins them."""
    return pd.DataFrame(
        [
            {
                "collection": one.name,
                "documents": len(one.documents),
                "mean characters": _characters(one) / len(one.documents),
            }
            for one in collections
        ]
    )


def _characters(one: Collection) -> int:
    if one.name in beir.SOURCES:
        return beir.characters(one.name)
    return sum(len(d.text) for d in one.documents)
