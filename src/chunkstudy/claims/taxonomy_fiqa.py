"""The taxonomy on FiQA, where contextualized semantic chunks collapse (S2:349)."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, listed
from chunkstudy.claims.taxonomy_rows import (
    METHODS,
    MODELS,
    STRUCTURE,
    scores,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    strict,
)


def semantic_on_fiqa(evidence: Evidence) -> Finding:
    """The four stated changes against the cells."""
    row = scores(evidence, "4", "fiqa").T["semantic"]
    stated = {"Jina-v2": -26.37, "Jina-v3": -26.73, "Nomic": -25.43, "E5": -23.56}  # S2:349
    return counted({m: row[m] == v for m, v in stated.items()}, listed(row, "{:+.2f}%"))


def semantic_was_already_worse(evidence: Evidence) -> Readings:
    """Plain semantic chunks on FiQA against structure-based ones."""
    table = scores(evidence, "3", "fiqa")
    cases = {
        f"{m} {a}": bool(table[m]["semantic"] < table[m][a]) for m in MODELS for a in STRUCTURE
    }
    means = {m: bool(table[m]["semantic"] < table[m][list(STRUCTURE)].mean()) for m in MODELS}
    return (
        strict("below each of them", counted(cases)),
        charitable("below their mean", counted(means)),
    )


def poor_boundaries_get_worse(evidence: Evidence) -> Readings:
    """Do methods that score lower than semantic on FiQA lose more by context?"""
    before, gain = scores(evidence, "3", "fiqa"), scores(evidence, "4", "fiqa")
    lower = {
        f"{m} {c}": float(gain[m][c])
        for m in MODELS
        for c in METHODS
        if before[m][c] < before[m]["semantic"]
    }
    rho = pd.Series({m: float(before[m].corr(gain[m], method="spearman")) for m in MODELS})
    figures = f"methods below semantic change by {listed(pd.Series(lower), '{:+.1f}%')}"
    return (
        strict(
            "methods that score lower than semantic before lose too",
            counted({k: v < 0 for k, v in lower.items()}, figures),
        ),
        charitable(
            "the lower before, the lower the gain",
            counted(
                {str(m): r > 0 for m, r in rho.items()},
                f"rank correlation {listed(rho, '{:+.2f}')}",
            ),
        ),
    )
