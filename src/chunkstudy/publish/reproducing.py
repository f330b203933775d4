"""The table at the head of REPRODUCING.md: what to run, and what it should give."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.publish.readme import fill_regions
from chunkstudy.runs import records
from chunkstudy.runs.against_record import TOLERANCE
from chunkstudy.runs.conditions import CONTEXTUALIZED, parse_encoder
from chunkstudy.runs.estimate import prices, total
from chunkstudy.study import written
from chunkstudy.study.tables import Table

PEAK = {"plain": "1.5 GB", "late": "2.9 GB"}
"""Of memory, by one process that reads Chroma's corpora with MiniLM, as GNU time counted it:
chunks by themselves, and in averaged windows of 512 tokens."""
FLOAT = 4
"""Bytes of a number in a vector."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A row.

    Attributes:
        name: what was found, in a few words.
        expected: a sentence with names of notebooks' numbers in braces.
        patterns: of the conditions whose records it rests on.
    """

    name: str
    expected: str
    patterns: tuple[str, ...]


FINDINGS = (
    Finding(
        "Chroma's table of all-MiniLM-L6-v2 and its appendix",
        "{minilm-appendix/exact} of {minilm-appendix/cells} scores exact",
        ("chroma/*/*all-MiniLM-L6-v2/pre_embedding/as_published-chroma",),
    ),
    Finding(
        "late minus plain chunks within Chroma's corpora, 512 tokens, one window per token",
        "{late/one} points of DCG@10",
        tuple(f"chroma-within/{chunker}/*MiniLM*-w512/{ordering}/corrected"
              for chunker in ("fixed-*", "recursive-200-0")
              for ordering in ("pre_embedding", "contextualized-512")),
    ),
    Finding(
        "the same, states averaged over windows that overlap by half",
        "{late/averaged} points of DCG@10",
        tuple(f"chroma-within/{chunker}/*MiniLM*-w512/{ordering}/corrected"
              for chunker in ("fixed-*", "recursive-200-0")
              for ordering in ("pre_embedding", "contextualized-512-averaged")),
    ),
    Finding(
        "late minus plain chunks within COVID-QA's papers, 512 tokens, one window per token",
        "{late/one-papers} points of DCG@10",
        tuple(f"covid-qa-within/{chunker}/*MiniLM*-w512/{ordering}/corrected"
              for chunker in ("fixed-*", "recursive-200-0")
              for ordering in ("pre_embedding", "contextualized-512")),
    ),
    Finding(
        "late minus plain chunks of 256 tokens on NFCorpus; short last chunks merged",
        "{short-tails-gain/before}; {short-tails-gain/after} points of nDCG@10",
        ("nfcorpus/fixed*/*MiniLM*-w512/*/as_published-jina",),
    ),
    Finding(
        "no chunking beside the best of all systems where documents are looked for",
        "trails on {no-chunking/trails} points of nDCG@10",
        tuple(f"{name}/*/*MiniLM*/*/corrected" for name in ("scifact", "nfcorpus", "arguana")),
    ),
)  # fmt: skip


def fill(places: Places) -> None:
    """Write the generated part of ``REPRODUCING.md`` anew."""
    fill_regions(places.root / "REPRODUCING.md", {"expected": expected(places)})


def expected(places: Places) -> str:
    """A row a finding: command, value, tolerance, minutes, memory, disk."""
    numbers, recorded = written.numbers(places), records.find(places.runs)
    rows = []
    for one in FINDINGS:
        found = [c for c in recorded if any(fnmatch(str(c), p) for p in one.patterns)]
        seconds = total(prices(found, places, again=True)).seconds
        size = sum(_bytes(records.read_run(recorded[c])) for c in found)
        value = one.expected
        for name, text in numbers.items():
            value = value.replace(f"{{{name}}}", text)
        late = any(c.ordering.startswith(CONTEXTUALIZED) for c in found)
        only = " ".join(f"--only '{pattern}'" for pattern in one.patterns)
        rows.append((
            one.name, f"`chunkstudy run --again {only}`", value, f"{100 * TOLERANCE:g} points",
            f"{seconds / 60:.0f}", PEAK["late" if late else "plain"], f"{size / 1e6:,.0f} MB",
        ))  # fmt: skip
    heads = ["finding", "command", "expected", "tolerance", "minutes", "memory", "disk"]
    return Table(pd.DataFrame(rows, columns=heads)).markdown()


def _bytes(run: records.Run) -> int:
    """What the vectors of a run's chunks and queries take."""
    texts = run.counts.chunks + run.counts.queries_scored
    return texts * models.spec(parse_encoder(run.encoder).model).dimension * FLOAT
