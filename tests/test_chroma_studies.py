"""What the notebooks on Chroma's report count, against the study's own records and by hand."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.base.places import find
from chunkstudy.published.side_by_side import OFFICIAL
from chunkstudy.published.sources import TOKEN_WINDOWS
from chunkstudy.runs import study_results
from chunkstudy.studies import chroma

ROWS = ["recursive-200-0-wordpiece-special", "cluster-250", *TOKEN_WINDOWS.values()]
TABLES = ("chroma/minilm", "chroma/appendix")


@cache
def found(*chunkers: str) -> pd.DataFrame:
    """Chunkers beside what was published of them."""
    study = Study("trial")
    runs = study.runs("chroma", list(chunkers), protocol="as_published-chroma")
    return study.beside(chroma.every_cut(runs), *TABLES)


def recalls(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns).assign(
        chunker=[f"c{at}" for at in range(len(columns["published"]))]
    )


def test_the_official_setting_explains_what_the_verdicts_say() -> None:
    beside = found(*ROWS)
    table = chroma.settings(beside, study_results.tables(find(), "chroma-search")["spread"])
    own = (table[list(OFFICIAL)] == pd.Series(OFFICIAL)).all(axis=1)
    (official,) = table[own].to_dict("records")
    every = beside[beside["stack_low"].notna()]
    keys = ["chunker", "part", "measure", "statistic"]
    recall = every["measure"].str.startswith("SpanRecall")
    whole = (every["part"] == "all") & (every["statistic"] == "mean")
    counted = every[recall | whole].drop_duplicates(keys)["verdict"].value_counts()
    assert official["explained"] == counted["within_stack"]
    assert official["not by exact search"] == counted.sum() - counted["exact"]
    assert table["published numbers"].nunique() == 1


def test_every_corpus_counts_its_own_numbers_and_nothing_is_counted_twice() -> None:
    beside = found(*ROWS)
    table = chroma.corpora(beside, study_results.tables(find(), "chroma-search")).set_index("part")
    assert table["published numbers"].sum() == beside["stack_low"].notna().sum()
    assert (table["missed, list 50"] < table["missed, list 10"]).all()
    elsewhere = table["located elsewhere"].to_dict()
    assert elsewhere["finance"] > 0.2 and elsewhere["chatlogs"] == 0
    assert len(chroma.unexplained(beside)) == (beside["verdict"] == "deviates").sum()


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
