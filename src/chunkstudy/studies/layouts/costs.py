"""How many tokens does a model read of a collection under each layout of windows?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.runs.conditions import MINILM, PRE_EMBEDDING, Condition, parse_method
from chunkstudy.runs.encoding import jobs
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.layouts.reading import LAYOUTS

WINDOWS = (128, 256, 512)

NAME = "layout-costs"
COLLECTIONS = ("chroma-within", covid_qa.WITHIN)
CHUNKERS = ("sentence-5", "fixed-64", "fixed-256")


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``tokens``: of each collection, chunker, window and layout the ``tokens`` that
    all-MiniLM-L6-v2 reads, special ones included, ``choosing`` of them of the papers that choose
    (results/predictions/layouts.md), and ``times``, how often it reads each token of the
    documents."""
    rows = []
    for name in collections:
        collection = context.collection(name)
        store = context.store(MINILM)
        encoder = cast(TokenEncoder, store.encoder)
        content = encoder.content([document.text for document in collection.documents])
        own = sum(len(ids) for ids, _ in content)
        papers = [name == covid_qa.WITHIN and covid_qa.chooses(one.id)
                  for one in collection.documents]  # fmt: skip
        for chunker in CHUNKERS:
            chunks = context.chunks(
                Condition(name, chunker, MINILM, PRE_EMBEDDING, CORRECTED.name), store
            )
            for window in WINDOWS:
                for layout, ending in LAYOUTS.items():
                    context.say(f"{name}, {chunker}, {window} tokens, {layout}")
                    ordering = parse_method(f"contextualized-{window}{ending}")
                    wanted = jobs(store, collection.documents, chunks, ordering, CORRECTED)
                    read = [one.tokens for one in wanted.layouts]
                    tokens = sum(read)
                    choosing = sum(n for n, paper in zip(read, papers, strict=True) if paper)
                    rows.append(
                        {"collection": name, "chunker": chunker, "window": window}
                        | {"layout": layout, "tokens": tokens, "choosing": choosing}
                        | {"times": tokens / own}
                    )
    return {"tokens": pd.DataFrame(rows)}
