"""What is left of Chroma's appendix (S0:594-1028): leading digits of recall."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunkstudy.claims.chroma_rows import (
    RECALL,
)
from chunkstudy.claims.evidence import (
    Evidence,
    reasons,
    reproduced,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    strict,
    unanswered,
)

Floats = NDArray[np.float64]
NO_RECORDS = "records of the MiniLM table: run `chunkstudy run`"


def appendix_digits(evidence: Evidence) -> Readings:
    """The leading digits that are left of the MiniLM appendix."""
    cells = evidence.compared(
        "chroma", "appendix", encoder="sentence-transformers/all-MiniLM-L6-v2"
    )
    done = cells[(cells["verdict"] != "not_run") & (cells["statistic"] == "mean")]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    possible = [
        any(
            f"{bound:.1f}"[0] == str(row["published"])
            for bound in (float(row["low"]), float(row["reproduced"]), float(row["high"]))
        )
        for _, row in done.iterrows()
    ]
    return (
        strict("every digit of means and standard deviations", reproduced(cells)),
        charitable(
            "the digit of every mean occurs within the interval over queries",
            counted(possible, "means whose interval holds the digit"),
        ),
    )


def appendix_of_the_large_model(evidence: Evidence) -> Finding:
    """The 3-large appendix: leading digits against records, where there are any."""
    return reproduced(evidence.compared("chroma", "appendix", encoder="text-embedding-3-large"))


def appendix_repeats_the_tables(evidence: Evidence) -> Finding:
    """At 5 chunks over all corpora the appendix and the two result tables print the same cells."""
    appendix = evidence.printed("chroma", "appendix", part="all", measure=RECALL)
    tables = evidence.published[evidence.published["table"].isin(["main", "minilm"])]
    keys = ["encoder", "chunker", "measure", "statistic"]
    both = appendix.merge(tables, on=keys, suffixes=("", " whole"))
    both = both[(both["printed"] != "") & both["value whole"].notna()]
    cases = {
        f"{row['chunker']} {row['statistic']}, S0:{row['line']}: {row['printed']} against "
        f"{row['printed whole']}": row["printed"][0] == row["printed whole"][0]
        for _, row in both.iterrows()
    }
    return counted(cases)
