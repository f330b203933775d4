"""Claims of Jina's posts turn with the printed number that they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.published import cells
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import CONTEXTUALIZED as LATE
from chunkstudy.runs.conditions import PRE_EMBEDDING as NAIVE
from chunkstudy.runs.published_grid import E5_INSTRUCT, JINA_SMALL, JINA_V3, NOMIC
from chunkstudy.show import beside
from chunkstudy.studies.jina import claims

PLACES = Places(Path(__file__).parents[1])
Where = dict[str, str]


def printed(table: str, where: Where, by: float) -> pd.DataFrame:
    """A published table, its numbers of these rows moved."""
    frame = cells.frame(beside.printed(PLACES, [table]))
    rows = pd.Series(True, index=frame.index)
    for name, value in where.items():
        rows &= frame[name] == value
    assert rows.any()
    frame.loc[rows, "value"] += by
    return frame


def verdicts(table: str = "", where: Where | None = None, by: float = 0) -> dict[str, str]:
    """By id and reading, where numbers of one table are moved."""

    def frame(name: str) -> pd.DataFrame:
        moved = (where or {}, by) if name == table else ({}, 0.0)
        return printed(name, *moved)

    counted = study_results.read(PLACES, "document-lengths")
    judged = [
        *claims.first_post(frame("jina/beir"), frame("jina/berlin")),
        *claims.of_texts(frame("jina/beir"), counted, cells.facts(PLACES)),
        *claims.second_post(frame("jina/combinations"), frame("taxonomy/4")),
    ]
    ids = [one.id for one in judged]
    assert len(ids) == len(set(ids))
    rows = [row for one in judged for row in one.rows()]
    return {f"{row['id']} {row['reading'].partition(':')[0]}": row["verdict"] for row in rows}


AS_PRINTED = verdicts()


@pytest.mark.parametrize(
    ("table", "where", "by", "claim", "turned"),
    [
        ("jina/berlin", {"chunker": "Berlin is th", "ordering": LATE}, -0.001, "C58 plain", ""),
        ("jina/beir", {"collection": "fiqa", "measure": "characters"}, 0.1, "C60 plain", ""),
        ("jina/beir", {"collection": "quora", "ordering": LATE}, -0.01, "C61 fair", ""),
        ("jina/beir", {"collection": "quora", "ordering": LATE}, 0.01, "C61 strict", "holds"),
        ("jina/beir", {"ordering": LATE}, -3, "C62 plain", ""),
        ("jina/beir", {"chunker": "none", "ordering": NAIVE}, -1, "C63 plain", ""),
        ("jina/beir", {"collection": "trec-covid", "measure": "characters"}, 400, "C64 plain", ""),
        ("jina/combinations", {"encoder": NOMIC, "ordering": LATE}, -0.1, "C131 fair", ""),
        ("jina/combinations", {"encoder": NOMIC, "ordering": LATE}, 0.2, "C131 strict", "holds"),
        ("jina/combinations", {"encoder": JINA_SMALL, "ordering": LATE}, 6, "C132 fair", ""),
        ("jina/combinations", {"encoder": NOMIC, "ordering": LATE}, -4, "C132 strict", "holds"),
        ("jina/combinations", {"chunker": "semantic", "ordering": NAIVE}, 2, "C133 fair", ""),
        ("jina/combinations", {"chunker": "semantic", "ordering": LATE}, 0.1, "C134 fair", ""),
        ("jina/combinations", {"encoder": JINA_V3, "ordering": NAIVE}, -4, "C135 fair", ""),
        ("jina/combinations", {"chunker": "semantic"}, 5, "X11 strict", "holds"),
        ("jina/combinations", {"ordering": NAIVE}, 0.4, "X12 fair", ""),
        ("taxonomy/4", {"encoder": E5_INSTRUCT}, -4, "X14 fair", "holds"),
        ("taxonomy/4", {"encoder": E5_INSTRUCT}, -6, "X14 strict", "holds"),
    ],
)
def test_a_printed_number_turns_its_claim(
    table: str, where: Where, by: float, claim: str, turned: str
) -> None:
    before, after = ("contradicted", turned) if turned else ("holds", "contradicted")
    assert AS_PRINTED[claim] == before
    assert verdicts(table, where, by)[claim] == after


def test_what_the_code_does_decides_each_part_of_its_claim() -> None:
    facts = cells.facts(PLACES)
    expression = facts["jina-fixed-boundaries"].model_copy(update={"value": "a regular expression"})
    counted = study_results.read(PLACES, "document-lengths")
    found = claims.of_texts(
        printed("jina/beir", {}, 0), counted, facts | {"jina-fixed-boundaries": expression}
    )
    assert AS_PRINTED["C65 plain"] == "partly"
    assert [one.rows()[0]["verdict"] for one in found] == ["holds", "holds"]


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
        {"model": model, "direction": way, "cosine distance": one, "replaced": "all", "distance": 0}
        for way, distance in far.items()
        for model, one in (("a/b", distance), (SMOLLM, 0.0))
    )
    found = {one.id: one.rows()[0]["verdict"] for one in claims.directions(movements, "all")}
    assert found == expected


def test_what_open_claims_wait_for_is_not_here() -> None:
    """C57, C59 and C139 say that printed scores were not computed: once one was, judge them."""
    compared = pd.read_csv(PLACES.results / "comparison.csv")
    scores = compared[(compared["work"] == "jina") & (compared["measure"] != "characters")]
    assert len(scores) == 93 and (scores["verdict"] == "not_run").all()
