"""How many tokens does a model read of a collection under each layout of windows?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import cast

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.runs.conditions import parse_method
from chunkstudy.runs.encoding import jobs
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.late_chunking.chunks import plain
from chunkstudy.studies.late_chunking.systems import (
    LAYOUTS,
    MINILM,
    WINDOWS,
    late_ordering,
    slug,
)
from chunkstudy.study.study import Tables

NAME = "layout-costs"
COLLECTIONS = ("chroma-within", covid_qa.WITHIN)
CHUNKERS = ("sentence-5", "fixed-64", "fixed-256")


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> Tables:
    """``tokens``: of each collection, chunker, window and layout the ``tokens`` that
    all-MiniLM-L6-v2 reads, special ones included, ``choosing`` of them of the papers that choose
    (results/predictions/layouts.md), and ``times``, how often it reads each token of the
    documents."""
    rows = []
    encoder = slug(MINILM, 256)
    for name in collections:
        documents = context.collection(name).documents
        store = context.store(encoder)
        content = cast(TokenEncoder, store.encoder).content([one.text for one in documents])
        own = sum(len(ids) for ids, _ in content)
        papers = [name == covid_qa.WITHIN and covid_qa.chooses(one.id) for one in documents]
        for chunker in CHUNKERS:
            chunks = context.chunks(plain(name, chunker, encoder), store)
            for window, layout in product(WINDOWS, LAYOUTS):
                context.say(f"{name}, {chunker}, {window} tokens, {layout}")
                ordering = parse_method(late_ordering(window, layout))
                planned = jobs(store, documents, chunks, ordering, CORRECTED)
                read = [document.tokens for document in planned.layouts]
                choosing = sum(n for n, chooses in zip(read, papers, strict=True) if chooses)
                rows.append(
                    {"collection": name, "chunker": chunker, "window": window, "layout": layout}
                    | {"tokens": sum(read), "choosing": choosing, "times": sum(read) / own}
                )
    return {"tokens": pd.DataFrame(rows)}
