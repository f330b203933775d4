"""The model of what search takes, and the random collections that it is measured on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.studies import search_cost as study
from chunkstudy.studies.search_cost import forecast as model

SHARES = np.array([2e-9, 3e-11, 4e-9])
SIZES = pd.DataFrame(
    [(d, n, q) for d in (384, 1024) for n in (3_000, 30_000, 300_000) for q in (1, 256)],
    columns=["dimension", "chunks", "queries"],
)


def timed(larger: float = 1.0) -> pd.DataFrame:
    """Costs that follow the model, those of the largest size times a factor."""
    terms = model.exact_terms(*(SIZES[one].to_numpy(float) for one in
                                ("chunks", "dimension", "queries")))  # fmt: skip
    factor = np.where(SIZES["chunks"] == 300_000, larger, 1.0)
    return SIZES.assign(seconds=terms @ SHARES * factor)


def test_costs_that_follow_the_model_are_found_without_error() -> None:
    found = model.exact_fit(timed())
    np.testing.assert_allclose(found.shares, SHARES, rtol=1e-6)
    assert found.error < 1e-9


def test_the_error_is_that_of_sizes_which_took_no_part() -> None:
    found = model.exact_fit(timed(larger=2.0))
    np.testing.assert_allclose(found.shares, SHARES, rtol=1e-6)
    assert found.error == pytest.approx(0.5)


def graph_rows() -> pd.DataFrame:
    rows = [
        {
            "vectors": "drawn", "chunks": n, "seed": seed, "search list": 50,
            "building seconds": 1e-6 * n * np.log2(n), "missed": 0.1,
            "recall": 0.8 - 0.01 * seed, "exact recall": 0.85,
            "low": -0.1, "high": -0.01 if seed else 0.0,
        }
        for n in (1_000, 10_000, 100_000) for seed in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_forecast_of_a_measured_size_is_what_was_measured() -> None:
    memory = pd.DataFrame({"dimension": [384, 384], "bytes a chunk": [1.0, 3_500.0]})
    far = model.forecast(timed(), memory, graph_rows()).set_index("chunks")
    ten = far.loc[10_000]
    one = model.exact_terms(*np.array([[10_000.0], [384.0], [1.0]])) @ SHARES
    assert ten["one question"] == pytest.approx(one[0])
    assert ten["while encoding"] == pytest.approx(0.035)
    assert ten["vectors"] == pytest.approx(4 * 384 * 1e4 / 1e9)
    assert 3600 * ten["building hours"] == pytest.approx(1e-2 * np.log2(1e4))
    assert far.loc[10**8, "vectors"] == pytest.approx(1e4 * ten["vectors"])


def test_verdicts_count_the_graphs_that_are_shown_to_lose() -> None:
    for _, row in model.verdicts(graph_rows()).iterrows():
        assert row["graphs"] == 3 and row["shown to lose"] == 2
        assert row["lost"] == pytest.approx(0.06) and row["spread"] == pytest.approx(0.02)


def real(chunks: int = 400, asked: int = 60) -> study.Asked:
    random = np.random.default_rng(3)
    vectors = study.unit(random.standard_normal((chunks, 24), dtype=np.float32) + 0.5)
    own = random.integers(chunks, size=asked)
    noise = random.standard_normal((asked, 24), dtype=np.float32)
    return study.Asked(vectors, study.unit(4 * vectors[own] + noise), [np.array([i]) for i in own])


def test_drawn_collections_are_as_the_real_one_where_they_are_held_to_it() -> None:
    one = real()
    shape = study.Shape.like(one)
    drawn = shape.draw(len(one.vectors), 0)
    assert drawn.cosine() == pytest.approx(one.cosine(), abs=0.03)
    np.testing.assert_allclose(np.linalg.norm(drawn.vectors, axis=1), 1, rtol=1e-5)
    mean = shape.chunks.normal(200_000, np.random.default_rng(0))
    np.testing.assert_allclose(
        np.cov(mean, rowvar=False), np.cov(one.vectors, rowvar=False), atol=2e-3
    )
    again = shape.draw(len(one.vectors), 0)
    np.testing.assert_array_equal(drawn.vectors, again.vectors)
