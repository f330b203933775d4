"""Systems compared, as frames of floats: scores with intervals, tests against the best, how many
questions would tell the best two apart; and what all this says in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.base.spans import Span
from chunkstudy.chunkers.structure import sentences
from chunkstudy.evaluation.measures import coverage, in_tokens
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    SIGNIFICANT,
    Pair,
    differences,
)
from chunkstudy.evaluation.statistics.testing import clustered_means
from chunkstudy.studies.own_documents import blocks
from chunkstudy.studies.own_documents.pipeline import (
    ChunkIndex,
    Ints,
    Pipeline,
    Result,
    characters_read,
)
from chunkstudy.studies.own_documents.systems import System, labels
from chunkstudy.study import titles

READ = "tokens that a reader gets"
RERANKED = "tokens reranked a question"
NOT_TESTED = "not tested"
UNITS: dict[str, Callable[[str], Sequence[Span]]] = {
    "sentences broken": sentences,
    "table rows without header": blocks.table_rows,
    "code blocks cut": blocks.code_blocks,
    "list items cut": blocks.list_items,
}
"""What a boundary should not break, as screening names it."""
FEWEST = 5
"""Questions below which nothing is tested."""
NOTEWORTHY = 0.01
"""The share of text that an encoder never reads from which on it is said of the leader."""
TOO_MANY_QUESTIONS = 100_000
LESS = 0.9
"""The share of the best way's cost from which on another is recommended in its place."""


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found, and where it lies.

    Attributes:
        table: a row a system, the best first; scores are fractions with 95% intervals.
        tests: every other system against the best, corrected for their number; empty with one.
        needed: how many questions tell the best two apart; empty with one system.
        scores: by question, the deciding measure of every system.
        answer: in a sentence, or two where text is never read.
        more: how many more questions, and what would save text; empty with one system.
        chosen: the place in the table of the way to take: of those that no test tells from the
            best the one that costs least.
        record: what the evaluation rests on, as ``evaluation.json`` holds it.
        folder: with all files; ``page`` is the one to open first.
    """

    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    answer: str
    more: str
    chosen: int
    record: dict[str, Any]
    folder: Path

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, a sentence each."""
        return tuple(self.record["left_out"])

    @property
    def page(self) -> Path:
        return self.folder / "index.html"


def compare(
    pipeline: Pipeline, ranked: Sequence[Result], record: dict[str, Any], folder: Path
) -> Evaluation:
    """Every table, from per-query scores of the systems, the best first."""
    seed: int = record["seed"]
    measure, documents = pipeline.measures[0], _documents_asked(pipeline)
    names = labels([result.system.keys for result in ranked])
    values = [result.scores[measure] for result in ranked]
    table = pd.DataFrame([_row(pipeline, result, documents, seed) for result in ranked])
    tests = _tests(ranked, measure, documents, seed)
    needed = _needed(values, names, tests, documents)
    scores = pd.concat(values, axis=1, keys=names)
    questions = {query.id: query.text for query in pipeline.collection.queries}
    scores.insert(0, "question", pd.Series(questions))
    chosen, saves = _choice(table, tests, names)
    first, then = answer(table, tests, names[0]), f"{more(tests, needed)} {saves}".strip()
    return Evaluation(table, tests, needed, scores, first, then, chosen, record, folder)


def best_first(results: Sequence[Result], measures: Sequence[str]) -> list[Result]:
    """Higher scores first, and of equal ones that which hands over the least text."""
    read = next((name for name in measures if in_tokens(name)), None)

    def merit(result: Result) -> tuple[float, float]:
        handed = float(result.scores[read].mean()) if read else 0.0
        return -round(float(result.scores[measures[0]].mean()), 9), handed

    return sorted(results, key=merit)


def screen(pipeline: Pipeline, systems: Sequence[System]) -> pd.DataFrame:
    """What needs no question, a row a system: sizes, text in no chunk and beyond the window,
    sentences and other ``UNITS`` that a boundary breaks, as fractions; of these no column where
    the documents have none."""
    texts = [document.text for document in pipeline.collection.documents]
    units = {name: {text: split(text) for text in texts} for name, split in UNITS.items()}
    frame = pd.DataFrame([_screened(pipeline, system, units) for system in systems])
    return frame.drop(columns=[name for name in UNITS if frame[name].isna().all()])


def answer(table: pd.DataFrame, tests: pd.DataFrame, best: str) -> str:
    """Whether one way is best, and whether what leads is read as a whole.

    Args:
        table: a row a system, the best first.
        tests: every other against the best.
        best: the best one's name.
    """
    first, others = table.iloc[0], len(table) - 1
    behind = int((tests["p_holm"] < SIGNIFICANT).sum()) if others else 0
    questions = "1 question" if first["n"] == 1 else f"{first['n']} questions"
    measured = f"{100 * first['score']:.1f}% ({titles.measure(first['measure'])})"
    led = f"{best} leads with {measured}"
    if not others:
        sentence = f"{best} scores {measured}, the mean over {questions}; name a second chunker, "
        sentence += "encoder or ordering to compare it with."
    elif first["n"] < FEWEST:
        sentence = f"Not tested: {questions} cannot tell ways of chunking apart; {led}."
    elif behind == others:
        sentence = f"Yes: {led}, significantly more than each of the {others} others."
    elif behind:
        sentence = f"In part: {led}, significantly more than {behind} of {others} others."
    else:
        sentence = f"Not shown: {led}, and with {questions} not significantly more than any other."
    if first["unread"] >= NOTEWORTHY:
        verb, unread = "leads" if others else "scores so", f"{100 * first['unread']:.1f}%"
        sentence += f" It {verb} with chunks of which the model never reads {unread}."
    return sentence


def more(tests: pd.DataFrame, needed: pd.DataFrame) -> str:
    """How many more questions would tell the best two apart; empty where there is one system.

    Args:
        tests: every other against the best.
        needed: of the best two, a row as :class:`Evaluation` has it.
    """
    if not len(needed) or needed["n"].iloc[0] < FEWEST:
        return ""
    second, questions = tests.iloc[0], needed["more than there are"].iloc[0]
    if second["p_holm"] < SIGNIFICANT:
        return "The best two are told apart by the questions at hand."
    if second["shown"] == NOT_TESTED:
        return (
            "The best two differ on no question, or by the same on all, so that it cannot be said "
            "how many more would tell them apart."
        )
    if questions > TOO_MANY_QUESTIONS:
        return (
            "The best two lie so close that no number of questions that can be asked would tell "
            "them apart."
        )
    return (
        f"To tell the best two apart takes about {questions:,.0f} more questions like these, with "
        f"a chance of {100 * power.POWER:.0f}% to see the difference of "
        f"{100 * needed['a minus b'].iloc[0]:.1f} points."
    )


def _choice(table: pd.DataFrame, tests: pd.DataFrame, names: Sequence[str]) -> tuple[int, str]:
    """The place in the table of the way to take, and what it saves; nothing of the best itself.

    Of those that no test tells from the best it is the one that costs least, in tokens handed to a
    reader or encoded; else what costs hardly more than the best and asks no reranker, if that does.
    """
    if len(table) == 1 or table["n"].iloc[0] < FEWEST:
        return 0, ""
    level = [0, *(i for i, p in enumerate(tests["p_holm"], start=1) if not p < SIGNIFICANT)]
    cost, does = (READ, "hands over") if READ in table else ("tokens encoded", "encodes")
    costs = table[cost].astype(float).round()
    taken = min(level, key=lambda place: (costs[place], place))
    why = f"and it {does} {costs[taken]:,.0f} tokens where the best {does} {costs[0]:,.0f}"
    if not costs[taken] <= LESS * costs[0]:
        reads = table[RERANKED] if RERANKED in table else pd.Series(np.nan, table.index)
        unranked = (i for i in level if np.isnan(reads[i]) and LESS * costs[i] <= costs[0])
        taken = 0 if np.isnan(reads[0]) else next(unranked, 0)
        why = f"which reranks {reads[0]:,.0f} tokens a question"
    if not taken:
        return 0, ""
    return taken, f"To save, take {names[taken]}: no test tells it from the best, {why}."


def _row(
    pipeline: Pipeline, result: Result, documents: pd.Series | None, seed: int
) -> dict[str, object]:
    first, *others = pipeline.measures
    values = result.scores[first].dropna().sort_index()
    from_nothing = Pair({"measure": first}, values, 0 * values, documents)
    (of_mean,) = differences([from_nothing], "", "score", "nothing", seed=seed).to_dict("records")
    row: dict[str, object] = {
        **result.system.keys,
        "measure": first,
        "n": len(values),
        "score": float(values.mean()),
        "low": of_mean["low"],
        "high": of_mean["high"],
        **{READ if in_tokens(name) else name: result.scores[name].mean() for name in others},
        **_sizes(pipeline, result.index),
        **_unread(result.index, result.read),
        "tokens encoded": result.tokens,
    }
    if not math.isnan(result.dollars):
        row["US dollars"] = result.dollars
    if result.reranked:
        row[RERANKED] = result.reranked
    return row | {"interval": of_mean["interval"]}


def _screened(
    pipeline: Pipeline, system: System, units: Mapping[str, Mapping[str, Sequence[Span]]]
) -> dict[str, object]:
    store, documents = pipeline.store(system.retriever), pipeline.collection.documents
    index = pipeline.chunk(system)
    return {
        **system.keys,
        **_sizes(pipeline, index),
        "tokens, largest": int(pipeline.sizes(index).max(initial=0)),
        **_unread(index, characters_read(system, store, index)),
        **{
            name: coverage.broken(documents, index.returned, of_texts.__getitem__)
            for name, of_texts in units.items()
        },
    }


def _sizes(pipeline: Pipeline, index: ChunkIndex) -> dict[str, float]:
    """How many chunks of which size, and what text lies in none."""
    return {
        "chunks": len(index.returned),
        "mean tokens": float(pipeline.sizes(index).mean()),
        "text in no chunk": coverage.outside(pipeline.collection.documents, index.returned),
    }


def _unread(index: ChunkIndex, read: Ints | None) -> dict[str, float]:
    """The share of chunks of which something, and of characters that, an encoder never reads."""
    total = int(index.lengths.sum())
    if read is None or not total:
        return {"cut": float("nan"), "unread": float("nan")}
    return {"cut": float((read < index.lengths).mean()), "unread": 1 - int(read.sum()) / total}


def _tests(
    ranked: Sequence[Result], measure: str, documents: pd.Series | None, seed: int
) -> pd.DataFrame:
    """Every other against the best; where questions are few, or all tell the same difference,
    there is no test and it says so."""
    best = ranked[0].scores[measure]
    pairs = [
        Pair({**other.system.keys, "measure": measure}, other.scores[measure], best, documents)
        for other in ranked[1:]
    ]
    family = f"against the best of {len(ranked)}"
    varying = [pair for pair in pairs if _varies(pair)]
    tested = differences(varying, family, "score", "best", seed=seed)
    rows = iter(tested.to_dict("records"))
    every = [next(rows) if _varies(pair) else _untested(pair) for pair in pairs]
    return pd.DataFrame(every, columns=tested.columns if varying else None)


def _untested(pair: Pair) -> dict[str, object]:
    both = pd.DataFrame({0: pair.first, 1: pair.second}).dropna()
    first, second = (float(both[name].mean()) for name in both)
    counts = {"n": len(both), "score": first, "best": second, "difference": first - second}
    return {**pair.keys, **counts, "p": np.nan, "p_holm": np.nan, "shown": NOT_TESTED}


def _varies(pair: Pair) -> bool:
    change = (pair.first - pair.second).dropna()
    return len(change) >= FEWEST and float(change.std(ddof=1)) > 0


def _documents_asked(pipeline: Pipeline) -> pd.Series | None:
    """By question the one document that holds all its excerpts; None where some have several."""
    if pipeline.texts.task == "in_corpus":
        return None
    judgments = pipeline.collection.judgments
    pairs = sorted({(judgment.query, judgment.document) for judgment in judgments})
    by_query = dict(pairs)
    return pd.Series(by_query) if len(by_query) == len(pairs) else None


def _needed(
    values: Sequence[pd.Series],
    names: Sequence[str],
    tests: pd.DataFrame,
    documents: pd.Series | None,
) -> pd.DataFrame:
    """Questions that tell the best two apart, at the level that correction leaves them at worst and
    with the error of the test, so that they are always more than those that do not; those at hand
    where they are told apart already."""
    if len(values) == 1:
        return pd.DataFrame()
    change = (values[0] - values[1]).dropna().sort_index()
    n, mean, level = len(change), float(change.mean()), power.LEVEL / (len(values) - 1)
    std = float(change.std(ddof=1)) if n >= FEWEST else float("nan")
    if documents is not None and documents.loc[change.index].nunique() >= FEWEST_DOCUMENTS:
        groups = documents.loc[change.index]
        std = clustered_means([(change, groups)])[0].error * math.sqrt(n)
    enough = power.queries_needed(mean, std, level=level) if std > 0 else float("nan")
    apart = bool(tests["p_holm"].iloc[0] < SIGNIFICANT)
    enough = n if apart else max(enough, n + 1.0)
    row = {
        "a": names[0],
        "b": names[1],
        "n": n,
        "a minus b": mean,
        "std": std,
        "questions needed": enough,
        "more than there are": enough - n,
        "difference that these show": power.detectable(n, std, level=level),
    }
    return pd.DataFrame([row])
