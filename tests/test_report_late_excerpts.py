"""What both orderings score on excerpts becomes tables and a sentence that follows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis import late_chunking
from chunkstudy.places import Places
from chunkstudy.render.late_chunking_answers_gains import excerpts, excerpts_alike, positions
from chunkstudy.studies.late_excerpts import MEASURES

QUERIES = 40


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Contextualized chunks gain 0.2 at 128 tokens and lose 0.3 at 512; positions cost nothing."""
    (tmp_path / "results" / "experiments").mkdir(parents=True)
    random = np.random.default_rng(0)
    rows = []
    for window, where, change in (
        (128, "", 0.2), (256, "", 0.0), (256, "256 to 511", 0.0), (512, "", -0.3),
        (512, "0 to 255", -0.3),
    ):  # fmt: skip
        for chunker in ("one", "two"):
            for query in range(QUERIES):
                plain = 0.5 + 0.02 * random.normal()
                late = plain + change + 0.02 * random.normal()
                arms = {f"{m}, plain": plain for m in MEASURES}
                arms |= {f"{m}, contextualized": late for m in MEASURES}
                key = {"collection": "chroma", "window": window, "positions": where}
                rows.append({**key, "chunker": chunker, "query": query, **arms})
    (tmp_path / "results" / "facts").mkdir()
    parts = {"query_id": range(QUERIES), "part": ["speech", "notes"] * (QUERIES // 2)}
    pd.DataFrame(parts).to_csv(tmp_path / "results" / "facts" / "chroma.csv", index=False)
    path = tmp_path / "results" / "experiments" / "late_excerpts.csv"
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.4f")
    return Places(tmp_path)


def test_moved_positions_enter_no_comparison_of_chunkers(places: Places) -> None:
    table = late_chunking.excerpts(places)
    assert len(table) == 3 * len(MEASURES) * 2
    assert set(table["n"]) == {QUERIES}


def test_a_query_counts_once_in_the_mean_over_chunkers(places: Places) -> None:
    raw = pd.read_csv(places.results / "experiments" / "late_excerpts.csv", keep_default_na=False)
    table = late_chunking.positions(places)
    of_corpora = table[table["corpus"] != "all"]
    assert set(of_corpora["corpus"]) == {"notes", "speech"}
    assert set(of_corpora["n"]) == {QUERIES // 2}
    table = table[table["corpus"] == "all"]
    assert set(table["n"]) == {QUERIES} and set(table["chunkers"]) == {2}
    wide = raw[(raw["window"] == 512) & (raw["positions"] == "")]
    change = (wide["DCG@10, contextualized"] - wide["DCG@10, plain"]).mean()
    row = table[(table["window"] == "512") & (table["positions"] == "in order")].iloc[0]
    assert float(row["difference"]) == pytest.approx(100 * change, abs=0.006)


def test_the_sentences_follow_the_figures(places: Places) -> None:
    made = {
        "late_chunking_excerpts": late_chunking.excerpts(places),
        "late_chunking_positions": late_chunking.positions(places),
    }
    found = excerpts(made)
    assert found is not None
    assert "of the chunkers 2, 0, 0 gain and 0, 0, 2 lose" in found[0]
    assert "on average over 2 chunkers and 40 questions" in found[0]
    table = made["late_chunking_positions"]
    widest = table[(table["window"] == "512") & (table["positions"] == "in order")]
    steps = [
        f"{corpus} {float(change):+.1f}"
        for corpus, change in zip(widest["corpus"], widest["difference"], strict=True)
        if corpus != "all"
    ]
    assert found[0].endswith(f"At 512 tokens, by corpus: {', '.join(steps)}.")
    cause = positions(made)
    assert cause is not None and cause[0].startswith("The context, mostly")


def test_without_the_experiment_there_is_no_answer(tmp_path: Path) -> None:
    made = {
        "late_chunking_excerpts": late_chunking.excerpts(Places(tmp_path)),
        "late_chunking_positions": late_chunking.positions(Places(tmp_path)),
    }
    made["late_chunking_excerpts_alike"] = pd.DataFrame()
    assert excerpts(made) is None and positions(made) is None and excerpts_alike(made) is None


def test_likeness_is_held_against_the_change_of_score(places: Places) -> None:
    made = {"late_chunking_excerpts": late_chunking.excerpts(places)}
    rows = [
        {
            "window": window,
            "positions": "",
            "chunker": chunker,
            "plain": 0.5,
            "contextualized": late,
        }
        for window, late in ((128, 0.6), (256, 0.7), (512, 0.8))
        for chunker in ("one", "two")
    ]
    moved = {**rows[0], "positions": "0 to 255", "contextualized": 0.1}
    made["late_chunking_excerpts_alike"] = pd.DataFrame([*rows, moved])
    found = excerpts_alike(made)
    assert found is not None
    assert "grow alike in 6 of 6 rows: at 128 tokens from 0.50 to 0.60, DCG@10 +20" in found[0]
    changes = made["late_chunking_excerpts"]
    of_dcg = changes[changes["measure"] == "DCG@10"]["difference"].astype(float)
    alike = np.repeat([0.1, 0.2, 0.3], 2)
    assert f"r = {np.corrcoef(alike, of_dcg)[0, 1]:.2f} over the rows" in found[0]
