"""Chroma's claims that no predicate fits: over its records, its prompt, and the appendix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.claims.evidence import Evidence, model, paired, points
from chunkstudy.published.claims.numbers import pairs, pick, ranks, without
from chunkstudy.published.claims.outcomes import Outcome, counted, decide, unanswered
from chunkstudy.published.sources import chroma_minilm
from chunkstudy.runs.conditions import MINILM, NONE
from chunkstudy.runs.display_names import shown

Floats = NDArray[np.float64]
RECALL = "SpanRecall@5"
MINILM_ROWS = (
    "recursive-250-125",
    "token-250-125",
    "recursive-250-0",
    "token-250-0",
    "recursive-200-0",
    "token-200-0",
    "cluster-250",
    "cluster-200",
)
"""The rows of the report's table with all-MiniLM-L6-v2."""
BASE_PROMPT, SLICE, SAMPLED, PROMPT = 703, 4_000, 50, 2_000
"""Time & Cost Analysis: tokens of the base prompt, characters of the slice, questions, tokens in
all."""
NO_RECORDS = "records of Chroma's collection: `chunkstudy run`"
ROUNDING = 5e-6
"""Stored scores have six decimals; a product of two is off by a few of the last."""


def leads(evidence: Evidence, rows: list[str], measures: list[str]) -> Outcome:
    """Has one of these rows of the MiniLM table the highest mean of each measure?"""
    cases, figures = {}, []
    for measure in measures:
        scores = _scores(evidence, measure)
        if not set(rows) <= set(scores.columns) or set(scores.columns) == set(rows):
            return unanswered(NO_RECORDS, f"{scores.shape[1]} rows have a record")
        means = scores.mean()
        own, other = (str(means[names].idxmax()) for names in (rows, means.index.drop(rows)))
        cases[measure] = bool(means[own] > means[other])
        lead = points(paired(scores[own], scores[other]))
        figures.append(f"{_measure(measure)}: {_chunker(own)} minus {_chunker(other)} {lead}")
    return counted(cases, "; ".join(figures))


def overlap_raises_recall(evidence: Evidence, names: list[str]) -> Outcome:
    """Does an overlap of 125 in 250 tokens raise mean recall, in print and in the records?"""
    cells = evidence.frame("cells", "chroma/minilm")
    cells = cells[(cells["measure"] == RECALL) & (cells["statistic"] == "mean")]
    published = cells.set_index("chunker")["value"]
    scores = _scores(evidence, RECALL)
    cases, figures = {}, []
    for name in names:
        some, none = f"{name}-250-125", f"{name}-250-0"
        if some not in scores or none not in scores:
            return unanswered(NO_RECORDS, f"{scores.shape[1]} rows have a record")
        change = published[some] - published[none]
        found = paired(scores[some], scores[none])
        words = _chunker(none)
        cases[words] = bool(change > 0 and found[0] > 0)
        figures.append(
            f"{words}, with overlap minus without: published {change:+.1f}, records {points(found)}"
        )
    return counted(cases, "; ".join(figures))


def mean_recall(evidence: Evidence, *keys: str, **where: str | list[str]) -> Any:
    """Mean recall of the records under the official protocol, by these columns."""
    protocol = AS_PUBLISHED_CHROMA.name
    return evidence.table(
        "chroma_scores", *keys, value="mean", protocol=protocol, measure=RECALL, **where
    )


def recall_peaks_inside(evidence: Evidence, chunkers: list[str]) -> Outcome:
    """In a series of chunkers from small to large, is recall highest at neither end?"""
    found = mean_recall(evidence, "encoder", "chunker", part="all", chunker=chunkers)
    if set(found.index.get_level_values("chunker")) != set(chunkers):
        return unanswered(NO_RECORDS, f"series of {len(chunkers)} sizes, 0 on record")
    wide = found.unstack("chunker")[chunkers]
    peaks = wide.to_numpy().argmax(axis=1)
    inner = {
        str(name): 0 < peak < len(chunkers) - 1
        for name, peak in zip(wide.index, peaks, strict=True)
    }
    return counted(inner, pairs(wide.mean().rename(_chunker), "{:.3f}"))


def largest_chunk_is_below(evidence: Evidence, chunker: str, limit: float) -> Outcome:
    """Is every model's largest chunk shorter than it should be?"""
    largest = {
        condition.encoder: record.run.sizes["cl100k"].percentiles[-1]
        for condition, record in evidence.records("chroma")
        if condition.chunker == chunker and condition.protocol == AS_PUBLISHED_CHROMA.name
    }
    if not largest:
        return unanswered(NO_RECORDS, f"limit {limit:.0f}, 0 chunkers on record")
    cases = {model(name): size < limit for name, size in largest.items()}
    return counted(cases, f"limit {limit:.0f}, largest chunks up to {max(largest.values()):.0f}")


def every_answer_was_usable(evidence: Evidence, chunker: str) -> Outcome:
    """Was no answer of the language model that a chunker asks replaced by a fallback?"""
    fallbacks = {
        str(condition): record.run.counts.fallbacks
        for condition, record in evidence.records("chroma")
        if condition.chunker == chunker
    }
    if not fallbacks:
        return unanswered(NO_RECORDS, "0 records with its boundaries")
    cases = {name: count == 0 for name, count in fallbacks.items()}
    return counted(cases, f"at most {max(fallbacks.values())} answers replaced")


def omega_bounds_precision(evidence: Evidence, each_query: bool) -> Outcome:
    """Is precision ever above precision Ω where recall is perfect, or on a chunker's average?"""
    above: list[pd.Series] = []
    rates: dict[str, float] = {}
    means: dict[str, bool] = {}
    for condition, record in evidence.records("chroma"):
        if condition.encoder == NONE or condition.protocol != AS_PUBLISHED_CHROMA.name:
            continue
        wide = record.wide
        perfect = wide[wide[RECALL] >= 1 - ROUNDING]
        more = perfect["SpanPrecision@5"] - perfect["PrecisionOmega"] > ROUNDING
        above.append(more)
        arm = f"{_chunker(condition.chunker)}, {shown('encoder', condition.encoder)}"
        rates[arm] = more.mean()
        means[arm] = bool(wide["SpanPrecision@5"].mean() <= wide["PrecisionOmega"].mean())
    if not above:
        return unanswered(NO_RECORDS, "0 scores")
    every = pd.concat(above)
    most = max(rates, key=lambda name: rates[name])
    figures = (
        f"above it in {every.sum()} of {len(every)} rankings with recall 1 at 5 chunks "
        f"({every.mean():.2%}), most often with {most} ({rates[most]:.1%})"
    )
    return decide(not every.any(), figures) if each_query else counted(means, figures)


def filter_leaves_scores_alone(evidence: Evidence, encoder: str) -> Outcome:
    """Is recall uncorrelated with how alike a question and its excerpts are?

    Questions below a threshold were dropped, so what matters is whether recall changes along the
    scale of the model that filtered them.
    """
    alike, scores = _similar(evidence), _recall_with(evidence, encoder)
    if alike.empty or scores.empty:
        return unanswered(NO_RECORDS, f"{len(alike)} queries with a similarity")
    r = float(alike.corr(scores.mean(axis=1).reindex(alike.index)))
    return decide(abs(r) < 0.1, f"r = {r:.2f} over {len(alike)} queries")


def filter_leaves_the_order_alone(evidence: Evidence, encoder: str) -> Outcome:
    """Do chunkers rank alike on questions most and least like their excerpts, but for chance?"""
    alike, scores = _similar(evidence), _recall_with(evidence, encoder)
    if alike.empty or scores.empty:
        return unanswered(NO_RECORDS, f"{len(alike)} queries with a similarity")
    third = alike.rank(method="first") * 3 / (len(alike) + 1)
    low, high = (scores[scores.index.isin(alike.index[part])] for part in (third < 1, third >= 2))
    order = _same_order(low.mean().to_numpy()[None], high.mean().to_numpy()[None])[0]
    generator = np.random.default_rng(0)
    drawn = generator.permuted(np.tile(np.arange(len(scores)), (1_000, 1)), axis=1)
    every = scores.to_numpy()
    by_chance = _same_order(
        every[drawn[:, : len(low)]].mean(axis=1), every[drawn[:, -len(high) :]].mean(axis=1)
    )
    least = float(np.nanquantile(by_chance, 0.05))
    return decide(
        order >= least,
        f"recall {low.mean().mean():.3f} in the third of least similarity, "
        f"{high.mean().mean():.3f} in that of most; rank correlation of {scores.shape[1]} chunkers "
        f"between both {order:.2f}, between random thirds {np.nanmedian(by_chance):.2f}, 95% of "
        f"them above {least:.2f}",
    )


def filter_with_minilm(evidence: Evidence) -> str:
    """What both questions about the filter find where all-MiniLM-L6-v2 takes the models' place."""
    found = (
        ask(evidence, encoder=MINILM)
        for ask in (filter_leaves_scores_alone, filter_leaves_the_order_alone)
    )
    return "; ".join(f"all-MiniLM-L6-v2: {one.figures}" for one in found if not one.needs)


def prompt_of_two_thousand_tokens(evidence: Evidence, growing: bool) -> Outcome:
    """Do base prompt, slice and 50 questions, or those there were so far, make 2,000 tokens?"""
    if evidence.frame("study", "questions/counts").empty:
        return unanswered(
            "counts of the questions: `chunkstudy study questions`", "0 questions counted"
        )
    question, rest, so_far = _prompt_parts(evidence)
    sampled = so_far if growing else SAMPLED
    length = BASE_PROMPT + rest + sampled * question
    near = round(length, -3 if growing else -2) == PROMPT
    return decide(
        near,
        f"{BASE_PROMPT} + {rest:.0f} for {SLICE} characters + {sampled:.0f} questions of "
        f"{question:.1f} = {length:.0f}",
    )


def difference_of_records(evidence: Evidence, one: str, other: str, measure: str) -> str:
    """The paired difference of two chunkers with all-MiniLM-L6-v2; nothing without both."""
    first, second = (evidence.per_query(chroma_minilm(n), measure) for n in (one, other))
    if first is None or second is None:
        return ""
    difference = points(paired(first, second))
    pair = f"{_chunker(one)} minus {_chunker(other)}"
    return f"all-MiniLM-L6-v2, {_measure(measure)}: {pair} {difference}"


def tokens_against_characters(evidence: Evidence) -> str:
    """How far all-MiniLM-L6-v2's means move, and the order of chunkers, by tokens."""
    table = evidence.frame("table", "chroma_token_unit")
    if table.empty:
        return ""
    table = table[
        table["measure"].isin([RECALL, "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5"])
        & table["encoder"].map(lambda one: one == NONE or model(one) == model(MINILM))
    ]
    largest = table.iloc[int(table["difference"].abs().argmax())]
    order = min(
        group["characters"].corr(group["characters"] - group["difference"], method="spearman")
        for _, group in table[table["encoder"] != NONE].groupby("measure")
    )
    return (
        f"all-MiniLM-L6-v2, largest difference of a mean {100 * largest['difference']:+.2f} points "
        f"({_chunker(largest['chunker'])}, {_measure(largest['measure'])}); rank correlation of "
        f"chunkers {order:.3f} or more"
    )


def least_similarity(evidence: Evidence) -> str:
    """The smallest similarity of a question and an excerpt, by corpus."""
    alike = evidence.study(
        "questions/similarity", "part", "query_id", value="least similar excerpt"
    )
    if alike.empty:
        return ""
    smallest = alike.groupby(level="part").min()
    return f"all-MiniLM-L6-v2, smallest similarity {pairs(smallest)}"


def entropy_around_sentence_ends(evidence: Evidence) -> str:
    """Mean entropy around the ends of sentences as SmolLM2-135M-Instruct reads them: before the
    last two tokens, of the mark, and of the first token of the next sentence."""
    profile = evidence.frame("table", "boundary_signals_profile")
    if profile.empty:
        return ""
    by_offset = profile.groupby("offset")["entropy"].mean()
    return (
        f"SmolLM2-135M-Instruct, mean over {profile['text'].nunique()} texts, bits: "
        f"{by_offset.loc[-8:-3].mean():.1f} over the eighth to third token from the end of a "
        f"sentence, {by_offset[-2]:.1f} of the second last, {by_offset[-1]:.1f} of the mark, "
        f"{by_offset[0]:.1f} of the first token of the next, {by_offset.loc[3:7].mean():.1f} over "
        "its fourth to eighth"
    )


def ranks_by_corpus(evidence: Evidence, row: str) -> str:
    """A row's rank by recall in each corpus."""
    rows = [chroma_minilm(name).chunker for name in MINILM_ROWS]
    found = mean_recall(evidence, "chunker", "part", encoder=MINILM, chunker=rows)
    places = pick(ranks(without(found, part="all")), chunker=row).sort_index().astype(int)
    if places.empty:
        return ""
    of = found.index.get_level_values("chunker").nunique()
    among = f"all-MiniLM-L6-v2, rank by recall of {_chunker(row)} among {of} rows"
    return f"{among}: {pairs(places, '{:d}')}"


def _chunker(name: str) -> str:
    """A chunker as readers know it."""
    return shown("chunker", name)


def _measure(name: str) -> str:
    """A measure as readers know it."""
    return shown("measure", name)


def _scores(evidence: Evidence, measure: str) -> pd.DataFrame:
    """Values per query, fractions, of the rows of the MiniLM table that have a record."""
    found = {
        chunker: values
        for chunker in MINILM_ROWS
        if (values := evidence.per_query(chroma_minilm(chunker), measure)) is not None
    }
    return pd.DataFrame(found)


def _recall_with(evidence: Evidence, encoder: str) -> pd.DataFrame:
    """Recall per query of every chunker that has a record with a model."""
    return pd.DataFrame(
        {
            condition.chunker: record.wide[RECALL]
            for condition, record in evidence.records("chroma")
            if (condition.encoder, condition.ordering, condition.protocol)
            == (encoder, "pre_embedding", AS_PUBLISHED_CHROMA.name)
        }
    )


def _similar(evidence: Evidence) -> Any:
    """Similarity of each question to its least similar excerpt."""
    return evidence.study("questions/similarity", "query_id", value="least similar excerpt")


def _prompt_parts(evidence: Evidence) -> tuple[float, float, float]:
    """Tokens of a question and of a slice, and the mean number of questions there were so far.

    Slices are drawn per question, so corpora count by their questions.
    """
    question = evidence.study("questions/counts", value="mean tokens of a question")
    corpora = evidence.frame("facts", "chroma_counts")
    counts = corpora["queries"]
    rate = (corpora["tokens"] / corpora["characters"] * counts).sum() / counts.sum()
    so_far = sum(min(i, SAMPLED) for n in counts for i in range(int(n))) / counts.sum()
    return question, SLICE * float(rate), float(so_far)


def _same_order(first: Floats, second: Floats) -> Floats:
    """Rank correlation of each row of one with the same row of the other."""
    x, y = (stats.rankdata(values, axis=1) for values in (first, second))
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    found: Floats = (x * y).sum(axis=1) / scale
    return found
