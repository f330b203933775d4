"""Jina's first post on late chunking (S1): its two tables, its definition, its segmentations."""

from __future__ import annotations

from itertools import permutations

import pandas as pd

from chunkstudy import statistics
from chunkstudy.chunkers import passages
from chunkstudy.claims.evidence import Evidence, listed, numbers, reproduced, spread
from chunkstudy.claims.jina_rows import beir, combinations, late_gains_of_minilm
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

NO_FACTS = "facts of texts: run `python -m chunkstudy.studies.claim_facts` with their folder"


def berlin_similarities(evidence: Evidence) -> Finding:
    """Six similarities of "Berlin" to three sentences."""
    return reproduced(evidence.compared("jina", "berlin")).witnessed(_berlin_witness(evidence))


def similarity_improves(evidence: Evidence) -> Readings:
    """Late minus naive similarity of the three sentences, as printed."""
    cells = evidence.printed("jina", "berlin")
    wide = cells.pivot(index="chunker", columns="ordering", values="value")
    change = wide["contextualized"] - wide["pre_embedding"]
    figures = f"change: {listed(change, '{:+.3f}')}"
    return (
        strict(
            "each rises by more than printed rounding",
            counted({str(k): v > 0.0011 for k, v in change.items()}, figures),
        ),
        charitable(
            "each rises", counted({str(k): v > 0 for k, v in change.items()}, figures)
        ).witnessed(_berlin_witness(evidence)),
    )


def scores_of_five_collections(evidence: Evidence) -> Finding:
    """Fifteen nDCG@10."""
    cells = evidence.compared("jina", "beir", measure="nDCG@10")
    return reproduced(cells).witnessed(late_gains_of_minilm(evidence))


def document_lengths(evidence: Evidence) -> Readings:
    """Mean characters of a document, for the collections at hand."""
    facts = evidence.facts("beir_lengths")
    printed = evidence.printed("jina", "beir", measure="characters").set_index("collection")
    if facts.empty:
        return unanswered(NO_FACTS, f"0 of {len(printed)} collections counted")
    counts = facts.set_index("collection")["mean characters"]
    counts = counts[counts.index.isin(printed.index)]
    stated = printed["value"].reindex(counts.index)
    figures = ", ".join(
        f"{name} {counts[name]:.2f} (printed {stated[name]})" for name in counts.index
    )
    figures += f"; {len(printed) - len(counts)} collections are not at hand"
    return (
        strict(
            "title, a space and the text, as they are encoded",
            counted({str(n): round(counts[n], 1) == stated[n] for n in counts.index}, figures),
        ),
        charitable(
            "without the space between title and text",
            counted({str(n): round(counts[n] - 1, 1) == stated[n] for n in counts.index}, figures),
        ),
    )


def late_improves_everywhere(evidence: Evidence) -> Readings:
    """Late minus naive nDCG@10 of the five collections, as printed."""
    gain = _gain(evidence)
    figures = f"gain in points: {listed(gain, '{:+.2f}')}"
    return (
        strict(
            "larger in each collection",
            counted({str(k): v > 0 for k, v in gain.items()}, figures),
        ),
        charitable(
            "nowhere smaller", counted({str(k): v >= 0 for k, v in gain.items()}, figures)
        ).witnessed(late_gains_of_minilm(evidence)),
    )


def late_sometimes_beats_no_chunking(evidence: Evidence) -> Finding:
    """Late minus no chunking."""
    table = beir(evidence)
    lead = table["late"] - table["none"]
    return decide(
        bool((lead > 0).any()),
        f"in {(lead > 0).sum()} of {len(lead)} collections: {listed(lead, '{:+.2f}')}",
    )


def no_chunking_is_sometimes_best(evidence: Evidence) -> Finding:
    """Where is no chunking above both others?"""
    table = beir(evidence)
    best = table["none"] > table[["naive", "late"]].max(axis=1)
    return decide(
        bool(best.any()), f"best in {best.sum()} of {len(best)}: {', '.join(best.index[best])}"
    )


def late_beats_no_chunking_overall(evidence: Evidence) -> Readings:
    """Is late chunking highly effective against not chunking at all?"""
    table = beir(evidence)
    lead = table["late"] - table["none"]
    figures = f"late minus no chunking: {listed(lead, '{:+.2f}')}, mean {lead.mean():+.2f}"
    return (
        strict(
            "better than no chunking in each collection",
            counted({str(k): v > 0 for k, v in lead.items()}, figures),
        ),
        charitable("better on average", decide(lead.mean() > 0, figures)),
    )


def gain_is_context(evidence: Evidence) -> Readings:
    """Does the gain with fixed-size chunks stay once short last chunks are merged or dropped?

    A short tail of a document is a poor chunk by itself; late chunking repairs it, and so does
    merging it with the chunk before.
    """
    table = evidence.tables["late_chunking_gains"]
    if len(table):
        table = numbers(table, "difference", "low", "high")
        table = table[
            (table["measure"] == "nDCG@10")
            & (table["protocol"] == "as_published-jina")
            & table["chunker"].str.startswith("fixed")
            & ~table["collection"].str.startswith("builtin")
        ]
    gains, remedied = (
        {
            f"{row['collection']} {row['chunker']} {row['difference']:+.2f} "
            f"[{row['low']:.2f}, {row['high']:.2f}]": bool(row["low"] > 0)
            for _, row in table.iterrows()
            if ("-256-64" in row["chunker"]) == without_tails
        }
        for without_tails in (False, True)
    )
    if not gains or not remedied:
        return unanswered(
            "records of fixed-size chunks with merged tails: `chunkstudy run`",
            f"{len(gains)} and {len(remedied)} gains on record",
        )
    figures = f"all-MiniLM-L6-v2, with tails {'; '.join(gains)}"
    return (
        strict(
            "the gain remains without short tails, its interval above 0",
            counted(remedied, f"{figures}; without {'; '.join(remedied)}"),
        ),
        charitable(
            "fixed-size chunks as they are gain somewhere",
            decide(any(gains.values()), figures),
        ),
    )


def gain_grows_with_length(evidence: Evidence) -> Readings:
    """Rank correlation of document length and gain, here and in the second post's rows."""
    table = beir(evidence)
    gain = table["late"] - table["naive"]
    found = statistics.correlation(table["characters"], gain, method="spearman")
    linear = statistics.correlation(table["characters"], gain)
    orders = [pd.Series(order) for order in permutations(gain.rank())]
    reached = [
        abs(order.corr(table["characters"].rank().reset_index(drop=True))) for order in orders
    ]
    exact = sum(r >= abs(found.r) - 1e-9 for r in reached) / len(reached)
    others = {}
    rows = combinations(evidence)
    for (encoder, chunker), group in rows.groupby(["encoder", "chunker"]):
        change = group.set_index("collection")["late"] - group.set_index("collection")["naive"]
        long = table["characters"].reindex(change.index)
        others[f"{encoder}, {chunker}"] = float(long.corr(change, method="spearman"))
    rho = pd.Series(others)
    return (
        strict(
            "in each of the second post's nine rows of model and boundaries as well",
            counted(
                (rho > 0).tolist(),
                f"rank correlation over 4 collections {spread(rho)}",
            ),
        ),
        charitable(
            "over the five collections of the post",
            decide(
                found.r > 0,
                f"rank correlation {found.r:.2f} (exact p = {exact:.3f}, n = {found.n}), r = "
                f"{linear.r:.2f}",
            ),
        ),
    )


def boundaries_come_from_a_regex(evidence: Evidence) -> Readings:
    """Fixed windows, or strings of roughly 256 tokens? The second post names its baseline's."""
    first = beir(evidence)[["naive", "late"]].round(1)
    second = combinations(evidence)
    second = second[
        (second["encoder"] == "jina-embeddings-v2-small-en") & (second["chunker"] == "fixed-256")
    ].set_index("collection")
    common = first.loc[second.index]
    same = int(((common - second[["naive", "late"]]).abs() < 0.11).sum().sum())
    spans = passages.fixed([(i, i + 1) for i in range(1_000)], 256)
    sizes = [end - start for start, end in spans]
    figures = (
        f"{same} of {common.size} scores are those the second post prints for fixed token "
        f"lengths; its chunker cuts 1000 tokens into {', '.join(map(str, sizes))}"
    )
    return (
        strict(
            "other boundaries than fixed token lengths",
            decide(same < common.size, figures),
        ),
        charitable(
            "chunks of about 256 tokens",
            decide(max(sizes) <= 256 and sizes[0] == 256, figures),
        ),
    )


def chunks_are_conditioned_on_previous(evidence: Evidence) -> Readings:
    """Does a chunk's vector depend on earlier text only?"""
    facts = evidence.facts("late_direction")
    if facts.empty:
        return unanswered(NO_FACTS, "0 vectors compared")
    later = facts["last replaced"].dropna()
    earlier = facts["first replaced"].dropna()
    figures = (
        f"similarity of a chunk's vector to itself {spread(earlier, '{:.3f}')} after the first "
        f"sentence is replaced, {spread(later, '{:.3f}')} after the last is (all-MiniLM-L6-v2)"
    )
    return (
        strict("on previous chunks only", decide(bool((later > 0.9999).all()), figures)),
        charitable("on previous chunks too", decide(bool((earlier < 0.9999).all()), figures)),
    )


def stated_chunk_counts(evidence: Evidence) -> Finding:
    """Blocks of the four segmentations against the counts in their headings."""
    facts = evidence.facts("printed_segmentations")
    if facts.empty:
        return unanswered(NO_FACTS, "0 of 4 segmentations counted")
    rows = facts.set_index("segmentation")
    same = rows["chunks stated"] == rows["chunks found"]
    return counted(dict(same), listed(rows["chunks found"], "{:d}"))


def segmentations_hold_one_article(evidence: Evidence) -> Readings:
    """How much of the longest segmentation do the others keep?"""
    facts = evidence.facts("printed_segmentations")
    if facts.empty:
        return unanswered(NO_FACTS, "0 of 4 segmentations counted")
    rows = facts.set_index("segmentation")
    kept = 100 * rows["words shared with the longest"] / rows["words of the longest"]
    own = 100 * rows["words shared with the longest"] / rows["words"]
    kept, own = kept[kept < 100], own[kept < 100]
    figures = f"share of the longest's words: {listed(kept, '{:.0f}%')}"
    return (
        strict(
            "each holds at least 95% of its words",
            counted({str(k): v >= 95 for k, v in kept.items()}, figures),
        ),
        charitable(
            "each takes at least 95% of its own words from it",
            counted({str(k): v >= 95 for k, v in own.items()}, f"{listed(own, '{:.0f}%')}"),
        ),
    )


def _gain(evidence: Evidence) -> pd.Series:
    table = beir(evidence)
    return (table["late"] - table["naive"]).round(2)


def _berlin_witness(evidence: Evidence) -> str:
    found = evidence.experiment("berlin")
    if found.empty:
        return ""
    return ", ".join(
        f"{float(row['plain']):.3f} to {float(row['late as published']):.3f}"
        for _, row in found.iterrows()
    )
