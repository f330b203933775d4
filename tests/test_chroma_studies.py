"""What the notebooks on Chroma's report count, against the study's own records and by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from chunkstudy.studies import chroma


def recalls(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns).assign(
        chunker=[f"c{at}" for at in range(len(columns["published"]))]
    )


def test_rows_to_one_side_are_counted_and_what_rounds_to_the_published_one_is_on_neither() -> None:
    table = recalls(
        published=[0.5, 0.5, 0.5],
        **{
            "as published": [0.5004, 0.502, 0.503],
            "search mean": [0.4, 0.6, 0.5],
            "true offsets": [0.4, 0.4, 0.4],
            "corrected": [0.5, 0.5, 0.5],
        },
    )
    sides = chroma.sides(table).set_index("recall by")
    assert sides[["above", "below"]].to_numpy().tolist()[:2] == [[2, 0], [1, 1]]
    assert sides.loc["true offsets", "p"] == pytest.approx(2 * 0.5**3)
    assert sides.loc["corrected", "p"] == 1


def test_rows_are_told_apart_where_no_run_of_one_reaches_the_other() -> None:
    table = recalls(
        published=[0.5] * 3,
        **{"search least": [0.1, 0.2, 0.4], "search most": [0.3, 0.35, 0.5]},
    )
    yardstick = chroma.yardstick(table)
    assert yardstick["rows not told apart"].tolist() == [1, 1, 0]
    assert yardstick["width"].tolist() == pytest.approx([0.2, 0.15, 0.1])
