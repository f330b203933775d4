"""The taxonomy's fourth question, chunk size (S2:353-378): what its figure and prose print.

The coefficients beyond the prose are those of the paper's repository, read off its figures.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.claims.evidence import Evidence, listed, spread
from chunkstudy.claims.taxonomy_rows import EMMA_WITNESS, MODELS, figure_2
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)

BOOKS, QUESTIONS = 100, 3_000
"""GutenQA's (S2:133)."""
MODERATE = 0.3
"""By the usual reading |r| from 0.3 to 0.5 or more is moderate, below 0.1 none."""
NAMED = ("paragraph", "sentence", "proposition")
FIGURES = "per-query or per-book scores behind figure 2, or GutenQA's 100 books and the weights"


def moderate_within_documents(_: Evidence) -> Readings:
    """r of chunk size and score on GutenQA with Jina-v3, six methods."""
    row = _row("Jina-v3", "gutenqa", "pre_embedding")
    stated = {"paragraph": 0.57, "sentence": 0.52, "proposition": 0.41}  # S2:366
    return (
        strict(
            "for all six methods",
            counted({str(m): bool(v >= MODERATE) for m, v in row.items()}, listed(row)),
        ),
        charitable(
            "for the three it names, with the stated r",
            counted({m: bool(row[m] == v) for m, v in stated.items()}, listed(row[list(NAMED)])),
        ),
    )


def weak_in_corpora(_: Evidence) -> Readings:
    """r in corpora with Jina-v3, six methods."""
    row = _row("Jina-v3", "beir", "pre_embedding")
    figures = f"figure: {spread(row)}; stated 0.08 to 0.18"
    return (
        strict(
            "from 0.08 to 0.18, both reached",
            counted({"0.08": row.min() == 0.08, "0.18": row.max() == 0.18}, figures),
        ),
        charitable("weaker than 0.2", decide(bool((row.abs() < 0.2).all()), figures)),
    )


def points_are_queries(_: Evidence) -> Finding:
    """Are the points queries? What the figure calls significant depends on how many there are.

    The prose marks r = 0.23 as significant and r = -0.11 not; the sentence-based one would be
    beyond doubt with 3,000 points and is not with 100.
    """
    p = {n: _p(-0.11, n) for n in (QUESTIONS, BOOKS)}
    return decide(
        p[QUESTIONS] >= 0.05,
        f"r = -0.11, printed without a mark, has p = {p[QUESTIONS]:.1e} over {QUESTIONS} questions "
        f"and p = {p[BOOKS]:.2f} over {BOOKS} books; r = 0.23, printed with one, p = "
        f"{_p(0.23, BOOKS):.3f} over {BOOKS} books",
    )


def estimated_with_one_tokenizer(_: Evidence) -> Finding:
    """Which tokenizer counted chunk sizes?"""
    return unanswered(
        "the paper's plotting code, run with either tokenizer",
        f"{len(figure_2())} rows of coefficients, none tells the tokenizer",
    )


def weakens_when_contextualized(_: Evidence) -> Readings:
    """r on GutenQA, contextualized against plain, Jina-v3."""
    before = _row("Jina-v3", "gutenqa", "pre_embedding")
    after = _row("Jina-v3", "gutenqa", "contextualized")
    figures = ", ".join(f"{m} {before[m]:.2f} to {after[m]:.2f}" for m in before.index)
    return (
        strict(
            "for all six methods",
            counted({m: abs(after[m]) < abs(before[m]) for m in before.index}, figures),
        ),
        charitable(
            "for the three it names",
            counted({m: abs(after[m]) < abs(before[m]) for m in NAMED}, figures),
        ),
    )


def gain_of_fixed_size_grows(_: Evidence) -> Readings:
    """r = 0.23 of chunk size and gain with fixed-size chunks."""
    p = _p(0.23, BOOKS)
    return (
        strict("r comes out", unanswered(FIGURES, "r = 0.23 stated, 0 runs")),
        charitable(
            "the stated r is significant over 100 books, as marked",
            decide(p < 0.05, f"p = {p:.3f}; times the six methods {min(1.0, 6 * p):.2f}"),
        ),
    )


def gain_is_unrelated_in_corpora(_: Evidence) -> Readings:
    """r from -0.09 to 0.03 of chunk size and gain."""
    return (
        strict("r comes out", unanswered(FIGURES, "r from -0.09 to 0.03 stated, 0 runs")),
        charitable(
            "the stated r are near zero, below 0.1",
            decide(max(abs(-0.09), 0.03) < 0.1, "largest stated |r| 0.09"),
        ),
    )


def other_models_are_similar(_: Evidence) -> Readings:
    """The three findings with the other models' coefficients."""
    cases: dict[str, bool] = {}
    for model in MODELS:
        if model == "Jina-v3":
            continue
        before = _row(model, "gutenqa", "pre_embedding")
        after = _row(model, "gutenqa", "contextualized")
        corpora = _row(model, "beir", "pre_embedding")
        cases |= {f"{model} moderate {m}": before[m] >= MODERATE for m in NAMED}
        cases |= {f"{model} weaker {m}": bool(abs(after[m]) < abs(before[m])) for m in NAMED}
        cases[f"{model} weak and positive in corpora"] = bool(
            (corpora > 0).all() and (corpora < 0.2).all()
        )
    own = _row("Jina-v3", "gutenqa", "pre_embedding")
    alike = pd.Series(
        {m: float(own.corr(_row(m, "gutenqa", "pre_embedding"))) for m in MODELS if m != "Jina-v3"}
    )
    return (
        strict("each finding with each model", counted(cases)),
        charitable(
            "plain chunking within documents orders the methods alike, r above 0.8",
            counted(
                {str(m): v > 0.8 for m, v in alike.items()},
                f"correlation with Jina-v3's six coefficients {listed(alike)}",
            ),
        ),
    )


def moderate_for_most(_: Evidence) -> Readings:
    """Moderate within documents, weak in corpora: six methods, four models."""
    inside, across = (
        pd.concat([_row(model, name, "pre_embedding") for model in MODELS])
        for name in ("gutenqa", "beir")
    )
    figures = f"GutenQA {spread(inside)}, median {inside.median():.2f}; corpora {spread(across)}"
    return (
        strict(
            "each method and model moderate within documents",
            counted((inside >= MODERATE).tolist(), figures),
        ),
        charitable(
            "larger within documents than in corpora, on average of |r|",
            decide(inside.abs().mean() > across.abs().mean(), figures),
        ),
    )


def overlap_favours_large_chunks(evidence: Evidence) -> Finding:
    """Are larger chunks more likely to hold what is judged? On Emma, by chunker."""
    table = evidence.tables["late_chunking_emma"]
    if table.empty:
        return unanswered(EMMA_WITNESS, "0 chunkers on record")
    rows = table[
        (table["protocol"] == "as_published-ielab") & (table["ordering"] == "pre_embedding")
    ]
    sizes = pd.to_numeric(rows["mean tokens"])
    best = pd.to_numeric(rows["Ceiling(DCG@10)"])
    r = float(np.corrcoef(np.log(sizes), best)[0, 1]) if len(rows) > 2 else 0.0
    return unanswered(
        EMMA_WITNESS, f"r = {r:.2f} of log size and best reachable score over {len(rows)} chunkers"
    )


def _row(model: str, collection: str, ordering: str) -> pd.Series:
    found = figure_2().T[(model, collection, ordering)]
    return found.astype(float)


def _p(r: float, n: int) -> float:
    """Two-sided p of Pearson's r over n points."""
    t = abs(r) * np.sqrt((n - 2) / (1 - r * r))
    return float(2 * stats.t.sf(t, n - 2))
