"""What a language model's boundaries are worth, where its answers stand, and what they cost."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.runs import segmentation_cost
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.grids import LATE, OWN, PRE, WIDE
from chunkstudy.runs.library import Library
from chunkstudy.studies.language_models import answers, cost, emma, published
from chunkstudy.studies.language_models.window_answers import MEASURES, RELEASED, SMALL
from tests.made_library import made_library

PLACES = Places(Path(__file__).parents[1])
QUERIES = [f"q{i}" for i in range(40)]
KEYS = ["work", "table", "collection", "chunker", "encoder", "ordering", "part", "measure"]


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
        (RELEASED, emma.AUTHORS_SIZES): "equivalent",
        (RELEASED, emma.LAST): "higher",
        (RELEASED, SMALL): "higher",
        (SMALL, emma.SMALL_SIZES): "equivalent",
        (SMALL, emma.LAST): "equivalent",
    }
    assert set(plain["family_size"]) == {5} and plain["family"].nunique() == 1


def test_without_records_of_emma_the_tables_are_empty() -> None:
    assert emma.side_by_side({}).empty and emma.bought({}).empty
    assert emma.arms(made_library({}), {}, {}) == {}


def test_the_paragraphs_missing_leave_scores_without_differences() -> None:
    rows = emma.side_by_side(emma.arms(records(RELEASED), {}, {}))
    assert len(rows) == 2 * len(MEASURES) and rows["score"].notna().all()


@pytest.fixture(scope="module")
def recorded() -> list[answers.Answer]:
    return answers.answers(PLACES)


def test_every_recorded_answer_is_one_of_its_window(recorded: list[answers.Answer]) -> None:
    assert {one.text for one in recorded} <= {answers.STORY, answers.OTHERS, answers.EMMA}
    for one in recorded:
        assert one.whole and one.place is not None and 0 <= one.place < one.candidates
    replies = answers.replies(recorded).set_index("text")
    assert replies["requests"].sum() == len(recorded)
    assert (replies[["not read", "outside the window"]] == 0).all().all()
    assert replies.loc[[answers.STORY, answers.OTHERS], "requests"].sum() > 80


def test_replies_that_are_no_answer_are_counted_and_have_no_place(tmp_path: Path) -> None:
    source = next((PLACES.llm / "local").glob("*SmolLM2*.jsonl"))
    target = tmp_path / "results" / "llm" / "local" / source.name
    target.parent.mkdir(parents=True)
    for one in source.parent.glob(f"{source.name}*"):
        shutil.copy(one, target.parent)
    before = answers.answers(Places(tmp_path))
    spoiled = [replace(before[0], place=None, whole=False), replace(before[1], place=None)]
    counted = answers.replies([*spoiled, *before[2:]])
    assert counted["not read"].sum() == counted["outside the window"].sum() == 1
    target.write_bytes(b"not a line\n" + target.read_bytes()[:-10])
    assert len(answers.answers(Places(tmp_path))) in (len(before), len(before) - 1)


def test_without_recordings_there_is_no_answer(tmp_path: Path) -> None:
    assert answers.answers(Places(tmp_path)) == []
    assert answers.replies([]).empty and answers.where([], pd.DataFrame()).empty


def made(candidates: int, place: int, text: str = answers.STORY) -> answers.Answer:
    return answers.Answer(text, candidates, place, True, 1.0, 100)


def test_a_model_that_always_answers_the_last_is_told_from_chance() -> None:
    found = answers.where([made(n, n - 1) for n in [1, 3, 4, 5, 9] * 8], pd.DataFrame())
    rows = found.set_index("place")
    assert set(rows["windows"]) == {32}  # one candidate leaves no choice
    assert rows.loc[answers.LAST, "answered"] == 1
    assert rows.loc[answers.LAST, "shown"] == "higher"
    chance = np.mean([1 / 3, 1 / 4, 1 / 5, 1 / 9])
    assert rows.loc[answers.LAST, "at random"] == pytest.approx(chance)
    assert rows.loc[answers.FIRST, "shown"] == "lower"
    assert (rows["interval"].str.contains("over windows")).all()


def test_answers_that_are_as_likely_everywhere_prefer_no_place() -> None:
    every = [made(n, place) for n in (2, 3, 5, 7) for place in range(n) for _ in range(60 // n)]
    rows = answers.where(every, pd.DataFrame())
    assert (rows["answered"] - rows["at random"]).abs().max() < 0.02
    assert not set(rows["shown"]) & {"higher", "lower"}


def test_the_authors_answers_count_where_their_window_holds_them() -> None:
    theirs = pd.DataFrame({"candidates": [4, 4, 4, 1], "answered": [4, 2, 0, 1]})
    rows = answers.where([made(3, 0)], theirs)
    by = rows[rows["answered by"] == answers.AUTHORS].set_index("place")
    assert set(by["windows"]) == {2} and by.loc[answers.LAST, "answered"] == 0.5
    assert set(by["text"]) == {answers.EMMA} and rows["family"].nunique() == 2


def cell(table: str, chunker: str, collection: str, verdict: str = "not_run") -> dict[str, object]:
    keys = dict.fromkeys(KEYS, "x") | {"work": "taxonomy", "table": table, "chunker": chunker}
    reason = "weights are missing; needs recordings" if verdict == "not_run" else None
    rest = {
        "published": "0.50",
        "value": 0.5,
        "unit": "fraction",
        "place": "there",
    }
    return {
        **keys, "collection": collection, "statistic": "mean", **rest,
        "verdict": verdict, "reproduced": np.nan, "reason": reason,
    }  # fmt: skip


def test_published_rows_are_those_that_ask_a_model_in_the_tables_asked_for() -> None:
    comparison = pd.DataFrame(
        [
            cell("3", "lumberchunker", "scifact"),
            cell("3", "lumberchunker", "fiqa", "exact"),
            cell("3", "paragraph", "scifact"),
            cell("4", "lumberchunker", "scifact"),
            cell("5", "proposition", "scifact")
            | {"reason": "computed from 2 conditions, 1 not run: needs recordings; needs a key"},
        ]
    )
    prices = cost.prices(PLACES)
    found = published.cells(comparison)
    short = published.published(found, prices).set_index(["table", "chunker"])
    counts = short[["cells", "run"]].to_dict("index")
    assert list(counts["3", "lumberchunker"].values()) == [2, 1]
    assert ("4", "lumberchunker") not in counts and ("3", "paragraph") not in counts
    two = prices[(prices["chunker"] == "lumberchunker")].set_index("collection")["US dollars"]
    assert short.loc[("3", "lumberchunker"), "US dollars"] == pytest.approx(
        two["scifact"] + two["fiqa"]
    )
    assert published.lacking(found).set_index("needs")["cells"].to_dict() == {
        "needs recordings": 2, "needs a key": 1, "weights are missing": 1,
    }  # fmt: skip


def test_a_price_is_the_estimate_of_its_collection_at_a_dated_price() -> None:
    rows = cost.prices(PLACES)
    row = rows[(rows["collection"] == "scifact") & (rows["chunker"] == "proposition")].iloc[0]
    asked = segmentation_cost.Segmentation("scifact", "proposition", "gemini/gemini-2.5-flash")
    estimate, basis = segmentation_cost.cost(asked, PLACES)
    assert estimate is not None and estimate.dollars is not None
    assert row["US dollars"] == estimate.dollars and row["basis"] == basis
    assert row["price as of"] and row["requests"] == estimate.requests


def test_speed_is_measured_where_it_was_and_printed_where_it_is_printed() -> None:
    measured = pd.DataFrame(
        [{"collection": "scifact", "chunker": "paragraph", "documents": 100, "tokens": 5000,
          "chunks": 100, "seconds": 2.0}]
    )  # fmt: skip
    rows = cost.beside_score(records(emma.PARAGRAPH), PLACES, measured, [])
    row = rows.set_index("chunker").loc["paragraph"]
    assert row["documents a second"] == 50 and row["tokens a second"] == 2500
    assert row["printed a second"] == 1854 and row["US dollars, Emma"] == 0
    assert row["DCG@10"] == pytest.approx(0.5, abs=0.02) and row["n"] == len(QUERIES)
    lumber = rows.set_index("chunker").loc["lumberchunker"]
    assert lumber["US dollars, Emma"] > 0 and pd.isna(lumber["documents a second"])
