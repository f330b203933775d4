"""What the notebooks on Jina's posts count in the posts' tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.studies import jina
from chunkstudy.studies.jina.posts import STRENGTH

PLACES = Places(Path(__file__).parents[1])
CELLS = published_cells.frame(published_cells.read(PLACES))


def printed(table: str, work: str = "jina") -> pd.DataFrame:
    return CELLS[(CELLS["work"] == work) & (CELLS["table"] == table)]


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
