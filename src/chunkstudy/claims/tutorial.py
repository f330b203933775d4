"""The tutorial on precision and recall (S3): its worked example, and what its advice rests on."""

from __future__ import annotations

from chunkstudy.claims.evidence import Evidence, listed
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

EXAMPLE = (
    ({"A", "B"}, {"A", "C"}),
    ({"D"}, {"D"}),
    ({"E", "F", "G"}, {"F", "H", "I"}),
)
"""Gold and retrieved chunks of three queries (S3:102-105)."""


def macro_of_the_example(_: Evidence) -> Finding:
    """Mean of three precisions, and of three recalls."""
    precision, recall = _macro()
    return counted(
        {"precision": round(precision, 3) == 0.611, "recall": round(recall, 3) == 0.611},
        f"precision {precision:.4f}, recall {recall:.4f}",
    )


def micro_of_the_example(_: Evidence) -> Finding:
    """Pooled counts of the three queries."""
    precision, recall = _micro()
    return counted(
        {"precision": precision == 0.5, "recall": recall == 0.5},
        f"precision {precision:.4f}, recall {recall:.4f}",
    )


def example_shows_both_measures(_: Evidence) -> Readings:
    """Could the example tell precision from recall?"""
    sizes = [(len(gold), len(found)) for gold, found in EXAMPLE]
    equal = [gold == found for gold, found in sizes]
    figures = (
        "gold and retrieved chunks "
        + ", ".join(f"{gold} and {found}" for gold, found in sizes)
        + ": as many in each query, so precision equals recall in all of them"
    )
    return (
        strict("precision and recall differ in some query", decide(not all(equal), figures)),
        charitable(
            "macro and micro averages differ",
            decide(_macro() != _micro(), f"macro {_macro()[0]:.3f}, micro {_micro()[0]:.3f}"),
        ),
    )


def macro_resists_large_queries(evidence: Evidence) -> Readings:
    """The weight of the query with most gold chunks on Chroma's collection, by either average."""
    facts = evidence.study("chunks-per-question")
    if facts.empty:
        return unanswered(
            "gold chunks per query: `chunkstudy study chunks-per-question`",
            "0 chunkers counted",
        )
    rows = facts[facts["protocol"] == "corrected"].set_index("chunker")
    micro = 100 * rows["most"] / rows["all"]
    macro = 100 / rows["questions"]
    ratio = micro / macro
    figures = (
        f"the heaviest query counts {listed(ratio, '{:.1f}')} times as much by micro average; "
        f"share {micro.max():.2f}% at most against {macro.max():.2f}%"
    )
    return (
        strict(
            "by micro average one query outweighs tenfold its share",
            counted({str(k): v > 10 for k, v in ratio.items()}, figures),
        ),
        charitable(
            "by macro average no query weighs more than another, by micro average some do",
            counted({str(k): v > 1 for k, v in ratio.items()}, figures),
        ),
    )


def _macro() -> tuple[float, float]:
    n = len(EXAMPLE)
    precision = sum(len(gold & found) / len(found) for gold, found in EXAMPLE) / n
    recall = sum(len(gold & found) / len(gold) for gold, found in EXAMPLE) / n
    return precision, recall


def _micro() -> tuple[float, float]:
    shared = sum(len(gold & found) for gold, found in EXAMPLE)
    precision = shared / sum(len(found) for _, found in EXAMPLE)
    return precision, shared / sum(len(gold) for gold, _ in EXAMPLE)
