"""What the notebooks on Beyond Chunk-Then-Embed compute beyond a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies import taxonomy

CELLS = published_cells.frame(published_cells.read(Places(Path(__file__).parents[1])))
FIGURE = CELLS[(CELLS["work"] == "taxonomy") & CELLS["table"].str.startswith("figure 2")]
GRADED = "builtin-graded"


def of(chunkers: list[str], compute: str = "stored") -> pd.DataFrame:
    study = Study("trial", compute=compute)  # type: ignore[arg-type]
    plain = study.runs(GRADED, chunkers, window=512)
    late = study.runs(GRADED, chunkers, window=512, ordering="contextualized-512")
    return taxonomy.points([plain], [late], k=10)


@pytest.fixture(scope="module")
def points() -> pd.DataFrame:
    """Of two collections, the second of larger chunks and higher scores."""
    one = of(["sentence-5", "fixed-64"])
    other = one.assign(collection="scifact", relevant=2 * one["relevant"], plain=one["plain"] + 1)
    return pd.concat([one, other], ignore_index=True)


def test_every_correlation_of_the_page_is_that_of_its_points(points: pd.DataFrame) -> None:
    found: Any = taxonomy.correlations(points, FIGURE).set_index(
        ["chunker", "collection", "ordering", "definition"]
    )
    own = points[points["chunker"] == "sentence-5"]
    for name, here in (("in-corpus, pooled", own), (GRADED, own[own["collection"] == GRADED])):
        expected = stats.pearsonr(here["relevant"], here["late"])
        row = found.loc["sentence-5", name, "contextualized", "text"]
        assert row["r"] == pytest.approx(expected.statistic)
        assert row["p"] == pytest.approx(expected.pvalue)
    r = FIGURE.query("collection == 'beir' and chunker == 'sentence-5'")
    published = r[(r["ordering"] == "pre_embedding") & (r["statistic"] == "r")]["value"]
    row = found.loc["sentence-5", GRADED, "pre_embedding", "code"]
    assert row[list(taxonomy.SPREAD)].tolist() == [published.min(), published.max()]
    assert found.loc["fixed-64"]["published highest r"].isna().all()


def test_sizes_that_nobody_stored_are_measured_where_that_is_allowed() -> None:
    with pytest.raises(StudyError, match="no record"):
        of(["fixed-77"])
    stored, fresh = of(["fixed-64"]), of(["fixed-64"], "fresh")
    sizes = ["relevant", "document"]
    assert len(fresh) == len(stored)
    np.testing.assert_allclose(fresh[sizes], stored[sizes], rtol=1e-5)
