"""Late against plain chunking where whole documents are looked for, and short last chunks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.studies import late_whole as late
from chunkstudy.studies.late_whole.gains import Both

QUERIES = [f"q{i}" for i in range(40)]
CUT, MERGED = "fixed-256", "fixed-merged-256-64"
PROTOCOLS = (CORRECTED.name, AS_PUBLISHED_JINA.name)
RANDOM = np.random.default_rng(0)


def scores(**means: float) -> pd.DataFrame:
    noise = 0.02 * RANDOM.standard_normal((len(QUERIES), len(means)))
    return pd.DataFrame(noise + np.array([*means.values()]), index=QUERIES, columns=list(means))


@pytest.fixture(scope="module")
def arms() -> list[Both]:
    """Short last chunks cost plain chunking a tenth, and late chunking nothing."""
    return [
        Both(
            collection, "model", 512, protocol, "nDCG@10",
            scores(**{CUT: 0.5, MERGED: 0.5}), scores(**{CUT: 0.4, MERGED: 0.5}), frozenset({CUT}),
        )
        for protocol in PROTOCOLS
        for collection in ("scifact", "nfcorpus")
    ]  # fmt: skip


def test_a_gain_of_mended_last_chunks_is_lost_without_them(arms: list[Both]) -> None:
    tails = late.without_tails(arms, CUT, [MERGED])
    plain = tails["ordering"] == "pre_embedding"
    assert set(tails.loc[plain, "shown"]) == {"higher"} and "higher" not in set(
        tails.loc[~plain, "shown"]
    )
    left = late.left_of_gains(arms, CUT, [MERGED])
    assert set(left["shown"]) == {"higher"} and set(left["family_size"]) == {2}
    assert (left["gain"] - left["gain without short tails"]).tolist() == pytest.approx(
        left["difference"].tolist()
    )


def test_plain_documents_that_are_not_cut_stand_for_both_protocols() -> None:
    uncut = {"scifact": late.WHOLE}
    corrected, jinas = late.read(
        Study("trial"), uncut, "sentence-transformers/all-MiniLM-L6-v2", 512, PROTOCOLS, 10
    )
    pd.testing.assert_frame_equal(corrected.plain, jinas.plain)
    assert not corrected.late.equals(jinas.late)


@pytest.mark.parametrize(("window", "cut"), [(256, {"fixed-256"}), (512, set())])
def test_a_window_cuts_a_chunk_that_leaves_no_room_for_the_special_tokens(
    window: int, cut: set[str]
) -> None:
    some = {"scifact": ["fixed-64", "fixed-256"]}
    (both,) = late.read(
        Study("trial"), some, "sentence-transformers/all-MiniLM-L6-v2", window, PROTOCOLS[:1], 10
    )
    assert both.cut == cut
