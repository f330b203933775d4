"""The tables of an evaluation, as frames of floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy.chunkers.structure import sentences
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures import coverage, in_tokens
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import (
    BOOTSTRAP,
    FEWEST_DOCUMENTS,
    OVER_DOCUMENTS,
    SIGNIFICANT,
    Pair,
    differences,
)
from chunkstudy.studies.own_documents import answer
from chunkstudy.studies.own_documents.answer import FEWEST, NOT_TESTED
from chunkstudy.studies.own_documents.chunk_index import ChunkIndex, characters_read, shares_unread
from chunkstudy.studies.own_documents.experiment import Experiment, Result, Settings
from chunkstudy.studies.own_documents.systems import System

READ = "tokens that a reader gets"


@dataclass(frozen=True)
class Tables:
    """What an evaluation found.

    Attributes:
        table: a row a system, the best first; scores are fractions with 95% intervals.
        tests: every other system against the best, corrected for their number; empty with one.
        needed: how many questions tell the best two apart; empty with one system.
        scores: by question, the deciding measure of every system.
        answer: in a sentence, or two where text is never read.
        more: how many more questions, and whether the measures agree; empty with one system.
    """

    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    answer: str
    more: str


def tables(experiment: Experiment, ranked: Sequence[Result], settings: Settings) -> Tables:
    """Every table, from per-query scores of the systems, the best first."""
    measure, documents = settings.measures[0], _documents_asked(experiment)
    systems = [result.system for result in ranked]
    labels = [system.label(systems) for system in systems]
    values = [result.scores[measure] for result in ranked]
    rows = [_row(experiment, result, settings, documents) for result in ranked]
    table = pd.DataFrame(rows)
    tests = _tests(ranked, measure, documents, settings.seed)
    needed = _needed(values, labels, tests, documents)
    questions = {query.id: query.text for query in experiment.collection.queries}
    scores = pd.concat(values, axis=1, keys=labels)
    scores.insert(0, "question", pd.Series(questions))
    more = [answer.more(tests, needed)]
    if settings.budget:
        by = settings.measures[1]
        leader = int(np.argmax([result.scores[by].mean() for result in ranked]))
        more += [answer.disagreement(by, labels[leader])] if leader else []
    first = answer.answer(table, tests, labels[0])
    return Tables(table, tests, needed, scores, first, " ".join(filter(None, more)))


def best_first(results: Sequence[Result], measures: Sequence[str]) -> list[Result]:
    """Higher scores first, and of equal ones that which hands over the least text."""
    read = next((name for name in measures if in_tokens(name)), None)

    def merit(result: Result) -> tuple[float, float]:
        handed = float(result.scores[read].mean()) if read else 0.0
        return -round(float(result.scores[measures[0]].mean()), 9), handed

    return sorted(results, key=merit)


def screen(experiment: Experiment, systems: Sequence[System]) -> pd.DataFrame:
    """What needs no question, a row a system: sizes, text in no chunk, beyond the window and in
    several chunks, sentences that a boundary breaks, all as fractions."""
    return pd.DataFrame([_screened(experiment, system) for system in systems])


def _screened(experiment: Experiment, system: System) -> dict[str, object]:
    store, documents = experiment.store(system), experiment.collection.documents
    index = experiment.index(system, store)
    tenth, median, ninth = np.percentile(experiment.sizes(index), (10, 50, 90)).tolist()
    return {
        **system.keys,
        **_sizes(experiment, index),
        "tokens, a tenth below": tenth,
        "tokens, median": median,
        "tokens, a tenth above": ninth,
        **shares_unread(index, characters_read(system, store, index)),
        "sentences broken": coverage.broken(documents, index.returned, sentences),
        "text in several chunks": coverage.repeated(documents, index.returned),
    }


def _row(
    experiment: Experiment, result: Result, settings: Settings, documents: pd.Series | None
) -> dict[str, object]:
    first, *others = settings.measures
    values = result.scores[first].dropna().sort_index()
    low, high, method = _interval(values, documents, settings.seed)
    row: dict[str, object] = {
        **result.system.keys,
        "measure": first,
        "n": len(values),
        "score": float(values.mean()),
        "low": low,
        "high": high,
        **{READ if in_tokens(name) else name: result.scores[name].mean() for name in others},
        **_sizes(experiment, result.index),
        **shares_unread(result.index, result.read),
        "tokens encoded": result.tokens,
        "seconds encoding": result.seconds,
    }
    if not math.isnan(result.dollars):
        row["US dollars"] = result.dollars
    return row | {"interval": method}


def _sizes(experiment: Experiment, index: ChunkIndex) -> dict[str, float]:
    """How many chunks of which size, and what text lies in none."""
    return {
        "chunks": len(index.returned),
        "mean tokens": float(experiment.sizes(index).mean()),
        "text in no chunk": coverage.outside(experiment.collection.documents, index.returned),
    }


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
    varying = [i for i, pair in enumerate(pairs) if _varies(pair)]
    constant = [i for i in range(len(pairs)) if i not in varying]
    family = f"against the best of {len(ranked)}"
    tested = differences([pairs[i] for i in varying], family, "score", "best", seed=seed)
    untested = pd.DataFrame([_untested(pairs[i]) for i in constant], index=constant)
    if not varying or not constant:
        return tested if varying or not pairs else untested
    return pd.concat([tested.set_index(pd.Index(varying)), untested]).sort_index()


def _untested(pair: Pair) -> dict[str, object]:
    both = pd.DataFrame({0: pair.first, 1: pair.second}).dropna()
    first, second = (float(both[name].mean()) for name in both)
    counts = {"n": len(both), "score": first, "best": second, "difference": first - second}
    return {**pair.keys, **counts, "p": np.nan, "p_holm": np.nan, "shown": NOT_TESTED}


def _varies(pair: Pair) -> bool:
    change = (pair.first - pair.second).dropna()
    return len(change) >= FEWEST and float(change.std(ddof=1)) > 0


def _interval(
    values: pd.Series, documents: pd.Series | None, seed: int
) -> tuple[float, float, str]:
    """The 95% interval of a mean, over documents where these are many enough, and its name."""
    if (groups := _groups(values, documents)) is not None:
        return (*clustered_means([(values, groups)], seed=seed)[0].interval, OVER_DOCUMENTS)
    return (*statistics.bootstrap_interval(values, seed=seed), BOOTSTRAP)


def _groups(values: pd.Series, documents: pd.Series | None) -> pd.Series | None:
    """The documents of questions; None where they are too few to be drawn."""
    groups = None if documents is None else documents.loc[values.index]
    return groups if groups is not None and groups.nunique() >= FEWEST_DOCUMENTS else None


def _documents_asked(experiment: Experiment) -> pd.Series | None:
    """By question the one document that holds all its excerpts; None where some have several."""
    if experiment.texts.task == "in_corpus":
        return None
    judged = pd.DataFrame(
        [(judgment.query, judgment.document) for judgment in experiment.collection.judgments],
        columns=["q", "d"],
    ).drop_duplicates()
    return None if judged["q"].duplicated().any() else judged.set_index("q")["d"]


def _needed(
    values: Sequence[pd.Series],
    labels: Sequence[str],
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
    if (groups := _groups(change, documents)) is not None:
        std = clustered_means([(change, groups)])[0].error * math.sqrt(n)
    enough = power.queries_needed(mean, std, level=level) if std > 0 else float("nan")
    apart = bool(tests["p_holm"].iloc[0] < SIGNIFICANT)
    enough = n if apart else max(enough, n + 1.0)
    row = {
        "a": labels[0],
        "b": labels[1],
        "n": n,
        "a minus b": mean,
        "std": std,
        "questions needed": enough,
        "more than there are": enough - n,
        "difference that these show": power.detectable(n, std, level=level),
    }
    return pd.DataFrame([row])
