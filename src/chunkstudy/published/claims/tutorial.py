"""Claims of the tutorial on precision and recall of chunks, restated."""

from __future__ import annotations

from typing import Any

from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.ledger import Claims, Readings, plain
from chunkstudy.published.claims.numbers import listed, over, pick
from chunkstudy.published.claims.predicates import equal, every

WORK = Claims("tutorial", "any")
claim = WORK.claim
PAGE = "labels_1_precision_recall"
FOUR = "{:.4f}"


def example(evidence: Evidence, *queries: str) -> Any:
    """Precision and recall of the worked example, recomputed from its labels."""
    return evidence.table(
        "labels_worked_example", "query", "quantity", value="computed",
        query=list(queries), quantity=["precision", "recall"],
    )  # fmt: skip


def average(evidence: Evidence, kind: str) -> Any:
    """The example's macro or micro average."""
    return pick(example(evidence, kind), query=kind)


def weight(evidence: Evidence) -> Any:
    """How many times its share the query with most gold chunks counts by micro average."""
    heaviest, all_gold, questions = (
        evidence.study("chunks-per-question", "chunker", value=value, protocol="corrected")
        for value in ("most", "all", "questions")
    )
    return heaviest / (all_gold / questions)


@claim("C128", "Example Walkthrough, step 3", PAGE)
def macro_averages(evidence: Evidence) -> Readings:
    """The worked example has macro precision and recall of about 0.611."""
    yield plain(equal(average(evidence, "macro"), 0.611, digits=3, form=FOUR))


@claim("C129", "Example Walkthrough, step 4", PAGE)
def micro_averages(evidence: Evidence) -> Readings:
    """Its micro precision and recall are 0.5."""
    yield plain(equal(average(evidence, "micro"), 0.5, form=FOUR))


@claim("C130", "Macro-Averaging and Micro-Averaging", PAGE)
def no_query_dominates(evidence: Evidence) -> Readings:
    """By macro average no query dominates, however many gold chunks it has."""
    # In the example one query has half of the gold chunks and counts a third.
    mean = over(example(evidence, "q1", "q2", "q3"), "query").mean()
    label = "macro average; the mean over queries is the same:"
    found = equal(average(evidence, "macro"), mean, label, FOUR, allowed=1e-6)
    label = (
        "on Chroma's questions the heaviest query counts by micro average as many times its share:"
    )
    yield plain(found, listed(weight(evidence.beside), label, "{:.1f}"))


@claim("X30", "Example Walkthrough, step 4", PAGE)
def micro_differs_from_macro(evidence: Evidence) -> Readings:
    """Micro averages come out otherwise than macro ones, since queries with more chunks weigh
    more."""
    apart = abs(average(evidence, "macro") - average(evidence, "micro"))
    found = every(apart, "macro and micro apart by", "{:.3f}", above=0)
    queries = example(evidence.beside, "q1", "q2", "q3")
    alike = pick(queries, quantity="precision") - pick(queries, quantity="recall")
    label = "precision minus recall of each query, which the example cannot tell apart:"
    yield plain(found, listed(alike, label, "{:.3f}"))
