"""Contexts beside late chunking: the same chunkers and questions, gains and their likeness."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN, OVER_DOCUMENTS
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.grids import OWN, PRE, SMOLLM, WIDE, WINDOWS
from chunkstudy.runs.library import Library
from chunkstudy.studies import contexts
from chunkstudy.studies.contexts.gains import left_of
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(80)]
PAPERS = pd.DataFrame({"query_id": QUERIES, "part": [f"paper-{i // 4}" for i in range(80)]})
NO_PAPERS = pd.DataFrame()
RANDOM = np.random.default_rng(7)
BASE = RANDOM.normal(0.5, 0.2, 80)
HELPED = RANDOM.normal(0.0, 0.2, 80)
"""What a question gains by context, whoever gives it."""


def scores(gain: float = 0.0, moved: float = 0.0, noise: int = 0) -> pd.DataFrame:
    own = np.random.default_rng(noise).normal(0, 0.05, 80)
    values = BASE + gain + moved * HELPED + own
    return pd.DataFrame({"DCG@10": values, "SpanRecall@5": values}, QUERIES)


def world(
    collection: str = "chroma-within",
    chunkers: Iterable[str] = ("sentence-5", "fixed-64"),
    title_of: Iterable[str] = ("sentence-5", "fixed-64"),
    written_of: Iterable[str] = (),
) -> Library:
    """A title that gains and moves questions as late chunking at 128 tokens does, a sentence before
    the chunk that moves others, late chunking at 512 that loses."""
    found = {}
    for n, chunker in enumerate(chunkers):
        for window, encoder in WINDOWS.items():
            late = scores(0.1, 1.0, 10 + n) if window == 128 else scores(-0.2, 0.0, 20 + n)
            found[Condition(collection, chunker, encoder, PRE, OWN)] = scores(0, 0, 30 + n)
            found[Condition(collection, chunker, encoder, f"contextualized-{window}", OWN)] = late
        preceding = "prepended-preceding-sentence"
        found[Condition(collection, chunker, WIDE, preceding, OWN)] = scores(0, 0, 50 + n)
    for n, chunker in enumerate(title_of):
        title = scores(0.1, 1.0, 60 + n)
        found[Condition(collection, chunker, WIDE, "prepended-title", OWN)] = title
    for chunker in written_of:
        one = Condition(collection, chunker, WIDE, f"prepended-by-{SMOLLM}", OWN)
        found[one] = scores(0, 0, 70)
    return made_library(found)


def test_contexts_and_late_chunking_stand_beside_each_other_with_what_they_show() -> None:
    table = contexts.tables(world(), NO_PAPERS)["contexts_gains"].set_index("context")
    assert list(table.index) == [
        "title", "preceding-sentence", "late-128", "late-256", "late-512",
    ]  # fmt: skip
    assert table.loc["title", "shown"] == HIGHER
    assert table.loc["late-512", "shown"] == LOWER
    assert (table["chunkers"] == 2).all()
    assert (table["n"] == 80).all()


def test_what_moves_the_same_questions_is_correlated_and_what_does_not_is_not() -> None:
    table = contexts.tables(world(), NO_PAPERS)["contexts_alike"]
    rows = {(row["context"], row["beside"]): row for row in table.to_dict("records")}
    alike, other = rows["title", "late-128"], rows["title", "preceding-sentence"]
    assert alike["correlation"] > 0.9
    assert alike["shown"] != HIGHER
    assert other["correlation low"] < 0 < other["correlation high"]
    assert rows["title", "late-512"]["shown"] == HIGHER
    families = set(table["family"])
    assert len(families) == 2


def test_only_chunkers_that_all_contexts_have_are_averaged() -> None:
    few = contexts.tables(world(title_of=("fixed-64",)), NO_PAPERS)["contexts_gains"]
    assert (few["chunkers"] == 1).all()
    none = contexts.tables(world(title_of=("fixed-256",)), NO_PAPERS)["contexts_gains"]
    assert none.empty


def test_what_a_language_model_wrote_for_fewer_chunkers_is_held_against_the_same() -> None:
    table = contexts.tables(world(written_of=("fixed-64",)), NO_PAPERS)["contexts_gains"]
    written = table[table["context"] == f"by-{SMOLLM}"]
    assert written["chunkers"].tolist() == [1]
    assert written["shown"].tolist() == [NOT_SHOWN]
    assert set(table[table["chunkers"] == 1]["context"]) == set(table["context"])
    assert len(table[table["chunkers"] == 2]) == len(table) - len(table[table["chunkers"] == 1])


def test_within_papers_papers_are_drawn() -> None:
    table = contexts.tables(world("covid-qa-within"), PAPERS)["contexts_gains"]
    assert (table["documents"] == 20).all()
    assert set(table["interval"]) == {OVER_DOCUMENTS}


def test_without_records_there_are_no_rows() -> None:
    for table in contexts.tables(made_library({}), NO_PAPERS).values():
        assert table.empty


def _partial(first: pd.Series, second: pd.Series, held: pd.Series) -> float:
    return float(np.corrcoef(*left_of(first, second, held))[0, 1])


@given(st.integers(0, 10_000))
def test_a_partial_correlation_is_that_of_the_textbook(seed: int) -> None:
    random = np.random.default_rng(seed)
    held, first, second = (pd.Series(random.normal(size=30)) for _ in range(3))
    first, second = first + held, second + 0.5 * held
    ab, ah, bh = first.corr(second), first.corr(held), second.corr(held)
    expected = (ab - ah * bh) / np.sqrt((1 - ah**2) * (1 - bh**2))
    assert _partial(first, second, held) == pytest.approx(expected)


def test_two_gains_over_the_same_plain_scores_are_not_alike_by_these_alone() -> None:
    random = np.random.default_rng(3)
    plain, first, second = (pd.Series(random.normal(size=2000)) for _ in range(3))
    assert (first - plain).corr(second - plain) > 0.4
    assert abs(_partial(first, second, plain)) < 0.06
