"""The tables of an evaluation, as frames of floats, and the sentences that stand above them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from chunkstudy.commands.evaluate.running import Ran, label, measures
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures import in_tokens
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
from chunkstudy.runs import display_names

ANSWERS = Path(__file__).with_name("answers.toml")
QUESTION = "Is one way of chunking best on these documents?"
TABLE, TESTS, NEEDED = "evaluation", "evaluation_tests", "evaluation_needed"
READ = "tokens that a reader gets"


@dataclass(frozen=True)
class Tables:
    """What an evaluation found.

    Attributes:
        table: a row an arm, the best first; scores are fractions with 95% intervals.
        tests: every other arm against the best, corrected for their number; empty with one arm.
        needed: how many questions tell the best two apart; empty with one arm.
        scores: by question, the deciding measure of every arm.
        answer: in a sentence.
        more: how many more questions, in a sentence; empty with one arm.
    """

    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    answer: str
    more: str


def tables(texts: Texts, ran: Sequence[Ran], k: int, seed: int) -> Tables:
    """Every table, from per-query scores."""
    names = measures(texts.task, k)
    by = {i: one.outcome.scores[names[0]] for i, one in enumerate(ran)}
    means = {i: float(values.mean()) for i, values in by.items()}
    ranked = sorted(by, key=lambda i: (-means[i], i))
    asked_of = _asked_of(texts)
    rows = [_row(texts, ran[i], names, asked_of, seed) for i in ranked]
    best = by[ranked[0]]
    pairs = [
        Pair({**ran[i].arm.keys, "measure": names[0]}, by[i], best, asked_of) for i in ranked[1:]
    ]
    tests = differences(pairs, f"against the best of {len(ran)}", "score", "best", seed=seed)
    apart = bool(len(tests)) and bool(tests["p_holm"].iloc[0] < SIGNIFICANT)
    needed = _needed(ran, by, ranked, len(pairs), apart)
    among = [one.arm for one in ran]
    scores = pd.concat({label(ran[i].arm, among): by[i] for i in ranked}, axis=1)
    asked = {query.id: query.text for query in texts.collection.queries}
    scores.insert(0, "question", pd.Series(asked))
    facts = _facts(rows, tests, needed, names[0], label(ran[ranked[0]].arm, among), apart)
    return Tables(
        pd.DataFrame(rows), tests, needed, scores, answer("best", facts), answer("needed", facts)
    )


def answer(about: str, facts: Mapping[str, object]) -> str:
    """The first sentence about something whose condition the facts meet.

    Raises:
        LookupError: if there is none.
    """
    for one in _answers():
        if one["about"] == about and _holds(one["holds"], facts):
            return one["text"].format(**_shown(facts))
    raise LookupError(f"no sentence about {about} is written for {dict(facts)}")


def _row(
    texts: Texts,
    one: Ran,
    names: Sequence[str],
    asked_of: pd.Series | None,
    seed: int,
) -> dict[str, object]:
    run, scores = one.outcome.run, one.outcome.scores
    values = scores[names[0]].dropna().sort_index()
    low, high, how = _interval(values, asked_of, seed)
    row: dict[str, object] = {
        **one.arm.keys,
        "measure": names[0],
        "n": len(values),
        "score": float(values.mean()),
        "low": low,
        "high": high,
        **{READ if in_tokens(name) else name: float(scores[name].mean()) for name in names[1:]},
        "chunks": run.counts.chunks,
        "mean tokens": run.sizes["cl100k"].mean,
        "text in no chunk": _left_out(texts, one),
        "tokens encoded": one.tokens,
        "seconds encoding": one.seconds,
    }
    if not math.isnan(one.dollars):
        row["US dollars"] = one.dollars
    return row | {"interval": how}


def _interval(values: pd.Series, asked_of: pd.Series | None, seed: int) -> tuple[float, float, str]:
    """The 95% interval of a mean, over documents where these are many enough, and its name."""
    if asked_of is not None and (groups := asked_of.loc[values.index]).nunique() >= (
        FEWEST_DOCUMENTS
    ):
        return (*clustered_means([(values, groups)], seed=seed)[0].interval, OVER_DOCUMENTS)
    return (*statistics.bootstrap_interval(values, seed=seed), BOOTSTRAP)


def _asked_of(texts: Texts) -> pd.Series | None:
    """By question the one document that holds all its excerpts; None where some have several."""
    if texts.task == "in_corpus":
        return None
    found: dict[str, set[str]] = {}
    for judgment in texts.collection.judgments:
        found.setdefault(judgment.query, set()).add(judgment.document)
    if any(len(documents) > 1 for documents in found.values()):
        return None
    return pd.Series({query: documents.pop() for query, documents in found.items()}, dtype=object)


def _needed(
    ran: Sequence[Ran],
    by: Mapping[int, pd.Series],
    ranked: Sequence[int],
    comparisons: int,
    apart: bool,
) -> pd.DataFrame:
    """Questions that tell the best two apart, at the level that correction leaves them at worst;
    none more where they are told apart already."""
    if len(ranked) < 2:
        return pd.DataFrame()
    first, second = ranked[:2]
    among = [one.arm for one in ran]
    change = (by[first] - by[second]).dropna()
    n, mean = len(change), float(change.mean())
    std = float(change.std(ddof=1)) if n > 1 else float("nan")
    level = power.LEVEL / comparisons
    needed = power.queries_needed(mean, std, level=level)
    return pd.DataFrame(
        [
            {
                "a": label(ran[first].arm, among),
                "b": label(ran[second].arm, among),
                "n": n,
                "a minus b": mean,
                "std": std,
                "questions needed": needed,
                "more than there are": 0.0 if apart else max(0.0, needed - n),
                "difference that these show": power.detectable(n, std, level=level),
            }
        ]
    )


def _left_out(texts: Texts, one: Ran) -> float:
    """The share of the collection's characters, white space aside, that lie in no chunk."""
    chunks, total, inside = one.outcome.chunks, 0, 0
    starts = np.searchsorted(chunks.document, np.arange(len(texts.collection.documents) + 1))
    for position, document in enumerate(texts.collection.documents):
        part = slice(starts[position], starts[position + 1])
        text, reached = document.text, 0
        total += len("".join(text.split()))
        spans = sorted(zip(chunks.start[part].tolist(), chunks.end[part].tolist(), strict=True))
        for start, end in spans:
            inside += len("".join(text[max(start, reached) : end].split()))
            reached = max(reached, end)
    return 1 - inside / total if total else 0.0


def _facts(
    rows: Sequence[Mapping[str, object]],
    tests: pd.DataFrame,
    needed: pd.DataFrame,
    measure: str,
    best: str,
    apart: bool,
) -> dict[str, object]:
    first = rows[0]
    behind = int((tests["p_holm"] < SIGNIFICANT).sum()) if len(tests) else 0
    two = needed.iloc[0] if len(needed) else pd.Series(dtype=float)
    return {
        "arms": len(rows),
        "others": len(rows) - 1,
        "behind": behind,
        "best": best,
        "measure": display_names.measure(measure),
        "score": first["score"],
        "n": first["n"],
        "apart": int(apart),
        "difference": float(two.get("a minus b", 0.0)),
        "more": _more(two),
        "power": power.POWER,
    }


def _more(two: pd.Series) -> float:
    return float(two["questions needed"] - two["n"]) if len(two) else 0.0


def _shown(facts: Mapping[str, object]) -> dict[str, str]:
    """Facts as a sentence shows them: fractions in percent or points, counts in whole numbers."""
    scale = {"score": 100.0, "difference": 100.0, "power": 100.0}
    digits = {"score": 1, "difference": 1}
    return {
        name: f"{scale.get(name, 1.0) * value:,.{digits.get(name, 0)}f}"
        if isinstance(value, int | float)
        else str(value)
        for name, value in facts.items()
    }


def _holds(condition: str, facts: Mapping[str, object]) -> bool:
    numbers = {name: value for name, value in facts.items() if isinstance(value, int | float)}
    return bool(pd.eval(condition, local_dict=numbers, engine="python"))


@cache
def _answers() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(ANSWERS.read_text(encoding="utf-8"))["answer"]
    return found


def place(table: pd.DataFrame, one: Ran) -> int:
    """The row of an arm."""
    keys = one.arm.keys
    found = table[list(keys)].eq(pd.Series(keys)).all(axis=1)
    return int(np.flatnonzero(found)[0])
