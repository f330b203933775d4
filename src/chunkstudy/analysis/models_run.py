"""What was run with each of the models that read here, and so what is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import pandas as pd

from chunkstudy.analysis import windows
from chunkstudy.analysis.model_gains import REFERENCE, SECOND
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import FOUR_BITS
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import BEIR_AT_HAND
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED

COLLECTIONS = (
    "chroma-within", covid_qa.WITHIN, "gutenqa-emma", "chroma", covid_qa.ALL, *BEIR_AT_HAND,
)  # fmt: skip
MODELS = (REFERENCE, SECOND, windows.model(FOUR_BITS))
WINDOWS = (128, 256, 384, 512)
ASKED = {
    "late chunking at moved positions": (
        "late_chunking_positions",
        "positions != 'in order' and corpus == 'all'",
    ),
    "late chunking at moved positions, within papers": (
        "papers_positions",
        "positions != 'in order'",
    ),
    "a [SEP] between chunks": ("late_chunking_separated", ""),
    "what moderates late chunking": ("moderators", ""),
    "how alike chunks of a document are": ("late_chunking_similarity", ""),
    "whole chunks packed into windows": ("late_chunking_company", ""),
    "short last chunks merged or dropped": ("late_chunking_tail_gains", ""),
    "the official codes' protocols of late chunking": ("late_chunking_protocols", ""),
    "boundaries at random": ("random_boundaries", ""),
    "overlap at an equal budget": ("equal_budget_overlap", ""),
    "size at an equal budget": ("equal_budget_sizes", ""),
    "contexts before chunks": ("contexts_gains", ""),
    "how far context reaches": ("context_reach", ""),
    "training": ("trained_costs", ""),
}
"""Questions besides those of chunkers and windows: the table of each, and which rows count."""


def table(library: Library) -> pd.DataFrame:
    """A row per collection and model: how many chunkers were run under the corrected protocol,
    plain and late, at each window; late at positions in order and without separators."""
    run: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for one in library:
        if one.protocol != CORRECTED.name or one.collection not in COLLECTIONS:
            continue
        if one.ordering == PRE_EMBEDDING:
            way = f"plain, {windows.reach(one.encoder)}"
        elif windows.contextualized(one):
            way = f"late, {windows.window(one.ordering)}"
        else:
            continue
        run[one.collection, windows.model(one.encoder), way].add(one.chunker)
    ways = [f"{way}, {window}" for window in WINDOWS for way in ("plain", "late")]
    rows = [
        {"collection": collection, "model": model}
        | {way: len(run[collection, model, way]) for way in ways}
        for collection in COLLECTIONS
        for model in MODELS
    ]
    return pd.DataFrame(rows)


def asked(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row per question and a column per model: how many rows its table has of the model. Where a
    table names no model, its rows are of the reference.

    Args:
        tables: the derived tables.
    """
    rows = []
    for question, (name, where) in ASKED.items():
        found = tables.get(name, pd.DataFrame())
        of = found.query(where) if where and len(found) else found
        rows.append({"question": question, **{model: _rows_of(model, of) for model in MODELS}})
    return pd.DataFrame(rows)


def _rows_of(model: str, rows: pd.DataFrame) -> int:
    named = next((name for name in ("model", "encoder") if name in rows), None)
    if named is None:
        return len(rows) if model == REFERENCE else 0
    names = rows[named].map(lambda one: one if "/" in one else windows.model(one))
    return int((names == model).sum())
