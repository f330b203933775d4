"""Systems compared, as frames of floats: scores with intervals, tests against the best, how many
questions would tell the best two apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.chunkers.structure import sentences
from chunkstudy.core.spans import Span
from chunkstudy.evaluation.measures import coverage
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    SIGNIFICANT,
    Pair,
    differences,
)
from chunkstudy.evaluation.statistics.testing import clustered_means
from chunkstudy.user_data import blocks
from chunkstudy.user_data.chunk_index import ChunkIndex, Ints
from chunkstudy.user_data.conclusions import (
    MIN_TESTED,
    NOT_TESTED,
    state_answer,
    state_needed,
    state_tokens,
)
from chunkstudy.user_data.pipeline import Pipeline, Result, characters_read, unread_share
from chunkstudy.user_data.recommendation import ENCODED, READ, RERANKED, Recommendation, recommend
from chunkstudy.user_data.systems import System, labels

UNITS: dict[str, Callable[[str], Sequence[Span]]] = {
    "sentences broken": sentences,
    "table rows without header": blocks.table_rows,
    "code blocks cut": blocks.code_blocks,
    "list items cut": blocks.list_items,
}
"""What a boundary should not break, as screening names it."""
MIN_CONSTANT = 6
"""Questions from which on the same gain on all of them is significant: the sign test's p is .03."""


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found, and where it lies.

    Attributes:
        table: a row a system, the best first; scores are fractions with 95% intervals.
        tests: every other system against the best, corrected for their number; empty with one.
        needed: how many questions tell the best two apart; empty with one system.
        scores: by question, the deciding measure of every system.
        answer: which system leads or which tie, and where chunks decide, the tokens of the best
            two.
        more: how many more questions would decide, and the recommendation; empty with one system.
        recommendation: the system to take, and the tests behind it.
        record: what the evaluation rests on, as ``evaluation.json`` holds it.
        folder: with all files; ``page`` is the one to open first.
    """

    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    answer: str
    more: str
    recommendation: Recommendation
    record: dict[str, Any]
    folder: Path

    @property
    def chosen(self) -> int:
        """The position in the table of the system to take."""
        return self.recommendation.row

    @property
    def warnings(self) -> tuple[str, ...]:
        """Text that is never read, sizes that are not kept, questions that are too few."""
        return tuple(self.record["warnings"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, a sentence each, and the warnings."""
        return (*self.record["left_out"], *self.warnings)

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
    advice = recommend(table, names, values, documents, record["tolerance"])
    first = f"{state_answer(table, tests, names)} {state_tokens(table, names)}".strip()
    then = f"{state_needed(tests, needed)} {advice.sentence}".strip()
    return Evaluation(table, tests, needed, scores, first, then, advice, record, folder)


def best_first(pipeline: Pipeline, results: Sequence[Result]) -> list[Result]:
    """Sort by score, and equal scores by their costs: the tokens returned under the deciding
    setting, reranked, and encoded."""
    deciding, read = pipeline.measures[0], pipeline.tokens_returned

    def merit(result: Result) -> tuple[float, ...]:
        returned = round(float(result.scores[read].mean()), 9) if read else 0.0
        score = round(float(result.scores[deciding].mean()), 9)
        return -score, returned, result.reranked, result.tokens

    return sorted(results, key=merit)


def screen(pipeline: Pipeline, systems: Sequence[System]) -> pd.DataFrame:
    """What needs no question, a row a system: sizes, text in no chunk and beyond the window,
    sentences and other ``UNITS`` that a boundary breaks, as fractions; of these no column where
    the documents have none."""
    texts = [document.text for document in pipeline.collection.documents]
    units = {name: {text: split(text) for text in texts} for name, split in UNITS.items()}
    frame = pd.DataFrame([_screened(pipeline, system, units) for system in systems])
    return frame.drop(columns=[name for name in UNITS if frame[name].isna().all()])


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
        **{_column(pipeline, name): result.scores[name].mean() for name in others},
        **_sizes(pipeline, result.index),
        **_unread(result.index, result.read),
        ENCODED: result.tokens,
    }
    if not math.isnan(result.dollars):
        row["US dollars"] = result.dollars
    if result.reranked:
        row[RERANKED] = result.reranked
    return row | {"interval": of_mean["interval"]}


def _column(pipeline: Pipeline, measure: str) -> str:
    """Return a measure's column: READ for the tokens that the deciding setting returns."""
    return READ if measure == pipeline.tokens_returned else measure


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
    cut = float("nan")
    if read is not None and index.lengths.any():
        cut = float((read < index.lengths).mean())
    return {"cut": cut, "unread": unread_share(index, read)}


def _tests(
    ranked: Sequence[Result], measure: str, documents: pd.Series | None, seed: int
) -> pd.DataFrame:
    """Every other against the best; where questions are few, or none tells a difference, there is
    no test and it says so."""
    best = ranked[0].scores[measure]
    pairs = [
        Pair({**other.system.keys, "measure": measure}, other.scores[measure], best, documents)
        for other in ranked[1:]
    ]
    family = f"against the best of {len(ranked)}"
    varying = [pair for pair in pairs if _testable(pair)]
    tested = differences(varying, family, "score", "best", seed=seed)
    rows = iter(tested.to_dict("records"))
    every = [next(rows) if _testable(pair) else _untested(pair) for pair in pairs]
    return pd.DataFrame(every, columns=tested.columns if varying else None)


def _untested(pair: Pair) -> dict[str, object]:
    both = pd.DataFrame({0: pair.first, 1: pair.second}).dropna()
    first, second = (float(both[name].mean()) for name in both)
    counts = {"n": len(both), "score": first, "best": second, "difference": first - second}
    return {**pair.keys, **counts, "p": np.nan, "p_holm": np.nan, "shown": NOT_TESTED}


def _testable(pair: Pair) -> bool:
    """Return whether a test can tell the pair apart: differences vary, or are all the same gain."""
    change = (pair.first - pair.second).dropna()
    if len(change) >= MIN_TESTED and float(change.std(ddof=1)) > 0:
        return True
    return len(change) >= MIN_CONSTANT and float(change.iloc[0]) != 0


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
    std = float(change.std(ddof=1)) if n >= MIN_TESTED else float("nan")
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
