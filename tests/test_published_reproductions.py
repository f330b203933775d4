"""How closely the taxonomy reproduces others, what late chunking changes in its tables, and what
the paper quotes of late chunking within documents: counted by a loop, on made-up tables."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.late_within import quoted
from chunkstudy.studies.late_within.reading import EVERY, MINILM


def rows(shown: dict[int, str], **keys: Any) -> pd.DataFrame:
    """A comparison a window, with the word that it ends in."""
    sign = {HIGHER: 1, LOWER: -1, NOT_SHOWN: 0.1}
    return pd.DataFrame(
        {"window": window, "shown": word, "difference": 0.02 * sign[word], "n": 40, **keys,
         "low": 0.02 * sign[word] - 0.01, "high": 0.02 * sign[word] + 0.01}
        for window, word in shown.items()
    )  # fmt: skip


WORDS = {128: HIGHER, 256: NOT_SHOWN, 512: LOWER}
WITHIN: dict[str, Any] = {"collection": quoted.CORPORA, "measure": quoted.DCG, "model": MINILM,
                          "over": EVERY, "documents": 5, "chunkers": 5}  # fmt: skip


def test_every_number_is_quoted_of_its_own_row_and_no_other() -> None:
    study = Study("trial")
    other = rows(dict.fromkeys(WORDS, NOT_SHOWN), **WITHIN | {"over": "chunks of 64 tokens"})
    quoted.of_windows(study, pd.concat([other, rows(WORDS, **WITHIN)]))
    kept = {name: text for name, text in study._numbers.items() if "." not in name}
    assert kept == {
        "late-minilm/narrow": "+2.0 [+1.0, +3.0]",
        "late-minilm/middle": "+0.2 [\N{MINUS SIGN}0.8, +1.2]",
        "late-minilm/wide": "\N{MINUS SIGN}2.0 [\N{MINUS SIGN}3.0, \N{MINUS SIGN}1.0]",
    }


@pytest.mark.parametrize("window", WORDS)
def test_a_test_that_ends_otherwise_stops_the_page(window: int) -> None:
    study = Study("trial")
    study.default = True
    study._keep = lambda: None  # type: ignore[method-assign]
    turned = WORDS | {window: HIGHER if WORDS[window] != HIGHER else LOWER}
    with pytest.raises(StudyError, match=r"late-minilm/.* no longer holds"):
        quoted.of_windows(study, rows(turned, **WITHIN))


def test_a_second_model_that_shows_the_opposite_stops_the_page() -> None:
    study = Study("trial")
    quoted.of_held(study, pd.DataFrame({"held": ["yes", "open", "yes"]}))
    assert study._numbers == {
        "held-for-a-second-model/asked": "3", "held-for-a-second-model/held": "2",
    }  # fmt: skip
    study.default = True
    study._keep = lambda: None  # type: ignore[method-assign]
    with pytest.raises(StudyError, match="held-for-a-second-model/asked"):
        quoted.of_held(study, pd.DataFrame({"held": ["yes", "no"]}))
