"""How many chunks share their window with others where whole chunks are packed into windows?

ielab's late encoder fills a window with whole chunks (late_encoder.py). A chunk that
has its window to itself is read alone, [CLS] and [SEP] included, so that late chunking cannot
change it: the narrower the window and the larger the chunks, the less is contextualized at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import beir
from chunkstudy.core.protocols import AS_PUBLISHED_IELAB
from chunkstudy.encoders.contextualized import Layout, TokenSpans
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition, EmbeddingMethod
from chunkstudy.pipeline.encoding import SPECIAL, jobs
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.published.papers import TAXONOMY_METHODS

COLLECTIONS = (*beir.LAPTOP, "gutenqa-emma")
RELEASED = ("lumberchunker", "proposition", "semantic", "recursive", "fixed")
OF_EMMA = (*TAXONOMY_METHODS[:4], *(f"{name}-released" for name in RELEASED))
"""The taxonomy's six and what else LumberChunker's authors released."""
OF_CORPORA = ("fixed-256", "sentence-5", "semantic")
WINDOWS = (512, 8192)
"""Those of the taxonomy's models: 512 is E5's, the other three read 8,192 tokens."""


@experiment("packed-windows", collections=COLLECTIONS)
def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``windows``: a row per collection, chunker and window.

    ``chunks`` are those of documents with two chunks or more, ``alone`` the fraction of them that
    no other chunk shares a window with, ``other tokens`` the median of what they share it with,
    ``windows`` how many these documents take, ``fewest`` how many would hold what is read of them
    (a chunk longer than a window is cut). Tokens are MiniLM's.
    """
    rows = []
    store = context.store(MINILM_512)
    for name in collections:
        documents = context.collection(name).documents
        for slug in OF_EMMA if name == "gutenqa-emma" else OF_CORPORA:
            context.say(f"windows of {slug} in {name}")
            chunks = context.chunks(
                Condition(name, slug, MINILM_512, PRE_EMBEDDING, AS_PUBLISHED_IELAB.name), store
            )
            for window in WINDOWS:
                plan = jobs(store, documents, chunks, EmbeddingMethod(window), AS_PUBLISHED_IELAB)
                pairs = zip(*plan, strict=True)
                several = [(layout, spans) for layout, spans in pairs if len(spans) > 1]
                others, tokens = np.concatenate(
                    [np.zeros((0, 2), np.int64), *(beside(*pair) for pair in several)]
                ).T
                layouts = [layout for layout, _ in several]
                rows.append(
                    {
                        "collection": name,
                        "chunker": slug,
                        "window": window,
                        "chunks": len(others),
                        "alone": float((others == 0).mean()) if several else math.nan,
                        "other tokens": float(np.median(tokens)) if several else math.nan,
                        "windows": sum(len(layout.windows) for layout in layouts),
                        "fewest": sum(fewest(layout, window) for layout in layouts),
                    }
                )
    return {"windows": pd.DataFrame(rows)}


def beside(layout: Layout, spans: TokenSpans) -> NDArray[np.int64]:
    """Shape (chunks, 2): the other chunks in each chunk's window, and their tokens.

    Args:
        layout: packed windows, every state of which counts.
        spans: what :func:`chunkstudy.encoders.contextualized.packed` gives beside it; a chunk
            without tokens has none beside it.
    """
    lengths = np.diff(spans, axis=1)[:, 0]
    ends = np.cumsum([len(content) for content in layout.windows])
    window = np.searchsorted(ends, spans[:, 0], side="right")
    company = np.zeros_like(spans)
    for shared in np.unique(window[lengths > 0]):
        members = np.flatnonzero((window == shared) & (lengths > 0))
        company[members, 0] = len(members) - 1
        company[members, 1] = lengths[members].sum() - lengths[members]
    return company


def fewest(layout: Layout, window: int) -> int:
    """How many windows would hold the same content, if a chunk could be cut by a window's end."""
    content = layout.tokens - SPECIAL * len(layout.windows)
    return math.ceil(content / (window - SPECIAL))
