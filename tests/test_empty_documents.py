"""Empty documents: every step from one to a score, rankings that hold them, and the tables."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base import places as here
from chunkstudy.runs import study_results
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.taxonomy.empty_documents import (
    chain,
    evidence,
    simulation,
)

PLACES = here.find()
STEPS = pd.read_csv(evidence.STEPS, index_col="name")["result"]
NEED_DATA_OR_A_DOWNLOAD = {
    "No empty document where nothing is lost",
    "The splitter, the paper's version",
}
HERE = [name for name in chain.CHECKS if name not in NEED_DATA_OR_A_DOWNLOAD]
IDS = [f"d{i:03}" for i in range(400)]


@pytest.mark.parametrize("name", HERE)
def test_each_step_of_the_chain_comes_out_as_the_explanation_needs(name: str) -> None:
    ran, result = chain.CHECKS[name](Context(PLACES))
    assert result == STEPS[name]
    assert any(letter.isdigit() for letter in ran)  # with its version


def test_a_splitter_that_cannot_run_says_so_in_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho first >&2\necho no such module >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(study_results.StudyError, match="splitter failed: no such module"):
        chain.split([""], broken)


def test_an_unscored_document_lets_documents_from_below_rise_and_a_guarded_one_does_not() -> None:
    stay = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(IDS).tolist()
        assert chain.best_ten_stay(order, {"d200e": -1.0}) and chain.best_ten_stay(order, {})
        stay.append(chain.best_ten_stay(order, {"d200e": math.nan}))
    assert not all(stay)


def ranking(queries: int) -> tuple[simulation.Ranked, dict[str, dict[str, int]]]:
    """Rankings of 20 documents whose first two are relevant."""
    orders = [np.random.default_rng(n).permutation(IDS)[:20].tolist() for n in range(queries)]
    ranked = {f"q{n}": order for n, order in enumerate(orders)}
    return ranked, {query: {order[0]: 1, order[1]: 1} for query, order in ranked.items()}


def test_the_guard_makes_an_empty_document_harmless_and_nan_does_not() -> None:
    ranked, judged = ranking(20)
    spoilt = []
    for seed in range(8):
        generator = np.random.default_rng(seed)
        added = simulation.empty_documents(IDS, 3, generator)
        assert len(set(added) - set(IDS)) == 3
        queries, guarded, kept = simulation.score(ranked, judged, IDS, added, generator)
        assert (queries, guarded) == (20, 1)
        spoilt.append(kept)
    assert min(spoilt) < 0.9 and len(set(spoilt)) > 1  # how much depends on the empty ones' ids
