"""Which arms, a chunker with plain or late chunking, are ranked for each task.

Under the corrected protocol, each model at every window and in every layout that was run for all
collections of a task. A passage of one document is looked for in three collections
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
Method = tuple[str, str, int]
"""A chunker, an ordering, and the tokens that the model reads at once."""
Question = tuple[str, tuple[str, ...]]


def every_model(question: Question, library: Library) -> list[str]:
    """Each model with records of the task, by id, that with the most first."""
    counts = Counter(parse_encoder(one.encoder).model for one in library if _belongs(question, one))
    return [model for model, _ in counts.most_common()]


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
    ordering = parse_ordering(one.ordering)
    read = ordering.window == parse_encoder(one.encoder).reach and (one.late or ordering.beside)
    return usual and whole and (one.ordering == PRE or read)


def records(question: Question, model: str, library: Library) -> dict[Method, dict[str, Record]]:
    """Per arm the records by collection, where all collections that have any have one; a late arm
    beside a plain one only, so that no half of a run is called the best; plain chunks that a
    narrower window leaves as they are once."""
    wanted = [
        one
        for one in library
        if _belongs(question, one) and parse_encoder(one.encoder).model == model
    ]
    seen = {one.collection for one in wanted}
    names = [name for name in question[1] if name in seen]
    found: dict[Method, dict[str, Record]] = {}
    for one in sorted(wanted, key=lambda one: -parse_encoder(one.encoder).reach):
        record = library.get(one)
        if record is not None:
            method = (one.chunker, one.ordering, parse_encoder(one.encoder).reach)
            found.setdefault(method, {})[one.collection] = record
    whole = {
        method: {name: of[name] for name in names}
        for method, of in found.items()
        if len(of) == len(names) and all(_searched(question[0], one) for one in of.values())
    }
    plain: dict[str, list[dict[str, Record]]] = {}
    arms: dict[Method, dict[str, Record]] = {}
    for method, of in whole.items():
        if method[1] == PRE:
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
