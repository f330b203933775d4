"""What the notebooks on Beyond Chunk-Then-Embed compute beyond a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.show.faults import StudyError
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


def test_the_sensitivity_holds_both_definitions_themselves(points: pd.DataFrame) -> None:
    keys = ["chunker", "collection", "ordering"]
    found = taxonomy.sensitivity(points).set_index(keys)
    ours = taxonomy.correlations(points, FIGURE).set_index(keys)
    for name, column in (("text", "text"), ("code", "code, no outliers, log")):
        expected = ours.loc[ours["definition"] == name, "r"]
        assert found[column].to_dict() == pytest.approx(expected.to_dict(), nan_ok=True)
    assert found["significant"].between(0, 8).all()


def test_sizes_that_nobody_stored_are_measured_where_that_is_allowed() -> None:
    with pytest.raises(StudyError, match="no record"):
        of(["fixed-77"])
    stored, fresh = of(["fixed-64"]), of(["fixed-64"], "fresh")
    sizes = ["relevant", "document"]
    assert len(fresh) == len(stored)
    np.testing.assert_allclose(fresh[sizes], stored[sizes], rtol=1e-5)


def test_a_panel_tells_the_correlation_of_its_points(points: pd.DataFrame) -> None:
    drawn = taxonomy.by_text(points, "pre_embedding")
    equal = drawn.assign(size=5.0).query(f"collection == '{GRADED}'")
    figure, alone = (taxonomy.figure_points(one, "nDCG@10") for one in (drawn, equal))
    r = stats.pearsonr(*drawn.query("chunker == 'fixed-64'")[["size", "score"]].to_numpy().T)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert len(titles) == 2 * 3 and f"together, r = {r.statistic:.2f}" in titles[-1]
    assert all(axes.get_title(loc="left").endswith("sizes are equal") for axes in alone.axes)
    plt.close("all")


def test_rankings_agree_as_kendall_counts_it_over_the_six_methods() -> None:
    table = CELLS[(CELLS["work"] == "taxonomy") & (CELLS["table"] == "3")]
    tau = taxonomy.agreement(table)
    own = table[(table["encoder"] == "jinaai/jina-embeddings-v3") & (table["chunker"] != "average")]
    wide = own.pivot(index="chunker", columns="collection", values="value")
    assert len(tau) == 4 and len(wide) == 6
    expected = stats.kendalltau(wide["average"], wide["gutenqa"]).statistic
    assert tau["jinaai/jina-embeddings-v3"] == pytest.approx(expected)


def test_a_ceiling_is_what_the_records_say_that_any_ranking_can_reach() -> None:
    study = Study("trial")
    chunkers = ["paragraph", "lumberchunker-released"]
    found = study.runs("gutenqa-emma", chunkers, window=512, protocol=taxonomy.JUDGED[0])
    ceilings, scores = taxonomy.ceilings(found), found.scores(k=10)
    assert list(ceilings.index) == chunkers and ceilings.between(0, 1).all()
    assert all(ceilings[one] >= scores.of(one, "DCG@10").mean() for one in chunkers)
