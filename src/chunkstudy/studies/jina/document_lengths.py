"""How long are the documents of the collections whose lengths Jina's first post states?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.collections import beir
from chunkstudy.published.papers import JINA_TABLE
from chunkstudy.runs.study_runs import Context

NAME = "document-lengths"
COLLECTIONS = tuple(dict.fromkeys((*beir.LAPTOP, *JINA_TABLE)))


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``characters``: mean characters of a document, of a title and a text without the space that
    joins them, a row per collection; a large one only where it was fetched."""
    fetched = {name for name in beir.SOURCES if name in beir.LAPTOP or beir.available(name)}
    available = [name for name in collections if name in fetched or name not in beir.SOURCES]
    rows = []
    for name in available:
        documents = context.collection(name).documents
        of_beir = name in beir.SOURCES
        characters = beir.characters(name) if of_beir else sum(len(d.text) for d in documents)
        rows.append((name, len(documents), characters / len(documents)))
    columns = ["collection", "documents", "mean characters"]
    return {"characters": pd.DataFrame(rows, columns=columns)}
