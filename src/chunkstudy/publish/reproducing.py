"""The table at the head of REPRODUCING.md: what to run, and what it should give."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.publish.readme import fill_regions
from chunkstudy.runs import records
from chunkstudy.runs.estimate import prices
from chunkstudy.study import written
from chunkstudy.study.tables import Table


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
        "whole documents by vectors, by the best chunks' vectors, by BM25, and by vectors and BM25",
        "{no-chunking/scores}% of nDCG@10",
        tuple(f"{name}/*/*MiniLM*/*/corrected"
              for name in ("scifact", "nfcorpus", "arguana", "qmsum")),
    ),
)  # fmt: skip


def fill(places: Places) -> None:
    """Write the generated part of ``REPRODUCING.md`` anew."""
    fill_regions(places.root / "REPRODUCING.md", {"expected": expected(places)})


def expected(places: Places) -> str:
    """A row a finding: command, value, minutes."""
    numbers, recorded = written.numbers(places), records.find(places.runs)
    rows = []
    for finding in FINDINGS:
        behind = [c for c in recorded if any(fnmatch(str(c), p) for p in finding.patterns)]
        minutes = prices(behind, places, again=True)["seconds"].sum() / 60
        value = finding.expected
        for name, text in numbers.items():
            value = value.replace(f"{{{name}}}", text)
        only = " ".join(f"--only '{pattern}'" for pattern in finding.patterns)
        rows.append((finding.name, f"`chunkstudy run --again {only}`", value, f"{minutes:.0f}"))
    heads = ["finding", "command", "expected", "minutes"]
    return Table(pd.DataFrame(rows, columns=heads)).markdown()
