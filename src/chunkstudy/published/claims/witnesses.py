"""What all-MiniLM-L6-v2 shows beside the claims of late chunking's works, which decides none.

Every text is empty where there are no records to tell of.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.protocols import (
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
)
from chunkstudy.published.claims.evidence import Evidence, model, points
from chunkstudy.published.claims.numbers import ranks
from chunkstudy.published.sources import IN_CORPUS
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.display_names import shown

IELAB, JINA = AS_PUBLISHED_IELAB.name, AS_PUBLISHED_JINA.name
LUMBER = AS_PUBLISHED_LUMBERCHUNKER.name
WITH = "all-MiniLM-L6-v2, "
PROPOSITIONS = "proposition-released"


def berlin_with_minilm(evidence: Evidence) -> str:
    """The three similarities of the example with all-MiniLM-L6-v2, naive and late."""
    found = evidence.frame("study", "berlin")
    if found.empty:
        return ""
    pairs = zip(found["plain"], found["late as published"], strict=True)
    return WITH + ", ".join(f"{plain:.3f} to {late:.3f}" for plain, late in pairs)


def gains_with_minilm(evidence: Evidence, protocol: str) -> str:
    """Contextualized minus plain, in points with intervals, of the records in corpora."""
    table = evidence.frame("table", "late_chunking_gains")
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
    return WITH + "; ".join(
        f"{_row(name, chunker)} {points(tuple(found))}" for name, chunker, *found in rows
    )


def chunks_by_either_code(evidence: Evidence) -> str:
    """How many chunks Jina's and ielab's fixed-size and sentence chunkers cut, by collection."""
    counts: dict[tuple[str, str, str], int] = {}
    for name in IN_CORPUS:
        for condition, record in evidence.records(name):
            if condition.ordering == "pre_embedding" and condition.encoder.startswith(MINILM):
                key = (name, condition.chunker, condition.protocol)
                counts[key] = record.run.counts.chunks
    found = [
        f"{_row(name, chunker)} {counts[name, chunker, JINA]:,} and "
        f"{counts[name, chunker, IELAB]:,}"
        for name in IN_CORPUS
        for chunker in ("fixed-256", "sentence-5")
        if {(name, chunker, JINA), (name, chunker, IELAB)} <= set(counts)
    ]
    return f"chunks by Jina's and by the paper's code: {'; '.join(found)}" if found else ""


def documents_of_several_paragraphs(evidence: Evidence) -> str:
    """How many documents paragraphs cut at all, by collection at hand."""
    found = [
        f"{_collection(name)} {facts['documents of several paragraphs'][0]:,} of "
        f"{facts['documents'][0]:,}"
        for name in IN_CORPUS
        if not (facts := evidence.frame("facts", f"{name}_facts")).empty
    ]
    return f"documents of several paragraphs: {', '.join(found)}" if found else ""


def propositions_by_either_rule(evidence: Evidence) -> str:
    """A proposition credited with its paragraph, as the paper's code does, and by its own text."""
    by_paragraph, by_itself = (_emma(evidence, protocol) for protocol in (IELAB, LUMBER))
    if by_paragraph.empty or by_itself.empty:
        return ""
    score, best = (
        [float(rows[name][PROPOSITIONS]) for rows in (by_paragraph, by_itself)]
        for name in ("DCG@10", "Ceiling(DCG@10)")
    )
    return (
        f"{WITH}Emma: {score[0]:.3f} judged by the paragraph, {score[1]:.3f} by its own text; the "
        f"best any ranking could reach is {best[0]:.3f} and {best[1]:.3f}"
    )


def best_on_emma(evidence: Evidence) -> str:
    """LumberChunker's rank and the best chunker on GutenQA's public book."""
    rows = _emma(evidence, IELAB)
    if rows.empty:
        return ""
    order = rows["DCG@10"]
    return (
        f"{WITH}Emma: rank {ranks(order)['lumberchunker-released']:.0f} of {len(order)}, best "
        f"{shown('chunker', order.idxmax())} {order.max():.3f}"
    )


def ceilings_on_emma(evidence: Evidence) -> str:
    """The best score any ranking could reach, by the code's rule and by any overlap."""
    texts = []
    for name, protocol in (("its code", IELAB), ("any overlap", "corrected")):
        rows = _emma(evidence, protocol)
        if len(rows):
            best = rows["Ceiling(DCG@10)"]
            texts.append(f"{name} {best.min():.3f} to {best.max():.3f}")
    return f"best reachable DCG@10 on Emma by {', by '.join(texts)}" if texts else ""


def growth_of_similarity_and_change(evidence: Evidence) -> str:
    """How much alike the chunks of a document grow by context, and whether scores fall with it."""
    table = evidence.frame("study", "similarity/orderings")
    gains = evidence.frame("table", "late_chunking_gains")
    if table.empty or gains.empty:
        return ""
    growth = table[table["pairs"] == "all"]
    keys = ["collection", "chunker"]
    in_corpora = _of_minilm(gains[gains["protocol"] == "corrected"])
    gains = pd.concat([in_corpora, _gains_on_emma(evidence)])[[*keys, "difference"]]
    both = growth.merge(gains, on=keys, suffixes=("", " of score"))
    r = float(both["difference"].corr(both["difference of score"]))
    rises = growth["difference"]
    return (
        f"{WITH}similarity grows in {int((growth['low'] > 0).sum())} of {len(growth)} rows of "
        f"collection and chunker, by {rises.min():.3f} to {rises.max():.3f}; with the "
        f"change of the score it correlates by r = {r:.2f} over {len(both)}"
    )


def windows_and_documents(evidence: Evidence) -> str:
    """The gain at the narrowest and the widest window, and how many documents fit 512 tokens."""
    steps = []
    table = evidence.frame("table", "late_chunking_windows")
    if len(table):
        table = _of_minilm(table)
        table = table[table["collection"].isin(IN_CORPUS) & (table["chunker"] != "none")]
        for (name, chunker), group in table.groupby(["collection", "chunker"], sort=False):
            ordered = group.sort_values("window")
            if len(ordered) > 1:
                first, last = ordered.iloc[0], ordered.iloc[-1]
                steps.append(
                    f"{_row(name, chunker)} {100 * first['difference']:+.2f} points with "
                    f"{first['window']} tokens and {100 * last['difference']:+.2f} with "
                    f"{last['window']}"
                )
    fit = [
        f"{_collection(name)} {1 - facts['longer than 510 tokens'][0] / facts['documents'][0]:.0%}"
        for name in IN_CORPUS
        if not (facts := evidence.frame("facts", f"{name}_facts")).empty
    ]
    if fit:
        steps.append(f"documents that fit 512 tokens: {', '.join(fit)}")
    return WITH + "; ".join(steps) if steps else ""


def gains_within_documents(evidence: Evidence) -> str:
    """Contextualized minus plain, in points, on Emma and within Chroma's corpora by window."""
    emma = _gains_on_emma(evidence)
    windows = evidence.frame("table", "late_chunking_by_model")
    found = []
    if len(emma):
        found.append(f"{WITH}Emma, points: {_differences(emma, 'chunker')}")
    if len(windows):
        whole = windows.query(
            "collection == 'chroma-within' and measure == 'DCG@10' and over == 'all chunkers'"
        )
        whole = whole[whole["model"] == model(MINILM)]
        found.append(f"Chroma's corpora by window, points: {_differences(whole, 'window')}")
    return "; ".join(found)


def _differences(table: pd.DataFrame, key: str) -> str:
    rows = zip(*(table[name] for name in (key, "difference", "low", "high")), strict=True)
    return "; ".join(f"{shown(key, name)} {points(tuple(found))}" for name, *found in rows)


def _gains_on_emma(evidence: Evidence) -> pd.DataFrame:
    """all-MiniLM-L6-v2 on GutenQA's public book, late minus plain, by chunker."""
    table = evidence.frame("table", "late_chunking_emma_tests")
    if table.empty:
        return table
    return table.assign(collection="gutenqa-emma").sort_values("chunker")


def _emma(evidence: Evidence, protocol: str) -> pd.DataFrame:
    """all-MiniLM-L6-v2 on GutenQA's public book, plain chunks: DCG@10 and its ceiling by method."""
    table = evidence.frame("table", "late_chunking_emma")
    if table.empty:
        return table
    rows = _of_minilm(table)
    rows = rows[(rows["protocol"] == protocol) & (rows["ordering"] == "pre_embedding")]
    return rows.set_index("chunker")


def _of_minilm(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of all-MiniLM-L6-v2, with whatever window; the witness of these claims."""
    return table[table["encoder"].str.startswith(MINILM)]


def _row(collection: object, chunker: object) -> str:
    return f"{_collection(collection)}, {shown('chunker', chunker)}"


def _collection(name: object) -> str:
    return shown("collection", name)
