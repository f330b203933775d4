"""What a stranger's records say, held against what can be computed here without their encoder.

Nothing handed in is trusted: the collection and the chunks are made here again, the scores are
computed from the ranking again, and what no check could reach is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.sources import SourceError
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.collections import registry
from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans
from chunkstudy.runs import rankings, records, rescore
from chunkstudy.runs.against_record import apart
from chunkstudy.runs.archives import HandedIn, HandingInError
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import NONE, Condition, ConditionError
from chunkstudy.runs.names import parse_chunker, parse_ordering
from chunkstudy.runs.needs import Need
from chunkstudy.runs.parquet import RecordError
from chunkstudy.runs.run import evaluate, load_collection

Outcome = Literal["agrees", "differs", "not checked"]
HALF_UNIT = 0.6e-6
"""Scores are stored with six decimals."""
OMEGA = "PrecisionOmega"
"""A measure of the chunks alone."""
BY_VECTORS = 1e-3
"""By how much a score may differ from our own record of the same condition: two machines break
ties of neighbouring vectors otherwise (results/studies/repeatability)."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was held against something, and what came of it in a sentence."""

    condition: str
    what: str
    outcome: Outcome
    says: str


Said = tuple[str, Outcome, str]
"""What was held against something, and what came of it."""


def verify(folder: Path, places: Places) -> Iterator[Check]:
    """Every check of every record below a folder, in the records' order.

    Args:
        folder: holds ``<collection>/<chunker>/<encoder>/<ordering>/<protocol>/run.json``, at any
            depth.
        places: of this study, whose own records of the same conditions are compared with.

    Raises:
        RecordError: if the folder holds no record at all.
    """
    folders = sorted(path.parent for path in folder.rglob("run.json"))
    if not folders:
        raise RecordError(
            f"there is no run.json below {folder}; name what `chunkstudy pack` wrote, or a folder "
            "of records"
        )
    for one in folders:
        name = "/".join(one.parts[-5:])
        try:
            for said in _examine(one, folder, places):
                yield Check(name, *said)
        except (RecordError, ConditionError, SourceError, ValueError) as error:
            yield Check(name, "schema", "differs", str(error))


def _examine(folder: Path, root: Path, places: Places) -> Iterator[Said]:
    run = records.read_run(folder)
    scores = records.read_in_order(folder, run)
    yield "schema", "agrees", f"schema {run.schema_version}, digest of the scores"
    yield _who(folder)
    yield _versions(run)
    yield _range(run, scores)
    condition = run.condition
    lacking = registry.find(condition.collection).lacks()
    reason = str(Need("data", *lacking)) if lacking else ""
    try:
        collection = None if reason else load_collection(condition.collection)
    except SourceError as error:
        collection, reason = None, str(error)
    if collection is None:
        yield "collection", "not checked", reason
        return
    same = collection.digest() == run.collection_sha256
    yield _held(
        "collection",
        same,
        f"the same {len(collection.documents):,} documents and {len(collection.queries):,} queries",
        "another collection under this name; fetch it with `chunkstudy fetch` and run again",
    )
    if not same:
        return
    yield _queries(run, scores, collection)
    chunks, said = _chunks(run, condition, collection)
    yield said
    if condition.encoder == NONE:
        yield _held(
            "scores",
            evaluate(condition, collection, None).run.per_query_sha256 == run.per_query_sha256,
            "all scores came out again",
            "the scores are not what this condition gives here, and no model takes part in it",
        )
    else:
        outside = (root / "rankings", places.rankings)
        yield from _from_ranking(run, scores, collection, chunks, folder, outside)
        yield (
            "vectors",
            "not checked",
            f"{condition.encoder} was not run, so nobody but who ran it knows that the ranking is "
            "its own",
        )
    ours = places.runs / condition.path
    if (ours / "run.json").is_file() and ours.resolve() != folder.resolve():
        yield _beside_ours(scores, records.read_in_order(ours, records.read_run(ours)))


def _held(what: str, is_so: bool, agrees: str, differs: str) -> Said:
    return (what, "agrees", agrees) if is_so else (what, "differs", differs)


def _who(folder: Path) -> Said:
    try:
        by = HandedIn.read(folder)
    except HandingInError as error:
        return "who", "differs", str(error)
    return "who", "agrees", f"{by.by}, on {by.machine}, {by.date}"


def _versions(run: records.Run) -> Said:
    other = [
        f"{name} {said} there and {version(name)} here"
        for name, said in run.packages.items()
        if said != version(name)
    ]
    if other:
        return "versions", "not checked", f"other packages: {', '.join(other)}"
    return "versions", "agrees", f"the same {len(run.packages)} packages"


def _range(run: records.Run, scores: pd.DataFrame) -> Said:
    values = scores[[name for name in scores if not in_tokens(str(name))]].to_numpy()
    inside = bool(((values >= 0) & (values <= 1))[~np.isnan(values)].all())
    beyond = [
        name
        for name, (low, high) in run.tie_range.items()
        if name in scores and not low - 1e-5 <= scores[name].mean() <= high + 1e-5
    ]
    return _held(
        "range",
        inside and not beyond,
        "every score is from 0 to 1 and every mean within what ties allow",
        f"the mean of {beyond[0]} lies outside of what equal scores allow"
        if beyond
        else "a score lies outside of 0 to 1",
    )


def _queries(run: records.Run, scores: pd.DataFrame, collection: Collection) -> Said:
    asked, has = {query.id for query in collection.queries}, set(scores.index)
    missing, strange = sorted(asked - has - set(run.unscored)), sorted(has - asked)
    if missing:
        lacks = f"query {missing[0]} has no score and is not declared unscored"
        return "queries", "differs", lacks
    if strange:
        return "queries", "differs", f"query {strange[0]} is none of this study"
    counted = (run.counts.queries_expected, run.counts.queries_scored, run.counts.documents)
    here = (len(asked), len(has), len(collection.documents))
    return _held(
        "queries",
        counted == here,
        f"{len(has):,} of {len(asked):,} queries have scores, as counted",
        f"counted are {counted} queries, scored queries and documents, and there are {here}",
    )


def _chunks(
    run: records.Run, condition: Condition, collection: Collection
) -> tuple[Chunks | None, Said]:
    """The chunks made here again, where no model is needed to make them and they are the same."""
    spec = parse_chunker(condition.chunker)
    if spec.needs_encoder or spec.llm or spec.reader or spec.entry.segments:
        says = f"{condition.chunker} draws its boundaries with what is not run here"
        return None, ("chunks", "not checked", says)
    try:
        chunks = chunk(condition, collection, None)
    except RuntimeError as error:
        # What a service draws is neither recorded here nor asked for to check a stranger.
        return None, ("chunks", "not checked", str(error))
    same = chunks.digest() == run.chunks_sha256 and len(chunks) == run.counts.chunks
    return chunks if same else None, _held(
        "chunks",
        same,
        f"the same {len(chunks):,} chunks",
        f"other chunks than {condition.chunker} makes: {run.counts.chunks:,} there, "
        f"{len(chunks):,} here",
    )


def _from_ranking(
    run: records.Run,
    scores: pd.DataFrame,
    collection: Collection,
    chunks: Chunks | None,
    folder: Path,
    outside: Sequence[Path],
) -> Iterator[Said]:
    if run.ranking is None and parse_ordering(run.ordering).beside:
        yield "ranking", "not checked", "a record that compares layouts keeps none"
        return
    if run.ranking is None:
        yield "ranking", "differs", "the record has no ranking; run the condition again"
        return
    kept = [path for one in outside if (path := rankings.find(folder, one, run.ranking))]
    if not kept:
        yield "ranking", "differs", "its ranking was not handed in; pack it again"
        return
    ranking = rankings.read(kept[0], run.ranking)
    fault = _fault(ranking, collection, chunks)
    yield _held("ranking", not fault, f"{len(ranking):,} ranks in order, of what there is", fault)
    if fault:
        return
    if "relevant" in ranking:
        yield _relevance(run.condition, ranking, collection)
    again, beyond = _scores_again(run, ranking, collection, chunks)
    wrong = False
    for measure, values in again.items():
        apart = (values.reindex(scores.index) - scores[measure]).abs()
        if (worst := apart.max()) > HALF_UNIT:
            wrong = True
            where = f"{measure} of query {apart.idxmax()}"
            yield "scores", "differs", f"{where} is {worst:.6f} from what the ranking gives"
    if again and not wrong:
        yield "scores", "agrees", f"the ranking gives all of {', '.join(again)}"
    if beyond:
        yield "scores", "not checked", f"the kept ranking gives none of {', '.join(beyond)}"


def _scores_again(
    run: records.Run, ranking: pd.DataFrame, collection: Collection, chunks: Chunks | None
) -> tuple[dict[str, pd.Series], list[str]]:
    """By measure the scores that the ranking gives, or the chunks alone, and what neither gives."""
    found: dict[str, pd.Series] = {}
    beyond = []
    alone = pd.DataFrame()
    if chunks is not None and any(name.startswith(OMEGA) for name in run.measures):
        condition = replace(run.condition, encoder=NONE, ordering=NONE)
        alone = evaluate(condition, collection, None).scores
    for measure in run.measures:
        if measure in alone and measure.startswith(OMEGA):
            found[measure] = alone[measure]
            continue
        try:
            found[measure] = rescore.values(run, measure, ranking)
        except ValueError:
            beyond.append(measure)
    return found, beyond


def _fault(ranking: pd.DataFrame, collection: Collection, chunks: Chunks | None) -> str:
    """What is wrong with a ranking; empty where it falls within each query, within bounds, and
    ranks chunks that there are."""
    if (ranking.groupby("query")["score"].diff() > 0).any():
        return "a score rises with the rank"
    inside = ranking["query"].between(0, len(collection.queries) - 1) & ranking["document"].between(
        0, len(collection.documents) - 1
    )
    if not inside.all():
        return "a rank names a query or document that there is none of"
    if not ranking["score"].between(-1.001, 1.001).all():
        return "a score is no cosine"
    if chunks is not None and "start" in ranking:
        known = pd.MultiIndex.from_arrays([chunks.document, chunks.start, chunks.end])
        named = pd.MultiIndex.from_frame(ranking[["document", "start", "end"]])
        if not named.isin(known).all():
            return "a rank names a span that is no chunk"
    what = [one for one in ("query", "document", "start", "end") if one in ranking]
    return "a query ranks a chunk twice" if ranking.duplicated(what).any() else ""


def _relevance(condition: Condition, ranking: pd.DataFrame, collection: Collection) -> Said:
    """Whether the chunks said to answer a query are those that share a character with what is
    judged, where that is what the protocol asks."""
    if PROTOCOLS[condition.protocol].relevance != "overlap":
        return "relevance", "not checked", "relevance is a quotation in the chunk's own text"
    hits = rankings.hits(ranking, JudgedSpans.of(collection), "overlap")
    wrong = int((hits != ranking["relevant"].to_numpy()).sum())
    return _held(
        "relevance",
        not wrong,
        "the chunks said to answer are those that share text with an answer",
        f"{wrong:,} ranked chunks are said to answer and do not, or the other way round",
    )


def _beside_ours(scores: pd.DataFrame, ours: pd.DataFrame) -> Said:
    differences, means = apart(scores, ours)
    moved = int((differences > HALF_UNIT).any(axis=1).sum())
    return _held(
        "our own run",
        bool(means.max() <= BY_VECTORS),
        f"{moved} of {len(scores)} queries score otherwise, means at most {means.max():.6f} apart",
        f"the mean of {means.idxmax()} is {means.max():.4f} from that of our own record, and "
        f"machines differ by {BY_VECTORS} at most",
    )
