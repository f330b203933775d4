"""What a language model's boundaries are worth, where its answers stand, and what they cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.grids import LATE, OWN, PRE, WIDE
from chunkstudy.runs.library import Library
from chunkstudy.studies.language_models import answers, emma
from chunkstudy.studies.language_models.window_answers import MEASURES, RELEASED, SMALL
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(40)]


def scores(lead: float, seed: int) -> pd.DataFrame:
    """Around a half, the lead above it."""
    random = np.random.default_rng(seed)
    values = 0.5 + lead + 0.005 * random.standard_normal((len(QUERIES), len(MEASURES)))
    return pd.DataFrame(values, index=QUERIES, columns=list(MEASURES))


def records(*chunkers: str) -> Library:
    leads = {emma.PARAGRAPH: 0.0, RELEASED: 0.2, SMALL: 0.1, emma.LAST: 0.1}
    return made_library(
        {
            Condition(emma.EMMA, one, WIDE, ordering, OWN): scores(leads[one], 3 * i + j)
            for i, one in enumerate(chunkers)
            for j, ordering in enumerate((PRE, LATE))
        }
    )


def drawn(sizes_of: str, lead: float) -> dict[str, pd.DataFrame]:
    keys = {"collection": emma.EMMA, "encoder": WIDE, "chunker": sizes_of}
    keys["at random"] = "the same sizes" if sizes_of else "any candidate"
    sets = [(ordering, scores(lead, 90 + i)) for i, ordering in enumerate((PRE, LATE))]
    questions = [
        one.rename_axis("query_id").reset_index().assign(**keys, ordering=ordering)
        for ordering, one in sets
    ]
    draws = pd.DataFrame(
        [
            {**keys, "ordering": ordering, "draw": draw, "chunks": 9 + draw, "mean tokens": 50.0}
            for ordering, _ in sets
            for draw in (1, 2, 3)
        ]
    )
    return {"questions": pd.concat(questions), "draws": draws}


def shuffled(lead: float) -> dict[str, pd.DataFrame]:
    """As the study of random boundaries leaves it, another method and place of boundaries too."""
    wanted = {"collection": emma.EMMA, "encoder": WIDE, "ordering": PRE, "chunker": RELEASED}
    questions = scores(lead, 70)[["DCG@10"]].add_prefix("draws ")
    mine = (
        questions.rename_axis("query_id").reset_index().assign(**wanted, boundaries="at its units")
    )
    other = mine.assign(boundaries="anywhere", **{"draws DCG@10": 0.0})
    draws = pd.DataFrame([{**wanted, "boundaries": "at its units", "draw": i} for i in range(5)])
    return {"questions": pd.concat([mine, other]), "draws": draws}


def test_every_arm_stands_beside_paragraphs_and_what_is_not_there_is_left_out() -> None:
    found = emma.arms(records(emma.PARAGRAPH, RELEASED, emma.LAST), drawn("", 0.1), shuffled(0.1))
    rows = emma.side_by_side(found)
    plain = rows[(rows["ordering"] == PRE) & (rows["measure"] == "DCG@10")].set_index("chunker")
    assert list(plain.index) == [
        emma.PARAGRAPH, RELEASED, emma.LAST, emma.ANY, emma.AUTHORS_SIZES,
    ]  # fmt: skip
    assert plain.loc[RELEASED, "difference"] == pytest.approx(0.2, abs=0.02)
    assert plain.loc[emma.PARAGRAPH, ["difference", "shown"]].isna().all()
    assert plain["n"].tolist() == [len(QUERIES)] * 5
    about = plain[["draws", "chunks", "mean tokens"]].to_dict("index")
    assert list(about[emma.ANY].values()) == [3, 11, 50]
    assert plain.loc[emma.AUTHORS_SIZES, "draws"] == 5
    assert plain.loc[emma.AUTHORS_SIZES, "score"] == pytest.approx(0.6, abs=0.02)
    late = rows[(rows["ordering"] == LATE) & (rows["measure"] == "DCG@1")]
    assert emma.AUTHORS_SIZES not in set(late["chunker"])
    tested = rows.dropna(subset="family")
    assert (tested.groupby("family").size() == tested.groupby("family")["family_size"].max()).all()


def test_what_the_choice_buys_is_told_question_by_question() -> None:
    every = records(emma.PARAGRAPH, RELEASED, SMALL, emma.LAST)
    rows = emma.bought(emma.arms(every, drawn(SMALL, 0.1), shuffled(0.2)))
    plain = rows[(rows["ordering"] == PRE) & (rows["measure"] == "DCG@10")]
    shown = plain.set_index(["chunker", "instead"])["shown"].to_dict()
    assert shown == {
        (RELEASED, emma.LAST): "higher",
        (RELEASED, SMALL): "higher",
        (SMALL, emma.SMALL_SIZES): "equivalent",
        (SMALL, emma.LAST): "equivalent",
    }
    assert set(plain["family_size"]) == {4} and plain["family"].nunique() == 1


def made(*windows: tuple[int, int]) -> pd.DataFrame:
    return pd.DataFrame(windows, columns=["candidates", "place"]).assign(text=answers.STORY)


def test_a_model_that_always_answers_the_last_is_told_from_chance() -> None:
    found = answers.where(made(*((n, n - 1) for n in [1, 3, 4, 5, 9] * 8)), pd.DataFrame())
    rows = found.set_index("place")
    assert set(rows["windows"]) == {32}  # one candidate leaves no choice
    assert rows.loc[answers.LAST, "answered"] == 1
    assert rows.loc[answers.LAST, "shown"] == "higher"
    chance = np.mean([1 / 3, 1 / 4, 1 / 5, 1 / 9])
    assert rows.loc[answers.LAST, "at random"] == pytest.approx(chance)
    assert rows.loc[answers.FIRST, "shown"] == "lower"
    assert (rows["interval"].str.contains("over windows")).all()


def test_the_authors_answers_count_where_their_window_holds_them() -> None:
    theirs = pd.DataFrame({"candidates": [4, 4, 4, 1], "answered": [4, 2, 0, 1]})
    rows = answers.where(made((3, 0)), theirs)
    by = rows[rows["answered by"] == answers.AUTHORS].set_index("place")
    assert set(by["windows"]) == {2} and by.loc[answers.LAST, "answered"] == 0.5
    assert set(by["text"]) == {answers.EMMA} and rows["family"].nunique() == 2
