"""Two models' moderators: a difference that is there is found, a shared effect is none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis.moderators_models import between
from chunkstudy.analysis.moderators_rows import AMID, MODERATORS, NEAR, SPLIT, TRUNCATED
from chunkstudy.analysis.paired import LOWER

ONE, OTHER = "made/one", "made/other"
CHUNKERS = ("fixed-64", "sentence-5")


def rows(shared: float, own: float, chunkers: tuple[str, ...] = CHUNKERS) -> pd.DataFrame:
    """Forty documents of ten questions, by two models: with both the gain falls by ``shared`` per
    token from the window's ends, with the other one by ``own`` more."""
    drawn = np.random.default_rng(1)
    size = 400
    texts = {name: drawn.standard_normal(size) for name in MODERATORS}
    texts |= {name: drawn.integers(0, 2, size).astype(float) for name in (SPLIT, TRUNCATED)}
    found = []
    for chunker in chunkers:
        for model, slope in ((ONE, shared), (OTHER, shared + own)):
            plain = 0.5 + 0.02 * drawn.standard_normal(size)
            gain = -slope * texts[AMID] + 0.02 * drawn.standard_normal(size)
            found.append(
                pd.DataFrame(texts).assign(
                    model=model,
                    window=256,
                    collection="papers",
                    chunker=chunker,
                    query_id=[f"q{i}" for i in range(size)],
                    place=drawn.random(size),
                    document=[f"paper-{i // 10}" for i in range(size)],
                    plain=plain,
                    late=plain + gain,
                    gain=gain,
                )
            )
    return pd.concat(found, ignore_index=True)


def test_an_effect_that_one_model_alone_has_is_shown_and_as_large_as_it_is() -> None:
    made = between(rows(shared=0.1, own=0.05)).set_index("moderator")
    assert set(made["model"]) == {OTHER} and set(made["other model"]) == {ONE}
    step = made["size of step"][AMID]
    assert made["gain per step"][AMID] == pytest.approx(-0.05 * step, abs=0.005)
    assert made["shown"][AMID] == LOWER
    slopes = made["late per step"] - made["plain per step"]
    assert np.allclose(slopes, made["gain per step"])


def test_an_effect_that_both_models_have_is_no_difference() -> None:
    made = between(rows(shared=0.1, own=0.0)).set_index("moderator")
    assert made["shown"][AMID] != LOWER and abs(made["gain per step"][AMID]) < 0.005
    assert made["shown"][NEAR] != LOWER


def test_chunks_whose_boundaries_a_model_sets_are_not_compared() -> None:
    both = between(rows(0.1, 0.05, ("fixed-64", "cluster-200")))
    assert set(both["rows"]) == {400}
    assert between(rows(0.1, 0.05, ("cluster-200",))).empty


def test_a_single_model_has_nothing_to_differ_from() -> None:
    one = rows(0.1, 0.05)
    assert between(one[one["model"] == ONE]).empty and between(one.head(0)).empty


def test_every_moderator_says_what_its_step_counts() -> None:
    made = between(rows(0.1, 0.05))
    assert made["unit of step"].ne("").all() and made["unit of step"].notna().all()
    assert made.loc[made["moderator"] == SPLIT, "unit of step"].item() == "yes or no"
