"""Frames of numbers as tables for reading: the one place where a number becomes text.

A column's name decides its title and how its values are shown (``COLUMNS``); captions stand in
``CAPTIONS``. Scores are fractions in a frame and percent in a table, their differences points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from chunkstudy.render import display_names

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is shown: its title and what makes text of a value."""

    title: str
    text: Callable[[float], str]


def decimals(value: float, digits: int = 2, scale: float = 1.0, signed: bool = False) -> str:
    """A number with so many decimals and a real minus; nothing where it is missing."""
    if pd.isna(value):
        return ""
    sign = "+" if signed else ""
    return f"{scale * value:{sign},.{digits}f}".replace("-", MINUS)


def percent(value: float) -> str:
    return decimals(value, 1, 100)


def points(value: float) -> str:
    return decimals(value, 1, 100, signed=True)


def whole(value: float) -> str:
    return decimals(value, 0)


def number(value: float) -> str:
    return decimals(value, 2)


def thousandths(value: float) -> str:
    return decimals(value, 3)


def probability(value: float) -> str:
    """Three decimals, or that it is smaller than they show."""
    if pd.isna(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


COLUMNS: dict[str, Column] = {
    "p": Column("p", probability),
    "p_holm": Column("p, Holm", probability),
    "n": Column("queries", whole),
    "difference": Column("difference, points", points),
    "gain": Column("gain, points", points),
    "gain without short tails": Column("gain without short tails, points", points),
    "effect": Column("effect size", number),
    "chunks": Column("chunks", whole),
    "family_size": Column("tests in the family", whole),
    "mean tokens": Column("tokens a chunk", number),
    "mean chunk tokens": Column("tokens a chunk", number),
    "std": Column("standard deviation", percent),
    "r": Column("r", number),
    "value": Column("value", thousandths),
}
INTERVALS = (("low", "high"), ("fisher low", "fisher high"), ("difference low", "difference high"),
             ("macro low", "macro high"), ("micro low", "micro high"),
             ("precision low", "precision high"), ("recall low", "recall high"))  # fmt: skip
"""Pairs of columns that are shown as one."""
HIDDEN = ("family", "interval")
"""Said once under a table and not in every row."""


def present(
    frame: pd.DataFrame,
    columns: Sequence[str] | None = None,
    kinds: dict[str, Callable[[float], str]] | None = None,
) -> pd.DataFrame:
    """The frame as text: titles, display names, one format a column, intervals in one column.

    Args:
        frame: of numbers and slugs.
        columns: those to show, in this order; all but ``HIDDEN`` where none are named.
        kinds: how columns are shown where their name does not tell.
    """
    kinds = kinds or {}
    ends = [(low, high) for low, high in INTERVALS if low in frame and high in frame]
    names = list(columns) if columns else [c for c in frame if c not in HIDDEN]
    high_ends = {high for _, high in ends}
    found: dict[str, pd.Series] = {}
    for name in names:
        if name in high_ends:
            continue
        pair = next((pair for pair in ends if pair[0] == name), None)
        if pair:
            title = "95% interval" if name == "low" else f"{name.removesuffix(' low')}, 95%"
            how = kinds.get(name) or _interval_kind(frame, name, kinds)
            low, high = (frame[one].map(how) for one in pair)
            text = "[" + low + ", " + high + "]"
            found[title] = text.where(low != "", "")
            continue
        title = COLUMNS[name].title if name in COLUMNS and name not in kinds else str(name)
        found[_titled(name, title)] = _column(frame[name], str(name), kinds)
    return pd.DataFrame(found)


def _titled(name: str, title: str) -> str:
    if name in display_names.BY_COLUMN or "_" not in title:
        known = display_names.shown("measure", title)
        return known if "@" in title else title
    return title.replace("_", " ")


def _column(values: pd.Series, name: str, kinds: dict[str, Callable[[float], str]]) -> pd.Series:
    how = kinds.get(name) or (COLUMNS[name].text if name in COLUMNS else None)
    if pd.api.types.is_bool_dtype(values):
        return values.map({True: "yes", False: "no"})
    if pd.api.types.is_numeric_dtype(values):
        return values.map(how or _default(values, name))
    if how is not None:
        return values.map(lambda v: how(float(v)) if v not in ("", None) else "")
    return values.map(lambda value: display_names.shown(name, value))


def _interval_kind(
    frame: pd.DataFrame, name: str, kinds: dict[str, Callable[[float], str]]
) -> Callable[[float], str]:
    """An interval's ends are shown as what they surround."""
    base = name.removesuffix("low").strip()
    for middle in [base] if base else ["difference", "mean", "score", "r"]:
        if middle in kinds:
            return kinds[middle]
        if middle == "fisher" or middle == "r":
            return number
        if middle in frame:
            return points if middle == "difference" else percent
    return percent


def _default(values: pd.Series, name: str) -> Callable[[float], str]:
    """Counts whole; what a measure's name heads, or lies between -1 and 1, in percent."""
    if pd.api.types.is_integer_dtype(values):
        return whole
    score = "@" in name or (values.dropna().abs() <= 1).all()
    return percent if score else number


CAPTIONS = {
    "chroma_main": "Chroma's main table: published beside reproduced, in percent.",
    "chroma_minilm": "Chroma's table of all-MiniLM-L6-v2: published beside reproduced, in percent.",
    "chroma_appendix": "Chroma's appendix: recall with all-MiniLM-L6-v2, in percent.",
    "chroma_lengths": "Which length function gives the published chunk sizes.",
    "chroma_protocols": "Chroma's own way of scoring against the corrected one.",
    "chroma_cost": "What each chunker costs.",
    "chroma_collection": "Chroma's corpora: counted, and as published.",
    "chroma_approximate_search": "Recall at five chunks by exact and by approximate search.",
    "jina_berlin": "Cosine similarity of three sentences with the word Berlin.",
    "jina_datasets": "Jina's five collections: nDCG@10 in percent.",
    "jina_length": "The gain of late chunking against document length.",
    "jina_combinations": "Jina's combinations of model, boundaries and ordering: nDCG@10.",
    "jina_comparisons": "What Jina's second post says of its table, counted in it.",
    "late_chunking_gains": "Late against plain chunking, the same chunker and model.",
    "late_chunking_windows": "Late against plain chunking by window.",
    "late_chunking_tails": "Fixed-size chunks with short tails merged or dropped.",
    "late_chunking_tail_gains": "The gain of late chunking with and without short tails.",
    "late_chunking_protocols": "The official ways of scoring against the corrected one.",
    "late_chunking_emma": "The novel Emma: DCG@10 and the best that could be reached.",
    "late_chunking_propositions": "Propositions judged by their parents' text and by their own.",
    "late_chunking_nan_guard": "Empty documents with and without a guard against missing scores.",
    "late_chunking_excerpts": "Late against plain chunking within Chroma's corpora, by window.",
    "late_chunking_positions": "The same by the positions at which tokens are read.",
    "late_chunking_company": "Chunks that have their window to themselves where whole chunks are "
    "packed.",
    "late_chunking_depth": "Chunks ranked before documents are scored by their best.",
    "late_chunking_similarity": "How alike the chunks of one document are.",
    "labels_by_chunk_size": "Labelled chunks beside token overlap at five chunks.",
    "labels_macro_micro": "Recall of labelled chunks at five, averaged both ways.",
    "labels_power": "Queries needed to see a difference in recall at five chunks.",
    "which_chunker": "Every chunker by task, the best first.",
    "chunk_size_correlations": "Chunk size against effectiveness.",
}
"""What each table shows, for those that are printed."""

KINDS: dict[str, dict[str, Callable[[float], str]]] = {
    "late_chunking_similarity": dict.fromkeys(
        ("pre_embedding", "contextualized", "difference", "low", "high"), number
    ),
    "late_chunking_nan_guard": dict.fromkeys(("change", "smallest", "largest"), points),
    "jina_berlin": {},
}
"""Columns of single tables whose name does not tell how they are shown."""
