"""Chroma's tables with all-MiniLM-L6-v2 (S0:393-410, S0:845-1028), which the records repeat."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from chunkstudy.claims.chroma_rows import (
    MEASURES,
    RECALL,
    SHORT,
    differences,
    main_table,
    minilm_scores,
)
from chunkstudy.claims.evidence import (
    Evidence,
    highest,
    inside_interval,
    listed,
    paired,
    reproduced,
    shown,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

Floats = NDArray[np.float64]
NO_RECORDS = "records of the MiniLM table: run `chunkstudy run`"


def recall_of_eight_rows(evidence: Evidence) -> Readings:
    """The eight recalls, to the digit and within intervals."""
    cells = evidence.compared("chroma", "minilm", measure=RECALL, statistic="mean")
    return (
        strict("to the printed digit", reproduced(cells)),
        charitable("within the interval over queries", inside_interval(cells)),
    )


def sizes_are_in_cl100k(evidence: Evidence) -> Finding:
    """Which length function and unit give the three printed sizes of recursive chunks?"""
    table = evidence.tables["chroma_lengths"]
    if table.empty:
        return unanswered(NO_RECORDS, "0 of 3 sizes have a record")
    units = {
        "cl100k": ("cl100k", "size in cl100k"),
        "WordPiece with special tokens": (
            "wordpiece-special",
            "size in WordPiece with special tokens",
        ),
    }
    found = {}
    for name, (length, column) in units.items():
        rows = table[table["length function"] == length].set_index("chunker")
        found[name] = pd.DataFrame(
            {"printed": rows["published size"].astype(float), "size": rows[column].astype(float)}
        )
    figures = "; ".join(
        f"{name}: "
        + ", ".join(f"{row['size']:.1f} (printed {row['printed']:.0f})" for _, row in f.iterrows())
        for name, f in found.items()
    )
    claimed = found["cl100k"]
    return counted((claimed["size"].astype(int) == claimed["printed"]).tolist(), figures)


def cluster_is_most_precise(evidence: Evidence) -> Readings:
    """Which of the eight rows has the highest precision, precision Ω and IoU?"""
    tops, leads = {}, []
    for measure in MEASURES[1:]:
        scores = minilm_scores(evidence, measure)
        if "cluster-200" not in scores:
            return unanswered(NO_RECORDS, "0 of 3 measures have records")
        means = scores.mean()
        other = highest(means.drop(["cluster-200", "cluster-250"]))
        difference = paired(scores["cluster-200"], scores[other], scale=1)
        tops[SHORT[measure]] = (highest(means) == "cluster-200", difference[1] > 0)
        leads.append(f"{SHORT[measure]}: cluster-200 minus {other} {shown(difference)}")
    figures = "; ".join(leads)
    return (
        strict(
            "its lead over the next chunker excludes 0",
            counted({m: top and sure for m, (top, sure) in tops.items()}, figures),
        ),
        charitable("the highest mean", counted({m: top for m, (top, _) in tops.items()}, figures)),
    )


def cluster_recall_is_slightly_low(evidence: Evidence) -> Readings:
    """Cluster's two recalls against the mean of the eight rows, as printed."""
    recall = _printed_recall(evidence)
    mean = recall.mean()
    rows = recall[["cluster-250", "cluster-200"]]
    figures = f"{listed(rows, '{:.1f}')}, mean {mean:.2f}"
    scores = minilm_scores(evidence, RECALL)
    witness = ""
    if "cluster-200" in scores:
        others = scores.mean(axis=1)
        witness = "; records minus their mean " + ", ".join(
            f"{name} {shown(paired(scores[name], others, scale=1))}" for name in rows.index
        )
    return (
        strict(
            "both below the mean by more than 1 point",
            counted({str(k): mean - v > 1 for k, v in rows.items()}, figures + witness),
        ),
        charitable(
            "both below the mean",
            counted({str(k): v < mean for k, v in rows.items()}, figures + witness),
        ),
    )


def token_250_125_has_highest_recall(evidence: Evidence) -> Readings:
    """The highest recall, printed and of the records."""
    recall = _printed_recall(evidence)
    row = "token-250-125"
    printed = highest(recall) == row
    figures = f"printed {recall[row]:.1f}, next {recall.drop(row).max():.1f}"
    scores = minilm_scores(evidence, RECALL)
    if row not in scores:
        return decide(printed, figures)
    means = scores.mean()
    second = highest(means.drop(row))
    lead = paired(scores[row], scores[second], scale=1)
    figures += f"; records {means[row]:.2f}, lead over {second} {shown(lead)}"
    return (
        strict("its lead over the next row excludes 0", decide(printed and lead[1] > 0, figures)),
        charitable("the highest mean", decide(printed and highest(means) == row, figures)),
    )


def overlap_lifts_token_recall(evidence: Evidence) -> Readings:
    """Token windows of 250 with an overlap of 125 and with none."""
    recall = _printed_recall(evidence)
    drop = recall["token-250-125"] - recall["token-250-0"]
    figures = f"printed {recall['token-250-125']:.1f} to {recall['token-250-0']:.1f}, {-drop:.1f}"
    scores = minilm_scores(evidence, RECALL)
    if "token-250-0" not in scores:
        return decide(drop > 0, figures)
    cells = evidence.compared(
        "chroma", "minilm", chunker="token-250-0", measure=RECALL, statistic="mean"
    )
    found = paired(scores["token-250-125"], scores["token-250-0"], scale=1)
    figures += f"; records {scores['token-250-0'].mean():.2f} without, difference {shown(found)}"
    return (
        strict(
            "the printed value without overlap comes out again",
            decide(bool(cells["verdict"].isin(["exact", "within_noise"]).all()), figures),
        ),
        charitable("recall falls", decide(drop > 0 and found[1] > 0, figures)),
    )


def overlap_is_necessary(evidence: Evidence) -> Finding:
    """Does overlap raise recall for both chunkers, beyond its uncertainty?"""
    recall = _printed_recall(evidence)
    scores = minilm_scores(evidence, RECALL)
    cases, figures = {}, []
    for name in ("token", "recursive"):
        with_, without = f"{name}-250-125", f"{name}-250-0"
        printed = recall[with_] - recall[without]
        text = f"{name}: printed {printed:+.1f}"
        true = printed > 0
        if with_ in scores and without in scores:
            found = paired(scores[with_], scores[without], scale=1)
            text += f", records {shown(found)}"
            true = true and found[1] > 0
        cases[name] = true
        figures.append(text)
    return counted(cases, "; ".join(figures))


def recall_peaks_at_a_size(evidence: Evidence) -> Readings:
    """Does recall rise and then fall with chunk size?"""
    recall = main_table(evidence)[RECALL]
    falls = {
        f"{name} {big} below {small}": recall[f"{name}-{big}"] < recall[f"{name}-{small}"]
        for name in ("recursive", "token")
        for big, small in (("800-400", "400-200"), ("200-0", "400-0"))
    }
    figures = ", ".join(
        f"{name} {size} {recall[f'{name}-{size}']:.1f}"
        for name in ("recursive", "token")
        for size in ("800-400", "400-200", "400-0", "200-0")
    )
    small = "; ".join(
        f"{name} 200 minus 250 {found}"
        for name in ("recursive", "token")
        if (found := differences(evidence, f"{name}-200-0", f"{name}-250-0", RECALL))
    )
    return (
        strict(
            "one series of at least three sizes, all else equal, with an inner maximum",
            unanswered(
                "records of token windows without overlap from 50 to 1600 tokens, with one budget "
                "of tokens read instead of one number of chunks",
                f"no printed series has 3 sizes with one overlap: {figures}",
            ).witnessed(small),
        ),
        charitable(
            "in the main table recall falls on both sides of 400 tokens",
            counted(falls, figures).witnessed(small),
        ),
    )


def bias_of_the_filter_is_negligible(evidence: Evidence) -> Readings:
    """Do scores depend on how alike a query and its excerpts are, and does the order of chunkers?

    Queries below a threshold were dropped, so what matters is whether recall changes along the
    scale; the similarity here is all-MiniLM-L6-v2's, not the filter's model.
    """
    facts = evidence.study("questions", "similarity")
    scores = minilm_scores(evidence, RECALL)
    if facts.empty or scores.empty:
        return unanswered(
            "similarity of queries and excerpts: `chunkstudy study questions`",
            f"{len(facts)} queries with a similarity",
        )
    alike = facts.assign(query_id=facts["query_id"].astype(str)).set_index("query_id")[
        "least similar excerpt"
    ]
    third = alike.rank(method="first") * 3 / (len(alike) + 1)
    low, high = (scores[scores.index.isin(alike.index[part])] for part in (third < 1, third >= 2))
    mean = scores.mean(axis=1)
    lowest, highest_ = mean[low.index], mean[high.index]
    r = float(alike.corr(mean.reindex(alike.index)))
    every = scores.to_numpy()
    order = _same_order(low.mean().to_numpy()[None], high.mean().to_numpy()[None])[0]
    generator = np.random.default_rng(0)
    drawn = generator.permuted(np.tile(np.arange(len(scores)), (1_000, 1)), axis=1)
    by_chance = _same_order(
        every[drawn[:, : len(low)]].mean(axis=1), every[drawn[:, -len(high) :]].mean(axis=1)
    )
    least = float(np.nanquantile(by_chance, 0.05))
    figures = (
        f"recall {lowest.mean():.1f} in the third of least similarity, {highest_.mean():.1f} in "
        f"that of most, r = {r:.2f} over {len(alike)} queries; rank correlation of "
        f"{scores.shape[1]} chunkers between both thirds {order:.2f}, between random thirds "
        f"{np.nanmedian(by_chance):.2f}, 95% of them above {least:.2f}"
    )
    return (
        strict("scores do not depend on it: |r| below 0.1", decide(abs(r) < 0.1, figures)),
        charitable(
            "the order of chunkers agrees as well as between random thirds of the queries",
            decide(order >= least, figures),
        ),
    )


def _same_order(first: Floats, second: Floats) -> Floats:
    """Rank correlation of each row of one with the same row of the other."""
    x, y = (stats.rankdata(values, axis=1) for values in (first, second))
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    found: Floats = (x * y).sum(axis=1) / scale
    return found


def _printed_recall(evidence: Evidence) -> pd.Series:
    cells = evidence.printed("chroma", "minilm", measure=RECALL, statistic="mean")
    return cells.set_index("chunker")["value"]
