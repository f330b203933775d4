"""A record whose encoder is not on this machine, held against all that no vector takes part in: its
collection, its chunks, and the scores that its kept ranking gives."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd

from chunkstudy.base import places
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Collection
from chunkstudy.base.weights import at_hand
from chunkstudy.collections.registry import load_collection
from chunkstudy.encoders import models
from chunkstudy.publish import planned
from chunkstudy.runs import records, rescore
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import NONE, Condition, parse_encoder

HALF_UNIT = 0.6e-6
"""Scores are stored with six decimals."""
NOT_CHECKED, DIFFERENT = "vectors not checked", "different"


def lacks_encoder(condition: Condition) -> bool:
    """Whether the evaluated encoder is not on this machine."""
    if condition.encoder == NONE:
        return False
    return not at_hand(models.spec(parse_encoder(condition.encoder).model))


def recorded(pattern: str) -> list[Condition]:
    """The study's conditions of that pattern whose encoder is not here; without a pattern one of
    each collection at hand and encoder, that of which most can be checked."""
    runs = places.find().runs
    lacking = [
        condition
        for condition in planned.conditions(places.find())
        if lacks_encoder(condition) and records.complete(runs, condition)
    ]
    if pattern:
        return [condition for condition in lacking if fnmatch(str(condition), pattern)]
    if not os.environ.get("CHUNKSTUDY_DATA"):
        lacking = [condition for condition in lacking if condition.collection.startswith("builtin")]

    def checkable(condition: Condition) -> tuple[bool, bool]:
        ranked = records.read(runs, condition).ranking() is not None
        return ranked, not condition.chunking.needs_encoder

    return sorted({(c.collection, c.encoder): c for c in sorted(lacking, key=checkable)}.values())


def compare(condition: Condition, runs: Path) -> tuple[str, str]:
    """Whether what can be computed here agrees with its record below ``runs``, and a sentence."""
    try:
        record = records.read(runs, condition)
        run, scores = record.run, record.scores
        collection = load_collection(condition.collection)
        if collection.digest() != run.collection_sha256:
            return DIFFERENT, f"{DIFFERENT}: {condition}, another collection is here"
        chunks = _chunks(condition, run, collection)
        measures = _measures(run, scores, record.ranking())
    except SourceError as error:
        return "not run", f"not run: {condition}: {error}"
    except (ValueError, RuntimeError) as error:
        return DIFFERENT, f"{DIFFERENT}: {condition}, {error}"
    return NOT_CHECKED, f"{NOT_CHECKED}: {condition}, {chunks}, {measures}"


def _chunks(condition: Condition, run: records.Run, collection: Collection) -> str:
    """
    Raises:
        RecordError: if the chunks made here are others.
    """
    spec = condition.chunking
    if spec.needs_encoder or spec.encoder:
        return "nor chunks, which an encoder draws"
    if PROTOCOLS[condition.protocol].tokenizer == "encoder" and spec.entry.takes("tokenizer"):
        return "nor chunks, which are counted in the encoder's own tokens"
    try:
        digest = chunk(condition, collection, None).digest()
    except RuntimeError as error:  # a language model that is not here draws them
        return f"nor chunks: {error}"
    if digest != run.chunks_sha256:
        raise records.RecordError(
            f"other chunks: {run.chunks_sha256[:12]} recorded and {digest[:12]} here"
        )
    return f"the same {run.counts.chunks:,} chunks"


def _measures(run: records.Run, scores: pd.DataFrame, ranking: pd.DataFrame | None) -> str:
    """
    Raises:
        RecordError: if the ranking gives other scores.
    """
    if ranking is None:
        return "no ranking at hand that gives its scores"
    given = 0
    for measure in run.measures:
        try:
            values = rescore.values(run, measure, ranking).reindex(scores.index)
        except ValueError:  # it reads more than is kept, or the chunks alone
            continue
        given += 1
        differences = (values - scores[measure]).abs()
        if differences.max() > HALF_UNIT or (values.isna() != scores[measure].isna()).any():
            raise records.RecordError(f"its ranking gives another {measure}")
    return f"{given} of {len(run.measures)} measures as its ranking gives them"
