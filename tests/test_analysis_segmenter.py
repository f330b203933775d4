"""The segmenter's chunks on excerpts: signs, families, and nothing where it was not run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.analysis import segmenter
from chunkstudy.grid.conditions import MINILM, Condition


class Library:
    """Made-up scores of each chunker on Chroma's corpora."""

    def __init__(self, lifts: dict[str, float]) -> None:
        ids = [f"q{i}" for i in range(60)]
        base = np.random.default_rng(0).random(60) / 2
        noise = np.random.default_rng(1).normal(0, 0.01, (len(lifts), 60))
        self.records = {
            Condition("chroma", name, MINILM, "pre_embedding", "corrected"): SimpleNamespace(
                wide=pd.DataFrame(dict.fromkeys(segmenter.MEASURES, base + lift + row), index=ids)
            )
            for (name, lift), row in zip(lifts.items(), noise, strict=True)
        }

    def get(self, condition: Condition) -> Any:
        return self.records.get(condition)


def table(lifts: dict[str, float]) -> pd.DataFrame:
    library: Any = Library(lifts)
    return segmenter.excerpts(library)


def test_a_difference_is_the_segmenters_score_minus_the_others() -> None:
    found = table({"segmenter": 0.2, "paragraph": 0.1, "fixed-64": 0.3}).set_index("other")
    better, worse = (found.loc[name] for name in ("paragraph", "fixed-64"))
    assert set(better["shown"]) == {"higher"} and set(worse["shown"]) == {"lower"}
    assert np.allclose(
        found["difference"], found["by the segmenter"] - found["by the other"], atol=1e-12
    )
    assert (found["n"] == 60).all() and (found["family_size"] == 2).all()


def test_there_is_no_row_without_the_segmenter_or_without_others() -> None:
    assert table({"paragraph": 0.1}).empty
    assert table({"segmenter": 0.1}).empty
