"""LumberChunker on Emma with a language model and without.

The boundaries that LumberChunker's authors released and those of a small model that runs
here stand beside boundaries that nobody chose: the last candidate of every window, any candidate,
and the same sizes in another order. A mean over draws has a score for each question, as a chunker
has, so that both are compared question by question.

Families, each of one ordering and measure: against paragraphs, and what the model's choice buys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers.random_boundaries import UNITS
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.runs.conditions import LATE_512, MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.library import Library
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
ARMS = (
    PARAGRAPH, "recursive-released", RELEASED, SMALL, LAST, ANY, AUTHORS_SIZES, SMALL_SIZES,
)  # fmt: skip
"""Side by side, in this order; what is not there yet is left out."""
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
    """A chunker or draws of one: a score per question and measure, and what the chunks are like."""

    scores: pd.DataFrame
    chunks: float
    tokens: float
    draws: int = 0


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
    for measure, ordering, chunker in product(MEASURES, (PRE_EMBEDDING, LATE_512), ARMS):
        arm = arms.get((ordering, chunker))
        if arm is None or measure not in arm.scores:
            continue
        keys = {"measure": measure, "ordering": ordering, "chunker": chunker}
        values = arm.scores[measure]
        interval = statistics.bootstrap_interval(values)
        row: dict[str, object] = {"measure": measure, "encoder": MINILM_512, "ordering": ordering}
        row |= {"protocol": CORRECTED.name, "chunker": chunker, "draws": arm.draws or None}
        row |= {"chunks": arm.chunks, "mean tokens": arm.tokens, "n": len(values)}
        rows.append(row | statistics.with_interval("score", statistics.mean(values), interval))
        if chunker != PARAGRAPH and (ordering, PARAGRAPH) in arms:
            pairs.append(Pair(keys, values, arms[ordering, PARAGRAPH].scores[measure]))
    if not pairs:
        return pd.DataFrame(rows)
    against = differences(pairs, _family("against paragraphs"), "of the arm", "of paragraphs")
    return pd.DataFrame(rows).merge(against.drop(columns="n"), on=list(keys), how="left")


def bought(arms: Mapping[tuple[str, str], DrawnScores]) -> pd.DataFrame:
    """A model's boundaries minus others, a row per measure, ordering and pair."""
    pairs = [
        Pair(
            {
                "measure": measure,
                "encoder": MINILM_512,
                "ordering": ordering,
                "protocol": CORRECTED.name,
            }
            | {"chunker": first, "instead": second},
            arms[ordering, first].scores[measure],
            arms[ordering, second].scores[measure],
        )
        for measure in MEASURES
        for ordering in (PRE_EMBEDDING, LATE_512)
        for first, second in BOUGHT
        if {(ordering, first), (ordering, second)} <= set(arms)
        and measure in arms[ordering, second].scores
    ]
    return differences(pairs, _family("what the model's choice buys"), "chosen", "other")


def against_last(chosen: pd.DataFrame) -> pd.DataFrame:
    """Of :func:`bought` the authors' boundaries minus always the last candidate, plain first."""
    mine = (chosen["chunker"] == RELEASED) & (chosen["instead"] == LAST)
    return chosen[mine].sort_values("ordering", key=lambda ordering: ordering != PRE_EMBEDDING)


def arms(library: Library, study: Study, shuffled: Study) -> dict[tuple[str, str], DrawnScores]:
    """By ordering and name, every arm that has a record or draws.

    Args:
        study: the tables of ``window-answers``; may be empty.
        shuffled: those of ``random-boundaries``, which knows DCG@10 only; may be empty.
    """
    systems: dict[tuple[str, str], DrawnScores | None] = {}
    for ordering in (PRE_EMBEDDING, LATE_512):
        for chunker in ARMS:
            if chunker not in (ANY, AUTHORS_SIZES, SMALL_SIZES):
                systems[ordering, chunker] = _recorded(library, chunker, ordering)
        for name, sizes_of, drawn in ((ANY, "", CANDIDATES), (SMALL_SIZES, SMALL, SIZES)):
            where = {"ordering": ordering, "at random": drawn, "chunker": sizes_of}
            mine, draws = _drawn(study, where)
            if len(mine):
                chunks, tokens = draws[["chunks", "mean tokens"]].mean()
                systems[ordering, name] = DrawnScores(
                    mine[list(MEASURES)], chunks, tokens, len(draws)
                )
        released = systems[ordering, RELEASED]
        where = {"ordering": ordering, "boundaries": UNITS, "chunker": RELEASED}
        mine, draws = _drawn(shuffled, where)
        if released is not None and len(mine):
            scores = mine[["draws DCG@10"]].set_axis(["DCG@10"], axis=1).dropna()
            arm = DrawnScores(scores, released.chunks, released.tokens, len(draws))
            systems[ordering, AUTHORS_SIZES] = arm
    return {key: arm for key, arm in systems.items() if arm is not None}


def _recorded(library: Library, chunker: str, ordering: str) -> DrawnScores | None:
    record = library.get(Condition(EMMA, chunker, MINILM_512, ordering, CORRECTED.name))
    if record is None:
        return None
    size = record.run.sizes["cl100k"].mean
    return DrawnScores(record.wide[list(MEASURES)].dropna(), record.run.counts.chunks, size)


def _drawn(study: Study, where: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A study's means over draws by question, and its draws, of Emma; none of a study not run."""
    keys = {"collection": EMMA, "encoder": MINILM_512, **where}
    nothing = pd.DataFrame(columns=["query_id"])
    mine, draws = (at(study.get(name, nothing), **keys) for name in ("questions", "draws"))
    return mine.set_index("query_id"), draws


def _family(question: str) -> Callable[[Mapping[str, object]], str]:
    def family(keys: Mapping[str, object]) -> str:
        ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
        return f"{question}, {keys['measure']}, Emma, {parse_encoder(MINILM_512).model}, {ordering}"

    return family
