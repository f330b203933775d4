"""Jina's claims that no predicate fits, and what all-MiniLM-L6-v2 shows beside them."""

from __future__ import annotations

from chunkstudy.chunkers import passages
from chunkstudy.claims.evidence import Evidence, points
from chunkstudy.claims.verdicts import Outcome, decide, unanswered
from chunkstudy.grid.conditions import MINILM


def fixed_chunks_have_256_tokens(_: Evidence) -> Outcome:
    """How does the chunker of fixed lengths cut 1000 tokens?"""
    spans = passages.fixed([(i, i + 1) for i in range(1_000)], 256)
    sizes = [end - start for start, end in spans]
    return decide(
        max(sizes) <= 256 and sizes[0] == 256,
        f"its chunker cuts 1000 tokens into {', '.join(map(str, sizes))}",
    )


def records_pool_one_way(evidence: Evidence) -> Outcome:
    """How do the models on record pool?"""
    poolings = {
        str(record.run.model["pooling"])
        for name in ("scifact", "gutenqa-emma")
        for _, record in evidence.records(name)
        if record.run.model
    }
    return unanswered(
        "records of a model trained with CLS pooling under both orderings",
        f"{len(poolings)} kind of pooling in the records: {', '.join(sorted(poolings))}",
    )


def berlin_with_minilm(evidence: Evidence) -> str:
    """The three similarities of the example with all-MiniLM-L6-v2, naive and late."""
    found = evidence.study("berlin")
    if found.empty:
        return ""
    pairs = zip(found["plain"], found["late as published"], strict=True)
    return ", ".join(f"{plain:.3f} to {late:.3f}" for plain, late in pairs)


def gains_with_minilm(evidence: Evidence, protocol: str) -> str:
    """Contextualized minus plain, in points with intervals, of the records in corpora."""
    table = evidence.table("late_chunking_gains")
    if table.empty:
        return ""
    table = table[
        (table["measure"] == "nDCG@10")
        & (table["protocol"] == protocol)
        & table["encoder"].str.startswith(MINILM)
        & ~table["collection"].str.startswith("builtin")
        & ~table["chunker"].str.contains("none|merged|dropped")
    ]
    rows = zip(
        *(table[c] for c in ("collection", "chunker", "difference", "low", "high")), strict=True
    )
    return ", ".join(f"{name} {chunker} {points(tuple(found))}" for name, chunker, *found in rows)
