"""What a public leaderboard measured stands beside our scores without chunking."""

from __future__ import annotations

from pathlib import Path

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.studies.late_within.leaderboard import AGREES, beside_leaderboard, read

ROOT = Path(__file__).parents[1]
WITNESSES = read(Places(ROOT))


def test_every_recorded_score_without_chunking_agrees_with_its_witness() -> None:
    encoders = sorted(set(WITNESSES["encoder"]))
    beside = beside_leaderboard(Study("trial"), encoders)
    assert len(beside) == len(WITNESSES)
    apart = (beside["score"] - beside["witness"]).abs()
    assert (apart[beside["same_weights"]] <= AGREES).all()
    assert (beside["agrees"] == (apart <= AGREES)).all()
