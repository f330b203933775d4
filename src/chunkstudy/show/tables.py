"""Frames of numbers as tables for reading: the one place where a column becomes text.

A column's name decides its title and how its values are shown (``COLUMNS``); where it does not, the
table says so (``Kinds``). Scores are fractions in a frame and percent in a table, their differences
points; of a row whose measure counts tokens both are tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.measures.units import in_tokens
from chunkstudy.runs import display_names
from chunkstudy.show.formats import (
    Column,
    decimals,
    more_tokens,
    number,
    percent,
    percent_finely,
    points,
    points_finely,
    probability,
    tenths,
    thousandths,
    tokens,
    whole,
)

COLUMNS: dict[str, Column] = {
    "p": Column("p", probability),
    "p_holm": Column("p, Holm", probability),
    "p (exact)": Column("p, exact", probability),
    "p_equivalent_holm": Column("p of equivalence, Holm", probability),
    "cut": Column("chunks cut, %", percent),
    "share kept": Column("share kept, %", percent),
    "unread": Column("text beyond the window, %", percent),
    "n": Column("queries", whole),
    "difference": Column("difference, points", points),
    "a minus b": Column("first minus second, points", points),
    "a": Column("first", decimals),
    "b": Column("second", decimals),
    "late - plain": Column("late minus plain, points", points),
    "late - no chunking": Column("late minus no chunking, points", points),
    "folds": Column("folds recorded", whole),
    "chosen": Column("chosen", percent),
    "random": Column("mean of draws", percent),
    "lowest draw": Column("lowest draw", percent),
    "highest draw": Column("highest draw", percent),
    "draws below": Column("draws below", percent),
    "p_rank": Column("p of its place", probability),
    "gain": Column("gain, points", points),
    "tokens encoded a token of text": Column("tokens encoded a token of text", number),
    "tokens encoded": Column("tokens encoded", whole),
    "seconds encoding": Column("seconds of encoding, now", tenths),
    "text in no chunk": Column("text in no chunk, %", percent),
    "questions needed": Column("questions needed", whole),
    "more than there are": Column("more than there are", whole),
    "difference that these show": Column("difference that these show, points", points),
    "million operations a token": Column("million operations a token", whole),
    "tokens that a reader gets": Column("tokens that a reader gets", whole),
    "second model": Column("all-mpnet-base-v2", points),
    "second model difference": Column("all-mpnet-base-v2: difference, points", points),
    "second model shown": Column("all-mpnet-base-v2: shown", str),
    "gain against": Column("gain with the other model, points", points),
    "change against": Column("change with the other model, points", points),
    "gain at the wider": Column("gain at the wider window, points", points),
    "at the narrower": Column("gain at the narrower window, points", points),
    "gain per step": Column("gain of late chunking per step, points", points_finely),
    "plain per step": Column("plain per step, points", points_finely),
    "late per step": Column("late per step, points", points_finely),
    "size of step": Column("size of a step", number),
    "r2": Column("squared error taken away, %", percent),
    "error of the mean": Column("error of the mean, points", percent),
    "error": Column("error, points", percent),
    "change of error": Column("change of error, points", points_finely),
    "gain without short tails": Column("gain without short tails, points", points),
    "change": Column("change", percent),
    "cosine distance": Column("cosine distance", thousandths),
    "relative distance": Column("length of the difference, % of the vector's", percent),
    "of the next chunk": Column("% of neighbours' distance", percent),
    "distance": Column("tokens between", whole),
    "effect": Column("effect size", number),
    "family_size": Column("tests in the family", whole),
    "mean tokens": Column("tokens a chunk", number),
    "mean chunk tokens": Column("tokens a chunk", number),
    "std": Column("standard deviation", percent),
    "r": Column("r", number),
    "Pearson r": Column("Pearson's r", number),
    "Spearman rho": Column("Spearman's rho", number),
    "value": Column("value", thousandths),
    "contextualized": Column("late", percent),
    "pre_embedding": Column("plain", percent),
    "as_published": Column("as the official code", percent),
    "fiqa from": Column("FiQA: smallest change, %", points),
    "fiqa to": Column("FiQA: largest, %", points),
    "draft from": Column("FiQA in the draft: smallest, %", points),
    "draft to": Column("FiQA in the draft: largest, %", points),
    "trec-covid from": Column("TREC-COVID: smallest, %", points),
    "trec-covid to": Column("TREC-COVID: largest, %", points),
    "above best": Column("above the model's best if it lost that much too, %", points),
    "official code": Column("an empty document becomes", str),
    "ours": Column("in our code", str),
    "ids before": Column("ids that come before, %", percent),
    "wordpiece_tokens": Column("WordPiece tokens", whole),
    "mean_excerpt_characters": Column("characters an excerpt", number),
    "not_run": Column("not run", whole),
    "within_stack": Column("within spread", whole),
    "search list": Column("search list", lambda size: whole(size) if size else ""),
    "SpanRecall@5 difference": Column("difference, points", points),
    "run": Column("cells run", whole),
    "why": Column("why", number),
    "probability": Column("probability", number),
    "Brier score": Column("Brier score", thousandths),
    "expected to come true": Column("expected to come true", whole),
    "part": Column("corpus", percent),
    "says": Column("what is expected", number),
    "at": Column("expected", number),
    "chunking s/M tokens": Column("chunking: seconds a million tokens", number),
    "chunking's encoding s/M tokens": Column(
        "encoding for boundaries: seconds a million tokens", number
    ),
    "encoding s/M tokens": Column("encoding chunks: seconds a million tokens", number),
    "gold": Column("gold chunks a query", number),
    "held by a tenth": Column("gold chunks held by a tenth of queries, %", percent),
    "f1": Column("F1", percent),
    "recall of a": Column("first's recall", percent),
    "recall of b": Column("second's recall", percent),
    "shown by them": Column("difference that these show, points", percent),
    "needed": Column("queries needed", whole),
    "needed for 2 points": Column("queries needed for 2 points", whole),
    "needed for 5 points": Column("queries needed for 5 points", whole),
    "share of ceiling": Column("% of the best reachable", percent),
    "queries_with_the_word_and": Column('queries with the word "and"', whole),
}
SAID_BELOW = ("family", "family_size", "interval", "margin")
HIDDEN = (
    *SAID_BELOW, "p_equivalent", "effect",
    "against in order family", "against in order family_size",
)  # fmt: skip
"""Said once under a table and not in every row, before its correction, or only in the file."""
SETTINGS = ("model", "encoder", "ordering", "protocol", "measure")
"""Said once under a table of several rows that all have the same."""
OF_INTERVAL = ("difference", "gain per step", "gain", "late - plain", "a minus b", "Pearson r", "r",
               "mean", "score", "DCG@10", "reproduced", "area")  # fmt: skip
"""What a table's ``low`` and ``high`` surround: the first of these that it has."""
Kinds = Mapping[str, Callable[[float], str] | Column]
"""By column: how its numbers are shown, and where it is a ``Column`` its title too."""
IN_TOKENS: Mapping[Callable[[float], str], Callable[[float], str]] = {
    percent: tokens, percent_finely: tokens, points: more_tokens, points_finely: more_tokens,
}  # fmt: skip
"""How a number is shown where the row's measure counts tokens, by how a fraction is."""


def present(
    frame: pd.DataFrame, columns: Sequence[str] | None = None, kinds: Kinds | None = None
) -> pd.DataFrame:
    """The frame as text: titles, display names, one format a column, intervals in one column, as
    are columns that end in ``least`` and ``most``.

    Args:
        frame: of numbers and slugs.
        columns: those to show, in this order; all but ``HIDDEN`` where none are named.
        kinds: how columns are shown where their name does not tell; ``*`` for all others.
    """
    kinds = kinds or {}
    same = same_in_all_rows(frame, columns)
    names = [name for name in _names(frame, columns) if name not in same]
    found: dict[str, pd.Series] = {}
    for name in names:
        high = _end(name, "high")
        if _is_end(name, "high") and _end(name, "low") in frame:
            continue
        if _is_end(name, "low") and high in frame:
            how = _kind(frame, _surrounded(frame, name), kinds)
            base = _title(name.removesuffix("low").strip()) if name != "low" else ""
            found[f"{base}, 95%" if base else "95% interval"] = _both(frame, name, high, how)
            continue
        base = name.removesuffix(" least").removesuffix(" most")
        if base != name and {f"{base} least", f"{base} most"} <= set(frame):
            how = _kind(frame, base, kinds)
            ends = _both(frame, f"{base} least", f"{base} most", how)
            found[f"{_title(base)}, least and most"] = ends
            continue
        how = _kind(frame, name, kinds)
        title = _title(name, kinds.get(name))
        if _token_rows(frame, name, how).all():
            title = title.removesuffix(", points")
        found[title] = _column(frame, name, how, kinds)
    return pd.DataFrame(found, index=frame.index)


def _names(frame: pd.DataFrame, columns: Sequence[str] | None) -> list[str]:
    hidden = {*HIDDEN, "p"} if "p_holm" in frame else set(HIDDEN)
    return [str(c) for c in (columns or frame.columns) if columns or c not in hidden]


def same_in_all_rows(frame: pd.DataFrame, columns: Sequence[str] | None = None) -> dict[str, str]:
    """The settings that all rows of a table share, as they are shown."""
    asked = [name for name in _names(frame, columns) if name in SETTINGS]
    shared = [name for name in asked if len(frame) > 1 and frame[name].nunique(dropna=False) == 1]
    return {name: display_names.shown(name, frame[name].iloc[0]) for name in shared}


def _both(frame: pd.DataFrame, low: str, high: str, how: Callable[[float], str]) -> pd.Series:
    """Two columns as one: the text of both ends, or of the one there is."""
    low_text, high_text = (_texts(frame, one, how).astype(str) for one in (low, high))
    text = "[" + low_text + ", " + high_text + "]"
    text = text.where(low_text != "", "at most " + high_text)
    text = text.where(high_text != "", "at least " + low_text)
    return text.where((low_text != "") | (high_text != ""), "")


def _texts(frame: pd.DataFrame, name: str, how: Callable[[float], str]) -> pd.Series:
    """A column's numbers as text, with their unit where it is not that of the column."""
    values, in_their_unit = frame[name].astype(float), IN_TOKENS.get(how, how)
    return values.map(how).mask(_token_rows(frame, name, how), values.map(in_their_unit))


def _token_rows(frame: pd.DataFrame, name: str, how: Callable[[float], str]) -> pd.Series:
    """Which rows of a column are in tokens, since they are in the unit of the row's measure."""
    own_unit = "@" in name or "%" in _title(name)
    if own_unit or how not in IN_TOKENS or "measure" not in frame:
        return pd.Series(False, index=frame.index)
    return frame["measure"].map(lambda measure: in_tokens(str(measure))).astype(bool)


def _is_end(name: str, end: str) -> bool:
    return name == end or name.endswith(f" {end}")


def _end(name: str, end: str) -> str:
    base = name.removesuffix("low").removesuffix("high")
    return f"{base}{end}"


def _surrounded(frame: pd.DataFrame, low: str) -> str:
    """The column that an interval surrounds."""
    base = low.removesuffix("low").strip()
    if base:
        return base
    own = {one for one in OF_INTERVAL if f"{one} low" in frame}
    return next((one for one in OF_INTERVAL if one in frame and one not in own), "")


def _title(name: str, how: Callable[[float], str] | Column | None = None) -> str:
    """A column's title; without its unit where ``how`` shows plain numbers here."""
    if isinstance(how, Column):
        return how.title
    if name in COLUMNS:
        title = COLUMNS[name].title
        return title.removesuffix(", points") if how is number else title
    words = name.split(" ")
    if "@" in words[0] or words[0] in display_names.MEASURES:
        words[0] = display_names.measure(words[0])
    text = " ".join("standard deviation" if word == "std" else word for word in words)
    known = display_names.COLLECTIONS.get(text) or display_names.sentence(text)
    return known.replace("_", " ")


def _kind(frame: pd.DataFrame, name: str, kinds: Kinds) -> Callable[[float], str]:
    """How a column's numbers are shown: by its table, its name, or its values."""
    own = kinds.get(name)
    if own is not None:
        return own.text if isinstance(own, Column) else own
    if in_tokens(name):
        return more_tokens if name.endswith("difference") else whole
    if name in COLUMNS and name not in ("value",):
        return COLUMNS[name].text
    if (others := kinds.get("*")) is not None:
        return others.text if isinstance(others, Column) else others
    if name not in frame or not pd.api.types.is_numeric_dtype(frame[name]):
        return percent
    if "@" in name:
        return percent
    if pd.api.types.is_integer_dtype(frame[name]):
        return whole
    counted = _token_rows(frame, name, percent)
    values = frame[name][~counted].dropna()
    if (values == values.round()).all() and not counted.all():
        return whole
    return percent if (values.abs() <= 1).all() else number


def _column(frame: pd.DataFrame, name: str, how: Callable[[float], str], kinds: Kinds) -> pd.Series:
    values = frame[name]
    if pd.api.types.is_bool_dtype(values):
        return values.map({True: "yes", False: "no"})
    if pd.api.types.is_numeric_dtype(values):
        return _texts(frame, name, how)
    if name in ("a", "b"):
        name = "chunker"
    if name in kinds and not isinstance(kinds[name], Column):
        return values.map(lambda v: how(float(v)) if str(v) not in ("", "nan", "None") else "")
    return values.map(lambda value: display_names.shown(name, value))
