"""The taxonomy's reproductions of LumberChunker and of late chunking (S2:151-192)."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, listed, numbers, reproduced, spread
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

KEYS = ["collection", "chunker", "ordering"]


def originals_of_table_1(evidence: Evidence) -> Readings:
    """Four DCG@10 against those of LumberChunker's own notebook."""
    facts = evidence.study("lumberchunker-means")
    printed = _table_1(evidence)["original"]
    if facts.empty:
        return unanswered(
            "LumberChunker's published means: `chunkstudy study lumberchunker-means`",
            f"0 of {len(printed)} cells looked up",
        )
    theirs = facts.set_index("chunker")["DCG@10"].reindex(printed.index)
    figures = ", ".join(f"{n} {theirs[n]:.6f} (printed {printed[n]:.4f})" for n in printed.index)
    return (
        strict(
            "rounded to four decimals",
            counted({n: f"{theirs[n]:.4f}" == f"{printed[n]:.4f}" for n in printed.index}, figures),
        ),
        charitable(
            "rounded or truncated",
            counted({n: abs(theirs[n] - printed[n]) < 0.0001 for n in printed.index}, figures),
        ),
    )


def reproduced_table_1(evidence: Evidence) -> Finding:
    """Four DCG@10 with text-embedding-ada-002."""
    return reproduced(evidence.compared("taxonomy", "1", statistic="reproduced"))


def ranking_is_preserved(evidence: Evidence) -> Finding:
    """The order of the four methods in both columns of table 1."""
    table = _table_1(evidence)
    orders = [list(table[c].sort_values(ascending=False).index) for c in table.columns]
    return decide(orders[0] == orders[1], f"{' > '.join(orders[1])}, {len(orders)} columns")


def differences_are_minor(evidence: Evidence) -> Readings:
    """Reproduced against original DCG@10, and LumberChunker's lead in both."""
    table = _table_1(evidence)
    apart = 100 * (table["reproduced"] / table["original"] - 1)
    others = table.drop("lumberchunker").max()
    lead = 100 * (table.T["lumberchunker"] / others - 1)
    figures = (
        f"change {listed(apart, '{:+.1f}%')}; LumberChunker's lead over the next "
        f"{lead['original']:.1f}% originally, {lead['reproduced']:.1f}% reproduced"
    )
    return (
        strict(
            "no score changes by more than 1%",
            counted({str(k): abs(v) <= 1 for k, v in apart.items()}, figures),
        ),
        charitable("no score changes by more than 5%", decide(apart.abs().max() <= 5, figures)),
    )


def lumber_beats_structure(evidence: Evidence) -> Readings:
    """Does table 1 hold the methods the claim names, and does LumberChunker beat its rows?"""
    table = _table_1(evidence)
    named = ("fixed-256", "sentence-5")
    lead = 100 * (table.T["lumberchunker"] / table.drop("lumberchunker").max() - 1)
    figures = f"lead {listed(lead, '{:.1f}%')}"
    facts = evidence.study("lumberchunker-means")
    if len(facts):
        theirs = facts.set_index("chunker")["DCG@10"]
        over = 100 * (theirs["lumberchunker"] / theirs["recursive"] - 1)
        figures += f"; {over:.1f}% over recursive chunks, which the table leaves out"
    return (
        strict(
            "against fixed-size and sentence-based chunks",
            counted(
                {name: name in table.index for name in named},
                f"table 1 has {len(table)} methods: {', '.join(table.index)}",
            ),
        ),
        charitable(
            "against every other row of the table",
            counted({str(k): v > 0 for k, v in lead.items()}, figures),
        ),
    )


def originals_of_table_2(evidence: Evidence) -> Finding:
    """24 originals against the cells of Jina's second post."""
    table = evidence.printed("taxonomy", "2", statistic="original")
    jina = evidence.printed("jina", "combinations", encoder="jinaai/jina-embeddings-v2-small-en")
    both = table.merge(jina, on=KEYS, suffixes=("", " jina"))
    apart = (both["value"] - both["value jina"] / 100).abs()
    cases = {
        f"{row['collection']} {row['chunker']} {row['ordering']} {row['printed']} against "
        f"{row['printed jina']}": bool(far < 0.0004)
        for (_, row), far in zip(both.iterrows(), apart, strict=True)
    }
    return counted({str(k): bool(v) for k, v in cases.items()}, f"furthest {apart.max():.3f}")


def table_2_agrees_with_3_and_5(evidence: Evidence) -> Finding:
    """24 reproduced cells against the same cells with four decimals."""
    table = evidence.printed("taxonomy", "2", statistic="reproduced")
    full = pd.concat([evidence.printed("taxonomy", number) for number in ("3", "5")])
    both = table.merge(full, on=["encoder", *KEYS], suffixes=("", " full"))
    apart = (both["value"] - both["value full"]).abs()
    cases = {
        f"{row['collection']} {row['chunker']} {row['ordering']} {row['printed']} against "
        f"{row['printed full']}": bool(far <= 0.00051)
        for (_, row), far in zip(both.iterrows(), apart, strict=True)
    }
    return counted({str(k): v for k, v in cases.items()}, f"furthest {apart.max():.4f}")


def semantic_is_the_only_exception(evidence: Evidence) -> Readings:
    """Contextualized minus plain in the reproduced column of table 2."""
    gain = _gains(evidence)
    lost = {
        f"{name} {method} {gain[name][method]:+.3f}": method
        for name in gain.columns
        for method in gain.index
        if gain[name][method] < 0
    }
    others = [method for method in lost.values() if method != "semantic"]
    figures = f"no gain in {', '.join(lost)}"
    means = gain.T.mean().drop("semantic")
    return (
        strict("every other cell gains", decide(not others, f"{len(others)} others; {figures}")),
        charitable(
            "every other method gains on average over the collections",
            counted({str(method): bool(g > 0) for method, g in means.items()}, figures),
        ),
    )


def versions_explain_it(evidence: Evidence) -> Finding:
    """Another explanation: one empty document without a guard against NaN."""
    gain = _gains(evidence)
    printed = f"semantic on FiQA {gain['fiqa']['semantic']:+.3f}, TREC-COVID "
    printed += f"{gain['trec-covid']['semantic']:+.3f}; plain cells equal the originals within "
    table = evidence.printed("taxonomy", "2", chunker="semantic", ordering="pre_embedding")
    wide = table.pivot(index="collection", columns="statistic", values="value")
    printed += f"{(wide['original'] - wide['reproduced']).abs().max():.3f}, so the chunks agree"
    guard = evidence.tables["late_chunking_nan_guard"]
    witness = ""
    if len(guard):
        loss = numbers(guard, "change (%)")["change (%)"]
        witness = f"empty documents without a guard change nDCG@10 by {spread(loss, '{:+.1f}%')}"
    return unanswered(
        "FiQA's texts and jina-v2-small-en: one contextualized run, NaN kept and dropped",
        printed,
    ).witnessed(witness)


def _table_1(evidence: Evidence) -> pd.DataFrame:
    cells = evidence.printed("taxonomy", "1")
    return cells.pivot(index="chunker", columns="statistic", values="value")


def _gains(evidence: Evidence) -> pd.DataFrame:
    """Contextualized minus plain, reproduced: method by collection."""
    cells = evidence.printed("taxonomy", "2", statistic="reproduced")
    late, plain = (
        cells[cells["ordering"] == ordering].pivot(
            index="chunker", columns="collection", values="value"
        )
        for ordering in ("contextualized", "pre_embedding")
    )
    return (late - plain).round(3)
