"""Running every arm: documents read once for all late arms of a model, a record left by each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.base.faults import ModelError
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunker, Chunks, RewrittenSpan, Span
from chunkstudy.chunkers.own import OwnChunker, checked
from chunkstudy.commands.evaluate.arms import Arm, EvaluationError
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.evaluation.measures import in_tokens
from chunkstudy.runs import display_names, records, rescore
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.encoding import SPECIAL, Jobs, jobs, parse_ordering, read_once
from chunkstudy.runs.run import Outcome, boundary_store
from chunkstudy.runs.run import evaluate as score
from chunkstudy.runs.store import VectorStore

DEEPEST = 20
"""Ranks that are kept of each question."""
Say = Callable[[str], object]


@dataclass(frozen=True)
class Ran:
    """An arm with what came of it.

    Attributes:
        outcome: its record and scores.
        tokens: that the encoder reads for its chunks, whether now or before.
        seconds: of encoding, now; late arms of a model share one reading, which each counts.
        dollars: for these tokens, where an API sells vectors; NaN elsewhere.
    """

    arm: Arm
    outcome: Outcome
    tokens: int
    seconds: float
    dollars: float


def measures(task: str, k: int) -> tuple[str, ...]:
    """What is told of each arm, the one that decides first.

    Raises:
        EvaluationError: if so many ranks are not kept.
    """
    if not 1 <= k <= DEEPEST:
        raise EvaluationError(f"--k {k} is impossible; use 1 to {DEEPEST}")
    if task == "in_corpus":
        return (f"nDCG@{k}", f"R@{k}")
    return (f"SpanRecall@{k}", f"SpanPrecision@{k}", f"SpanIoU@{k}", f"TokensRead@{k}")


def run(
    texts: Texts, arms: Sequence[Arm], k: int, vectors: Path, folder: Path, say: Say
) -> list[Ran]:
    """Score every arm and leave its record below a folder, vectors in their store.

    Args:
        texts: what is evaluated on.
        arms: what is compared.
        k: chunks, or documents, that count as read.
        vectors: the folder of the stores; what is there is not computed again.
        folder: of the records.
        say: told how it goes.
    """
    own = as_functions(texts, arms)
    found: list[Ran] = []
    for encoder in dict.fromkeys(arm.encoder for arm in arms):
        store = encoder.open(vectors)
        mine = [arm for arm in arms if arm.encoder == encoder]
        reading = _read_late(texts, mine, store, own, vectors)
        for arm in mine:
            say(f"[{len(found) + 1}/{len(arms)}] {label(arm)}")
            one = _run_one(texts, arm, k, store, own.get(arm.chunker.slug), vectors)
            found.append(replace(one, seconds=one.seconds + reading.get(arm.condition.ordering, 0)))
            outcome = found[-1].outcome
            records.write(
                folder / arm.condition.path,
                outcome.run,
                outcome.scores,
                outcome.timing,
                outcome.kept,
                outside=folder / "rankings",
            )
    return found


def as_functions(texts: Texts, arms: Sequence[Arm]) -> dict[str, Chunker]:
    """By slug the chunkers that are not the catalogue's, ready for these documents."""
    return {
        arm.chunker.slug: _remembering(arm.chunker.function, texts)
        for arm in arms
        if arm.chunker.function
    }


def chunked(
    texts: Texts, arm: Arm, store: VectorStore, own: Chunker | None, vectors: Path
) -> Chunks:
    """The chunks of an arm, as its record has them."""
    boundaries = None if own else boundary_store(arm.condition, vectors)
    return chunk(arm.condition, texts.collection, store, own, boundaries)


def read_tokens(texts: Texts, arm: Arm, store: VectorStore, chunks: Chunks) -> int:
    """Tokens that the encoder reads for an arm's chunks, special ones included."""
    if parse_ordering(arm.condition.ordering).window:
        return sum(layout.tokens for layout in _jobs(texts, arm, store, chunks).layouts)
    of_each = store.encoder
    embedded = chunks.texts(texts.collection.documents)
    if isinstance(of_each, ApiEncoder):
        return sum(
            min(count, of_each.window) for count in tokens.counter("cl100k").count_many(embedded)
        )
    count = getattr(of_each, "token_count", tokens.counter("wordpiece").count_many)
    window = getattr(of_each, "window", None) or np.inf
    return int(np.minimum(np.asarray(count(embedded)) + SPECIAL, window).sum())


def _run_one(
    texts: Texts, arm: Arm, k: int, store: VectorStore, own: Chunker | None, vectors: Path
) -> Ran:
    before = store.seconds
    boundaries = None if own else boundary_store(arm.condition, vectors)
    outcome = score(arm.condition, texts.collection, store, own, boundaries)
    outcome = _with_measures(outcome, texts, arm, measures(texts.task, k))
    read = read_tokens(texts, arm, store, outcome.chunks)
    price = store.encoder.price if isinstance(store.encoder, ApiEncoder) else None
    dollars = price.dollars(read) if price else float("nan")
    return Ran(arm, outcome, read, store.seconds - before, dollars)


def _with_measures(outcome: Outcome, texts: Texts, arm: Arm, wanted: Sequence[str]) -> Outcome:
    """The outcome with measures that scoring leaves out at this depth, from its ranking."""
    scores = outcome.scores
    assert outcome.kept is not None
    for name in (one for one in wanted if one not in scores):
        if in_tokens(name):
            values = _tokens_read(texts, outcome.kept, int(name.partition("@")[2]))
        elif texts.task == "in_corpus":
            values = rescore.of_documents(texts.collection, name, outcome.kept)
        else:
            values = rescore.of_chunks(texts.collection, arm.condition, name, outcome.kept)
        scores = scores.assign(**{name: records.six_decimals(values.reindex(scores.index))})
    if scores is outcome.scores:
        return outcome
    run = outcome.run.model_copy(
        update={
            "measures": list(scores.columns),
            "per_query_sha256": records.scores_sha256(scores),
        }
    )
    return replace(outcome, run=run, scores=scores)


def _tokens_read(texts: Texts, kept: pd.DataFrame, k: int) -> pd.Series:
    """cl100k tokens of the first k chunks, by question."""
    first = kept[kept.groupby("query").cumcount() < k]
    spans = first[["document", "start", "end"]].drop_duplicates()
    documents = texts.collection.documents
    cut = [documents[d].text[s:e] for d, s, e in spans.to_numpy().tolist()]
    counted = spans.assign(tokens=tokens.counter("cl100k").count_many(cut))
    each = first.merge(counted, on=["document", "start", "end"]).groupby("query")["tokens"].sum()
    ids = [query.id for query in texts.collection.queries]
    values = each.reindex(range(len(ids)), fill_value=0).astype(float)
    return values.set_axis(pd.Index(ids, name="query_id"))


def _read_late(
    texts: Texts,
    mine: Sequence[Arm],
    store: VectorStore,
    own: dict[str, Chunker],
    vectors: Path,
) -> dict[str, float]:
    """Read the documents once for all late arms of a model with the same window; the seconds that
    it took, by ordering."""
    groups: dict[str, list[Arm]] = {}
    seconds: dict[str, float] = {}
    for arm in mine:
        if parse_ordering(arm.condition.ordering).window:
            groups.setdefault(arm.condition.ordering, []).append(arm)
    for ordering, group in groups.items():
        of_each = [
            _jobs(texts, arm, store, chunked(texts, arm, store, own.get(arm.chunker.slug), vectors))
            for arm in group
        ]
        before = store.seconds
        read_once(store, of_each, label=f"reading for {len(group)} chunkers, {ordering}")
        seconds[ordering] = store.seconds - before
    return seconds


def _jobs(texts: Texts, arm: Arm, store: VectorStore, chunks: Chunks) -> Jobs:
    condition = arm.condition
    if not hasattr(store.encoder, "pool"):
        raise ModelError(f"{arm.encoder.name} takes no late chunking: {arm.encoder.why_plain}")
    return jobs(
        store,
        texts.collection.documents,
        chunks,
        parse_ordering(condition.ordering),
        PROTOCOLS[condition.protocol],
    )


def _remembering(function: OwnChunker, texts: Texts) -> Chunker:
    """A chunker of one's own, asked once for each document, since asking again might cost or give
    other chunks."""
    spans = checked(function, texts.collection.documents)
    known: dict[str, Sequence[Span] | Sequence[RewrittenSpan]] = {}

    def remembered(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        if text not in known:
            known[text] = spans(text)
        return known[text]

    return remembered


def label(arm: Arm, among: Sequence[Arm] = ()) -> str:
    """An arm as a reader knows it: its chunker, and in what else it differs from others."""
    shared = {
        name
        for name, value in arm.keys.items()
        if name != "chunker" and among and all(one.keys[name] == value for one in among)
    }
    shown = {k: display_names.shown(k, v) for k, v in arm.keys.items() if k not in shared}
    return ", ".join(shown.values())
