"""For each collection and model, how far each system trails the best, and what a reader gets.

A system is a chunker with plain or late chunking, under the corrected protocol, in every window and
layout that was run; and BM25, alone and fused with the model's plain vectors, over chunkers that
were searched by words. It trails only where its paired difference from the best survives Holm's
correction within the collection and model. The best is chosen by the same scores, so that trailing
is shown a little too easily. Where questions say which of many documents they are asked of,
intervals and tests are over documents, each with all its questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from chunkstudy.collections import beir
from chunkstudy.core.errors import RecordError
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import (
    Pair,
    differences,
    documents_of,
    mean_intervals,
)
from chunkstudy.notebook.random_order import COLUMN, RandomOrder
from chunkstudy.pipeline import experiment_tables, facts
from chunkstudy.pipeline.conditions import (
    NONE,
    PRE_EMBEDDING,
    Condition,
    EncoderName,
    parse_chunker,
    parse_encoder,
    parse_method,
)
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.records import Record

WORDS, BOTH = "words", "both"
"""BM25, and its fusion with plain vectors."""
EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
MEASURES = {EXCERPTS: "SpanRecall@5", IN_CORPUS: "nDCG@10", IN_DOCUMENT: "DCG@10"}
WITHIN = (
    "covid-qa-within",
    "chroma-within",
    "evidence-inference-within",
    "fairytaleqa-within",
    "qmsum-within",
)
QUESTIONS = (
    (EXCERPTS, "chroma"),
    *((IN_CORPUS, name) for name in (*beir.LAPTOP, "qmsum")),
    *((IN_DOCUMENT, name) for name in WITHIN),
)
"""Tasks, and the collections in which each is asked."""
GROUP = ["task", "collection", "encoder"]
"""The columns of one ranking."""
FEWEST = 3
"""Systems below which none can be called the best."""
WINDOW = 512
"""Tokens that vectors are read in that are fused with BM25."""
READ = "tokens that a reader gets"
"""Of the five chunks retrieved where excerpts are looked for, measured; of ten chunks of mean size
within a document; missing where whole documents are looked for, and of excerpts by words."""
EXPERIMENTS: Mapping[str, tuple[dict[str, str], dict[str, str]]] = {
    "baselines": ({"arm": "system"}, {"chunker": "sentence-5"}),
    "word-search": ({}, {}),
}
"""By name, how columns are renamed and what is the same in all rows."""
SECONDS = "chunking s/M tokens"
TESTED = {"family_size": 0, "interval": "", "shown": ""}
"""What stands for the best itself, which is compared with nothing."""
ENDS = ["difference", "difference low", "difference high"]


class System(NamedTuple):
    """A chunker, an embedding method or what ranks by words, and the tokens that the model reads at
    once, 0 where it reads nothing."""

    chunker: str
    ordering: str
    window: int


class RecordedScores(NamedTuple):
    """Scores by query, and the record that holds the chunk sizes; None if there is none."""

    scores: pd.Series
    record: Record | None


def chunking_seconds(library: Library) -> pd.DataFrame:
    """Seconds of cutting per million tokens of Chroma's corpora, the model's own left out: a row a
    chunker and encoder of the plain records under the corrected protocol."""
    rows = []
    for condition, record in library.items():
        where = (condition.collection, condition.ordering, condition.protocol)
        if where == ("chroma", PRE_EMBEDDING, CORRECTED.name):
            timing = record.timing
            seconds = timing["chunking_seconds_without_encoding"]
            per_million = seconds / (timing["collection_tokens"] / 1e6)
            keys = {"chunker": condition.chunker, "encoder": condition.encoder}
            rows.append(keys | {SECONDS: per_million})
    return pd.DataFrame(rows)


def by_words(places: Project) -> pd.DataFrame:
    """A row a question, its score a fraction: ``collection``, ``model`` (a hub id, none of BM25),
    ``system``, ``chunker``, ``measure``, ``query_id``, ``value``; empty where nothing was run."""
    columns = ["collection", "model", "system", "chunker", "measure", "query_id", "value"]
    found = [pd.DataFrame(columns=columns)]
    for name, (renamed, constant) in EXPERIMENTS.items():
        tables = experiment_tables.tables(places, name)
        if not tables:
            continue
        parts = tables["parts"].rename(columns=renamed)
        rows = tables["scores"].merge(parts[parts["system"].isin([WORDS, BOTH])], on="part")
        if "measure" not in rows:
            within = rows["collection"].str.endswith("-within")
            rows["measure"] = within.map({True: MEASURES[IN_DOCUMENT], False: MEASURES[IN_CORPUS]})
        slugs = {slug for slug in rows["encoder"].unique() if slug != NONE}
        model = rows["encoder"].replace({slug: parse_encoder(slug).model for slug in slugs})
        # The words of a chunk are the same whichever model stands beside them.
        model = model.mask(rows["system"] == WORDS, NONE)
        rows = rows.assign(model=model, **constant)[columns]
        found.append(rows.drop_duplicates(columns[:-1]))
    return pd.concat(found, ignore_index=True)


def ranking(
    library: Library, searched: pd.DataFrame, encoders: Collection[str] = ()
) -> pd.DataFrame:
    """A row per task, collection, model and system, a model's best first.

    Args:
        library: the records.
        searched: of :func:`by_words`, scores of chunks that were searched by words.
        encoders: ids of models, of those with records; all if none is named.

    Raises:
        RecordError: if none of the models has enough of them to be compared.
    """
    of_each: defaultdict[tuple[str, str], list[Condition]] = defaultdict(list)
    for condition in library:
        if _competes(condition):
            model = parse_encoder(condition.encoder).model
            of_each[condition.collection, model].append(condition)
    known = list(dict.fromkeys(model for _, model in of_each))
    tables = []
    for task, collection in QUESTIONS:
        for model in encoders or known:
            systems = dict(_recorded(task, of_each[collection, model], library))
            if systems or (searched["model"] == model).any():
                systems |= dict(_by_words(task, collection, model, systems, searched))
            if len(systems) >= FEWEST:
                keys = {"task": task, "collection": collection, "encoder": model}
                tables.append(_ranked(keys, systems, library))
    if not tables:
        raise RecordError(
            f"no collection has {FEWEST} records of {', '.join(encoders or known)} under the "
            f"corrected protocol; name one of {', '.join(known)}"
        )
    return pd.concat(tables, ignore_index=True)


def _competes(condition: Condition) -> bool:
    """Whether a condition is asked about; a model of four bits answers another question only, and
    so does a chunker that is a control."""
    if condition.protocol != CORRECTED.name or condition.encoder == NONE:
        return False
    chunker, encoder = parse_chunker(condition.chunker), parse_encoder(condition.encoder)
    ordering = parse_method(condition.ordering)
    usual = chunker.length == chunker.entry.lengths[0] and not chunker.entry.control
    whole = models.spec(encoder.model).packed is None
    return usual and whole and ordering.window in (0, encoder.reach) and not ordering.context


def _recorded(
    task: str, conditions: list[Condition], library: Library
) -> Iterator[tuple[System, RecordedScores]]:
    """Plain chunks, those that a narrower window leaves as they are once, and late ones of the same
    chunkers; half precision where the model's own is not recorded. Chunks count of which a document
    has more on average than are ranked: of fewer their order says little."""
    found: dict[System, RecordedScores] = {}
    in_turn = sorted(conditions, key=lambda one: (-parse_encoder(one.encoder).reach, one.encoder))
    for condition in in_turn:
        record = library[condition]
        counts = record.run.counts
        if task == IN_DOCUMENT and counts.chunks <= _depth(task) * counts.documents:
            continue
        window = parse_encoder(condition.encoder).reach
        scored = RecordedScores(record.wide[MEASURES[task]], record)
        found.setdefault(System(condition.chunker, condition.ordering, window), scored)
    plain: defaultdict[str, list[pd.Series]] = defaultdict(list)
    for system, scored in found.items():
        wider = plain[system.chunker]
        if system.ordering == PRE_EMBEDDING and not any(scored.scores.equals(one) for one in wider):
            wider.append(scored.scores)
            yield system, scored
    for system, scored in found.items():
        if system.ordering != PRE_EMBEDDING and plain[system.chunker]:
            yield system, scored


def with_random_order(ranked: pd.DataFrame, random_order: RandomOrder) -> pd.DataFrame:
    """Add the score of a random order of the same chunks, a fraction; missing where unknown.

    Args:
        ranked: of :func:`ranking`.
        random_order: what is stored.
    """
    scores = []
    for row in ranked.to_dict("records"):
        task, collection, model, chunker = (str(row[name]) for name in (*GROUP, "chunker"))
        encoder = str(EncoderName(model, int(row["window"]) or WINDOW))
        known = random_order.score(collection, CORRECTED.name, chunker, encoder)
        scores.append(known if task == IN_DOCUMENT else np.nan)
    return ranked.assign(**{COLUMN: scores})


def _by_words(
    task: str,
    collection: str,
    model: str,
    systems: dict[System, RecordedScores],
    searched: pd.DataFrame,
) -> Iterator[tuple[System, RecordedScores]]:
    """BM25, and its fusion with the model's vectors, over every chunker that was searched."""
    of_chunker = {
        system.chunker: scored.record
        for system, scored in systems.items()
        if system.ordering == PRE_EMBEDDING
    }
    rows = searched[
        (searched["measure"] == MEASURES[task])
        & (searched["collection"] == collection)
        & searched["model"].isin([NONE, model])
    ]
    for names, part in rows.groupby(["chunker", "system"]):
        chunker, way = map(str, names)
        scores = part.set_index("query_id")["value"]
        window = 0 if way == WORDS else WINDOW
        yield System(chunker, way, window), RecordedScores(scores, of_chunker.get(chunker))


def _depth(task: str) -> int:
    return int(MEASURES[task].partition("@")[2])


def _ranked(
    keys: dict[str, str], systems: dict[System, RecordedScores], library: Library
) -> pd.DataFrame:
    """The systems of one task, collection and model, compared with the best of them."""
    means = {system: scored.scores.mean() for system, scored in systems.items()}
    ranked = sorted(means, key=lambda system: (-means[system], system))
    ordered = [systems[system].scores.dropna() for system in ranked]
    documents = None
    if keys["task"] == IN_DOCUMENT:
        documents = documents_of(facts.read(library.places, keys["collection"]))
    intervals = mean_intervals(ordered, documents)
    measure = MEASURES[keys["task"]]
    table = pd.DataFrame(
        [
            {**keys, **system._asdict(), "measure": measure, "n": len(scores)}
            | {"score": means[system], "low": interval.low, "high": interval.high}
            | {READ: _tokens_read(keys["task"], system, systems[system].record)}
            for system, scores, interval in zip(ranked, ordered, intervals, strict=True)
        ]
    )
    pairs = [
        Pair(system._asdict(), scores, ordered[0], documents)
        for system, scores in zip(ranked[1:], ordered[1:], strict=True)
    ]
    compared = differences(pairs, f"behind the best, {', '.join(keys.values())}", "score", "best")
    compared = compared.rename(columns={"low": "difference low", "high": "difference high"})
    tests = [*ENDS, "p_holm", "margin", "p_equivalent_holm", "family", *TESTED]
    compared.index += 1
    return table.join(compared[tests]).fillna(dict.fromkeys(ENDS, 0.0) | TESTED)


def _tokens_read(task: str, system: System, record: Record | None) -> float:
    """What a reader gets of a system."""
    if record is None:
        return np.nan
    if task == IN_DOCUMENT:
        return _depth(task) * record.run.sizes["wordpiece"].mean
    if task == EXCERPTS and (system.ordering == PRE_EMBEDDING or "-" in system.ordering):
        return statistics.mean(record.wide["TokensRead@5"])
    return np.nan
