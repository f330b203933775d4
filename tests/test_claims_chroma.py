"""Claims of Chroma's report and of the tutorial: what each rests on turns it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells
from chunkstudy.runs import facts, study_results
from chunkstudy.show.claims import Claim
from chunkstudy.show.runs import Runs
from chunkstudy.studies.chroma import claims, computed_claims
from chunkstudy.studies.chroma.tables import counts_beside_published
from chunkstudy.studies.labels import averages
from chunkstudy.studies.labels.claims import of_the_example

ROOT = Places(Path(__file__).parents[1])
EVERY = cells.frame(cells.read(ROOT))
PUBLISHED = EVERY[(EVERY["work"] == "chroma") & EVERY["table"].isin(["main", "minilm", "appendix"])]
CODE = cells.facts(ROOT)
CORPORA = facts.read(ROOT, "chroma_counts")
MADE = study_results.tables(ROOT, "generated-questions")
QUESTIONS = {"counts": MADE["counts"], "similarity": MADE["released"]}
HOLDS, PARTLY, CONTRADICTED = "holds", "partly", "contradicted"


def verdicts(found: Iterable[Claim]) -> dict[str, list[str]]:
    """By id, the fair reading's first."""
    return {one.id: [row["verdict"] for row in one.rows()] for one in found}


def printed(*where: object, value: float) -> pd.DataFrame:
    """The printed tables with another mean of a table, chunker and measure."""
    table, chunker, measure = where
    changed = PUBLISHED
    at = (changed["table"] == table) & (changed["chunker"] == chunker)
    at &= (changed["measure"] == measure) & (changed["statistic"] == "mean")
    at &= changed["part"] == "all"
    return changed.assign(value=changed["value"].mask(at, value))


@pytest.mark.parametrize(
    ("claim", "where", "value", "before", "after"),
    [
        ("C01", ("main", "llm", "SpanRecall@5"), 99, [HOLDS, CONTRADICTED], [CONTRADICTED] * 2),
        ("C10", ("main", "recursive-200-0", "SpanRecall@5"), 88.2, [HOLDS, CONTRADICTED],
         [HOLDS, HOLDS]),
        ("C11", ("main", "token-400-0", "SpanRecall@5"), 89.5, [HOLDS], [CONTRADICTED]),
        ("C12", ("main", "recursive-800-400", "SpanRecall@5"), 88.0, [HOLDS], [CONTRADICTED]),
        ("C13", ("main", "token-400-0", "SpanIoU@5"), 2.8, [HOLDS, CONTRADICTED], [HOLDS, HOLDS]),
        ("C14", ("main", "token-800-400", "SpanIoU@5"), 9.0, [HOLDS], [PARTLY]),
        ("C15", ("main", "cluster-400", "SpanRecall@5"), 91.2, [HOLDS], [CONTRADICTED]),
        ("C16", ("main", "recursive-200-0", "SpanIoU@5"), 8.1, [HOLDS], [PARTLY]),
        ("C17", ("main", "cluster-400", "SpanRecall@5"), 92.0, [HOLDS], [CONTRADICTED]),
        ("C18", ("main", "llm", "PrecisionOmega"), 90.0, [HOLDS], [CONTRADICTED]),
        ("C19", ("main", "kamradt", "SpanRecall@5"), 95.0, [HOLDS, CONTRADICTED],
         [CONTRADICTED] * 2),
        ("C20", ("main", "kamradt-modified-300", "SpanRecall@5"), 87.2, [HOLDS, PARTLY],
         [HOLDS, CONTRADICTED]),
        ("C21", ("main", "kamradt-modified-300", "chunk size"), 700, [HOLDS], [PARTLY]),
        ("C24", ("main", "token-200-0", "SpanRecall@5"), 95.0, [HOLDS, "open"],
         [CONTRADICTED, "open"]),
        ("C28", ("minilm", "cluster-250", "SpanRecall@5"), 95.0, [HOLDS], [CONTRADICTED]),
    ],
)  # fmt: skip
def test_a_printed_number_turns_what_rests_on_it(
    claim: str,
    where: tuple[str, str, str],
    value: float,
    before: list[str],
    after: list[str],
) -> None:
    assert verdicts(claims.printed(PUBLISHED, CODE))[claim] == before
    assert verdicts(claims.printed(printed(*where, value=value), CODE))[claim] == after


def test_only_an_appendix_that_repeats_the_tables_holds_them() -> None:
    assert verdicts(claims.printed(PUBLISHED, CODE))["X05"] == [CONTRADICTED]
    keys = ["encoder", "chunker", "measure", "statistic"]
    first = PUBLISHED.drop_duplicates(keys).set_index(keys)
    again = PUBLISHED.copy()
    at = again["part"] == "all"
    said = first.loc[pd.MultiIndex.from_frame(again.loc[at, keys]), ["published", "value"]]
    again.loc[at, ["published", "value"]] = said.to_numpy()
    assert verdicts(claims.printed(again, CODE))["X05"] == [HOLDS]


def test_clusters_are_strong_only_above_the_middle_row() -> None:
    assert verdicts(claims.printed(PUBLISHED, CODE))["C54"] == [HOLDS, CONTRADICTED]
    clusters = PUBLISHED["chunker"].str.startswith("cluster") & (PUBLISHED["table"] == "appendix")
    for value, expected in ((101.0, [HOLDS, HOLDS]), (0.0, [CONTRADICTED, CONTRADICTED])):
        changed = PUBLISHED.assign(value=PUBLISHED["value"].mask(clusters, value))
        assert verdicts(claims.printed(changed, CODE))["C54"] == expected


@pytest.mark.parametrize(
    ("claim", "fact", "value", "before", "after"),
    [
        ("C35", "chroma-iou-denominator", "union", HOLDS, CONTRADICTED),
        ("C38", "chroma-unit", "token", CONTRADICTED, HOLDS),
        ("C40", "chroma-earlier-questions", "50", CONTRADICTED, HOLDS),
        ("C41", "chroma-and-forbidden", "allowed", HOLDS, CONTRADICTED),
    ],
)
def test_other_code_turns_what_is_said_of_it(
    claim: str, fact: str, value: str, before: str, after: str
) -> None:
    changed = CODE | {fact: CODE[fact].model_copy(update={"value": value})}
    assert verdicts(claims.printed(PUBLISHED, CODE))[claim][-1] == before
    assert verdicts(claims.printed(PUBLISHED, changed))[claim][-1] == after


def test_counts_of_corpora_are_the_published_ones_but_for_a_caption() -> None:
    counts = counts_beside_published(CORPORA)
    expected = {"C04": HOLDS, "C05": HOLDS, "C06": HOLDS, "C07": CONTRADICTED}
    assert verdicts(computed_claims.of_corpora(counts)) == {k: [v] for k, v in expected.items()}
    more = counts_beside_published(CORPORA.assign(queries=CORPORA["queries"] + [2, 0, 0, 0, 0]))
    turned = {"C04": HOLDS, "C05": PARTLY, "C06": CONTRADICTED, "C07": HOLDS}
    assert verdicts(computed_claims.of_corpora(more)) == {k: [v] for k, v in turned.items()}


@pytest.mark.parametrize(
    ("claim", "column", "value", "after"),
    [
        ("C39", "excerpts that stand at their offsets", 789, [CONTRADICTED, CONTRADICTED]),
        ("C42", "most excerpts of a question", 6, [CONTRADICTED]),
        ("X02", "questions with and outside of names", 40, [HOLDS, CONTRADICTED]),
    ],
)
def test_another_count_of_questions_turns_its_claim(
    claim: str, column: str, value: float, after: list[str]
) -> None:
    made = QUESTIONS | {"counts": QUESTIONS["counts"].assign(**{column: value})}
    assert verdicts(computed_claims.of_questions(QUESTIONS, CORPORA, CODE))[claim] != after
    assert verdicts(computed_claims.of_questions(made, CORPORA, CODE))[claim] == after


def test_an_appendix_is_partly_reproduced_where_a_corpus_lies_outside() -> None:
    """What is named is furthest outside of the range, not furthest from exact search."""
    row = {"chunker": "cluster-250", "measure": "SpanRecall@5", "statistic": "mean"}
    found = pd.DataFrame(
        [
            ("all", "90.1", 93.9, 90.0, 94.0, "within_stack"),
            ("pubmed", "61.0", 62.0, 61.9, 62.1, "deviates"),
            ("finance", "50.0", 50.0, 50.0, 50.0, "exact"),
        ],
        columns=["part", "published", "reproduced", "stack_low", "stack_high", "verdict"],
    ).assign(**row)
    (claim,) = computed_claims.of_appendix_with_minilm(found)
    fair, strict = claim.rows()
    assert (fair["verdict"], strict["verdict"]) == (PARTLY, CONTRADICTED)
    assert "61.0" in fair["numbers"] and "90.1" not in fair["numbers"]
    for verdict, expected in (("within_stack", HOLDS), ("deviates", CONTRADICTED)):
        (claim,) = computed_claims.of_appendix_with_minilm(found.assign(verdict=verdict))
        assert claim.rows()[0]["verdict"] == expected


def test_a_score_above_its_bound_contradicts_it_word_for_word() -> None:
    def judged(precision: list[float], f1: float = 2 / 3) -> dict[str, list[str]]:
        at = {f"SpanF1@{cut}": f1 for cut in (5, 10, "Min")}
        at |= {f"Span{name}@{cut}": 0.5 for name in ("Precision",) for cut in (10, "Min")}
        at |= {f"SpanRecall@{cut}": 1.0 for cut in (5, 10, "Min")} | {"PrecisionOmega": 0.6}
        wide = pd.DataFrame(at, ["a", "b"]).assign(**{"SpanPrecision@5": precision})
        arm = SimpleNamespace(name="kamradt")
        run = SimpleNamespace(arm=arm, wide=wide)
        return verdicts(computed_claims.of_measures(cast("Runs", [run])))

    assert judged([0.5, 0.5]) == {"C36": [HOLDS], "C37": [HOLDS, HOLDS]}
    assert judged([0.5, 0.5], f1=0.5)["C36"] == [CONTRADICTED]
    assert judged([0.65, 0.5])["C37"] == [HOLDS, CONTRADICTED]
    assert judged([0.8, 0.8])["C37"] == [CONTRADICTED, CONTRADICTED]


def test_cluster_finds_its_optimum_as_described_and_not_always_officially(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert verdicts(computed_claims.of_cluster()) == {"C50": [HOLDS, CONTRADICTED], "C51": [HOLDS]}

    def apart(vectors: np.ndarray, *_: Any, quirks: bool) -> list[int]:
        return list(range(len(vectors)))

    monkeypatch.setattr(computed_claims, "cluster_cuts", apart)
    turned = verdicts(computed_claims.of_cluster())
    assert turned == {"C50": [CONTRADICTED] * 2, "C51": [CONTRADICTED]}


def test_the_worked_example_has_its_averages() -> None:
    example = averages.worked_example(ROOT)
    gold = pd.Series([1, 3], index=pd.Index(["token-400-0"] * 2, name="chunker"))
    found = verdicts(of_the_example(example, gold))
    assert found == {one: [HOLDS] for one in ("C128", "C129", "C130", "X30")}
    moved = example.assign(computed=example["computed"].mask(example["query"] == "macro", 0.5))
    turned = {one: [CONTRADICTED] for one in ("C128", "C130", "X30")} | {"C129": [HOLDS]}
    assert verdicts(of_the_example(moved, gold)) == turned
