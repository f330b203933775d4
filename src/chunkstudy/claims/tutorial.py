"""The tutorial's worked example: gold and retrieved chunks of three queries."""

from __future__ import annotations

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.verdicts import Outcome, counted, decide

EXAMPLE = (
    ({"A", "B"}, {"A", "C"}),
    ({"D"}, {"D"}),
    ({"E", "F", "G"}, {"F", "H", "I"}),
)


def averages_are(_: Evidence, average: str, stated: float) -> Outcome:
    """Are precision and recall of the example the stated number, at three decimals?"""
    precision, recall = _averages()[average]
    return counted(
        {"precision": round(precision, 3) == stated, "recall": round(recall, 3) == stated},
        f"precision {precision:.4f}, recall {recall:.4f}",
    )


def precision_differs_from_recall(_: Evidence) -> Outcome:
    """Could the example tell precision from recall in any query?"""
    sizes = [(len(gold), len(found)) for gold, found in EXAMPLE]
    pairs = ", ".join(f"{gold} and {found}" for gold, found in sizes)
    return decide(
        any(gold != found for gold, found in sizes),
        f"gold and retrieved chunks {pairs}: precision equals recall where both are as many",
    )


def averages_differ(_: Evidence) -> Outcome:
    """Does the example tell macro from micro averages?"""
    found = _averages()
    return decide(
        found["macro"] != found["micro"],
        f"macro {found['macro'][0]:.3f}, micro {found['micro'][0]:.3f}",
    )


def _averages() -> dict[str, tuple[float, float]]:
    """Precision and recall of the example by either average."""
    n = len(EXAMPLE)
    shared = sum(len(gold & found) for gold, found in EXAMPLE)
    return {
        "macro": (
            sum(len(gold & found) / len(found) for gold, found in EXAMPLE) / n,
            sum(len(gold & found) / len(gold) for gold, found in EXAMPLE) / n,
        ),
        "micro": (
            shared / sum(len(found) for _, found in EXAMPLE),
            shared / sum(len(gold) for gold, _ in EXAMPLE),
        ),
    }
