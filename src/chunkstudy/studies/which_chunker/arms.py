"""Which arms, a chunker with plain or late chunking, are ranked for each task, and what one costs,
counted and not timed: tokens encoded, chunks kept, tokens that are read.

Under the corrected protocol, each model at every window and in every layout that was run for all
collections of a task. A passage of one document is looked for in three collections
that are not averaged: papers, Chroma's corpora, and one novel.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import beir, covid_qa
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.runs.conditions import (
    PRE_EMBEDDING,
    Condition,
    parse_chunker,
    parse_method,
)
from chunkstudy.runs.encoding import SPECIAL
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
Method = tuple[str, str, int]
"""A chunker, an ordering, and the tokens that the model reads at once."""
Question = tuple[str, tuple[str, ...]]


def every_model(question: Question, library: Library) -> list[str]:
    """Each model with records of the task, by id, that with the most first."""
    counts = Counter(one.model.model for one in library if one.model and _belongs(question, one))
    return [model for model, _ in counts.most_common()]


def _belongs(question: Question, one: Condition) -> bool:
    """Whether a condition is asked about; a model of four bits answers another question only, and
    so does a chunker that is a control."""
    if one.collection not in question[1] or one.protocol != CORRECTED.name or one.model is None:
        return False
    spec = one.chunking
    usual = spec.length == CHUNKERS[spec.name].lengths[0]
    whole = models.spec(one.model.model).packed is None
    if spec.entry.control:
        return False
    read = one.method.window == one.model.reach and (one.late or one.method.beside)
    return usual and whole and (one.ordering == PRE_EMBEDDING or read)


def records(question: Question, model: str, library: Library) -> dict[Method, dict[str, Record]]:
    """Per arm the records by collection, where all collections that have any have one; a late arm
    beside a plain one only, so that no half of a run is called the best; plain chunks that a
    narrower window leaves as they are once."""
    wanted = {
        condition: condition.model.reach
        for condition in library
        if condition.model and condition.model.model == model and _belongs(question, condition)
    }
    seen = {condition.collection for condition in wanted}
    names = [name for name in question[1] if name in seen]
    found: dict[Method, dict[str, Record]] = {}
    for one, reach in sorted(wanted.items(), key=lambda item: -item[1]):
        record = library.get(one)
        if record is not None:
            method = (one.chunker, one.ordering, reach)
            found.setdefault(method, {})[one.collection] = record
    whole = {
        method: {name: of[name] for name in names}
        for method, of in found.items()
        if len(of) == len(names) and all(_searched(question[0], one) for one in of.values())
    }
    plain: dict[str, list[dict[str, Record]]] = {}
    arms: dict[Method, dict[str, Record]] = {}
    for method, of in whole.items():
        if method[1] == PRE_EMBEDDING:
            wider = plain.setdefault(method[0], [])
            if any(_same(question[0], of, one) for one in wider):
                continue
            wider.append(of)
        arms[method] = of
    return {method: of for method, of in arms.items() if method[0] in plain}


def _same(task: str, one: dict[str, Record], other: dict[str, Record]) -> bool:
    measure = MEASURES[task]
    return all(one[name].wide[measure].equals(other[name].wide[measure]) for name in one)


def _searched(task: str, record: Record) -> bool:
    """Whether a mean document has more chunks than are ranked: where it has not, the first ten are
    the whole document, and their order says little."""
    counts = record.run.counts
    depth = int(MEASURES[task].partition("@")[2])
    return task != IN_DOCUMENT or counts.chunks > depth * counts.documents


IOU = "SpanIoU@5"
LLM_GUIDED = ("lumberchunker-released", "proposition-released")
ENCODED = "tokens encoded a token of text"
OPERATIONS = "million operations a token"
READ = "tokens that a reader gets"
"""Of the five chunks retrieved where excerpts are looked for, measured; of ten chunks of mean size
within a document; missing where whole documents are looked for."""
AVERAGED = "averaged"
"""The layout whose windows share half; others share what their ordering says, or nothing."""
SAME_TEXT = {"chroma": "chroma-within"}
"""Collections whose text was counted under another name."""


def of_chunks(
    task: str, method: Method, records: Sequence[Record], cost: pd.DataFrame
) -> dict[str, object]:
    """Chunks, their mean size in the task's tokens, what a reader gets, and what drawing boundaries
    needs."""
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    chunks = sum(record.run.counts.chunks for record in records)
    weighted = sum(r.run.sizes[unit].mean * r.run.counts.chunks for r in records) / chunks
    row: dict[str, object] = {"chunks": chunks, "mean tokens": weighted}
    if task == IN_DOCUMENT:
        row[READ] = int(MEASURES[task].partition("@")[2]) * weighted
    if task == EXCERPTS:
        row[IOU] = statistics.mean(records[0].wide[IOU])
        row["tokens read at 5"] = statistics.mean(records[0].wide["TokensRead@5"])
        row[READ] = row["tokens read at 5"]
        seen = cost[cost["chunker"] == method[0]]
        row["chunking s/M tokens"] = seen["chunking s/M tokens"].iloc[0] if len(seen) else np.nan
    return row | {"needs": _needs(method[0])}


def encoded(method: Method, records: Mapping[str, Record], sizes: pd.DataFrame) -> float:
    """Tokens that the encoder reads for every token of text: chunks with their two special tokens,
    or a mean document's windows. What a window cuts off a chunk is counted all the same. NaN where
    the size of a collection is not recorded."""
    if sizes.empty:
        return np.nan
    known = sizes.set_index("collection").to_dict("index")
    read = text = 0.0
    for name, record in records.items():
        counted = known.get(SAME_TEXT.get(name, name))
        if counted is None:
            return np.nan
        tokens, documents = counted["wordpiece_tokens"], counted["documents"]
        ordering = parse_method(method[1])
        if ordering.window:
            room = ordering.window - SPECIAL
            overlap = room - room // 2 if ordering.layout == AVERAGED else ordering.overlap
            windows = 1 + max(0, math.ceil((tokens / documents - room) / (room - overlap)))
            read += tokens + documents * ((windows - 1) * overlap + windows * SPECIAL)
        else:
            size = record.run.sizes["wordpiece"].mean
            read += record.run.counts.chunks * (size + SPECIAL)
        text += tokens
    return read / text


def _needs(chunker: str) -> str:
    spec = parse_chunker(chunker)
    if spec.llm or spec.name in LLM_GUIDED:
        return "an LLM"
    if spec.reader:
        return "a causal model"
    return "an encoder" if spec.needs_encoder else "nothing"
