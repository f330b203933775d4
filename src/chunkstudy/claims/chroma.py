"""Chroma's claims that no predicate fits: over records with all-MiniLM-L6-v2, and the appendix."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.claims.evidence import Evidence, listed, paired, points, rank
from chunkstudy.claims.reproduction import reasons
from chunkstudy.claims.verdicts import Outcome, counted, decide, unanswered
from chunkstudy.grid.conditions import MINILM, NONE, Condition
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.sources import CHROMA_LENGTH

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
QUERIES = 472
"""As the report counts them."""
NO_RECORDS = "records of the MiniLM table: `chunkstudy run`"
ROUNDING = 5e-6
"""Stored scores have six decimals; a product of two is off by a few of the last."""


def recall_is_off_by_an_error(evidence: Evidence, row: str) -> Outcome:
    """Does a row of the main table fall below the mean recall by more than its standard error?"""
    below, error, figures = _recall_and_error(evidence, row)
    return decide(below > error, figures)


def recall_is_within_an_error(evidence: Evidence, row: str) -> Outcome:
    """Does a row of the main table lie within its standard error of the mean recall?"""
    below, error, figures = _recall_and_error(evidence, row)
    return decide(abs(below) <= error, figures)


def leads_with_minilm(
    evidence: Evidence, row: str, measures: list[str], apart_from: list[str], surely: bool
) -> Outcome:
    """Has a row the highest mean of each measure, and does its lead exclude 0 if it must?

    The lead is that over the best row but those of ``apart_from``.
    """
    cases, figures = {}, []
    for measure in measures:
        scores = _minilm_scores(evidence, measure)
        if row not in scores:
            return unanswered(NO_RECORDS, f"0 of {len(measures)} measures have records")
        means = scores.mean()
        other = str(means.drop([row, *apart_from]).idxmax())
        lead = paired(scores[row], scores[other])
        cases[measure] = means.idxmax() == row and (lead[1] > 0 or not surely)
        figures.append(f"{measure}: {row} minus {other} {points(lead)}")
    return counted(cases, "; ".join(figures))


def overlap_raises_recall(evidence: Evidence, names: list[str]) -> Outcome:
    """Does an overlap of 125 in 250 tokens raise recall, published and beyond its uncertainty?"""
    cells = evidence.cells("chroma", "minilm")
    cells = cells[(cells["measure"] == RECALL) & (cells["statistic"] == "mean")]
    published = cells.set_index("chunker")["value"]
    scores = _minilm_scores(evidence, RECALL)
    cases, figures = {}, []
    for name in names:
        some, none = f"{name}-250-125", f"{name}-250-0"
        if some not in scores or none not in scores:
            return unanswered(NO_RECORDS, f"{scores.shape[1]} rows have a record")
        change = published[some] - published[none]
        found = paired(scores[some], scores[none])
        cases[name] = bool(change > 0 and found[1] > 0)
        figures.append(f"{name}: published {change:+.1f}, records {points(found)}")
    return counted(cases, "; ".join(figures))


def largest_chunk_is_below(evidence: Evidence, chunker: str, limit: float) -> Outcome:
    """Is the largest chunk with all-MiniLM-L6-v2's boundaries shorter than it should be?"""
    record = evidence.record(_minilm(chunker))
    if record is None:
        return unanswered(NO_RECORDS, f"limit {limit:.0f}, 0 chunkers on record")
    largest = record.run.sizes["cl100k"].percentiles[-1]
    return decide(largest < limit, f"largest chunk with all-MiniLM-L6-v2 {largest:.0f} tokens")


def leading_digits_occur(evidence: Evidence) -> Outcome:
    """Does the digit that is left of each mean of the appendix occur within its interval?"""
    cells = evidence.compared("chroma", "appendix")
    cells = cells[cells["encoder"] == MINILM.replace("__", "/")]
    done = cells[(cells["verdict"] != "not_run") & (cells["statistic"] == "mean")]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    bounds = zip(done["published"], done["low"], done["reproduced"], done["high"], strict=True)
    possible = [any(f"{at:.1f}"[0] == digit for at in within) for digit, *within in bounds]
    return counted(possible, "means whose interval holds the digit")


def appendix_repeats_the_tables(evidence: Evidence) -> Outcome:
    """Does the appendix print the two result tables' recall at 5 chunks over all corpora?"""
    appendix = evidence.cells("chroma", "appendix")
    appendix = appendix[(appendix["part"] == "all") & (appendix["measure"] == RECALL)]
    tables = pd.concat([evidence.cells("chroma", name) for name in ("main", "minilm")])
    keys = ["encoder", "chunker", "measure", "statistic"]
    both = appendix.merge(tables, on=keys, suffixes=("", " whole"))
    both = both[(both["published"] != "") & both["value whole"].notna()]
    return counted(
        {
            f"{chunker} {statistic}: {digit} against {whole}": digit[0] == whole[0]
            for chunker, statistic, digit, whole in zip(
                both["chunker"],
                both["statistic"],
                both["published"],
                both["published whole"],
                strict=True,
            )
        }
    )


def f1_is_the_harmonic_mean(evidence: Evidence) -> Outcome:
    """2PR/(P+R) against 2|overlap|/(|excerpts|+|retrieved|) in every record, query by query."""
    furthest, queries = 0.0, 0
    for condition, record in evidence.records("chroma"):
        if condition.encoder == NONE:
            continue
        for cut in ("5", "10", "Min"):
            p, r, f1 = (record.wide[f"Span{name}@{cut}"] for name in ("Precision", "Recall", "F1"))
            harmonic = (2 * p * r / (p + r).where(p + r > 0, 1)).fillna(0)
            furthest = max(furthest, float((harmonic - f1).abs().max()))
            queries += len(f1)
    if not queries:
        return unanswered("records of Chroma's collection", "0 scores")
    return decide(furthest <= ROUNDING, f"largest difference {furthest:.1e} over {queries} scores")


def omega_bounds_precision(evidence: Evidence, each_query: bool) -> Outcome:
    """Is precision ever above precision Ω where recall is perfect, or on a chunker's average?"""
    above: list[pd.Series] = []
    rates, means = {}, {}
    for condition, record in evidence.records("chroma"):
        if condition.encoder == NONE or condition.protocol != AS_PUBLISHED_CHROMA.name:
            continue
        wide = record.wide
        perfect = wide[wide[RECALL] >= 1 - ROUNDING]
        more = perfect["SpanPrecision@5"] - perfect["PrecisionOmega"] > ROUNDING
        above.append(more)
        rates[condition.chunker] = more.mean()
        means[condition.chunker] = bool(
            wide["SpanPrecision@5"].mean() <= wide["PrecisionOmega"].mean()
        )
    if not above:
        return unanswered("records of Chroma's collection", "0 scores")
    every = pd.concat(above)
    most = max(rates, key=lambda name: rates[name])
    figures = (
        f"above it in {every.sum()} of {len(every)} rankings with recall 1 at 5 chunks "
        f"({every.mean():.2%}), most often with {most} ({rates[most]:.1%})"
    )
    return decide(not every.any(), figures) if each_query else counted(means, figures)


def official_code_counts_tokens(evidence: Evidence) -> Outcome:
    """Does the official code count tokens, as the protocol that follows it says?"""
    _, figures = _token_unit(evidence)
    return decide(AS_PUBLISHED_CHROMA.true_tokens, figures or "characters in 1 protocol")


def tokens_order_chunkers_alike(evidence: Evidence) -> Outcome:
    """Would counting tokens order chunkers as counting characters does?"""
    order, figures = _token_unit(evidence)
    if not figures:
        return unanswered("records under the corrected protocol", "0 comparisons")
    return decide(order > 0.99, figures)


def filter_leaves_scores_alone(evidence: Evidence) -> Outcome:
    """Is recall uncorrelated with how alike a question and its excerpts are?

    Questions below a threshold were dropped, so what matters is whether recall changes along the
    scale; the similarity here is all-MiniLM-L6-v2's, not the filter's model.
    """
    alike, scores = _similar(evidence), _minilm_scores(evidence, RECALL)
    if alike.empty or scores.empty:
        return unanswered(NO_RECORDS, f"{len(alike)} queries with a similarity")
    r = float(alike.corr(scores.mean(axis=1).reindex(alike.index)))
    return decide(abs(r) < 0.1, f"r = {r:.2f} over {len(alike)} queries")


def filter_leaves_the_order_alone(evidence: Evidence) -> Outcome:
    """Do chunkers rank alike on questions most and least like their excerpts, but for chance?"""
    alike, scores = _similar(evidence), _minilm_scores(evidence, RECALL)
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


def times_differ_a_hundredfold(evidence: Evidence) -> Outcome:
    """Does the slowest chunker take 100 times as long as the fastest, its encoding included?"""
    cost = evidence.table("chroma_cost")
    if cost.empty:
        return unanswered("records of Chroma's collection", "0 chunkers timed")
    parts = cost.set_index("chunker")[["chunking s/M tokens", "chunking's encoding s/M tokens"]]
    seconds = parts.fillna(0).sum(axis=1)
    return decide(
        seconds.max() > 100 * seconds.min(),
        f"{seconds.min():.1f} to {seconds.max():.1f} s for a million tokens, slowest "
        f"{seconds.idxmax()}; vectors kept from another run cost nothing",
    )


def difference_of_records(evidence: Evidence, one: str, other: str, measure: str) -> str:
    """The paired difference of two chunkers with all-MiniLM-L6-v2; nothing without both."""
    first, second = (evidence.per_query(_minilm(n), measure) for n in (one, other))
    if first is None or second is None:
        return ""
    return f"{measure} of {one} minus {other} {points(paired(first, second))}"


def mean_size_of_records(evidence: Evidence, chunker: str) -> str:
    """A chunker's mean size in cl100k tokens with all-MiniLM-L6-v2's boundaries."""
    record = evidence.record(_minilm(chunker))
    return "" if record is None else f"mean {record.run.sizes['cl100k'].mean:.1f} tokens"


def least_similarity(evidence: Evidence) -> str:
    """The smallest similarity of a question and an excerpt, by corpus."""
    facts = evidence.study("questions/similarity")
    if facts.empty:
        return ""
    return f"smallest similarity {listed(facts.groupby('part')['least similar excerpt'].min())}"


def ranks_by_corpus(evidence: Evidence, row: str) -> str:
    """A row's rank by recall in each corpus."""
    scores = evidence.table("chroma_scores")
    if scores.empty:
        return ""
    names = {_minilm(name).chunker: name for name in MINILM_ROWS}
    scores = scores[
        (scores["protocol"] == AS_PUBLISHED_CHROMA.name)
        & (scores["measure"] == RECALL)
        & (scores["encoder"] == MINILM)
        & (scores["part"] != "all")
        & scores["chunker"].isin(names)
    ]
    wide = scores.pivot(index="chunker", columns="part", values="mean")
    if row not in wide.index:
        return ""
    places = pd.Series({part: rank(wide[part], row) for part in wide.columns})
    return f"rank by recall of {row} among {len(wide)} rows: {listed(places, '{:d}')}"


def _minilm(chunker: str) -> Condition:
    """The record of a row of the MiniLM table, under the length function that prints its size."""
    length = CHROMA_LENGTH.get(("minilm", chunker.split("-")[0]), "")
    return Condition("chroma", chunker + length, MINILM, "pre_embedding", AS_PUBLISHED_CHROMA.name)


def _minilm_scores(evidence: Evidence, measure: str) -> pd.DataFrame:
    """Values per query, fractions, of the rows of the MiniLM table that have a record."""
    found = {
        chunker: values
        for chunker in MINILM_ROWS
        if (values := evidence.per_query(_minilm(chunker), measure)) is not None
    }
    return pd.DataFrame(found)


def _recall_and_error(evidence: Evidence, row: str) -> tuple[float, float, str]:
    """How far a row's published recall lies below the mean, its standard error, both as text."""
    cells = evidence.cells("chroma", "main")
    found = cells[cells["measure"] == RECALL].pivot(
        index="chunker", columns="statistic", values="value"
    )
    mean, recall = float(found["mean"].mean()), float(found["mean"][row])
    error = float(found["std"][row]) / math.sqrt(QUERIES)
    return mean - recall, error, f"recall {recall}, mean {mean:.2f}, standard error {error:.2f}"


def _token_unit(evidence: Evidence) -> tuple[float, str]:
    """The least rank correlation of a measure counted in both units, and the differences."""
    table = evidence.table("chroma_token_unit")
    if table.empty:
        return 0.0, ""
    if table["encoder"].eq(NONE).all():
        return 0.0, ""
    table = table[table["measure"].isin([RECALL, "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5"])]
    largest = table.iloc[int(table["difference"].abs().argmax())]
    order = min(
        group["characters"].corr(group["characters"] - group["difference"], method="spearman")
        for _, group in table[table["encoder"] != NONE].groupby("measure")
    )
    return order, (
        f"largest difference of a mean {100 * largest['difference']:+.2f} points "
        f"({largest['chunker']}, {largest['measure']}); rank correlation of chunkers {order:.3f} "
        "or more"
    )


def _similar(evidence: Evidence) -> pd.Series:
    """Similarity of each question to its least similar excerpt."""
    facts = evidence.study("questions/similarity")
    if facts.empty:
        return pd.Series(dtype=float)
    return facts.assign(query_id=facts["query_id"].astype(str)).set_index("query_id")[
        "least similar excerpt"
    ]


def _same_order(first: Floats, second: Floats) -> Floats:
    """Rank correlation of each row of one with the same row of the other."""
    x, y = (stats.rankdata(values, axis=1) for values in (first, second))
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    found: Floats = (x * y).sum(axis=1) / scale
    return found
