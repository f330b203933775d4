"""Which arms, a chunker with plain or late chunking, are ranked for each task.

Under the corrected protocol, each model at the window with the most records; within documents, late
chunking at every window beside that. A passage of one document is looked for in three collections
that are not averaged: papers, Chroma's corpora, and one novel.
"""

from __future__ import annotations

from collections import Counter

from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.grids import BEIR_AT_HAND, OWN, PRE
from chunkstudy.runs.library import Library, Record
from chunkstudy.runs.names import parse_chunker, parse_encoder, parse_ordering

EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
MEASURES = {EXCERPTS: "SpanRecall@5", IN_CORPUS: "nDCG@10", IN_DOCUMENT: "DCG@10"}
QUESTIONS = (
    (EXCERPTS, ("chroma",)),
    (IN_CORPUS, BEIR_AT_HAND),
    (IN_DOCUMENT, (covid_qa.WITHIN,)),
    (IN_DOCUMENT, ("chroma-within",)),
    (IN_DOCUMENT, ("gutenqa-emma",)),
)
"""Tasks, and the collections over which each is one question."""
Method = tuple[str, str]
"""A chunker and an ordering."""
Question = tuple[str, tuple[str, ...]]


def encoders(question: Question, library: Library) -> list[str]:
    """Of each model with records of the task, its encoder with the most of them; the model with
    the most records first."""
    counts = Counter(one.encoder for one in library if _belongs(question, one))
    best: dict[str, str] = {}
    names = {one: parse_encoder(one) for one in counts}
    for encoder in sorted(counts, key=lambda one: (counts[one], names[one].reach), reverse=True):
        best.setdefault(names[encoder].model, encoder)
    return list(best.values())


def _belongs(question: Question, one: Condition) -> bool:
    """Whether a condition is asked about; a model of four bits answers another question only, and
    so does a chunker that is a control."""
    if one.collection not in question[1] or one.protocol != OWN or one.encoder == NONE:
        return False
    spec = parse_chunker(one.chunker)
    usual = spec.length == CHUNKERS[spec.name].lengths[0]
    whole = models.spec(parse_encoder(one.encoder).model).packed is None
    if spec.entry.control:
        return False
    return usual and whole and (one.ordering == PRE or one.late)


def _narrower(question: Question, encoder: str, one: Condition) -> bool:
    """Whether it is late chunking by the same model at another window, within documents, where the
    windows were swept. Plain chunks that a narrower window leaves whole would be the same again."""
    same = parse_encoder(one.encoder).model == parse_encoder(encoder).model
    whole = parse_ordering(one.ordering).window == parse_encoder(one.encoder).reach
    return question[0] == IN_DOCUMENT and same and whole and one.ordering != PRE


def records(question: Question, encoder: str, library: Library) -> dict[Method, dict[str, Record]]:
    """Per chunker and ordering the records by collection, where all collections that have any have
    one; a late arm beside its plain one only, so that no half of a run is called the best."""
    wanted = [
        one
        for one in library
        if _belongs(question, one) and (one.encoder == encoder or _narrower(question, encoder, one))
    ]
    seen = {one.collection for one in wanted}
    names = [name for name in question[1] if name in seen]
    found: dict[Method, dict[str, Record]] = {}
    for one in wanted:
        record = library.get(one)
        if record is not None:
            found.setdefault((one.chunker, one.ordering), {})[one.collection] = record
    whole = {
        method
        for method, of in found.items()
        if len(of) == len(names) and all(_searched(question[0], one) for one in of.values())
    }
    return {
        method: {name: found[method][name] for name in names}
        for method in found
        if method in whole and (method[0], PRE) in whole
    }


def _searched(task: str, record: Record) -> bool:
    """Whether a mean document has more chunks than are ranked: where it has not, the first ten are
    the whole document, and their order says little."""
    counts = record.run.counts
    depth = int(MEASURES[task].partition("@")[2])
    return task != IN_DOCUMENT or counts.chunks > depth * counts.documents
