"""How the pages on late chunking keep what the paper quotes of them."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.show.formats import estimate
from chunkstudy.show.study import Study


def quote(
    study: Study, name: str, rows: pd.DataFrame, outcome: str, count: bool = False, **keys: object
) -> None:
    """Keep a tested difference, in points with its interval; nothing where there is no such row,
    as with other parameters than the study's own.

    Args:
        study: the notebook's.
        name: by which the paper's text calls it.
        rows: comparisons.
        outcome: how its test ends, which the paper says.
        count: whether to keep too over how many questions it is, as ``name.n``.
        keys: of the row.

    Raises:
        StudyError: with the study's own parameters, if the test ends otherwise.
    """
    for _, row in (at(rows, **keys) if keys else rows).iterrows():
        study.says(name, estimate(row), row["shown"] == outcome)
        if count:
            study.says(f"{name}.n", f"{row['n']:,.0f}")
