"""LumberChunker on Emma with a language model and without.

The boundaries that LumberChunker's authors released and those of a small model that runs
here stand beside boundaries that nobody chose: the last candidate of every window, any candidate,
and the same sizes in another order. A mean over draws has a score for each question, as a chunker
has, so that both are compared question by question.

Families, each of one ordering and measure: against paragraphs, and what the model's choice buys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import pandas as pd

from chunkstudy.chunkers.random_boundaries import UNITS
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Keys, Pair, at, differences
from chunkstudy.pipeline.conditions import (
    LATE_512,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    parse_encoder,
)
from chunkstudy.pipeline.record_store import Library
from chunkstudy.studies.language_models.window_answers import (
    CANDIDATES,
    MEASURES,
    RELEASED,
    SIZES,
    SMALL,
)

EMMA = "gutenqa-emma"
PARAGRAPH, LAST = "paragraph", "lumberchunker-last"
ANY = "LumberChunker, any candidate at random"
AUTHORS_SIZES = "Sizes of the authors' chunks in another order"
SMALL_SIZES = "Sizes of SmolLM2's chunks in another order"
RECORDED = (PARAGRAPH, "recursive-released", RELEASED, SMALL, LAST)
ARMS = (*RECORDED, ANY, AUTHORS_SIZES, SMALL_SIZES)
"""Side by side, in this order; what is not there yet is left out."""
ORDERINGS = (PRE_EMBEDDING, LATE_512)
BOUGHT = (
    (RELEASED, ANY),
    (RELEASED, LAST),
    (RELEASED, SMALL),
    (SMALL, SMALL_SIZES),
    (SMALL, ANY),
    (SMALL, LAST),
)
"""A model's boundaries and what stands against them; whether the authors' differ from their own
sizes anywhere else is asked of every chunker in ``random_boundaries``."""
Study = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class DrawnScores:
    """A chunker or draws of one: a score per question and measure, and a chunk's mean tokens."""

    scores: pd.DataFrame
    tokens: float


def of(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of one measure.

    Raises:
        ValueError: for any but ``MEASURES``.
    """
    if measure not in MEASURES:
        raise ValueError(f"unknown measure {measure!r}; use one of {', '.join(MEASURES)}")
    return rows[rows["measure"] == measure]


def side_by_side(arms: Mapping[tuple[str, str], DrawnScores]) -> pd.DataFrame:
    """A row per measure, ordering and arm: score with its interval, and against paragraphs."""
    rows, pairs = [], []
    for measure, ordering, chunker in product(MEASURES, ORDERINGS, ARMS):
        arm = arms.get((ordering, chunker))
        if arm is None or measure not in arm.scores:
            continue
        keys = {"measure": measure, "ordering": ordering, "chunker": chunker}
        values = arm.scores[measure]
        interval = statistics.bootstrap_interval(values)
        row: dict[str, object] = {"measure": measure, "encoder": MINILM_512, "ordering": ordering}
        row |= {"protocol": CORRECTED.name, "chunker": chunker}
        row |= {"mean tokens": arm.tokens, "n": len(values)}
        rows.append(row | statistics.with_interval("score", statistics.mean(values), interval))
        if chunker != PARAGRAPH and (ordering, PARAGRAPH) in arms:
            pairs.append(Pair(keys, values, arms[ordering, PARAGRAPH].scores[measure]))
    if not pairs:
        return pd.DataFrame(rows)
    against = differences(
        pairs, partial(_family, "against paragraphs"), "of the arm", "of paragraphs"
    )
    return pd.DataFrame(rows).merge(against.drop(columns="n"), on=list(keys), how="left")


def bought(arms: Mapping[tuple[str, str], DrawnScores]) -> pd.DataFrame:
    """A model's boundaries minus others, a row per measure, ordering and pair."""
    pairs = []
    for measure, ordering, (first, second) in product(MEASURES, ORDERINGS, BOUGHT):
        chosen, other = arms.get((ordering, first)), arms.get((ordering, second))
        if chosen is None or other is None or measure not in other.scores:
            continue
        keys = {"measure": measure, "encoder": MINILM_512, "ordering": ordering}
        keys |= {"protocol": CORRECTED.name, "chunker": first, "instead": second}
        pairs.append(Pair(keys, chosen.scores[measure], other.scores[measure]))
    return differences(pairs, partial(_family, "what the model's choice buys"), "chosen", "other")


def arms(library: Library, study: Study, shuffled: Study) -> dict[tuple[str, str], DrawnScores]:
    """By ordering and name, every arm that has a record or draws.

    Args:
        study: the tables of ``window-answers``; may be empty.
        shuffled: those of ``random-boundaries``, which knows DCG@10 only; may be empty.
    """
    arms: dict[tuple[str, str], DrawnScores] = {}
    for ordering in ORDERINGS:
        for chunker in RECORDED:
            if record := library.get(
                Condition(EMMA, chunker, MINILM_512, ordering, CORRECTED.name)
            ):
                scores, size = record.wide[list(MEASURES)].dropna(), record.run.sizes["cl100k"]
                arms[ordering, chunker] = DrawnScores(scores, size.mean)
        for name, sizes_of, random in ((ANY, "", CANDIDATES), (SMALL_SIZES, SMALL, SIZES)):
            where = {"ordering": ordering, "at random": random, "chunker": sizes_of}
            mine, draws = _drawn(study, where)
            if len(mine):
                tokens = draws["mean tokens"].mean()
                arms[ordering, name] = DrawnScores(mine[list(MEASURES)], tokens)
        where = {"ordering": ordering, "boundaries": UNITS, "chunker": RELEASED}
        mine, _ = _drawn(shuffled, where)
        if len(mine) and (released := arms.get((ordering, RELEASED))):
            scores = mine[["draws DCG@10"]].set_axis(["DCG@10"], axis=1).dropna()
            arms[ordering, AUTHORS_SIZES] = replace(released, scores=scores)
    return arms


def _drawn(study: Study, where: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A study's means over draws by question, and its draws, of Emma; none of a study not run."""
    keys = {"collection": EMMA, "encoder": MINILM_512, **where}
    nothing = pd.DataFrame(columns=["query_id"])
    mine, draws = (at(study.get(name, nothing), **keys) for name in ("questions", "draws"))
    return mine.set_index("query_id"), draws


def _family(question: str, keys: Keys) -> str:
    ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
    return f"{question}, {keys['measure']}, Emma, {parse_encoder(MINILM_512).model}, {ordering}"
