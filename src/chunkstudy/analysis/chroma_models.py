"""Does the order of Chroma's chunkers hold for a second model?

All five corpora are searched at once, by plain chunks, each model reading at its own window, under
the corrected protocol. A chunker that asks a model for its boundaries asks the one that is scored.

Families, each for one measure: the chunkers by one model against another; all pairs of chunkers by
one model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import pandas as pd

from chunkstudy.analysis.chroma import COLLECTION
from chunkstudy.analysis.paired import NOT_SHOWN, Keys, Pair, differences
from chunkstudy.analysis.windows import model
from chunkstudy.grid.conditions import MINILM, MPNET, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import OWN, chroma_tables_grid
from chunkstudy.grid.library import Library

MEASURES = ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5")
REFERENCE, SECOND = model(MINILM), model(MPNET)
RESULT = ["difference", "low", "high", "shown"]
MODELS = {REFERENCE: MINILM, SECOND: MPNET}
SAME_SIZE = "-wordpiece"
"""In the name of a chunker that counts WordPieces: it stands beside its namesake to tell which
length Chroma printed, and is no chunker more."""
MEANS = ("mean", "mean of other chunker")
Scores = Mapping[tuple[str, str, str], pd.Series]
"""A score of every question by measure, chunker and model."""


def tables(library: Library) -> dict[str, pd.DataFrame]:
    """``chroma_models``: a row per measure and chunker, the second model minus the first.
    ``chroma_models_order``: a row per measure and two chunkers, their difference by both models,
    and whether what the first shows ``held``, in the words of ``late_chunking_held``.

    Only chunkers that both models were run with are compared.

    Args:
        library: the records.
    """
    scores = _scores(library)
    names = list(dict.fromkeys(chunker for _, chunker, _ in scores))

    def pairs_of(model: str) -> Iterator[Pair]:
        for measure in MEASURES:
            for one, other in combinations(names, 2):
                keys = {"measure": measure, "chunker": one, "other chunker": other}
                yield Pair(keys, scores[measure, one, model], scores[measure, other, model])

    between = [
        Pair(
            {"measure": measure, "chunker": chunker},
            scores[measure, chunker, SECOND],
            scores[measure, chunker, REFERENCE],
        )
        for measure in MEASURES
        for chunker in names
    ]
    first, second = (
        differences(pairs_of(model), _family(f"Chroma's chunkers, {model}"), *MEANS)
        for model in MODELS
    )
    return {
        "chroma_models": differences(
            between,
            _family("two models, Chroma's chunkers"),
            *(one.rpartition("/")[2] for one in (SECOND, REFERENCE)),
        ),
        "chroma_models_order": _order(first, second),
    }


def _scores(library: Library) -> Scores:
    """Of every chunker that both models have."""
    chunkers = dict.fromkeys(one.chunker for one in chroma_tables_grid(MINILM))
    found: dict[tuple[str, str, str], pd.Series] = {}
    for chunker in chunkers:
        if SAME_SIZE in chunker:
            continue
        of = {
            model: library.get(Condition(COLLECTION, chunker, encoder, PRE_EMBEDDING, OWN))
            for model, encoder in MODELS.items()
        }
        found |= {
            (measure, chunker, model): library.values(record, measure)
            for model, record in of.items()
            for measure in MEASURES
            if record is not None and None not in of.values()
        }
    return found


def _order(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    if first.empty:
        return pd.DataFrame()
    keys = ["measure", "chunker", "other chunker"]
    kept = [*keys, "n", *MEANS, *RESULT, "p_holm", "family", "family_size"]
    own = {name: f"second model {name}" for name in (*MEANS, *RESULT)}
    both = first[kept].merge(second[[*keys, *own]].rename(columns=own), on=keys, validate="1:1")
    words = zip(both["shown"], both["second model shown"], strict=True)
    return both.assign(held=[held_word(*pair) for pair in words])


def _family(question: str) -> Callable[[Keys], str]:
    def name(keys: Keys) -> str:
        return f"{question}, {keys['measure']}"

    return name


def held_word(one: str, other: str) -> str:
    """Whether what one model shows held for another; empty where that one was not run."""
    if not other:
        return "not run"
    if NOT_SHOWN in (one, other):
        return "open"
    return "yes" if one == other else "no"
