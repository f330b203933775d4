"""How long are the documents of the collections whose lengths Jina's first post states?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.collections import beir
from chunkstudy.pipeline.experiments import Context, experiment

POST = ("scifact", "trec-covid", "fiqa", "nfcorpus", "quora")
COLLECTIONS = tuple(dict.fromkeys((*beir.LAPTOP, *POST)))


@experiment("document-lengths", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``characters``: mean characters of a document, of a title and a text without the space that
    joins them, a row per collection; a large one only where it was fetched."""
    rows = []
    for name in collections:
        of_beir = name in beir.SOURCES
        if of_beir and name not in beir.LAPTOP and not beir.available(name):
            continue
        documents = context.collection(name).documents
        characters = beir.characters(name) if of_beir else sum(len(d.text) for d in documents)
        rows.append((name, len(documents), characters / len(documents)))
    columns = ["collection", "documents", "mean characters"]
    return {"characters": pd.DataFrame(rows, columns=columns)}
