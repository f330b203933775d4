"""Claims that rest on what a notebook computes or counts turn with what it hands in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.published import cells, statements
from chunkstudy.runs import facts, study_results
from chunkstudy.studies.chroma import claims as chroma
from chunkstudy.studies.chroma.tables import counts_beside_published
from chunkstudy.studies.jina import claims as jina
from chunkstudy.study.claims import Claim, rows
from chunkstudy.study.runs import Runs

ROOT = Places(Path(__file__).parents[1])
LISTED = statements.read(ROOT)
CODE = cells.facts(ROOT)
CORPORA = facts.read(ROOT, "chroma_counts")
MADE = study_results.tables(ROOT, "generated-questions")
QUESTIONS = {"counts": MADE["counts"], "similarity": MADE["released"]}


def verdicts(judged: Iterable[Claim]) -> dict[str, str]:
    """By id those of each reading, the fair one's first."""
    return {
        claim.id: " ".join(row["verdict"] for row in rows(LISTED[claim.id], claim))
        for claim in judged
    }


def test_counts_of_corpora_are_the_published_ones_but_for_a_caption() -> None:
    expected = {"C04": "holds", "C06": "holds", "C05": "holds", "C07": "contradicted"}
    assert verdicts(chroma.of_corpora(counts_beside_published(CORPORA))) == expected
    more = counts_beside_published(CORPORA.assign(queries=CORPORA["queries"] + [2, 0, 0, 0, 0]))
    turned = {"C04": "holds", "C06": "contradicted", "C05": "partly", "C07": "holds"}
    assert verdicts(chroma.of_corpora(more)) == turned


@pytest.mark.parametrize(
    ("claim", "column", "value", "after"),
    [
        ("C39", "excerpts that stand at their offsets", 789, "contradicted contradicted"),
        ("C42", "most excerpts of a question", 6, "contradicted"),
        ("X02", "questions with and outside of names", 40, "holds contradicted"),
    ],
)
def test_another_count_of_questions_turns_its_claim(
    claim: str, column: str, value: float, after: str
) -> None:
    made = QUESTIONS | {"counts": QUESTIONS["counts"].assign(**{column: value})}
    assert verdicts(chroma.of_questions(QUESTIONS, CORPORA, CODE))[claim] != after
    assert verdicts(chroma.of_questions(made, CORPORA, CODE))[claim] == after


def test_a_score_above_its_bound_contradicts_it_word_for_word() -> None:
    def judged(precision: list[float], f1: float = 2 / 3) -> dict[str, str]:
        at = {f"SpanF1@{cut}": f1 for cut in (5, 10, "Min")}
        at |= {f"SpanPrecision@{cut}": 0.5 for cut in (10, "Min")}
        at |= {f"SpanRecall@{cut}": 1.0 for cut in (5, 10, "Min")} | {"PrecisionOmega": 0.6}
        wide = pd.DataFrame(at, ["a", "b"]).assign(**{"SpanPrecision@5": precision})
        run = SimpleNamespace(variant=SimpleNamespace(name="kamradt"), wide=wide)
        return verdicts(chroma.of_measures(cast("Runs", [run])))

    assert judged([0.5, 0.5]) == {"C36": "holds", "C37": "holds holds"}
    assert judged([0.5, 0.5], f1=0.5)["C36"] == "contradicted"
    assert judged([0.65, 0.5])["C37"] == "holds contradicted"
    assert judged([0.8, 0.8])["C37"] == "contradicted contradicted"


def test_cluster_finds_its_optimum_as_described_and_not_always_officially(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert verdicts(chroma.of_cluster()) == {"C50": "holds contradicted", "C51": "holds"}

    def apart(vectors: np.ndarray, *_: Any, quirks: bool) -> list[int]:
        return list(range(len(vectors)))

    monkeypatch.setattr(chroma, "cluster_cuts", apart)
    turned = {"C50": "contradicted contradicted", "C51": "contradicted"}
    assert verdicts(chroma.of_cluster()) == turned


@pytest.mark.parametrize(
    ("still", "expected"),
    [
        ("", {"C66": "holds", "C136": "holds"}),
        ("later", {"C66": "holds", "C136": "partly"}),
        ("earlier", {"C66": "contradicted", "C136": "partly"}),
    ],
)
def test_a_vector_that_does_not_move_is_of_one_direction(still: str, expected: Any) -> None:
    far = {"later": 0.2, "earlier": 0.3} | ({still: 0.0} if still else {})
    movements = pd.DataFrame(
        {
            "model": model,
            "direction": way,
            "cosine distance": moved,
            "replaced": "all",
            "distance": 0,
        }
        for way, distance in far.items()
        for model, moved in (("a/b", distance), (SMOLLM, 0.0))
    )
    assert verdicts(jina.directions(movements, "all")) == expected


def test_what_open_claims_wait_for_is_not_here() -> None:
    """C57, C59 and C139 say that printed scores were not computed: once one was, judge them."""
    compared = pd.read_csv(ROOT.results / "comparison.csv")
    scores = compared[(compared["work"] == "jina") & (compared["measure"] != "characters")]
    assert len(scores) == 93 and (scores["verdict"] == "not_run").all()
