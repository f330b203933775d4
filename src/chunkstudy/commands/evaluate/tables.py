"""The tables of an evaluation, as frames of floats, and the sentences that stand above them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.commands.evaluate import sentences
from chunkstudy.commands.evaluate.running import Ran, label
from chunkstudy.commands.evaluate.scores import Asked
from chunkstudy.commands.evaluate.sentences import FEWEST, Facts
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

TABLE, TESTS, NEEDED = "evaluation", "evaluation_tests", "evaluation_needed"
READ = "tokens that a reader gets"
NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Tables:
    """What an evaluation found.

    Attributes:
        table: a row an arm, the best first; scores are fractions with 95% intervals.
        tests: every other arm against the best, corrected for their number; empty with one arm.
        needed: how many questions tell the best two apart; empty with one arm.
        scores: by question, the deciding measure of every arm.
        answer: in a sentence, or two where text is never read.
        more: how many more questions, and whether the measures agree; empty with one arm.
    """

    table: pd.DataFrame
    tests: pd.DataFrame
    needed: pd.DataFrame
    scores: pd.DataFrame
    answer: str
    more: str


def tables(texts: Texts, ranked: Sequence[Ran], asked: Asked, seed: int) -> Tables:
    """Every table, from per-query scores of the arms, the best first."""
    names, asked_of = asked.measures, _asked_of(texts)
    among = [one.arm for one in ranked]
    best, *others = ranked
    tests = _tests(best, others, names[0], asked_of, seed)
    needed = _needed(best, others, names[0], asked_of, tests, [label(o.arm, among) for o in ranked])
    scores = pd.concat({label(one.arm, among): one.scores[names[0]] for one in ranked}, axis=1)
    questions = {query.id: query.text for query in texts.collection.queries}
    scores.insert(0, "question", pd.Series(questions))
    table = pd.DataFrame([_row(texts, one, names, asked_of, seed) for one in ranked])
    facts = _facts(ranked, asked, table, tests, needed)
    return Tables(table, tests, needed, scores, sentences.answer(facts), sentences.more(facts))


def best_first(ran: Sequence[Ran], names: Sequence[str]) -> list[Ran]:
    """Higher scores first, and of equal ones that which hands over the least text."""
    read = next((name for name in names if in_tokens(name)), None)

    def merit(one: Ran) -> tuple[float, float]:
        handed = float(one.scores[read].mean()) if read else 0.0
        return -round(float(one.scores[names[0]].mean()), 9), handed

    return sorted(ran, key=merit)


def _row(
    texts: Texts, one: Ran, names: Sequence[str], asked_of: pd.Series | None, seed: int
) -> dict[str, object]:
    values = one.scores[names[0]].dropna().sort_index()
    low, high, how = _interval(values, asked_of, seed)
    cut, unread = one.unread
    row: dict[str, object] = {
        **one.arm.keys,
        "measure": names[0],
        "n": len(values),
        "score": float(values.mean()),
        "low": low,
        "high": high,
        **{READ if in_tokens(n) else n: float(one.scores[n].mean()) for n in names[1:]},
        **sizes(texts.collection, one.indexed.returned[0], one.sizes),
        "cut": cut,
        "unread": unread,
        "tokens encoded": one.tokens,
        "seconds encoding": one.seconds,
    }
    if not math.isnan(one.dollars):
        row["US dollars"] = one.dollars
    return row | {"interval": how}


def sizes(collection: Collection, chunks: Chunks, tokens: np.ndarray) -> dict[str, object]:
    """How many chunks of which size, and what text lies in none."""
    return {
        "chunks": len(chunks),
        "mean tokens": float(tokens.mean()),
        "text in no chunk": _left_out(collection, chunks),
    }


def _tests(
    best: Ran, others: Sequence[Ran], measure: str, asked_of: pd.Series | None, seed: int
) -> pd.DataFrame:
    """Every other against the best; where questions are few, or all tell the same difference,
    there is no test and it says so."""
    first = best.scores[measure]
    pairs = [
        Pair({**one.arm.keys, "measure": measure}, one.scores[measure], first, asked_of)
        for one in others
    ]
    tested = [pair for pair in pairs if _varies(pair)]
    family = f"against the best of {len(others) + 1}"
    table = differences(tested, family, "score", "best", seed=seed)
    if len(tested) == len(pairs):
        return table
    plain = [_untested(pair) for pair in pairs if not _varies(pair)]
    order = [tested.index(p) if _varies(p) else len(tested) for p in pairs]
    both = pd.concat([table, pd.DataFrame(plain)] if tested else [pd.DataFrame(plain)])
    columns = list(table.columns if tested else plain[0])
    places = np.argsort(np.argsort(np.array(order), kind="stable"), kind="stable")
    return both.reset_index(drop=True).iloc[places].reset_index(drop=True).reindex(columns=columns)


def _untested(pair: Pair) -> dict[str, object]:
    both = pd.DataFrame({0: pair.first, 1: pair.second}).dropna()
    first, second = (float(both[name].mean()) for name in both)
    counts = {"n": len(both), "score": first, "best": second, "difference": first - second}
    return {**pair.keys, **counts, "p": np.nan, "p_holm": np.nan, "shown": NOT_TESTED}


def _varies(pair: Pair) -> bool:
    change = (pair.first - pair.second).dropna()
    return len(change) >= FEWEST and float(change.std(ddof=1)) > 0


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
    best: Ran,
    others: Sequence[Ran],
    measure: str,
    asked_of: pd.Series | None,
    tests: pd.DataFrame,
    names: Sequence[str],
) -> pd.DataFrame:
    """Questions that tell the best two apart, at the level that correction leaves them at worst and
    with the error of the test, so that they are always more than those that do not; those at hand
    where they are told apart already."""
    if not others:
        return pd.DataFrame()
    change = (best.scores[measure] - others[0].scores[measure]).dropna().sort_index()
    n, mean, level = len(change), float(change.mean()), power.LEVEL / len(others)
    std = float(change.std(ddof=1)) if n >= FEWEST else float("nan")
    if asked_of is not None and (of := asked_of.loc[change.index]).nunique() >= FEWEST_DOCUMENTS:
        std = clustered_means([(change, of)])[0].error * math.sqrt(n)
    enough = power.queries_needed(mean, std, level=level) if std > 0 else float("nan")
    apart = bool(tests["p_holm"].iloc[0] < SIGNIFICANT)
    enough = n if apart else max(enough, n + 1.0)
    return pd.DataFrame(
        [
            {
                "a": names[0],
                "b": names[1],
                "n": n,
                "a minus b": mean,
                "std": std,
                "questions needed": enough,
                "more than there are": enough - n,
                "difference that these show": power.detectable(n, std, level=level),
            }
        ]
    )


def _left_out(collection: Collection, chunks: Chunks) -> float:
    """The share of the collection's characters, white space aside, that lie in no chunk."""
    total = inside = 0
    starts = np.searchsorted(chunks.document, np.arange(len(collection.documents) + 1))
    for position, document in enumerate(collection.documents):
        part = slice(starts[position], starts[position + 1])
        text, reached = document.text, 0
        total += len("".join(text.split()))
        spans = sorted(zip(chunks.start[part].tolist(), chunks.end[part].tolist(), strict=True))
        for start, end in spans:
            inside += len("".join(text[max(start, reached) : end].split()))
            reached = max(reached, end)
    return 1 - inside / total if total else 0.0


def _facts(
    ranked: Sequence[Ran],
    asked: Asked,
    table: pd.DataFrame,
    tests: pd.DataFrame,
    needed: pd.DataFrame,
) -> Facts:
    first, names = table.iloc[0], asked.measures
    facts = Facts(
        len(ranked),
        int((tests["p_holm"] < SIGNIFICANT).sum()) if len(tests) else 0,
        label(ranked[0].arm, [one.arm for one in ranked]),
        names[0],
        float(first["score"]),
        float(first["unread"]),
        int(first["n"]),
    )
    if not len(needed):
        return facts
    two = needed.iloc[0]
    by = names[1] if asked.budget else names[0]
    other = max(ranked, key=lambda one: one.scores[by].mean())
    return replace(
        facts,
        tested=bool(tests["shown"].iloc[0] != NOT_TESTED),
        apart=bool(tests["p_holm"].iloc[0] < SIGNIFICANT),
        difference=float(two["a minus b"]),
        more=float(two["more than there are"]),
        other="" if other is ranked[0] else label(other.arm, [one.arm for one in ranked]),
        by=by,
    )
