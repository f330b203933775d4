"""Conditions run again and held against their records: ``python -m tests.check_runs [PATTERN]``.

One for each family of chunkers, each ordering, each protocol and each task, on the built-in
collection with MiniLM, so that it takes minutes; with CHUNKSTUDY_DATA a few on real collections. A
run goes to a temporary folder. What no record of the study covers, all that is asked within a
document among it, has a record below ``tests/records``.

Records whose encoder is not on this machine follow, those of the pattern, or without a pattern one
of each collection and encoder: their collection, their chunks and the scores that the kept ranking
gives are held against them, vectors are not.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.collections import builtin, registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import RecordError, ResourceError
from chunkstudy.core.project import find_project
from chunkstudy.core.protocols import PROTOCOLS
from chunkstudy.core.spans import Collection
from chunkstudy.core.weights import at_hand
from chunkstudy.encoders import models
from chunkstudy.pipeline import records, rescore
from chunkstudy.pipeline.chunking import cut
from chunkstudy.pipeline.conditions import (
    LATE_512,
    LOCAL_SMOLLM,
    MINILM,
    MINILM_512,
    NONE,
    PRE_EMBEDDING,
    Condition,
    parse,
    parse_encoder,
)
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.run import run
from chunkstudy.release import grid
from chunkstudy.release.reproduce import TOLERANCE, pool
from tests.small_context import quoted

HALF_UNIT = 0.6e-6
"""Scores are stored with six decimals."""
NOT_CHECKED, DIFFERENT = "vectors not checked", "different"
MACHINE = {"packages", "python", "platform"}
VECTORS = {"per_query_sha256", "ranking", "tie_range"}
BOUNDARIES = {"chunks_sha256", "sizes", "counts"}
"""What else vectors move where they draw the boundaries."""
OWN_RECORDS = Path(__file__).parent / "records"
WITHIN = "builtin-within"
CONDITIONS = f"""
builtin/recursive-200-0/{MINILM}/{PRE_EMBEDDING}/as_published-chroma
builtin/token-250-125/{MINILM}/{PRE_EMBEDDING}/corrected
builtin/cluster-200/{MINILM}/{PRE_EMBEDDING}/as_published-chroma
builtin/kamradt/{MINILM}/{PRE_EMBEDDING}/corrected
builtin/kamradt-modified-300/{MINILM}/{PRE_EMBEDDING}/as_published-chroma
builtin/lumberchunker-by-{LOCAL_SMOLLM}/{MINILM}/{PRE_EMBEDDING}/corrected
builtin/sentence-5/{MINILM}/contextualized-256/corrected
builtin/segmenter/none/none/corrected
builtin/sentence-5/{MINILM_512}/prepended-headings/corrected
builtin/sentence-5/{MINILM_512}/prepended-by-{LOCAL_SMOLLM}/corrected
builtin-graded/none/{MINILM_512}/{LATE_512}/corrected
builtin-graded/paragraph/{MINILM_512}/{PRE_EMBEDDING}/corrected
builtin-graded/semantic/{MINILM_512}/{PRE_EMBEDDING}/corrected
builtin-graded/proposition-sentences/{MINILM_512}/{PRE_EMBEDDING}/corrected
builtin-graded/fixed-64/{MINILM_512}/{LATE_512}/as_published-jina
builtin-graded/fixed-merged-64-16/{MINILM_512}/{PRE_EMBEDDING}/as_published-jina
builtin-graded/sentence-5/{MINILM_512}/{LATE_512}/as_published-ielab
{WITHIN}/paragraph/{MINILM_512}/{PRE_EMBEDDING}/as_published-lumberchunker
{WITHIN}/sentence-5/{MINILM_512}/{LATE_512}/as_published-ielab
{WITHIN}/fixed-64/{MINILM}-w128/contextualized-128-averaged/corrected
{WITHIN}/fixed-64/{MINILM}-w128/contextualized-128-packed/corrected
{WITHIN}/lumberchunker-last/{MINILM_512}/{PRE_EMBEDDING}/corrected
"""
REAL = f"""
chroma/segmenter/none/none/corrected
chroma/token-400-200/none/none/as_published-chroma
gutenqa-emma/lumberchunker-released/{MINILM_512}/{PRE_EMBEDDING}/as_published-lumberchunker
"""
"""Two without a model, one whose answers are quotations of a book."""


def load_within() -> Collection:
    """The built-in collection, each query in the document that it is judged on; those judged on
    several are left out."""
    whole = builtin.load()
    several = {
        query
        for query, judged in whole.judgments_by_query().items()
        if len({one.document for one in judged}) > 1
    }
    return whole.only(one.id for one in whole.queries if one.id not in several).within_documents()


def register() -> None:
    """Let conditions of this process name the collection that is searched within documents."""
    registry.COLLECTIONS[WITHIN] = registry.CollectionEntry(
        "in_document", load_within, documents=47, quotations=lambda: quoted(load_within())
    )


def records_of(condition: Condition) -> Path:
    """The folder of records that holds its, the study's or ``tests/records``."""
    return OWN_RECORDS if records.exists(OWN_RECORDS, condition) else find_project().runs


def held(lines: list[str], folder: Path) -> list[tuple[str, str]]:
    """Run conditions of one collection and encoder: of each whether it agrees, and a sentence."""
    register()
    return [_held(parse(line), folder) for line in lines]


def _held(condition: Condition, folder: Path) -> tuple[str, str]:
    if lacks_encoder(condition):
        return without_vectors(condition, records_of(condition))
    if reason := reason_not_run(condition):
        return "not run", f"not run: {condition} {reason}"
    try:
        outcome = run(condition, folder / "vectors", folder / "runs")
    except ResourceError as error:
        return "not run", f"not run: {condition}: {error}"
    except Exception as error:  # what a change broke does not keep the others from being run
        return "different", f"different: {condition} fails: {error!r}"
    return against_record(condition, outcome, records_of(condition))


def against_record(condition: Condition, outcome: records.Outcome, runs: Path) -> tuple[str, str]:
    """Whether what a run found agrees with the record of its condition below ``runs``, and a
    sentence."""
    record = records.read(runs, condition)
    digests = record.run.per_query_sha256, outcome.run.per_query_sha256
    equal = digests[0] == digests[1]
    mean = records.max_difference(outcome.scores, record.scores)
    moved = BOUNDARIES if condition.chunking.needs_encoder and not equal else set()
    forgiven = MACHINE | VECTORS | moved
    before, now = _exact(record.run), _exact(outcome.run)
    other = [name for name in now if now[name] != before[name] and name not in forgiven]
    agreement = "equal digest" if equal else "within tolerance"
    if other or mean > TOLERANCE:
        agreement = DIFFERENT
    text = f"{agreement}: {condition}"
    if not equal:
        text += (
            f", scores {digests[0][:12]} recorded and {digests[1][:12]} here, means at most "
            f"{mean:.6f} apart"
        )
    return agreement, f"{text}; other {', '.join(other)}" if other else text


def _exact(run: records.Run) -> dict[str, Any]:
    """What a record says, without ties and the device, which are the processor's."""
    fields = run.model_dump(mode="json")
    del fields["counts"]["ties_at_cut"]
    (fields["model"] or {}).pop("device", None)
    return fields


def lacks_encoder(condition: Condition) -> bool:
    """Whether the evaluated encoder is not on this machine."""
    if condition.encoder == NONE:
        return False
    return not at_hand(models.spec(parse_encoder(condition.encoder).model))


def recorded(pattern: str) -> list[Condition]:
    """The study's conditions of that pattern whose encoder is not here; without a pattern one of
    each collection at hand and encoder, that of which most can be checked."""
    runs = find_project().runs
    lacking = [
        condition
        for condition in grid.conditions(find_project())
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


def without_vectors(condition: Condition, runs: Path) -> tuple[str, str]:
    """Whether what can be computed here agrees with its record below ``runs``, and a sentence."""
    try:
        record = records.read(runs, condition)
        run, scores = record.run, record.scores
        collection = load_collection(condition.collection)
        if collection.digest() != run.collection_sha256:
            return DIFFERENT, f"{DIFFERENT}: {condition}, another collection is here"
        chunks = _chunks(condition, run, collection)
        measures = _measures(run, scores, record.ranking())
    except ResourceError as error:
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
        digest = cut(collection, spec, condition.rules).digest()
    except RuntimeError as error:  # a language model that is not here draws them
        return f"nor chunks: {error}"
    if digest != run.chunks_sha256:
        raise RecordError(f"other chunks: {run.chunks_sha256[:12]} recorded and {digest[:12]} here")
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
            raise RecordError(f"its ranking gives another {measure}")
    return f"{given} of {len(run.measures)} measures as its ranking gives them"


def groups(chosen: list[str]) -> Iterator[list[str]]:
    """Conditions that share vectors: those of one collection and encoder."""
    for _, lines in groupby(chosen, lambda line: (line.split("/")[0], line.split("/")[2])):
        yield list(lines)


def check(chosen: list[str]) -> int:
    """Run conditions and say of each how it agrees; 1 if one does not."""
    started, found = time.monotonic(), Counter[str]()
    with tempfile.TemporaryDirectory() as name, pool() as processes:
        given = list(groups(chosen))
        folders = [Path(name) / str(i) for i in range(len(given))]
        for said in processes.map(held, given, folders):
            for agreement, line in said:
                found[agreement] += 1
                print(line, flush=True)
    counted = ", ".join(f"{count} {agreement}" for agreement, count in found.items())
    print(f"{counted}; {time.monotonic() - started:.0f} s")
    return int(found["different"] > 0)


if __name__ == "__main__":
    # The real collections take longest, so they come first.
    known = ((REAL if os.environ.get("CHUNKSTUDY_DATA") else "") + CONDITIONS).split()
    pattern = (*sys.argv[1:], "")[0]
    chosen = [one for one in known if fnmatch(one, pattern or "*")]
    chosen += [str(one) for one in recorded(pattern)]
    if not chosen:
        sys.exit(f"no condition that is checked matches {pattern!r}")
    sys.exit(check(list(dict.fromkeys(chosen))))
