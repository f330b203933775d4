"""The taxonomy's set-up (S2:97-149): determinism, protocols it follows, tests of significance."""

from __future__ import annotations

import pandas as pd

from chunkstudy.chunkers import catalogue
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.taxonomy_rows import IN_CORPUS, METHODS, MODELS, scores
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    strict,
    unanswered,
)
from chunkstudy.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA

TEXT = " ".join(f"Sentence number {i} is plain. It ends as others do." for i in range(90))
"""A stated input: 180 sentences without anything that a splitter could stumble over."""
LEVEL = 0.05
NARROW = 512
"""E5's window, in tokens."""


def temperature_0_is_deterministic(evidence: Evidence) -> Finding:
    """The same prompts sent twice to a hosted model."""
    found = sum(1 for c in evidence.library if c.chunker.startswith("lumberchunker-gemini"))
    return unanswered(
        "an API key: the same windows sent twice at temperature 0",
        f"{found} repeated segmentations",
    )


def follows_late_chunking(_: Evidence) -> Readings:
    """Spans of Jina's and of ielab's fixed-size and sentence chunkers on one text."""
    spans = {
        (name, protocol.name): [tuple(found[:2]) for found in catalogue.build(name, protocol)(TEXT)]
        for name in ("fixed-256", "sentence-5")
        for protocol in (AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB)
    }
    same, share = {}, {}
    for name in ("fixed-256", "sentence-5"):
        theirs = spans[name, AS_PUBLISHED_JINA.name]
        own = spans[name, AS_PUBLISHED_IELAB.name]
        same[name] = theirs == own
        share[name] = 100 * len(set(theirs) & set(own)) / len(theirs)
    figures = ", ".join(
        f"{name}: {len(spans[name, AS_PUBLISHED_JINA.name])} and "
        f"{len(spans[name, AS_PUBLISHED_IELAB.name])} chunks, {share[name]:.0f}% the same"
        for name in same
    )
    counts = {
        name: len(spans[name, AS_PUBLISHED_JINA.name]) == len(spans[name, AS_PUBLISHED_IELAB.name])
        for name in same
    }
    return (
        strict("the same chunks", counted(same, figures)),
        charitable("as many chunks of a text", counted(counts, figures)),
    )


def windows_are_as_few_as_possible(evidence: Evidence) -> Readings:
    """Windows that the official code fills with whole chunks, beside how many would do."""
    change = float(scores(evidence, "4", "gutenqa")["E5"]["fixed-256"])
    printed = f"E5's fixed-size chunks change by {change:+.2f}% within books"
    table = evidence.study("packed-windows")
    if table.empty:
        return unanswered("windows of packed chunks: `chunkstudy study packed-windows`", printed)
    alone = table[(table["collection"] == "gutenqa-emma") & (table["window"] == NARROW)]
    figures = (
        f"windows over the fewest: {_windows(table[table['window'] == NARROW])}; within a book, "
        f"{NARROW} tokens, of the chunks have their window to themselves: "
        + ", ".join(f"{r['chunker']} {100 * r['alone']:.0f}%" for r in alone.to_dict("records"))
        + f"; {printed}"
    )
    wide = table[table["window"] != NARROW]
    return (
        strict("with E5's 512 tokens too", counted(_fewest(table), figures)),
        charitable(
            "with the sentence's example, 8,192 tokens, to a tenth",
            counted(_fewest(wide, 1.1), f"windows over the fewest: {_windows(wide)}"),
        ),
    )


def _fewest(table: pd.DataFrame, most: float = 1.0) -> dict[str, bool]:
    return {
        f"{r['collection']} {r['chunker']} {r['window']}": r["windows"] <= most * r["fewest"]
        for r in table.to_dict("records")
    }


def _windows(table: pd.DataFrame) -> str:
    return ", ".join(
        f"{r['collection']} {r['chunker']} {r['windows'] / r['fewest']:.2f}"
        for r in table.to_dict("records")
    )


def marks_of_significance(evidence: Evidence) -> Readings:
    """How many tests stand behind the marks, and do the marks keep their own rule?"""
    tables = evidence.published[
        (evidence.published["work"] == "taxonomy")
        & evidence.published["table"].isin(["3", "5"])
        & evidence.published["chunker"].isin(METHODS)
        & (evidence.published["collection"] != "average")
    ]
    changes = evidence.printed("taxonomy", "4")
    changes = changes[changes["chunker"].isin(METHODS) & (changes["collection"] != "average")]
    columns = len(MODELS) * (len(IN_CORPUS) + 1)
    tests = 2 * columns * 2 * (len(METHODS) - 1) - 2 * columns + len(changes)
    marked = int(tables["marks"].str.replace("bold|underline|[+]", "", regex=True).str.len().sum())
    stars = int(changes["marks"].str.contains("*", regex=False).sum())
    best = tables[tables["marks"].str.contains("bold")]
    worst = tables[tables["marks"].str.contains("underline")]
    rule = {
        "best without a": not best["marks"].str.replace("bold", "").str.contains("a").any(),
        "worst without b": not worst["marks"].str.replace("underline", "").str.contains("b").any(),
    }
    figures = (
        f"{marked} marks and {stars} stars of about {tests} tests without correction, of which "
        f"{LEVEL * tests:.0f} would be marked by chance"
    )
    return (
        strict(
            "they hold after Holm's correction",
            unanswered("scores per query of the models that were tested", figures),
        ),
        charitable("the marks keep the caption's rule", counted(rule, figures)),
    )


def lumber_is_slow(evidence: Evidence) -> Finding:
    """Documents per second of LumberChunker and of paragraphs."""
    slow, fast = 1.11, 1_854
    seconds = [
        record.run.counts.documents
        for condition, record in evidence.records("scifact")
        if condition.chunker == "paragraph"
    ]
    return unanswered(
        "an API key for LumberChunker's model, and both timed on SciDocs",
        f"{slow} against {fast} documents a second stated, a ratio of {fast / slow:.0f}; "
        f"{len(seconds)} timed here",
    )
