"""Jina's second post on late chunking (S4): three models, three kinds of boundaries."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from chunkstudy.claims import jina_first_post as first_post
from chunkstudy.claims.evidence import Evidence, listed, reproduced, spread
from chunkstudy.claims.jina_rows import MODELS, combinations, late_gains_of_minilm
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

BOUNDARIES = ("fixed-256", "sentence-5", "semantic")


def every_model_profits(evidence: Evidence) -> Readings:
    """Late minus naive in 36 cells, and on average per model."""
    rows = combinations(evidence)
    gain = rows["late"] - rows["naive"]
    means = gain.groupby(rows["encoder"]).mean()
    lost = rows[gain <= 0.001]
    figures = (
        f"mean gain {listed(means, '{:+.2f}')}; no gain in "
        f"{listed(lost['encoder'].value_counts(), '{:d}')} cells"
    )
    return (
        strict("in each cell", counted((gain > 0.001).tolist(), figures)),
        charitable(
            "each model on average over collections and boundaries",
            counted({str(k): v > 0 for k, v in means.items()}, figures).witnessed(
                late_gains_of_minilm(evidence)
            ),
        ),
    )


def late_never_lifts_a_weaker_model(evidence: Evidence) -> Readings:
    """A weaker model with late chunking against a stronger one without."""
    rows = combinations(evidence)
    cases: dict[str, bool] = {}
    means: dict[str, bool] = {}
    for i, weak in enumerate(MODELS):
        for strong in MODELS[i + 1 :]:
            for chunker in BOUNDARIES:
                late = _column(rows, weak, chunker, "late")
                naive = _column(rows, strong, chunker, "naive")
                for name in naive.index:
                    shown = f"{weak} {late[name]} above {strong} {naive[name]}, {name} {chunker}"
                    cases[shown] = late[name] <= naive[name]
                means[f"{weak}, {strong}, {chunker}"] = late.mean() <= naive.mean()
    broken = [name for name, true in cases.items() if not true]
    figures = f"broken by {'; '.join(broken)}" if broken else "broken by 0"
    return (
        strict("with the same boundaries, in each collection", decide(not broken, figures)),
        charitable("on average over the four collections", counted(means)),
    )


def late_fixed_beats_naive_semantic(evidence: Evidence) -> Readings:
    """Late chunking with fixed lengths against naive chunking with semantic boundaries."""
    rows = combinations(evidence)
    lead = pd.concat(
        {
            model: _column(rows, model, "fixed-256", "late")
            - _column(rows, model, "semantic", "naive")
            for model in MODELS
        }
    ).round(2)
    means = lead.groupby(level=0).mean()
    figures = f"lead {spread(lead, '{:+.1f}')} points, mean {listed(means, '{:+.2f}')}"
    return (
        strict(
            "for each model and collection",
            counted({_joined(k): v > 0 for k, v in lead.items()}, figures),
        ),
        charitable(
            "each model on average", counted({str(k): v > 0 for k, v in means.items()}, figures)
        ),
    )


def fixed_is_as_good_when_late(evidence: Evidence) -> Readings:
    """Late chunking with fixed lengths against late chunking with semantic boundaries."""
    rows = combinations(evidence)
    lead = pd.concat(
        {
            model: _column(rows, model, "fixed-256", "late")
            - _column(rows, model, "semantic", "late")
            for model in MODELS
        }
    ).round(2)
    means = lead.groupby(level=0).mean()
    figures = f"fixed minus semantic {spread(lead, '{:+.1f}')} points, mean {lead.mean():+.2f}"
    return (
        strict(
            "no worse by more than 0.5 points for each model and collection",
            counted({_joined(k): v >= -0.5 for k, v in lead.items()}, figures),
        ),
        charitable(
            "no worse by more than 0.5 points on average per model",
            counted({str(k): v >= -0.5 for k, v in means.items()}, figures),
        ),
    )


def models_are_ordered(evidence: Evidence) -> Readings:
    """v2-small below nomic-v1 below v3, without late chunking."""
    rows = combinations(evidence)
    cases: dict[str, bool] = {}
    means: dict[str, bool] = {}
    for weak, strong in pairwise(MODELS):
        for chunker in BOUNDARIES:
            a, b = (_column(rows, model, chunker, "naive") for model in (weak, strong))
            cases |= {f"{weak} {n} {chunker}": bool(a[n] < b[n]) for n in a.index}
            means[f"{weak} {chunker}"] = a.mean() < b.mean()
    return (
        strict("in each collection and with each kind of boundaries", counted(cases)),
        charitable("on average over the collections", counted(means)),
    )


def context_flows_both_ways(evidence: Evidence) -> Finding:
    """Does a chunk's vector move when later text changes, and when earlier text does?"""
    found = first_post.chunks_are_conditioned_on_previous(evidence)
    facts = evidence.study("late-direction")
    if not isinstance(found, tuple):
        return found
    later = facts["last replaced"].dropna()
    earlier = facts["first replaced"].dropna()
    return counted(
        {"later": bool((later < 0.9999).all()), "earlier": bool((earlier < 0.9999).all())},
        found[0].figures,
    )


def like_contextual_retrieval(evidence: Evidence) -> Finding:
    """Contextual retrieval needs a language model's additions."""
    found = sum(1 for c in evidence.library if "contextual-retrieval" in c.chunker)
    return unanswered(
        "chunks with a language model's context (an API key), beside late chunking of the same",
        f"{found} records of contextual retrieval",
    )


def only_mean_pooling(evidence: Evidence) -> Finding:
    """Needs a model that pools otherwise."""
    poolings = {
        str(record.run.model["pooling"])
        for name in ("scifact", "gutenqa-emma")
        for _, record in evidence.records(name)
        if record.run.model
    }
    return unanswered(
        "records of a model trained with CLS pooling under both orderings",
        f"{len(poolings)} kind of pooling in the records: {', '.join(sorted(poolings))}",
    )


def combination_scores(evidence: Evidence) -> Finding:
    """72 nDCG@10."""
    return reproduced(evidence.compared("jina", "combinations"))


def boundaries_were_varied(evidence: Evidence) -> Readings:
    """Do sentence and semantic rows differ, as other boundaries would make them?"""
    rows = combinations(evidence)
    same = {}
    for model in MODELS:
        for ordering in ("naive", "late"):
            a, b = (_column(rows, model, c, ordering) for c in ("sentence-5", "semantic"))
            same[f"{model} {ordering}"] = int((a == b).sum())
    figures = f"equal cells of sentence and semantic rows: {listed(pd.Series(same), '{:d} of 4')}"
    return (
        strict(
            "no sentence row equals its semantic row in most cells",
            counted({name: n <= 2 for name, n in same.items()}, figures),
        ),
        charitable("some rows differ", decide(any(n <= 2 for n in same.values()), figures)),
    )


def context_matters_more_than_boundaries(evidence: Evidence) -> Readings:
    """The gain of late chunking against the range over the three kinds of boundaries."""
    rows = combinations(evidence)
    by = rows.groupby(["encoder", "collection"])
    gain = by["late"].mean() - by["naive"].mean()
    span = by["naive"].max() - by["naive"].min()
    figures = (
        f"mean gain {gain.mean():.2f} points, mean range over boundaries of naive chunking "
        f"{span.mean():.2f}"
    )
    return (
        strict(
            "for each model and collection",
            counted((gain > span).tolist(), figures),
        ),
        charitable("on average", decide(gain.mean() > span.mean(), figures)),
    )


def late_is_robust_to_boundaries(evidence: Evidence) -> Readings:
    """The range over boundaries, late against naive."""
    rows = combinations(evidence)
    by = rows.groupby(["encoder", "collection"])
    late = by["late"].max() - by["late"].min()
    naive = by["naive"].max() - by["naive"].min()
    figures = f"mean range over boundaries {late.mean():.2f} late, {naive.mean():.2f} naive"
    return (
        strict(
            "smaller for each model and collection",
            counted({_joined(k): bool(late[k] < naive[k]) for k in late.index}, figures),
        ),
        charitable("smaller on average", decide(late.mean() < naive.mean(), figures)),
    )


def short_windows_make_no_sense(evidence: Evidence) -> Readings:
    """Models of 512 tokens: S2's E5 cells, and all-MiniLM-L6-v2's records."""
    cells = evidence.printed("taxonomy", "4", chunker="average", collection="average")
    change = cells.set_index("encoder")["value"]
    short = change[change.index.str.contains("e5")].iloc[0]
    others = change[~change.index.str.contains("e5")]
    figures = (
        f"average change in corpora {short:+.2f}% with E5's 512 tokens, "
        f"{spread(others, '{:+.2f}%')} with 8192"
    )
    witness = late_gains_of_minilm(evidence, "corrected")
    return (
        strict("a model of 512 tokens gains nothing", decide(short <= 0, figures)),
        charitable(
            "it gains less than each model of 8192", decide(short < others.min(), figures)
        ).witnessed(witness),
    )


def _column(rows: pd.DataFrame, model: str, chunker: str, ordering: str) -> pd.Series:
    keep = (rows["encoder"] == model) & (rows["chunker"] == chunker)
    return rows[keep].set_index("collection")[ordering]


def _joined(key: object) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
