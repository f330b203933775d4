"""What a public leaderboard measured stands beside our scores without chunking."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.published.cells import CellError
from chunkstudy.studies.late_within.leaderboard import AGREES, beside_leaderboard, read

ROOT = Path(__file__).parents[1]
WITNESSES = read(Places(ROOT))
FILE = "results/published/witnesses/leaderboard.csv"


def copied(folder: Path, old: str, new: str) -> Places:
    """The witnesses with one string changed wherever it stands."""
    target = folder / FILE
    target.parent.mkdir(parents=True)
    shutil.copy(ROOT / FILE, target)
    text = target.read_text(encoding="utf-8")
    assert old in text
    target.write_text(text.replace(old, new), encoding="utf-8")
    return Places(folder)


def test_every_recorded_score_without_chunking_agrees_with_its_witness() -> None:
    encoders = sorted({one.encoder for one in WITNESSES})
    beside = beside_leaderboard(Study("trial"), encoders)
    assert len(beside) == len(WITNESSES)
    apart = (beside["score"] - beside["witness"]).abs()
    assert (apart[beside["same_weights"]] <= AGREES).all()
    assert (beside["agrees"] == (apart <= AGREES)).all()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0.6557", "65.57", "line 2: published"),
        ("87b30e96bc3625439df74a216b3ed698009620b8", "main", "line 2: commit"),
        (
            "arguana,",
            "scifact,",
            r"has the key of another row \(scifact, sentence-tr",
        ),
        ("repository,commit", "repository,version", "unknown column 'version'"),
    ],
)
def test_a_row_that_is_no_witness_is_refused_in_one_sentence(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(CellError, match=said) as error:
        read(copied(tmp_path, old, new))
    assert "\n" not in str(error.value)
