"""An evaluation that replaces an accepted one only if no system is worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkstudy.collections.user_collections import Documents
from chunkstudy.collections.user_documents import EVALUATION
from chunkstudy.core.files import write_json
from chunkstudy.user_data.baseline import Baseline, Setting, load_baseline
from chunkstudy.user_data.comparison import Evaluation
from chunkstudy.user_data.evaluate import evaluate
from chunkstudy.user_data.gate import (
    MAX_DROP,
    Gate,
    check_max_drop,
    compare_to_baseline,
    with_first_accepted,
)
from chunkstudy.user_data.output import GatedOutput, output_folder
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.systems import System


@dataclass(frozen=True)
class GatedEvaluation:
    """An evaluation, its comparison with the baseline, and whether it was accepted.

    Attributes:
        evaluation: the new evaluation; its folder is ``NAME.rejected`` if accepting it was refused
            and ``NAME`` holds an evaluation.
        gate: the outcome for every system.
        accepted: whether it replaced what was in the output folder.
        baseline: the accepted evaluation that it was compared with.
    """

    evaluation: Evaluation
    gate: Gate
    accepted: bool
    baseline: Baseline

    def __str__(self) -> str:
        decision = "accepted" if self.accepted else "rejected"
        sentence = (
            f"The new evaluation is {decision} ({self.gate.outcome}) and written to "
            f"{self.evaluation.folder}"
        )
        return f"{self.gate}\n{sentence}{'' if self.accepted else f'; {self.baseline.name} stays'}."


def evaluate_gated(
    baseline: str | Path | Baseline,
    documents: Documents,
    *args: Any,
    max_drop: float = MAX_DROP,
    allow_missing: bool = False,
    allow_undecided: bool = False,
    name: str = "",
    output: str | Path | None = None,
    **options: Any,
) -> GatedEvaluation:
    """Evaluate and compare with an accepted evaluation, which is replaced only if the gate passes.

    The baseline is read first and may be the folder that is written. Whatever prevents a comparison
    is refused before anything is ranked.

    Args:
        baseline: the accepted evaluation, or its folder.
        documents: as :func:`evaluate` takes them, like all that is not named here.
        max_drop: points by which a mean may fall.
        allow_missing: whether questions of the baseline may be gone.
        allow_undecided: whether an undecided result is accepted.
        output: the folder of an accepted result. A rejected one is written to ``OUTPUT.rejected``
            if the folder holds an evaluation already.

    Raises:
        ValueError, RuntimeError, FileNotFoundError: in a sentence on what to do.
    """
    check_max_drop(max_drop)
    accepted = baseline if isinstance(baseline, Baseline) else load_baseline(baseline)
    chosen = GatedOutput.choose(output_folder(documents, name, output), accepted.folder)

    def check(pipeline: Pipeline, systems: Sequence[System]) -> None:
        current = Setting.from_pipeline(pipeline, systems)
        accepted.check_comparable(current, allow_missing=allow_missing)

    with chosen.stage() as staged:
        evaluation = evaluate(
            documents, *args, name=name, output=staged, before_ranking=check, **options
        )
        gate = compare_to_baseline(
            evaluation, accepted, max_drop=max_drop, allow_missing=allow_missing
        )
        record = with_first_accepted(evaluation, gate)
        write_json(staged / EVALUATION, record)
        passes = gate.passes(allow_undecided=allow_undecided)
        folder = chosen.accept(staged, accepted.folder) if passes else chosen.reject(staged)
    return GatedEvaluation(
        replace(evaluation, folder=folder, record=record), gate, passes, accepted
    )
