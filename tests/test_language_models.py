"""Where a language model's answers stand in their windows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.studies.language_models import answers


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
