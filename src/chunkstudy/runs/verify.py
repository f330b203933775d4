"""What a stranger's records say, held against what can be computed here without their encoder.

Nothing handed in is trusted: the collection and the chunks are made here again, the scores are
computed from the ranking again, and what no check could reach is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
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
from chunkstudy.evaluation.measures.units import in_tokens
from chunkstudy.runs import rankings, records, rescore
from chunkstudy.runs.against_record import apart
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import NONE, Condition, ConditionError
from chunkstudy.runs.encoding import parse_ordering
from chunkstudy.runs.handing_in import HandedIn, HandingInError
from chunkstudy.runs.names import parse_chunker
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


@dataclass
class _Record:
    """A record under examination, with what the checks before found out."""

    root: Path
    folder: Path
    name: str
    places: Places
    found: list[Check] = field(default_factory=list)

    def note(self, what: str, outcome: Outcome, says: str) -> None:
        self.found.append(Check(self.name, what, outcome, says))

    def holds(self, what: str, is_so: bool, agrees: str, differs: str) -> bool:
        self.note(what, "agrees" if is_so else "differs", agrees if is_so else differs)
        return is_so


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
        record = _Record(folder, one, "/".join(one.parts[-5:]), places)
        try:
            _examine(record)
        except (RecordError, ConditionError, SourceError, ValueError) as error:
            record.note("schema", "differs", str(error))
        yield from record.found


def _examine(record: _Record) -> None:
    run = records.read_run(record.folder)
    scores = records.read_in_order(record.folder, run)
    record.note("schema", "agrees", f"schema {run.schema_version}, digest of the scores")
    _who(record)
    _versions(record, run)
    condition = run.condition
    _range(record, run, scores)
    if reason := registry.find(condition.collection).lacks():
        record.note("collection", "not checked", reason)
        return
    try:
        collection = load_collection(condition.collection)
    except SourceError as error:
        record.note("collection", "not checked", str(error))
        return
    if not record.holds(
        "collection",
        collection.digest() == run.collection_sha256,
        f"the same {len(collection.documents):,} documents and {len(collection.queries):,} queries",
        "another collection under this name; fetch it with `chunkstudy fetch` and run again",
    ):
        return
    _queries(record, run, scores, collection)
    chunks = _chunks(record, run, condition, collection)
    if condition.encoder == NONE:
        _without_model(record, run, condition, collection)
    else:
        _from_ranking(record, run, scores, collection, chunks)
        record.note(
            "vectors", "not checked", f"{condition.encoder} was not run, so nobody but who ran it "
            "knows that the ranking is its own"
        )  # fmt: skip
    _beside_ours(record, scores)


def _who(record: _Record) -> None:
    try:
        by = HandedIn.read(record.folder)
    except HandingInError as error:
        record.note("who", "differs", str(error))
    else:
        record.note("who", "agrees", f"{by.by}, on {by.machine}, {by.date}")


def _versions(record: _Record, run: records.Run) -> None:
    other = [
        f"{name} {said} there and {version(name)} here"
        for name, said in run.packages.items()
        if said != version(name)
    ]
    if other:
        record.note("versions", "not checked", f"other packages: {', '.join(other)}")
    else:
        record.note("versions", "agrees", f"the same {len(run.packages)} packages")


def _range(record: _Record, run: records.Run, scores: pd.DataFrame) -> None:
    shares = [name for name in scores if not in_tokens(str(name))]
    values = scores[shares].to_numpy()
    inside = bool(((values >= 0) & (values <= 1))[~np.isnan(values)].all())
    means = {
        name: (low, float(scores[name].mean()), high)
        for name, (low, high) in run.tie_range.items()
        if name in scores
    }
    beyond = [n for n, (low, mean, high) in means.items() if not low - 1e-5 <= mean <= high + 1e-5]
    record.holds(
        "range",
        inside and not beyond,
        "every score is from 0 to 1 and every mean within what ties allow",
        f"the mean of {beyond[0]} lies outside of what equal scores allow"
        if beyond
        else "a score lies outside of 0 to 1",
    )


def _queries(
    record: _Record, run: records.Run, scores: pd.DataFrame, collection: Collection
) -> None:
    asked = {query.id for query in collection.queries}
    has = set(scores.index)
    missing, strange = sorted(asked - has - set(run.unscored)), sorted(has - asked)
    counted = (run.counts.queries_expected, run.counts.queries_scored, run.counts.documents)
    here = (len(asked), len(has), len(collection.documents))
    if missing or strange:
        name = (missing or strange)[0]
        lacks = "has no score and is not declared unscored" if missing else "is none of this study"
        record.note("queries", "differs", f"query {name} {lacks}")
    else:
        record.holds(
            "queries",
            counted == here,
            f"{len(has):,} of {len(asked):,} queries have scores, as counted",
            f"counted are {counted} queries, scored queries and documents, and there are {here}",
        )


def _chunks(
    record: _Record, run: records.Run, condition: Condition, collection: Collection
) -> Chunks | None:
    """The chunks made here again, where no model is needed to make them."""
    spec = parse_chunker(condition.chunker)
    if spec.needs_encoder or spec.llm or spec.reader or spec.entry.segments:
        record.note(
            "chunks", "not checked", f"{condition.chunker} draws its boundaries with what is not "
            "run here"
        )  # fmt: skip
        return None
    try:
        chunks = chunk(condition, collection, None)
    except RuntimeError as error:
        # What a service draws is neither recorded here nor asked for to check a stranger.
        record.note("chunks", "not checked", str(error))
        return None
    same = record.holds(
        "chunks",
        chunks.digest() == run.chunks_sha256 and len(chunks) == run.counts.chunks,
        f"the same {len(chunks):,} chunks",
        f"other chunks than {condition.chunker} makes: {run.counts.chunks:,} there, "
        f"{len(chunks):,} here",
    )
    return chunks if same else None


def _without_model(
    record: _Record, run: records.Run, condition: Condition, collection: Collection
) -> None:
    ours = evaluate(condition, collection, None).run
    record.holds(
        "scores",
        ours.per_query_sha256 == run.per_query_sha256,
        "all scores came out again",
        "the scores are not what this condition gives here, and no model takes part in it",
    )


def _from_ranking(
    record: _Record,
    run: records.Run,
    scores: pd.DataFrame,
    collection: Collection,
    chunks: Chunks | None,
) -> None:
    if run.ranking is None and parse_ordering(run.ordering).beside:
        record.note("ranking", "not checked", "a record that compares layouts keeps none")
        return
    if run.ranking is None:
        record.note("ranking", "differs", "the record has no ranking; run the condition again")
        return
    path = rankings.find(record.folder, record.root / "rankings", run.ranking)
    path = path or rankings.find(record.folder, record.places.rankings, run.ranking)
    if path is None:
        record.note("ranking", "differs", "its ranking was not handed in; pack it again")
        return
    ranking = rankings.read(path, run.ranking)
    if not _in_order(record, ranking, collection, chunks):
        return
    if "relevant" in ranking:
        _relevance(record, run.condition, ranking, collection)
    again, beyond = _scores_again(run, ranking, collection, chunks)
    wrong = False
    for measure, values in again.items():
        apart = (values.reindex(scores.index) - scores[measure]).abs()
        if (worst := apart.max()) > HALF_UNIT:
            wrong = True
            where = f"{measure} of query {apart.idxmax()}"
            record.note("scores", "differs", f"{where} is {worst:.6f} from what the ranking gives")
    if again and not wrong:
        record.note("scores", "agrees", f"the ranking gives all of {', '.join(again)}")
    if beyond:
        record.note("scores", "not checked", f"the kept ranking gives none of {', '.join(beyond)}")


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
            found[measure] = _again(run.condition, measure, ranking, collection)
        except ValueError:
            beyond.append(measure)
    return found, beyond


def _again(
    condition: Condition, measure: str, ranking: pd.DataFrame, collection: Collection
) -> pd.Series:
    if "start" in ranking:
        return rescore.of_chunks(collection, condition, measure, ranking)
    return rescore.of_documents(collection, measure, ranking)


def _in_order(
    record: _Record, ranking: pd.DataFrame, collection: Collection, chunks: Chunks | None
) -> bool:
    """Whether it falls within each query, within bounds, and ranks chunks that there are."""
    falls = ranking.groupby("query")["score"].diff().fillna(0) <= 0
    inside = ranking["query"].between(0, len(collection.queries) - 1) & ranking["document"].between(
        0, len(collection.documents) - 1
    )
    cosines = ranking["score"].between(-1.001, 1.001)
    wrong: list[tuple[str, Callable[[], bool]]] = [
        ("a score rises with the rank", lambda: not falls.all()),
        ("a rank names a query or document that there is none of", lambda: not inside.all()),
        ("a score is no cosine", lambda: not cosines.all()),
        ("a rank names a span that is no chunk", lambda: not _are_chunks(ranking, chunks)),
        ("a query ranks a chunk twice", lambda: bool(ranking.duplicated(_what(ranking)).any())),
    ]
    found = next((says for says, is_so in wrong if is_so()), "")
    return record.holds(
        "ranking", not found, f"{len(ranking):,} ranks in order, of what there is", found
    )


def _relevance(
    record: _Record, condition: Condition, ranking: pd.DataFrame, collection: Collection
) -> None:
    """Whether the chunks said to answer a query are those that share a character with what is
    judged, where that is what the protocol asks."""
    if PROTOCOLS[condition.protocol].relevance != "overlap":
        record.note("relevance", "not checked", "relevance is a quotation in the chunk's own text")
        return
    places = collection.positions
    numbers = {query.id: i for i, query in enumerate(collection.queries)}
    judged = pd.DataFrame(
        [(numbers[j.query], places[j.document], j.start, j.end) for j in collection.judgments],
        columns=["query", "document", "from", "to"],
    )
    pairs = ranking.reset_index(names="row").merge(judged, on=["query", "document"])
    met = pairs[(pairs["start"] < pairs["to"]) & (pairs["from"] < pairs["end"])]["row"].unique()
    ours = ranking.index.isin(met)
    wrong = int((ours != ranking["relevant"].to_numpy()).sum())
    record.holds(
        "relevance",
        not wrong,
        "the chunks said to answer are those that share text with an answer",
        f"{wrong:,} ranked chunks are said to answer and do not, or the other way round",
    )


def _what(ranking: pd.DataFrame) -> list[str]:
    return [one for one in ("query", "document", "start", "end") if one in ranking]


def _are_chunks(ranking: pd.DataFrame, chunks: Chunks | None) -> bool:
    if chunks is None or "start" not in ranking:
        return True
    known = pd.MultiIndex.from_arrays([chunks.document, chunks.start, chunks.end])
    named = pd.MultiIndex.from_frame(ranking[["document", "start", "end"]])
    return bool(named.isin(known).all())


def _beside_ours(record: _Record, scores: pd.DataFrame) -> None:
    folder = record.places.runs / Path(*record.folder.parts[-5:])
    if not (folder / "run.json").is_file() or folder.resolve() == record.folder.resolve():
        return
    ours = records.read_in_order(folder, records.read_run(folder))
    differences, means = apart(scores, ours)
    moved = int((differences > HALF_UNIT).any(axis=1).sum())
    record.holds(
        "our own run",
        bool(means.max() <= BY_VECTORS),
        f"{moved} of {len(scores)} queries score otherwise, means at most {means.max():.6f} apart",
        f"the mean of {means.idxmax()} is {means.max():.4f} from that of our own record, and "
        f"machines differ by {BY_VECTORS} at most",
    )
