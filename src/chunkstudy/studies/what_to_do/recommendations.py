"""The README's recommendations, computed from tables of other pages.

Rules (README, "Recommendations"): chunkers of different sizes are compared at equal reading; late
and plain chunking, and vectors and words, are compared with the same chunks; BM25 counts once per
collection, since it has no model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from chunkstudy.core.errors import StudyError
from chunkstudy.display import titles
from chunkstudy.display.formats import estimate, join_words, percent, points_without_sign
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, at
from chunkstudy.pipeline.conditions import NONE

PLAIN, WORDS, BOTH = "pre_embedding", "words", "both"
LATE, AVERAGED, NARROW = (
    "contextualized-512", "contextualized-512-averaged", "contextualized-128-averaged",
)  # fmt: skip
SEARCH = "What should I search with?"
SIZE = "How large should chunks be?"
PASSAGE = "Plain or late chunking, to find a passage in a long document?"
DOCUMENT = "Plain or late chunking, to find the document?"
WHOLE = "Should documents be left whole?"
LARGE, SMALL, RECURSIVE = "fixed-256", "fixed-64", "recursive-200-0"
MEETINGS = "qmsum"
LITTLE = 0.01
"""A difference, as a fraction, that "matters little"."""
OUTCOMES = (HIGHER, LOWER)
SHORT = ("MiniLM", "mpnet", "e5")
"""Short names of models, each a part of the name; the page says which models they are."""


@dataclass(frozen=True)
class Recommendation:
    """One row of the README's table.

    Attributes:
        key: short name, by which the paper quotes it.
        question: as a user asks it.
        answer: what to do.
        evidence: the numbers that decide, for the README.
        details: further numbers, for the page.
        holds: True if the tables support the answer.
    """

    key: str
    question: str
    answer: str
    evidence: str
    details: str
    holds: bool


def search(
    ranked: pd.DataFrame, means: pd.DataFrame, gains: pd.DataFrame, together: pd.DataFrame
) -> Recommendation:
    """Recommend what to search with.

    Args:
        ranked: table ``which_chunker``.
        means: table ``late_chunking_search``.
        gains: table ``late_chunking_gains``.
        together: table ``late_chunking_together``.
    """
    ordered = ranked.sort_values("score", ascending=False, kind="stable")
    best = ordered.drop_duplicates("collection")
    words = best["ordering"].isin([WORDS, BOTH])
    lead = (means[[WORDS, BOTH]].max(axis=1) > means[PLAIN]).sum()
    hybrid = at(together, system=BOTH, baseline=PLAIN, over="all collections")
    higher = _outcomes(at(gains, system=BOTH, baseline=PLAIN), HIGHER)
    beats, loses = (_outcomes(at(gains, system=BOTH, baseline=WORDS), one) for one in OUTCOMES)
    collections = int(hybrid["collections counted"].max())
    evidence = (
        f"BM25, alone or in hybrid search, scores highest in {words.sum()} of {len(best)} "
        f"collections ({_models(ranked['encoder'])}). Within documents hybrid search beats "
        f"vectors by {_range(hybrid['difference'])} points of DCG@10 ({len(hybrid)} models), and "
        f"BM25 in {_span(beats)} of {collections} collections."
    )
    details = (
        f"{_exceptions(ranked, best[~words])} Within documents, with the same chunks, BM25 or "
        f"hybrid search scores above plain vectors in {lead} of {len(means)} combinations of "
        "collection, model and chunker. Over documents hybrid search is significantly above "
        f"vectors in {_span(higher)} of {collections} collections by model, and significantly "
        f"below BM25 in {_span(loses)}."
    )
    holds = 2 * words.sum() > len(best) and 2 * lead > len(means)
    holds = holds and hybrid["difference"].min() > 0 and beats.max() == 0
    answer = "BM25 first; then test whether vectors add."
    return Recommendation("search", SEARCH, answer, evidence, details, bool(holds))


def size(reading: pd.DataFrame, budget: int) -> Recommendation:
    """Recommend a chunk size.

    Args:
        reading: table ``equal_reading_sizes``: chunkers minus fixed chunks of 256 tokens.
        budget: cl100k tokens read.

    Raises:
        StudyError: if nothing is stored for this budget.
    """
    rows = at(reading, budget=budget)
    if rows.empty:
        known = ", ".join(map(str, reading["budget"].unique()))
        raise StudyError(f"budget {budget} is not stored; use one of {known}")
    recursive = at(rows, chunker=RECURSIVE)
    more, rest = (recursive[(recursive["shown"] == HIGHER) == is_more] for is_more in (True, False))
    small = at(rows, chunker=SMALL)
    better, worse = (small[small["shown"] == outcome] for outcome in OUTCOMES)
    tokens = recursive["tokens"].mean()
    none = f"; not significant on {_collections(rest)}" if len(rest) else ""
    evidence = (
        f"Recall in the first {budget:,} tokens (MiniLM vectors): recursive chunks of some "
        f"{tokens:.0f} tokens lead fixed chunks of 256 by {_range(more['difference'])} points "
        f"({_collections(more)}{none}). Fixed chunks of 64 gain {_range(better['difference'])} if "
        f"answers have {_lengths(better)} tokens, and lose {_range(-worse['difference'])} if they "
        f"have {_lengths(worse)}."
    )
    details = (
        "Recursive chunks end at paragraphs and sentences, so size and boundaries change together. "
        "Size alone, fixed chunks of 64 minus 256 tokens: "
        + "; ".join(
            f"{_collection(row)} {estimate(row)} points (answers of {row['answer tokens']:.0f} "
            f"tokens, {row['shown']})"
            for _, row in small.iterrows()
        )
        + ". If you pass on a fixed number of chunks, larger ones find more because more is read."
    )
    by_length = better["answer tokens"].max() < worse["answer tokens"].min()
    holds = len(more) and not (rest["shown"] == LOWER).any() and len(better)
    holds = holds and len(worse) and by_length
    answer = "As long as the answers, and ending where sentences or paragraphs end."
    return Recommendation("size", SIZE, answer, evidence, details, bool(holds))


def passage(by_chunker: pd.DataFrame) -> Recommendation:
    """Recommend plain or late chunking to find a passage in a long document.

    Args:
        by_chunker: table ``late_chunking_by_chunker``.
    """
    large, small = (
        by_chunker[(by_chunker["chunker"] == LARGE) == is_large] for is_large in (True, False)
    )
    narrow = at(large, system=NARROW)
    gains, rest = (narrow[(narrow["low"] > 0) == is_gain] for is_gain in (True, False))
    lost, lost_small = (-at(rows, system=LATE)["difference"] for rows in (large, small))
    nothing = f", nothing significant with {_models(rest['model'])}" if len(rest) else ""
    evidence = (
        f"DCG@10 with 256-token chunks: averaged windows of 128 gain {_by_model(gains)} "
        f"points{nothing}; windows of 512 lose {_range(lost)}, and {_range(lost_small)} with "
        "smaller chunks."
    )
    averaged = at(large, system=AVERAGED)
    details = (
        f"Averaged windows of 512 tokens with 256-token chunks: {_by_model(averaged)}. Means of "
        f"{int(narrow['collections counted'].max())} collections with a t-interval over them."
    )
    holds = len(gains) and lost.min() > 0 and lost_small.min() > lost.max()
    answer = "Plain, or late with averaged windows of 128 tokens."
    return Recommendation("passage", PASSAGE, answer, evidence, details, bool(holds))


def document(found: pd.DataFrame) -> Recommendation:
    """Recommend plain or late chunking to find whole documents.

    Args:
        found: table ``late_chunking_documents``.
    """
    late = found[found["baseline"] == PLAIN]
    meetings = at(late, collection=MEETINGS)
    wide, averaged = (at(meetings, system=system) for system in (LATE, AVERAGED))
    higher, lower = (int((late["shown"] == outcome).sum()) for outcome in OUTCOMES)
    evidence = (
        "nDCG@10 on QMSum's meetings, averaged windows of 512, late minus plain: "
        f"{_by_model(averaged)} points. Of {len(late)} comparisons in all, {higher} are "
        f"significantly higher, {lower} lower."
    )
    details = f"Each token read once, on QMSum's meetings: {_by_model(wide)}."
    holds = bool(len(meetings) and 0 < higher < len(late))
    return Recommendation(
        "document", DOCUMENT, "Test both on your documents.", evidence, details, holds
    )


def whole(compared: pd.DataFrame, ranked: pd.DataFrame) -> Recommendation:
    """Recommend whether to leave documents whole.

    Args:
        compared: table ``which_chunker_whole``, hybrid search over the best chunks minus whole.
        ranked: table ``which_chunker``.
    """
    words = at(ranked, collection=MEETINGS, ordering=WORDS).drop_duplicates("chunker")
    uncut = words.loc[words["chunker"] == NONE, "score"].max()
    chunked = words.loc[words["chunker"] != NONE, "score"].max()
    read_whole = compared[compared["collection"] != MEETINGS]
    first = read_whole.drop_duplicates("collection")
    level = first[first["difference"].abs() < LITTLE]
    apart = read_whole[~read_whole["collection"].isin(level["collection"])]
    longest = at(compared, collection=MEETINGS)
    pairs = ", ".join(
        f"{_collection(row)} {percent(row['whole'])} whole, {percent(row['in chunks'])} in chunks"
        for _, row in level.iterrows()
    )
    groups = list(apart.groupby("collection", sort=False))
    gains = " ".join(
        f"{titles.collection(str(name))} gains {_range(rows['difference'])} points from chunks "
        f"({len(rows)} models)."
        for name, rows in groups
    )
    evidence = (
        f"nDCG@10 of hybrid search ({_models(first['model'].iloc[:1])}): {pairs}. {gains} Meetings "
        f"of 8,000 words gain {_range(longest['difference'])}, though BM25 alone is best on them "
        f"whole ({percent(uncut)}, {percent(chunked)} in chunks)."
    )
    by_model = (f" {titles.collection(str(name))}: {_by_model(rows)}." for name, rows in groups)
    details = f"The best chunker is chosen by the scores that are compared.{''.join(by_model)}"
    holds = len(level) and (apart["shown"] == HIGHER).all() and longest["low"].min() > 0
    holds = holds and uncut > chunked
    answer = "Hardly matters if the model reads them whole; vectors of longer ones need chunks."
    return Recommendation("whole", WHOLE, answer, evidence, details, bool(holds))


def as_table(recommendations: Iterable[Recommendation]) -> pd.DataFrame:
    """Return one row per recommendation: question, answer, evidence, details."""
    rows = [(one.question, one.answer, one.evidence, one.details) for one in recommendations]
    return pd.DataFrame(rows, columns=["question", "answer", "evidence", "details"])


def _exceptions(ranked: pd.DataFrame, best: pd.DataFrame) -> str:
    """Describe each collection in which a system by vectors alone scores highest."""
    texts = []
    for _, top in best.iterrows():
        own = at(ranked, collection=top["collection"], encoder=top["encoder"])
        row = own[own["ordering"].isin([WORDS, BOTH])].iloc[0]
        outcome = "significant" if row["shown"] == LOWER else "not significant"
        gap = points_without_sign(top["score"] - row["score"])
        name = titles.collection(str(top["collection"]))
        texts.append(f"On {name} vectors lead by {gap} points, which is {outcome}.")
    return " ".join(texts)


def _outcomes(rows: pd.DataFrame, outcome: str) -> pd.Series:
    """Count by model the collections with an outcome of the test over documents."""
    return (rows["shown_documents"] == outcome).groupby(rows["model"]).sum().astype(int)


def _by_model(rows: pd.DataFrame) -> str:
    """List differences in points with their intervals, each with its model."""
    return join_words(
        f"{estimate(row)} ({_model(str(row['model']))})" for _, row in rows.iterrows()
    )


def _models(slugs: Iterable[str]) -> str:
    return join_words(_model(str(slug)) for slug in dict.fromkeys(slugs))


def _model(slug: str) -> str:
    """Return a model's short name, or its title if it has none."""
    return next((short for short in SHORT if short in slug), titles.encoder(slug))


def _collection(row: pd.Series[Any]) -> str:
    return titles.collection(str(row["collection"])).partition(",")[0]


def _collections(rows: pd.DataFrame) -> str:
    return join_words(_collection(row) for _, row in rows.iterrows())


def _lengths(rows: pd.DataFrame) -> str:
    """List the median lengths of answers, shortest first."""
    return join_words(f"{length:.0f}" for length in sorted(rows["answer tokens"]))


def _span(counts: pd.Series[int]) -> str:
    """Return the smallest and largest of some counts: ``3 or 4``, ``0 to 2``, ``none``."""
    low, high = int(counts.min()), int(counts.max())
    if low == high:
        return str(low) if low else "none"
    return f"{low} or {high}" if high == low + 1 else f"{low} to {high}"


def _range(values: pd.Series[float]) -> str:
    """Return the smallest and largest value in points."""
    low, high = points_without_sign(values.min()), points_without_sign(values.max())
    return low if low == high else f"{low} to {high}"
