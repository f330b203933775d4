"""How many chunks have company in their window when whole chunks are packed into windows.

ielab's late encoder fills a window with whole chunks (late_encoder.py; PROTOCOLS A.4). A chunk that
has its window to itself is read alone, [CLS] and [SEP] included, so that late chunking cannot
change it: the narrower the window and the larger the chunks, the less is contextualized at all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.encoders.contextualized import Layout, TokenSpans
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import Ordering, jobs
from chunkstudy.grid.grids import EMMA_METHODS, EMMA_RELEASED, IELAB, PASSAGES, PRE, WIDE
from chunkstudy.grid.run import chunk, load_collection, load_store
from chunkstudy.places import Places
from chunkstudy.protocols import PROTOCOLS

SPECIAL = 2
"""[CLS] and [SEP] of every window; MiniLM has no document prefix."""
WINDOWS = (512, 8192)
"""Those of the taxonomy's models: 512 is E5's, the other three read 8,192 tokens."""


def measure(places: Places, names: Sequence[str]) -> pd.DataFrame:
    """Write ``results/experiments/company.csv``: a row per collection, chunker and window.

    ``chunks`` are those of documents with two chunks or more, ``alone`` the fraction of them that
    no other chunk shares a window with, ``other tokens`` the median of what they share it with,
    ``windows`` how many these documents take, ``fewest`` how many would hold what is read of them
    (a chunk longer than a window is cut). Tokens are MiniLM's.
    """
    rows = []
    store = load_store(WIDE, places.vectors)
    for name in names:
        collection = load_collection(name)
        for slug in EMMA_METHODS + EMMA_RELEASED if name == "gutenqa-emma" else PASSAGES:
            print(f"company of {slug} in {name}", file=sys.stderr)
            chunks = chunk(Condition(name, slug, WIDE, PRE, IELAB), collection, store)
            for window in WINDOWS:
                found = jobs(
                    store, collection.documents, chunks, Ordering(window), PROTOCOLS[IELAB]
                )
                pairs = zip(found.layouts, found.spans, strict=True)
                several = [(layout, spans) for layout, spans in pairs if len(spans) > 1]
                beside, tokens = np.concatenate(
                    [np.zeros((0, 2), np.int64), *(company(*one) for one in several)]
                ).T
                layouts = [layout for layout, _ in several]
                rows.append(
                    {
                        "collection": name,
                        "chunker": slug,
                        "window": window,
                        "chunks": len(beside),
                        "alone": f"{(beside == 0).mean():.4f}" if several else "",
                        "other tokens": f"{np.median(tokens):.0f}" if several else "",
                        "windows": sum(len(one.windows) for one in layouts),
                        "fewest": sum(fewest(one, window) for one in layouts),
                    }
                )
    table = pd.DataFrame(rows)
    text = table.to_csv(index=False, lineterminator="\n")
    write_text(places.results / "experiments" / "company.csv", text)
    return table


def company(layout: Layout, spans: TokenSpans) -> NDArray[np.int64]:
    """Shape (chunks, 2): the other chunks in each chunk's window, and their tokens.

    Args:
        layout: packed windows, every state of which counts.
        spans: what :func:`chunkstudy.encoders.contextualized.packed` gives beside it; a chunk
            without tokens has no company.
    """
    lengths = np.diff(spans, axis=1)[:, 0]
    ends = np.cumsum([len(one) for one in layout.windows])
    window = np.searchsorted(ends, spans[:, 0], side="right")
    found = np.zeros_like(spans)
    for one in np.unique(window[lengths > 0]):
        members = np.flatnonzero((window == one) & (lengths > 0))
        found[members, 0] = len(members) - 1
        found[members, 1] = lengths[members].sum() - lengths[members]
    return found


def fewest(layout: Layout, window: int) -> int:
    """How many windows would hold the same content, if a chunk could be cut by a window's end."""
    content = layout.tokens - SPECIAL * len(layout.windows)
    return math.ceil(content / (window - SPECIAL))
