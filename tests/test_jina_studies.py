"""What the notebooks on Jina's posts count, in the posts' tables and against records."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.runs.library import Library
from chunkstudy.show.runs import Runs
from chunkstudy.studies import jina
from chunkstudy.studies.jina.posts import STRENGTH

PLACES = Places(Path(__file__).parents[1])
CELLS = published_cells.frame(published_cells.read(PLACES))
JINA, LATE = "as_published-jina", "contextualized-512"
CHUNKERS = ["fixed-256", "sentence-5"]


def printed(table: str, work: str = "jina") -> pd.DataFrame:
    return CELLS[(CELLS["work"] == work) & (CELLS["table"] == table)]


def run(ordering: str = "pre_embedding", collection: str = "nfcorpus") -> Runs:
    return Study("trial").runs(collection, CHUNKERS, window=512, protocol=JINA, ordering=ordering)


def test_a_gain_is_late_minus_the_same_chunker_plain_and_corrected_over_all_of_them() -> None:
    collections = ("nfcorpus", "scifact")
    plain = [run(collection=one).scores(k=10) for one in collections]
    late = [run(LATE, one).scores(k=10) for one in collections]
    table: Any = jina.gains(late, plain)
    assert list(zip(table["collection"], table["chunker"], strict=True)) == list(
        product(collections, CHUNKERS)
    )
    assert set(table["family_size"]) == {4}
    library = Library(PLACES)
    means = {
        (one.chunker, one.ordering): record.wide["nDCG@10"].mean()
        for one in library
        if one.collection == "nfcorpus" and one.encoder.endswith("MiniLM-L6-v2-w512")
        if one.protocol == JINA and (record := library.get(one)) is not None
    }
    for row in table[table["collection"] == "nfcorpus"].to_dict("records"):
        expected = means[row["chunker"], LATE] - means[row["chunker"], "pre_embedding"]
        assert row["difference"] == pytest.approx(expected)


def test_counts_of_combinations_agree_with_a_loop_over_the_cells() -> None:
    value = {
        (c["encoder"], c["chunker"], c["ordering"], c["collection"]): c["value"]
        for c in printed("combinations").to_dict("records")
    }
    table: Any = jina.comparisons(printed("combinations"))
    found = table[table["question"] == "weaker late against stronger plain"]["above"].sum()
    order = {name: i for i, name in enumerate(STRENGTH)}
    expected = sum(
        value[weak, chunker, "contextualized", name] > value[strong, other, "pre_embedding", where]
        for weak, chunker, ordering, name in value
        for strong, other, plain, where in value
        if ordering == "contextualized" and plain == "pre_embedding"
        if (chunker, name) == (other, where) and order[weak] < order[strong]
    )
    assert found == expected > 0
    assert (table["above"] + table["equal"] + table["below"] == table["cells"]).all()


def test_a_score_published_again_is_the_same_where_it_rounds_to_the_first() -> None:
    post, first = printed("combinations"), printed("beir")
    again = jina.prints(post, {"first post": first})
    assert len(again) == 8 and set(again["same"]) == {"yes"}
    moved = first.assign(value=first["value"] + 0.2 * (first["collection"] == "fiqa"))
    found = jina.prints(post, {"moved": moved})
    assert set(found["collection"][found["same"] == "no"]) == {"fiqa"}


def test_a_score_that_is_another_models_is_named_so() -> None:
    post, quoted = printed("combinations"), printed("2, repository", "taxonomy")
    found: Any = jina.prints(post, {"there": quoted[quoted["statistic"] == "original"]})
    borrowed = found.dropna(subset="other model")
    assert set(borrowed["encoder"]) == {STRENGTH[2]} and set(borrowed["collection"]) == {"fiqa"}
    assert set(borrowed["other model"]) == {STRENGTH[0]} and len(borrowed) == 6
    table = jina.agreement(found).set_index("encoder")
    assert table["scores"].tolist() == [24, 24]
    assert table["another model's"].to_dict() == {STRENGTH[1]: 0, STRENGTH[2]: 6}
    assert table["the same"].sum() == (found["same"] == "yes").sum()
