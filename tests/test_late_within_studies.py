"""What the notebook on late chunking within one document computes beyond a cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from chunkstudy.studies import late_within as late
from chunkstudy.studies.late_within.cut_chunks import DIGITS
from chunkstudy.studies.late_within.reading import Arms

QUERIES = [f"q{i}" for i in range(40)]
PAPERS = pd.Series([f"paper-{i // 2}" for i in range(40)], QUERIES)
WINDOWS = (128, 256, 512)
FIRST, SECOND = "one/first", "one/second"
GAIN = {128: 0.2, 256: 0.0, 512: -0.3}
CHUNKERS = ("paragraph", "fixed-64")
RANDOM = np.random.default_rng(1)


def scores(change: float) -> pd.DataFrame:
    values = 0.5 + change + 0.02 * RANDOM.standard_normal((len(QUERIES), len(CHUNKERS)))
    return pd.DataFrame(values, index=QUERIES, columns=list(CHUNKERS))


@pytest.fixture(scope="module")
def arms() -> Arms:
    """Two models gain at 128 tokens and lose at 512, the second twice as much."""
    cells = [(model, window) for model in (FIRST, SECOND) for window in WINDOWS]
    factor = {FIRST: 1, SECOND: 2}
    chunks = pd.Series({name: name.ljust(DIGITS, "0") + "rest" for name in CHUNKERS})
    return Arms(
        "trial", "DCG@10",
        {cell: scores(factor[cell[0]] * GAIN[cell[1]]) for cell in cells},
        {cell: scores(0) for cell in cells},
        dict.fromkeys(cells, chunks),
        PAPERS,
    )  # fmt: skip


def test_plain_chunks_that_are_read_whole_are_those_of_the_widest_window(arms: Arms) -> None:
    narrow = arms.late[FIRST, 128]
    own = replace(arms, late={**arms.late, (FIRST, 384): narrow})
    rows = late.read_whole([own]).set_index(["model", "window"])
    widest = arms.plain[FIRST, 512].to_numpy().mean()
    assert rows["plain"][FIRST].tolist() == pytest.approx([widest] * 4)
    assert rows["difference"][FIRST][384] == rows["difference"][FIRST][128]
    by_chunker = late.read_whole_by_chunker([own])
    assert len(by_chunker) == 7 * len(CHUNKERS)
    expected = narrow["fixed-64"].mean() - arms.plain[FIRST, 512]["fixed-64"].mean()
    found = late.at(by_chunker, model=FIRST, window=128, chunker="fixed-64")
    assert found["difference"].iloc[0] == pytest.approx(expected)


def test_a_result_holds_where_a_second_model_shows_the_same() -> None:
    words = {"higher": "yes", "lower": "no", "not shown": "open"}
    rows = pd.DataFrame(
        [
            {"collection": "trial", "measure": "DCG@10", "over": "all", "window": window,
             "model": model, "shown": shown}
            for window, word in enumerate([*words, "higher"])
            for model, shown in ((FIRST, "higher" if window < 3 else "not shown"), (SECOND, word))
        ]
    )  # fmt: skip
    found = late.held(rows, FIRST, SECOND)
    assert found["held"].tolist() == list(words.values())


def test_answers_in_chunks_that_are_cut_are_kept_apart_question_by_question(arms: Arms) -> None:
    large = QUERIES[:10]
    named = {"model": FIRST, "chunks": "paragraph".ljust(DIGITS, "0")}
    needs = [300 if one in large else 50 for one in QUERIES]
    measured = {
        "questions": pd.DataFrame(named | {"query_id": QUERIES, "needs": needs}),
        "chunkers": pd.DataFrame(named | {"window": WINDOWS, "cut": [0.3, 0.2, 0.0]}),
    }
    rows = late.by_cut([arms], measured)
    first = late.at(rows, model=FIRST).set_index(["window", "over"])
    assert first.loc[(128, late.TRUNCATED), "n"] == 10 and first.loc[(128, late.WHOLE), "n"] == 30
    assert (512, late.TRUNCATED) not in first.index and (512, late.CUT) not in first.index
    change = (arms.late[FIRST, 128] - arms.plain[FIRST, 128])["paragraph"]
    assert first.loc[(128, late.TRUNCATED), "difference"] == pytest.approx(change[large].mean())
    assert first.loc[(128, late.CUT), "difference"] == pytest.approx(change.mean())
    fit = (arms.late[FIRST, 128] - arms.plain[FIRST, 128])["fixed-64"].mean()
    assert first.loc[(128, late.FIT), "difference"] == pytest.approx(fit)
    # What was measured is of one model's chunks.
    assert not set(late.at(rows, model=SECOND)["over"]) & {late.WHOLE, late.TRUNCATED}
