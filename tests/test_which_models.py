"""The tables of how far context reaches say what the study measured, text by text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.studies.which_models import bidirectionality as study
from chunkstudy.studies.which_models.reach import AGAINST, reach, yardsticks

TEXTS = 12


def movements(later: float, earlier: float, model: str = "a") -> pd.DataFrame:
    """As the study leaves them: movements grow from text to text, and fall with the distance."""
    rows = []
    for text in range(TEXTS):
        of = {"model": model, "collection": "chroma", "document": f"{text:02}", "start": 0}
        for way, size in ((study.LATER, later), (study.EARLIER, earlier)):
            moved = {
                **{(study.BEYOND, d): size * (text + 1) / (1 + d) for d in study.DISTANCES},
                **{(study.FEW, d): size * (text + 1) / (10 + d) for d in study.DISTANCES},
                **{(study.HALF, d): size * (text + 1) for d in study.NEAR},
                (study.SAME, 0): 0.0,
                (study.ALONE, 0): 0.5,
                (study.NEIGHBOUR, 0): 0.05,
                (study.APART, 0): 0.1 if way == study.LATER else 0.3,
            }
            rows += [
                of
                | {"direction": way, "distance": d, "replaced": what}
                | {"cosine distance": value, "relative distance": 2 * value}
                for (what, d), value in moved.items()
            ]
    return pd.DataFrame(rows)


def test_movement_is_the_mean_over_texts_and_set_against_the_next_chunk() -> None:
    found: Any = reach(movements(0.02, 0.01)).set_index(["replaced", "direction", "distance"])
    mean = np.mean(np.arange(1, TEXTS + 1))
    row = found.loc[(study.BEYOND, study.LATER, 64)]
    assert row["texts"] == TEXTS
    assert row["cosine distance"] == pytest.approx(0.02 * mean / 65)
    assert row["relative distance"] == pytest.approx(0.04 * mean / 65)
    assert row["of the next chunk"] == pytest.approx(0.02 * mean / 65 / 0.2)  # mean of both ends
    assert row["of the next chunk low"] < row["of the next chunk"] < row["of the next chunk high"]
    assert len(found) == 2 * (2 * len(study.DISTANCES) + len(study.NEAR))


def test_yardsticks_stand_apart_by_direction_and_the_same_text_gives_0() -> None:
    found: Any = yardsticks(movements(0.02, 0.01)).set_index(["against", "direction"])
    assert found.loc[(study.APART, study.LATER), "cosine distance"] == pytest.approx(0.1)
    assert found.loc[(study.APART, study.EARLIER), "cosine distance"] == pytest.approx(0.3)
    assert found.loc[(study.NEIGHBOUR, study.LATER), "of the next chunk"] == pytest.approx(0.25)
    assert (found.loc[AGAINST[study.SAME], "largest"] == 0).all()
