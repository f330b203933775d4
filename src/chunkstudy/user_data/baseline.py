"""An accepted evaluation, read from its folder before anything is computed.

What another evaluation must share with it to be compared: task, deciding measure, a system, the
model of that system, and questions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from chunkstudy.collections.user_documents import EVALUATION
from chunkstudy.core.errors import UserError, one_line
from chunkstudy.user_data.output import restore_interrupted
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.question_identity import (
    Pairing,
    QuestionIdentity,
    identify_questions,
    pair_questions,
)
from chunkstudy.user_data.record import FIRST_ACCEPTED, content_digest, scores_digest
from chunkstudy.user_data.report import SCORES
from chunkstudy.user_data.systems import System, labels

ENVIRONMENT = ("computed_by", "device", "batch_rule")
"""Entries of a model's description that do not tell it from another model."""
LEARNT = "dimension"
"""The entry that a server's model lacks until it is asked for a vector."""


class SystemKey(NamedTuple):
    """What identifies a system in two evaluations."""

    chunker: str
    encoder: str
    ordering: str


Models = Mapping[SystemKey, Any]
"""The description of each system's model and reranker, None of BM25 alone."""


@dataclass(frozen=True)
class Setting:
    """What two evaluations must share to be compared.

    Attributes:
        task: excerpts or whole documents.
        measure: the one that decides.
        models: of each system.
        questions: by id.
    """

    task: str
    measure: str
    models: Models
    questions: Mapping[str, QuestionIdentity]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Setting:
        """Read the setting from the record of an evaluation."""
        return cls(
            str(record["collection"]["task"]),
            str(record["measures"][0]),
            {_key(arm): _model(arm["model"], arm.get("reranker")) for arm in record["arms"]},
            {id_: QuestionIdentity(**one) for id_, one in record["questions"].items()},
        )

    @classmethod
    def from_pipeline(cls, pipeline: Pipeline, systems: Sequence[System]) -> Setting:
        """Return the setting of an evaluation that has not started."""
        return cls(
            pipeline.texts.task,
            pipeline.measures[0],
            {_key(system.keys): _described(pipeline, system) for system in systems},
            identify_questions(pipeline.texts),
        )


@dataclass(frozen=True)
class Baseline:
    """An accepted evaluation.

    Attributes:
        name: its folder as the user names it.
        folder: the same, resolved.
        sha256: the digest of its record.
        setting: what another evaluation must share with it.
        scores: by question id, a column for each system (:class:`SystemKey`).
        texts: the questions by id.
        first_accepted: the mean score with which each system was accepted first.
    """

    name: str
    folder: Path
    sha256: str
    setting: Setting
    scores: Mapping[SystemKey, pd.Series]
    texts: Mapping[str, str]
    first_accepted: Mapping[SystemKey, float]

    def check_comparable(self, current: Setting, *, allow_missing: bool = False) -> Pairing:
        """Pair the questions of both evaluations.

        Args:
            current: the setting of the evaluation to compare.
            allow_missing: whether questions of the baseline may be gone.

        Raises:
            UserError: if the two cannot be compared.
        """
        accepted = self.setting
        if accepted.task != current.task:
            raise UserError(
                f"Baseline '{self.name}' and this evaluation judge different things "
                f"({accepted.task} and {current.task}); evaluate the same kind of questions"
            )
        if accepted.measure != current.measure:
            raise UserError(
                f"Baseline '{self.name}' is decided by {accepted.measure}, this evaluation by "
                f"{current.measure}; use the options that the baseline was evaluated with"
            )
        common = [key for key in current.models if key in accepted.models]
        if not common:
            raise UserError(
                f"Baseline '{self.name}' has none of these systems; evaluate one of "
                f"{'; '.join(', '.join(key) for key in accepted.models)}"
            )
        for key in common:
            if changed := _first_change(accepted.models[key], current.models[key]):
                raise UserError(
                    f"Baseline '{self.name}' was computed with another model under the name "
                    f"'{key.encoder}' ({changed} differs); accept an evaluation with the new model "
                    "first, or name the old one"
                )
        pairing = pair_questions(accepted.questions, current.questions)
        lost = " ".join(pairing.describe(self.texts))
        if not pairing.pairs:
            raise UserError(
                f"Baseline '{self.name}' has none of these questions. {lost} Evaluate again "
                "without --baseline to accept other questions"
            )
        if lost and not allow_missing:
            raise UserError(
                f"Baseline '{self.name}' cannot be compared as a whole. {lost} Restore them, or "
                "compare the others with --allow-missing"
            )
        return pairing


def load_baseline(path: str | Path) -> Baseline:
    """Read an accepted evaluation into memory.

    Args:
        path: its folder, or ``evaluation.json`` there.

    Raises:
        UserError: if it is missing or not whole.
    """
    named = Path(path).expanduser()
    folder = named.parent if named.name == EVALUATION else named
    try:
        folder = folder.resolve()
        restore_interrupted(folder)
        if not (folder / EVALUATION).is_file():
            raise UserError(
                f"Baseline '{path}' has no {EVALUATION}; evaluate once without --baseline to "
                "accept a result"
            )
        record = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
        if "questions" not in record or not _has_score_digests(record):
            raise UserError(
                f"Baseline '{path}' was written by an earlier version, which does not record what "
                "answers its questions; evaluate the accepted state again"
            )
        if record["sha256"] != content_digest(record):
            raise ValueError("its digest is another one")
        setting = Setting.from_record(record)
        scores, texts = _read_scores(folder / SCORES, record, setting)
        first = _first_accepted(record)
    except UserError:
        raise
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(
            f"Baseline '{path}' is not a whole evaluation ({one_line(error)}); name the folder of "
            "one that `chunkstudy evaluate` wrote, or evaluate again"
        ) from None
    means = {key: float(column.mean()) for key, column in scores.items()}
    return Baseline(str(path), folder, record["sha256"], setting, scores, texts, means | first)


def _has_score_digests(record: Any) -> bool:
    return all("deciding_scores_sha256" in arm for arm in record["arms"])


def first_accepted(scores: Mapping[SystemKey, float]) -> list[dict[str, Any]]:
    """Return the entry of a record that keeps the first accepted score of each system."""
    return [key._asdict() | {"score": score} for key, score in scores.items()]


def _first_accepted(record: Mapping[str, Any]) -> dict[SystemKey, float]:
    first = {_key(entry): float(entry["score"]) for entry in record.get(FIRST_ACCEPTED, [])}
    if not all(0 <= score <= 1 for score in first.values()):
        raise ValueError(f"{FIRST_ACCEPTED} holds what is not a score between 0 and 1")
    return first


def scores_by_system(
    record: Mapping[str, Any], scores: Mapping[str, pd.Series]
) -> dict[SystemKey, pd.Series]:
    """Return the scores of each system, given by the names of its columns.

    Raises:
        UserError: if two systems have the same name.
    """
    if len(set(record["columns"])) < len(record["columns"]):
        raise UserError("Two systems have the same name; rename one of your chunkers")
    keys = [_key(arm) for arm in record["arms"]]
    return {key: scores[name] for key, name in zip(keys, record["columns"], strict=True)}


def system_labels(keys: Sequence[SystemKey]) -> list[str]:
    """Return names of systems for messages."""
    return labels([key._asdict() for key in keys])


def _read_scores(
    path: Path, record: Mapping[str, Any], setting: Setting
) -> tuple[dict[SystemKey, pd.Series], dict[str, str]]:
    """Read the scores and texts of the questions, and check that they belong to the record."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    header, ids = [str(name) for name in frame], frame.iloc[:, 0].tolist()
    if header[:2] != ["id", "question"] or sorted(header[2:]) != sorted(record["columns"]):
        raise ValueError(f"{SCORES} has other systems than {EVALUATION}")
    if sorted(ids) != sorted(setting.questions):
        raise ValueError(f"{SCORES} has other questions than {EVALUATION}")
    if frame.isna().to_numpy().any():
        raise ValueError(f"{SCORES} is cut short")
    columns = {name: pd.Series([*map(_score, frame[name])], index=ids) for name in header[2:]}
    for name, arm in zip(record["columns"], record["arms"], strict=True):
        if scores_digest(columns[name]) != arm["deciding_scores_sha256"]:
            raise ValueError(f"{SCORES} has other scores than {EVALUATION}")
    return scores_by_system(record, columns), dict(zip(ids, frame["question"], strict=True))


def _score(cell: str) -> float:
    score = float(cell) if cell else math.nan
    if cell and not 0 <= score <= 1:
        raise ValueError(f"{SCORES} holds {cell}, which is not a score between 0 and 1")
    return score


def _key(keys: Mapping[str, Any]) -> SystemKey:
    return SystemKey(*(str(keys[name]) for name in SystemKey._fields))


def _described(pipeline: Pipeline, system: System) -> Any:
    store, reranker = pipeline.store(system.retriever), system.retriever.reranker
    model = store.encoder.describe() if store else None
    return _model(model, reranker.described if reranker else None)


def _model(encoder: Any, reranker: Any) -> dict[str, Any]:
    """Return what identifies a model and its reranker, as JSON reads it."""
    described = json.loads(json.dumps({"encoder": encoder, "reranker": reranker}))
    return {
        part: {name: value for name, value in (of_part or {}).items() if name not in ENVIRONMENT}
        for part, of_part in described.items()
    }


def _first_change(accepted: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    """Name the first entry in which two descriptions differ; empty if they agree."""
    for part in accepted:
        for name in dict.fromkeys([*accepted[part], *current[part]]):
            values = accepted[part].get(name), current[part].get(name)
            unknown = name == LEARNT and None in values
            if values[0] != values[1] and not unknown:
                return f"{name} of the {part}"
    return ""
