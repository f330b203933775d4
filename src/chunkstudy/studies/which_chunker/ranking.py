"""For each task, collection and model, how far each arm trails the best, and what a reader gets.

An arm is a chunker with plain or late chunking, under the corrected protocol, each model at every
window and in every layout that was run for all collections of a task. A passage of one document is
looked for in three collections that are not averaged: papers, Chroma's corpora, and one novel.

An arm trails only where its paired difference from the best survives Holm's correction within the
task, collections and model. The best is chosen by the same scores, so that trailing is shown a
little too easily. On COVID-QA intervals and tests are over papers, each with all its questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import beir, covid_qa
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import (
    SIGNIFICANT,
    Pair,
    differences,
    documents_of,
)
from chunkstudy.runs.conditions import (
    NONE,
    PRE_EMBEDDING,
    Condition,
    parse_chunker,
    parse_encoder,
    parse_method,
)
from chunkstudy.runs.library import Library, Record

EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
MEASURES = {EXCERPTS: "SpanRecall@5", IN_CORPUS: "nDCG@10", IN_DOCUMENT: "DCG@10"}
QUESTIONS = (
    (EXCERPTS, ("chroma",)),
    (IN_CORPUS, beir.LAPTOP),
    (IN_DOCUMENT, (covid_qa.WITHIN,)),
    (IN_DOCUMENT, ("chroma-within",)),
    (IN_DOCUMENT, ("gutenqa-emma",)),
)
"""Tasks, and the collections over which each is one question."""
FEWEST_ARMS = 3
"""Of fewer, none can be called the best."""
READ = "tokens that a reader gets"
"""Of the five chunks retrieved where excerpts are looked for, measured; of ten chunks of mean size
within a document; missing where whole documents are looked for."""
SECONDS = "chunking s/M tokens"
CREDITED = {"proposition-released": "the paragraph that it was made from"}
"""What counts as found with a chunk, where that is more than the chunk."""
ITSELF = "its own text"
TESTED = {"family_size": 0, "interval": "", "shown": "", "behind": ""}
"""What stands for the best itself, which is compared with nothing."""


class Arm(NamedTuple):
    """A chunker, an embedding method, and the tokens that the model reads at once."""

    chunker: str
    ordering: str
    window: int


Records = dict[str, Record]
"""By collection."""


def chunking_seconds(library: Library) -> pd.DataFrame:
    """Seconds of cutting per million tokens of Chroma's corpora, the model's own left out: a row a
    chunker and encoder of the plain records under the corrected protocol."""
    rows = []
    for one in library:
        record = library.get(one)
        where = (one.collection, one.ordering, one.protocol)
        if record is not None and where == ("chroma", PRE_EMBEDDING, CORRECTED.name):
            timing = record.timing
            seconds = timing["chunking_seconds_without_encoding"]
            per_million = seconds / (timing["collection_tokens"] / 1e6)
            rows.append({"chunker": one.chunker, "encoder": one.encoder, SECONDS: per_million})
    return pd.DataFrame(rows)


def ranking(library: Library, papers: pd.DataFrame, encoders: Collection[str] = ()) -> pd.DataFrame:
    """A row per task, collections, model, chunker, ordering and window, a model's best first.

    Args:
        library: the records.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA.
        encoders: ids of models, of those with records; all if none is named.
    """
    cost, tables = chunking_seconds(library), []
    for task, collections in QUESTIONS:
        competing = [one for one in library if one.collection in collections and _competes(one)]
        counts = Counter(parse_encoder(one.encoder).model for one in competing)
        for model, _ in counts.most_common():
            of_model = [one for one in competing if parse_encoder(one.encoder).model == model]
            if not encoders or model in encoders:
                arms = dict(_arms(task, collections, of_model, library))
                if len(arms) >= FEWEST_ARMS:
                    tables.append(_ranked(task, model, arms, cost, papers))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _competes(condition: Condition) -> bool:
    """Whether a condition is asked about; a model of four bits answers another question only, and
    so does a chunker that is a control."""
    if condition.protocol != CORRECTED.name or condition.encoder == NONE:
        return False
    chunker, encoder = parse_chunker(condition.chunker), parse_encoder(condition.encoder)
    ordering = parse_method(condition.ordering)
    usual = chunker.length == CHUNKERS[chunker.name].lengths[0] and not chunker.entry.control
    whole = models.spec(encoder.model).packed is None
    read = ordering.window == encoder.reach and (condition.late or ordering.beside)
    return usual and whole and (condition.ordering == PRE_EMBEDDING or read)


def _arms(
    task: str, collections: Sequence[str], conditions: list[Condition], library: Library
) -> Iterator[tuple[Arm, Records]]:
    """Arms with records of all collections that have any; a late arm beside a plain one only, so
    that no half of a run is called the best; plain chunks that a narrower window leaves as they
    are once."""
    found: defaultdict[Arm, Records] = defaultdict(dict)
    for one in sorted(conditions, key=lambda one: -parse_encoder(one.encoder).reach):
        if (record := library.get(one)) is not None:
            arm = Arm(one.chunker, one.ordering, parse_encoder(one.encoder).reach)
            found[arm][one.collection] = record
    run = {name for records in found.values() for name in records}
    whole = {
        arm: {name: records[name] for name in collections if name in run}
        for arm, records in found.items()
        if len(records) == len(run) and all(_searched(task, one) for one in records.values())
    }
    plain: defaultdict[str, list[pd.Series]] = defaultdict(list)
    for arm, records in whole.items():
        scores = _scores(task, records)
        if arm.ordering == PRE_EMBEDDING and not any(
            scores.equals(wider) for wider in plain[arm.chunker]
        ):
            plain[arm.chunker].append(scores)
            yield arm, records
    yield from (
        (arm, of)
        for arm, of in whole.items()
        if arm.ordering != PRE_EMBEDDING and plain[arm.chunker]
    )


def _searched(task: str, record: Record) -> bool:
    """Whether a mean document has more chunks than are ranked: where it has not, the first ten are
    the whole document, and their order says little."""
    counts = record.run.counts
    return task != IN_DOCUMENT or counts.chunks > _depth(task) * counts.documents


def _depth(task: str) -> int:
    return int(MEASURES[task].partition("@")[2])


def _scores(task: str, records: Records) -> pd.Series:
    """By collection and query."""
    return pd.concat({name: record.wide[MEASURES[task]] for name, record in records.items()})


def _ranked(
    task: str, model: str, arms: dict[Arm, Records], cost: pd.DataFrame, papers: pd.DataFrame
) -> pd.DataFrame:
    """The arms of one task, collections and model, compared with the best of them."""
    scores = {arm: _scores(task, records) for arm, records in arms.items()}
    means = {arm: of.groupby(level=0).mean().mean() for arm, of in scores.items()}
    ranked = sorted(means, key=lambda arm: (-means[arm], arm))
    names = ", ".join(arms[ranked[0]])
    by_paper = names == covid_qa.WITHIN and len(papers) > 0
    ordered = [scores[arm].droplevel(0) if by_paper else scores[arm] for arm in ranked]
    if by_paper:
        part = papers.set_index("query_id")["part"]
        tested = clustered_means((one, part.loc[one.index]) for one in ordered)
    else:
        groups = [[part for _, part in one.groupby(level=0, sort=False)] for one in ordered]
        tested = statistics.over_collections(groups)
    table = pd.DataFrame(
        [
            {
                "task": task,
                "encoder": model,
                **arm._asdict(),
                "measure": MEASURES[task],
                "collections": names,
                "n": len(scores[arm]),
                "score": means[arm],
                "low": mean.interval.low,
                "high": mean.interval.high,
                **_chunks(task, arm, list(arms[arm].values()), cost),
                "credited": CREDITED.get(arm.chunker, ITSELF),
            }
            for arm, mean in zip(ranked, tested, strict=True)
        ]
    )
    drawn = documents_of(papers) if by_paper else None
    pairs = [
        Pair(arm._asdict(), one, ordered[0], drawn)
        for arm, one in zip(ranked[1:], ordered[1:], strict=True)
    ]
    compared = differences(pairs, f"behind the best, {task}, {names}, {model}", "score", "best")
    compared = compared.rename(columns={"low": "difference low", "high": "difference high"})
    compared["behind"] = np.where(compared["p_holm"] < SIGNIFICANT, "yes", "no")
    ends = ["difference", "difference low", "difference high"]
    tests = [*ends, "p_holm", "margin", "p_equivalent_holm", "family", *TESTED]
    of_best = dict.fromkeys(ends, 0.0) | TESTED
    compared.index += 1
    return table.join(compared[tests]).fillna(of_best)


def _chunks(
    task: str, arm: Arm, records: Sequence[Record], cost: pd.DataFrame
) -> dict[str, object]:
    """Their mean size in the task's tokens, what a reader gets, and how long cutting took."""
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    counts = [record.run.counts.chunks for record in records]
    mean = np.average([record.run.sizes[unit].mean for record in records], weights=counts)
    row: dict[str, object] = {"chunks": sum(counts), "mean tokens": mean}
    if task == IN_DOCUMENT:
        row[READ] = _depth(task) * mean
    if task == EXCERPTS:
        row[READ] = statistics.mean(records[0].wide["TokensRead@5"])
        row[SECONDS] = cost.groupby("chunker")[SECONDS].first().get(arm.chunker, np.nan)
    return row
