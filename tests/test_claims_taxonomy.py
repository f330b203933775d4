"""The taxonomy's claims follow from its printed numbers: another number, another verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells
from chunkstudy.published.cells import Fact
from chunkstudy.runs.published_grid import E5_INSTRUCT, JINA_SMALL, JINA_V3, NOMIC
from chunkstudy.studies import taxonomy

PLACES = Places(Path(__file__).parents[1])
PUBLISHED = cells.frame(cells.read(PLACES))
FACTS = cells.facts(PLACES)
Verdicts = dict[tuple[str, str], str]


def verdicts(
    published: pd.DataFrame = PUBLISHED, facts: Mapping[str, Fact] = FACTS
) -> tuple[Verdicts, Counter[str]]:
    """The verdict of every reading by claim and its name, and how often each claim was judged."""
    own = published[published["work"].isin(["taxonomy", "jina"])]
    claims = [
        *taxonomy.on_reproductions(own, facts),
        *taxonomy.on_corpora(own),
        *taxonomy.on_documents(own, facts),
        *taxonomy.on_contextualized(own),
        *taxonomy.on_chunk_size(own, facts),
    ]
    found = {
        (row["id"], row["reading"].partition(":")[0]): row["verdict"]
        for one in claims
        for row in one.rows()
    }
    return found, Counter(one.id for one in claims)


PRINTED, JUDGED = verdicts()


def test_each_claim_is_judged_once() -> None:
    assert set(JUDGED.values()) == {1}


def changed(column: str, value: Any, **where: str) -> pd.DataFrame:
    """The published numbers with one of the taxonomy's changed."""
    found = PUBLISHED.copy()
    hit = found["work"] == "taxonomy"
    for name, wanted in where.items():
        hit &= found[name] == wanted
    assert hit.sum() == 1
    found.loc[hit, column] = value
    return found


TABLE_1 = {"table": "1", "chunker": "paragraph"}
GUTENQA = {"collection": "gutenqa", "chunker": "paragraph"}
FIGURE = {"table": "figure 2, repository", "collection": "gutenqa", "encoder": JINA_V3}


@pytest.mark.parametrize(
    ("claim", "reading", "value", "where"),
    [
        ("C69", "plain", 0.5, {**TABLE_1, "statistic": "original"}),
        ("C71", "plain", 0.7, {**TABLE_1, "statistic": "reproduced"}),
        ("C73", "plain", 0.5, {"table": "2", "collection": "fiqa", "chunker": "semantic",
                               "ordering": "contextualized", "statistic": "original"}),
        ("C100", "plain", 50.0, {"table": "4", **GUTENQA, "encoder": JINA_SMALL}),
        ("C101", "plain", 50.0, {"table": "4", "collection": "average", "chunker": "semantic",
                                 "encoder": NOMIC}),
        ("C102", "plain", 0.9, {"table": "3", "collection": "scidocs", "chunker": "average",
                                "encoder": NOMIC}),
        ("C79", "plain", 0.9, {"table": "3", "collection": "average", "chunker": "semantic",
                               "encoder": NOMIC}),
        ("C83", "fair", 0.9, {"table": "3", "collection": "average", "chunker": "proposition",
                              "encoder": JINA_V3}),
        ("C90", "fair", 0.9, {"table": "3", "collection": "average", "chunker": "lumberchunker",
                              "encoder": E5_INSTRUCT}),
        ("C95", "plain", 0.9, {"table": "3", **GUTENQA, "encoder": NOMIC}),
        ("C108", "fair", 90.0, {"table": "4", **GUTENQA, "encoder": E5_INSTRUCT}),
        ("C109", "plain", -7.0, {"table": "4", **GUTENQA, "encoder": E5_INSTRUCT}),
        ("C103", "plain", 99.0, {"table": "4", "collection": "average", "chunker": "paragraph",
                                 "encoder": JINA_SMALL}),
        ("C106", "plain", 0.9, {"table": "5", "collection": "average", "chunker": "proposition",
                                "encoder": JINA_SMALL}),
        ("C115", "plain", 0.4, {**FIGURE, "ordering": "pre_embedding", "chunker": "paragraph"}),
        ("C120", "strict", 0.23, {**FIGURE, "ordering": "relative change",
                                  "chunker": "fixed-256"}),
    ],
)  # fmt: skip
def test_another_number_turns_the_claim_that_rests_on_it(
    claim: str, reading: str, value: float, where: dict[str, str]
) -> None:
    found, _ = verdicts(changed("value", value, **where))
    assert found[claim, reading] not in (PRINTED[claim, reading], "open")


@pytest.mark.parametrize(
    ("claim", "reading", "marks", "where"),
    [
        ("C72", "plain", "", {"table": "3", "collection": "gutenqa", "chunker": "fixed-256",
                              "encoder": NOMIC}),
        ("C127", "fair", "bold+a", {"table": "3", "collection": "gutenqa",
                                    "chunker": "lumberchunker", "encoder": NOMIC}),
        ("C120", "fair", "", {**FIGURE, "ordering": "relative change", "chunker": "fixed-256"}),
    ],
)  # fmt: skip
def test_another_mark_turns_the_claim_that_rests_on_it(
    claim: str, reading: str, marks: str, where: dict[str, str]
) -> None:
    found, _ = verdicts(changed("marks", marks, **where))
    assert (PRINTED[claim, reading], found[claim, reading]) == ("holds", "contradicted")


@pytest.mark.parametrize(
    ("claim", "reading", "fact", "value"),
    [
        ("C126", "fair", "taxonomy-sentences", "6"),
        ("C124", "plain", "taxonomy-gutenqa-relevant-chunk", "overlaps the judged text"),
        ("C117", "plain", "taxonomy-figure-2-corpus-point", "a collection"),
        ("C118", "plain", "taxonomy-figure-2-tokenizer-jina-v3", "that of another model"),
    ],
)
def test_other_code_turns_the_claim_that_rests_on_it(
    claim: str, reading: str, fact: str, value: str
) -> None:
    other = {fact: FACTS[fact].model_copy(update={"value": value})}
    found, _ = verdicts(facts={**FACTS, **other})
    assert found[claim, reading] not in (PRINTED[claim, reading], "open")
