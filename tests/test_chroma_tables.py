"""Chroma's tables: unrounded, corrected by measure, and nothing where nothing was measured."""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy.evaluation.statistics.differences import EQUIVALENT, HIGHER, NOT_SHOWN
from chunkstudy.show.scores import Scores
from chunkstudy.studies import chroma

RECALL = "SpanRecall@5"


def model(noise: float = 0.01, **recalls: float) -> Scores:
    """A model's scores of a hundred questions, near the mean of each chunker."""
    random, ids = np.random.default_rng(3), [f"q{at}" for at in range(100)]
    frames = [
        pd.DataFrame({"chunker": name, "part": "one", "query_id": ids, RECALL: mean + drawn})
        for name, mean in recalls.items()
        for drawn in [noise * random.standard_normal(len(ids))]
    ]
    return Scores(pd.concat(frames), (RECALL,), dict.fromkeys(recalls, ""), 5)


def test_a_row_of_two_models_is_the_second_minus_the_first() -> None:
    first, second = model(a=0.5, b=0.7), model(a=0.7, b=0.7)
    table = chroma.models.one_by_one(first, second, (RECALL,)).set_index("chunker")
    assert table["difference"].round(1).to_dict() == {"a": 0.2, "b": 0}
    assert table["shown"].to_dict() == {"a": HIGHER, "b": EQUIVALENT}


def test_an_order_that_both_models_show_held_and_one_turned_round_did_not() -> None:
    table = chroma.models.order(model(a=0.5, b=0.7, c=0.6), model(a=0.5, b=0.6, c=0.7), (RECALL,))
    held = table.set_index(["chunker", "other chunker"])["held"].to_dict()
    assert held == {("a", "b"): "yes", ("a", "c"): "yes", ("b", "c"): "no"}
    assert (table["family_size"] == 3).all()


def test_where_one_model_shows_nothing_the_order_is_open() -> None:
    table = chroma.models.order(model(0.3, a=0.5, b=0.505), model(a=0.5, b=0.7), (RECALL,))
    assert (table["shown"].item(), table["held"].item()) == (NOT_SHOWN, "open")
