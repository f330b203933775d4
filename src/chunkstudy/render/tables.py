"""Frames of numbers as tables for reading: the one place where a number becomes text.

A column's name decides its title and how its values are shown (``COLUMNS``); captions stand in
``CAPTIONS``. Scores are fractions in a frame and percent in a table, their differences points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
    if math.isinf(value):
        return "beyond any number"
    sign = "+" if signed else ""
    return f"{scale * value:{sign},.{digits}f}".replace("-", MINUS)


def percent(value: float) -> str:
    return decimals(value, 1, 100)


def points(value: float) -> str:
    return decimals(value, 1, 100, signed=True)


def percent_finely(value: float) -> str:
    return decimals(value, 2, 100)


def points_finely(value: float) -> str:
    return decimals(value, 2, 100, signed=True)


def whole(value: float) -> str:
    return decimals(value, 0)


def number(value: float) -> str:
    return decimals(value, 2)


def tenths(value: float) -> str:
    return decimals(value, 1)


def significant(value: float) -> str:
    """Three digits that count, for what spans powers of ten; all of those before the point."""
    if pd.isna(value):
        return ""
    digits = 0 if value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))
    return decimals(value, digits)


def thousandths(value: float) -> str:
    return decimals(value, 3)


def ten_thousandths(value: float) -> str:
    return decimals(value, 4)


def power_of_ten(value: float) -> str:
    """Two digits and a power, for what is too small for decimals."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa} \N{MULTIPLICATION SIGN} 10^{int(exponent)}".replace("-", MINUS)


def probability(value: float) -> str:
    """Three decimals, or that it is smaller than they show."""
    if pd.isna(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


COLUMNS: dict[str, Column] = {
    "p": Column("p", probability),
    "p_holm": Column("p, Holm", probability),
    "p of the mean": Column("p of the mean", probability),
    "of": Column("of", whole),
    "p (exact)": Column("p, exact", probability),
    "p_equivalent_holm": Column("p of equivalence, Holm", probability),
    "against in order p_holm": Column("against reading in order: p, Holm", probability),
    "against in order p_equivalent_holm": Column(
        "against reading in order: p of equivalence, Holm", probability
    ),
    "against in order shown": Column("against reading in order: shown", percent),
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
    "against in order": Column("against reading in order, points", points),
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
    "later minus earlier": Column("later minus earlier", thousandths),
    "later over earlier": Column("later over earlier", number),
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
    "minilm inside": Column("MiniLM: inside", whole),
    "minilm explained": Column("MiniLM: explained", whole),
    "appendix inside": Column("appendix: inside", whole),
    "appendix explained": Column("appendix: explained", whole),
    "as published - published": Column("official minus print", points),
    "corrected - published": Column("corrected minus print", points),
    "exact - published": Column("exact minus print", points),
    "mean - published": Column("runs' mean minus print", points),
    "SpanRecall@5 difference": Column("difference, points", points),
    "run": Column("cells run", whole),
    "mean above print": Column("mean above, points", points),
    "why": Column("why", number),
    "probability": Column("probability", number),
    "Brier score": Column("Brier score", thousandths),
    "expected to come true": Column("expected to come true", whole),
    "part": Column("corpus", percent),
    "says": Column("what is expected", number),
    "at": Column("expected", number),
    "second model": Column("all-mpnet-base-v2", points),
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
    "documents, of a book chunks": Column("documents (of Emma: chunks)", whole),
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
        found[_title(name, kinds.get(name))] = _column(
            frame[name], name, _kind(frame, name, kinds), kinds
        )
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
    low_text, high_text = (frame[one].map(how).astype(str) for one in (low, high))
    text = "[" + low_text + ", " + high_text + "]"
    text = text.where(low_text != "", "at most " + high_text)
    text = text.where(high_text != "", "at least " + low_text)
    return text.where((low_text != "") | (high_text != ""), "")


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
    if name.startswith("TokensRead"):
        return whole
    if name in COLUMNS and name not in ("value",):
        return COLUMNS[name].text
    if (others := kinds.get("*")) is not None:
        return others.text if isinstance(others, Column) else others
    if name not in frame or not pd.api.types.is_numeric_dtype(frame[name]):
        return percent
    values = frame[name].dropna()
    if "@" in name:
        return percent
    if pd.api.types.is_integer_dtype(values) or (values == values.round()).all():
        return whole
    return percent if (values.abs() <= 1).all() else number


def _column(values: pd.Series, name: str, how: Callable[[float], str], kinds: Kinds) -> pd.Series:
    if pd.api.types.is_bool_dtype(values):
        return values.map({True: "yes", False: "no"})
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float).map(how)
    if name in ("a", "b"):
        name = "chunker"
    if name in kinds and not isinstance(kinds[name], Column):
        return values.map(lambda v: how(float(v)) if str(v) not in ("", "nan", "None") else "")
    return values.map(lambda value: display_names.shown(name, value))


CAPTIONS = {
    "chroma_main": "Chroma's main table: published beside reproduced, in percent.",
    "chroma_minilm": "Chroma's table of all-MiniLM-L6-v2: published beside reproduced, in percent.",
    "chroma_appendix": "Chroma's appendix: recall with all-MiniLM-L6-v2, in percent.",
    "chroma_lengths": "Which length function gives the published chunk sizes.",
    "chroma_protocols": "Chroma's own way of scoring against the corrected one.",
    "chroma_bias_rows": "Recall of Chroma's MiniLM table as printed and as reproduced.",
    "chroma_bias": "Whether these rows are off to one side of print, and which protocol is nearer.",
    "chroma_cost": "What each chunker costs.",
    "chroma_collection": "Chroma's corpora: counted, and as published.",
    "language_models_published": "Published rows of chunkers that ask a language model, and what "
    "asking again would cost.",
    "language_models_cells": "Those rows cell by cell, in percent or tokens, with the bounds "
    "that were registered before anybody ran them.",
    "language_models_lacking": "What these cells wait for.",
    "language_models_emma": "LumberChunker on Emma with and without a language model, scores in "
    "percent.",
    "language_models_bought": "Boundaries that a language model chose against others, scores in "
    "percent, question by question.",
    "language_models_answers": "Where in a window the answered candidate stands, against answers "
    "at random.",
    "language_models_replies": "What SmolLM2-135M-Instruct, in four bits, was asked for boundaries "
    "and replied.",
    "language_models_prices": "What it would take to ask for the boundaries of each collection.",
    "language_models_cost": "Cost and time beside the score on Emma.",
    "generation_outcomes": "What became of the replies, by who wrote them.",
    "generation_cost": "What asking took.",
    "generation_filters": "What the two filters kept, by what the author of a question meant.",
    "generation_candidates": "Every question on the built-in collection, with its similarities.",
    "generation_thresholds": "How many of Chroma's released questions would pass its two filters "
    "with all-MiniLM-L6-v2.",
    "generation_places": "Where Chroma's released excerpts stand.",
    "generation_shifted": "Excerpts named by numbered pieces: where they stand, and where the "
    "official code puts them, in characters.",
    "chroma_search": "Every cell with the spread of Chroma's own search over 20 runs, in percent.",
    "chroma_search_settings": "How many printed cells each setting of the search explains.",
    "chroma_search_recalls": "Recall at five chunks: print, exact search and the published search.",
    "chroma_search_corpora": "Where the printed cells lie elsewhere, by corpus.",
    "chroma_leading_digits": "How often another chunker's result fits a surviving digit too.",
    "chroma_cluster_sizes": "Sizes of clustered chunks beside those printed for all-MiniLM-L6-v2.",
    "chroma_rerun": "The report's main table and its authors' own second run.",
    "verdicts": "Published cells: how many there are, how many were run, and how they came out.",
    "jina_berlin": "Cosine similarity of three sentences with the word Berlin.",
    "jina_datasets": "Jina's five collections: nDCG@10 in percent.",
    "jina_length": "The gain of late chunking against document length.",
    "jina_combinations": "Jina's combinations of model, boundaries and ordering: nDCG@10.",
    "jina_comparisons": "What Jina's second post says of its table, counted in it.",
    "segmenter_excerpts": "The segmenter's chunks on Chroma's excerpts, with all-MiniLM-L6-v2, "
    "against those of other chunkers.",
    "one_post_texts": "What four printed segmentations keep of the post, in characters without "
    "white space.",
    "one_post_sizes": "Parts of the post by who cut it; tokens are OpenAI's (cl100k).",
    "one_post_agreement": "Where the post is cut: each printed segmentation as the reference for "
    "every other.",
    "late_chunking_gains": "Late against plain chunking, the same chunker and model.",
    "late_chunking_windows": "Late against plain chunking by window.",
    "late_chunking_tails": "Fixed-size chunks with short tails merged or dropped.",
    "late_chunking_tail_gains": "The gain of late chunking with and without short tails.",
    "late_chunking_protocols": "The official ways of scoring against the corrected one.",
    "late_chunking_emma": "The novel Emma: DCG@10 and the best that could be reached.",
    "late_chunking_propositions": "Propositions judged by their parents' text and by their own.",
    "late_chunking_nan_guard": "Empty documents in our rankings, with and without a guard against "
    "undefined scores: the change of nDCG@10 over the draws of their ids.",
    "empty_documents_chain": "From an empty document to a changed ranking, step by step.",
    "empty_documents_methods": "What each method makes of an empty document, and what late "
    "chunking changes: the smallest and the largest of four models.",
    "empty_documents_published": "Printed nDCG@10 where documents are empty, plain and late.",
    "empty_documents_places": "What one empty document among 171,332 costs: an id a "
    "row, NFCorpus's queries.",
    "late_chunking_excerpts": "Late against plain chunking within Chroma's corpora, by window.",
    "late_chunking_cut": "Late against plain chunking within Chroma's corpora, apart by what the "
    "window cuts.",
    "late_chunking_positions": "Late against plain chunking by the positions at which tokens are "
    "read.",
    "late_chunking_company": "Chunks that have their window to themselves where whole chunks are "
    "packed.",
    "late_chunking_depth": "Chunks ranked before documents are scored by their best.",
    "late_chunking_similarity": "How alike the chunks of one document are.",
    "late_chunking_by_model": "Late against plain chunking by model and window, each question's "
    "mean over the chunkers that all of them have.",
    "late_chunking_held": "What all-MiniLM-L6-v2 shows, and whether it held for all-mpnet-base-v2: "
    "open where one of them shows nothing.",
    "late_chunking_models": "Two models: the gain of late chunking with one minus that with the "
    "other, question by question.",
    "late_chunking_changes": "What the gain of late chunking becomes from a window of 128 tokens "
    "to one of 512.",
    "late_chunking_changes_between": "Two models: that change with one minus that with the other.",
    "late_chunking_conformance": "What the decisions of tools that ship late chunking cost.",
    "late_chunking_conformance_vectors": "Vectors of tools that ship late chunking beside ours.",
    "trained_models": "The trained models: triples, steps, and the loss on the validation part.",
    "trained_costs": "Late against plain chunking with the same model, on documents that it was "
    "not trained on: DCG@10.",
    "trained_arms": "One model against another on the same documents, neither trained on them: "
    "DCG@10.",
    "trained_triples": "What late chunking costs by how many triples the model was trained on.",
    "trained_elsewhere": "Trained models against the model as it was, on whole documents of other "
    "collections.",
    "late_chunking_separated": "A separator between chunks, against late and plain chunking.",
    "contexts_gains": "A context before each chunk, and late chunking, against plain chunking.",
    "contexts_alike": "A context before each chunk against late chunking and against other "
    "contexts: gains over plain chunking, and the partial correlation of scores given plain "
    "chunking.",
    "contexts_prices": "What it costs to have a language model write a context for every chunk.",
    "late_chunking_which_models": "The models of the registry by the checklist for late chunking.",
    "context_reach": "How far a chunk's vector moves when text from a distance on is replaced.",
    "context_yardsticks": "How far chunks' vectors lie apart, to compare movements with.",
    "context_both_ways": "Movement by later text minus that by earlier text of the same document, "
    "as cosine distances.",
    "papers_gains": "Late against plain chunking within the papers of COVID-QA, by window.",
    "papers_against_paragraphs": "Chunkers against paragraphs within the papers of COVID-QA.",
    "random_boundaries": "Boundaries that a method chose against the same sizes in another order.",
    "boundary_signals_areas": "How well each signal tells true boundaries from other ends of "
    "sentences: the area under the ROC curve, where 0.5 is chance.",
    "boundary_signals_added": "What each signal adds to punctuation and lengths: areas and bits of "
    "a logistic regression on documents that it has not seen.",
    "boundary_signals_markup": "The same places with headings and notation in the text: areas "
    "where the model reads it as it stands, and alone.",
    "boundary_signals_chunkers": "Chunks cut at the strongest boundaries against other chunkers on "
    "the built-in collection.",
    "boundary_signals_profile": "Mean entropy of each token around the end of a sentence inside a "
    "paragraph, in bits; 0 is the first token of the next sentence.",
    "boundary_signals_cut": "The same places read in other passes.",
    "equal_budget_overlap": "Recall of excerpts, in tokens, with and without overlap: the first "
    "five chunks, then by tokens read.",
    "equal_budget_sizes": "Recall of excerpts, in tokens, by chunker: the first five chunks, then "
    "by tokens read, against the best.",
    "moderators": "What moderates the gain of late chunking: a step more of each, the others held.",
    "moderators_by_window": "The same at each window.",
    "moderators_ranges": "The gain of late chunking by where the answer is read, nothing held.",
    "moderators_predicted": "The gain on a document predicted from all others: by the moderators, "
    "against the mean of the same chunker; windows together and apart.",
    "labels_by_chunk_size": "Labelled chunks beside token overlap at five chunks.",
    "labels_macro_micro": "Recall of labelled chunks at five, averaged both ways.",
    "labels_power": "Queries needed to see a difference in recall at five chunks.",
    "which_chunker": "Every chunker by task, collection and model, the best first.",
    "which_chunker_advice": "The best by task, collection and model, and what it costs.",
    "chunk_size_correlations": "Chunk size against effectiveness.",
    "evaluation": "Ways of chunking, the best first; scores in percent.",
    "evaluation_tests": "Every other against the best.",
    "evaluation_needed": "How many questions would tell the best two apart four times in five.",
    "predictions_by_kind": "Registered predictions by what decides them.",
    "predictions_to_bet_on": "The ten predictions with the highest product of probability and "
    "surprise.",
    "predictions_coverage": "Published cells that wait for a run, and how many have a prediction.",
    "witnesses": "Without chunking, each model at its own window, beside a public leaderboard.",
}
"""What each table shows, for those that are printed."""

AS_PRINTED: dict[str, Callable[[float], str] | Column] = {
    "chunk size mean published": whole,
    **{
        f"{measure} {statistic} published": tenths
        for measure in ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5", "PrecisionOmega")
        for statistic in ("mean", "std")
    },
}
"""Published columns with the decimals that Chroma prints."""

KINDS: dict[str, Kinds] = {
    "language_models_published": {"requests": whole, "US dollars": number},
    "language_models_cells": dict.fromkeys(
        ("published", "reproduced", "expected", "expected least", "expected most"), number),
    "language_models_emma": {"chunks": whole, "mean tokens": whole, "draws": whole},
    "language_models_answers": {"answered": percent, "at random": percent, "windows": whole},
    "language_models_replies": {"candidates": tenths, "tokens in": whole, "seconds": tenths},
    "language_models_prices": {"requests": whole, "million tokens in": number,
                               "million tokens out": number, "US dollars": number},
    "language_models_cost": {"documents": whole, "documents a second": significant,
                             "tokens a second": significant, "printed a second": significant,
                             "US dollars, Emma": number},
    "generation_thresholds": dict.fromkeys(
        ("published threshold", "reached by 95%", "95% of questions below"), number),
    "generation_candidates": dict.fromkeys(
        ("least similar excerpt", "most similar earlier question"), number),
    "generation_filters": dict.fromkeys(("least similar excerpt, from", "to"), number),
    "generation_cost": dict.fromkeys(
        ("tokens in, a request", "tokens out, a request", "seconds a request"), tenths),
    "one_post_sizes": {"mean tokens": tenths, "mean characters": tenths, "tokens": whole},
    "one_post_agreement": dict.fromkeys(
        ("boundary similarity", "WindowDiff", "Pk", "shared if placed at random"), number),
    "generation_shifted": {"shared": lambda share: f"{whole(100 * share)}%"},
    "contexts_alike": dict.fromkeys(
        ("correlation", "correlation low", "correlation high"), number),
    "contexts_prices": {"dollars": number},
    "trained_models": dict.fromkeys(("loss before", "loss kept"), thousandths),
    "late_chunking_similarity": {"difference": number, "contextualized": number,
                                 "pre_embedding": number},
    "late_chunking_changes_between": {"change": points},
    "late_chunking_excerpts_alike": {"plain": number, "contextualized": number},
    "context_both_ways": {"later": thousandths, "earlier": thousandths},
    "context_yardsticks": {"largest": thousandths},
    "jina_berlin": {"*": thousandths,
                    "late - plain": Column("late minus plain", thousandths)},
    "chroma_main": AS_PRINTED | {"*": number},
    "chroma_minilm": AS_PRINTED | {"*": number},
    "chroma_appendix": {"*": number, "cut": Column("of the first chunks", str)},
    "chroma_search": {"*": number},
    "chunk_size_correlations": {"*": number},
    "taxonomy_superscripts": {
        "a": Column("a: differs from the best", whole), "b": Column("b: from the worst", whole),
        "*": Column("*: late from plain", whole), "significant": whole,
        "significant after Holm": whole, "equivalent within a point": whole, "tests": whole,
    },
    "chroma_protocols": {"difference": points_finely},
    "chroma_leading_digits": {
        "others": Column("results of other chunkers", whole),
        "pass": Column("of these fit too", whole), "share": Column("fit too, %", percent),
    },
    "chroma_search_corpora": {
        one: Column(f"{one}, %", percent)
        for one in ("missed, list 50", "missed, list 10", "located elsewhere")
    },
    "jina_length": {"n": Column("collections", whole)},
    "labels_worked_example": {"computed": lambda value: f"{value:.3g}"},
    "late_chunking_windows": {"cut": Column("chunks cut", percent)},
    "late_chunking_company": {
        "alone": Column("alone in their window, %", percent),
        "other tokens": Column("else the others' tokens, median", whole),
        "windows": Column("windows used", whole),
        "fewest": Column("windows that would do", whole),
    },
    "late_chunking_depth": {"documents": Column("documents returned a query", tenths)},
    "late_chunking_nan_guard": {
        "arm": Column("empty documents put in", str), "change": Column("mean change, %", points),
        "smallest": Column("smallest change, %", points),
        "largest": Column("largest change, %", points),
    },
    "empty_documents_places": {"change": Column("change, %", points)},
    "reproduction_measures": {"n": Column("pairs compared", whole)},
    "late_chunking_conformance_vectors": {
        "windows": Column("windows a text takes", str), "given": Column("vectors given", whole),
        "apart": Column("apart from our reading of the tool, kept coordinates", power_of_ten),
        "apart when recorded": Column("all coordinates", power_of_ten),
        "equal to ours": Column("vectors equal to ours", whole),
        "apart from ours": Column("apart from ours", power_of_ten),
    },
    "chroma_lengths": {"difference": points},
    "boundary_signals_areas": {"area": number, "by chance": number},
    "boundary_signals_added": {"punctuation": number, "with the signal": number,
                               "bits saved": thousandths},
    "boundary_signals_markup": {"text alone": number, "as it stands": number},
    "boundary_signals_profile": {"entropy": number, "error": number},
    "boundary_signals_cut": {"rank correlation": number, "median difference": number},
    "predictions": {"*": thousandths, "at": Column("expected", thousandths),
                    "id": Column("registered as", str)},
    "published_consistency": {
        "which": Column("where", str), "off": Column("cells off", whole),
        **dict.fromkeys(("expected", "found", "deviation"), ten_thousandths),
    },
    "evaluation": {"score": percent, "mean tokens": whole, "US dollars": thousandths},
    "evaluation_tests": {"score": percent, "best": percent},
    "predictions_to_bet_on": {"*": number},
    "chroma_bias": {
        "rows": Column("rows so", whole), "against": Column("rows the other way", whole),
        "of": Column("rows in all", whole), "mean": Column("mean, points", points),
    },
    "chroma_bias_rows": dict.fromkeys(
        ("as published - published", "corrected - published",
         "as published, Chroma's own search - published",
         "true offsets, Chroma's own search - published"), points),
    "moderators_predicted": {"window": lambda size: whole(size) if size else "all"},
    "witnesses": {"witness": percent_finely, "score": percent_finely,
                  "difference": points_finely},
}  # fmt: skip
"""Columns of single tables whose name does not tell how they are shown."""
