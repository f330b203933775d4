"""The registered comparisons of late chunking, BM25 and fusion, and what they answer.

All is as results/predictions/five_collections.md registered it before the new collections were
read: a difference of two systems is a mean over questions, with an interval that draws whole
documents and a paired t-test over questions; Holm's correction is taken once over all comparisons
that the answers name; all collections together are the mean of their differences, each counting
once, with a t-interval over collections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pandas as pd
from scipy import special

from chunkstudy.core.errors import StudyError
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, Pair, at, differences
from chunkstudy.evaluation.statistics.intervals import LEVEL
from chunkstudy.studies.late_chunking.systems import (
    AVERAGED,
    BOTH,
    PLAIN,
    WORDS,
    SystemScores,
    late,
)

COLLECTIONS = 5
"""How many the rules of the answers count."""
KNOWN = ("chroma-within", "covid-qa-within")
"""Collections whose results were published before the question was registered."""
ALL, NEW = "all collections", "the new ones alone"
NO_LOSS = -0.02
"""A loss that an interval has to exclude before anything is called no loss."""
YES, NO, MOSTLY, DEPENDS = "yes", "no", "mostly", "it depends on the collection"
OPEN = "open with fewer than five collections"
SEEN = "significant in"
SEEN_OVER_DOCUMENTS = "significant over documents in"
"""The same where documents are the unit of the tests (20 or more), which was not registered."""


class Rule(NamedTuple):
    """A registered question.

    Attributes:
        name: for the paper's numbers.
        question: in a reader's words.
        pairs: the comparisons that have to end in ``outcome``, each a system and its baseline.
        outcome: higher or lower.
        removes: whether it is *yes* where the outcome is seen in no collection.
    """

    name: str
    question: str
    pairs: tuple[tuple[str, str], ...]
    outcome: str
    removes: bool = False


RULES = (
    Rule("one-state", "Does late chunking lose with one state per token, in windows of 512 tokens?",
         ((late(512), PLAIN),), LOWER),
    Rule("averaged", "Does averaging states over overlapping windows remove that loss?",
         ((late(512, AVERAGED), PLAIN),), LOWER, removes=True),
    Rule("narrow", "Does late chunking in averaged windows of 128 tokens gain?",
         ((late(128, AVERAGED), PLAIN),), HIGHER),
    Rule("words", "Does BM25 lead a small model's vectors?", ((WORDS, PLAIN),), HIGHER),
    Rule("fusion", "Does fusing BM25 and vectors lead both?",
         ((BOTH, PLAIN), (BOTH, WORDS)), HIGHER),
)  # fmt: skip


def comparisons(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Every late system, BM25 and fusion against plain chunks, and fusion against BM25."""
    return [*((system, PLAIN) for system in systems if system != PLAIN), (BOTH, WORDS)]


def system_gains(
    read: Iterable[SystemScores], compared: Sequence[tuple[str, str]], family: str = "registered"
) -> pd.DataFrame:
    """Each system minus its baseline, a row a collection and model where both are recorded.

    Returns:
        the columns of :func:`differences`; ``p``, ``p_holm`` and ``shown`` are of a paired t-test
        over questions, as registered, also where ``low`` and ``high`` draw whole documents;
        ``p_holm_documents`` and ``shown_documents`` are of the test over documents where there are
        20 or more, the unit that every other page uses.

    Raises:
        StudyError: if nothing that was asked for is recorded.
    """
    pairs = [
        Pair(
            some.keys | {"system": system, "baseline": baseline},
            some.scores[system],
            some.scores[baseline],
            some.documents,
        )
        for some in read
        for system, baseline in compared
        if {system, baseline} <= set(some.scores)
    ]
    if not pairs:
        raise StudyError(
            "none of these systems has records of all chunkers beside its baseline; "
            'compute="missing" runs what is lacking'
        )
    ends = (family, "score", "score of the baseline")
    over_documents = differences(pairs, *ends)
    tested = differences([replace(pair, documents=None) for pair in pairs], *ends)
    if "documents" in over_documents:
        tested.insert(list(tested).index("n") + 1, "documents", over_documents["documents"])
    over_documents = over_documents[["low", "high", "interval", "p_holm", "shown"]]
    names = {"p_holm": "p_holm_documents", "shown": "shown_documents"}
    return tested.assign(**over_documents.rename(columns=names))


def together(rows: pd.DataFrame) -> pd.DataFrame:
    """By model, system and baseline the mean of the collections' differences with a t-interval over
    collections, and the ``least`` and ``most`` of them; over all, and over the new ones alone. A
    single collection has no interval."""
    keys, means = ["model", "system", "baseline"], []
    for compared, part in rows.groupby(keys, sort=False):
        new = part[~part["collection"].isin(KNOWN)]
        for over, some in ((ALL, part["difference"]), (NEW, new["difference"])):
            if len(some):
                mean = some.mean()
                reach = special.stdtrit(len(some) - 1, (1 + LEVEL) / 2) * some.sem()
                ends = (mean - reach, mean + reach, some.min(), some.max())
                means.append((*compared, over, len(some), mean, *ends))
    counted = ["over", "collections counted", "difference", "low", "high", "least", "most"]
    return pd.DataFrame(means, columns=[*keys, *counted])


def by_chunker(
    read: Mapping[str, Sequence[SystemScores]], compared: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Return the means over collections of each comparison with the chunks of one chunker alone.

    Args:
        read: by chunker, the scores of every collection and model.
        compared: systems, each with its baseline.

    Returns:
        ``chunker`` and the columns of :func:`together`, all collections only.
    """
    tables = []
    for chunker, scores in read.items():
        rows = together(system_gains(scores, compared, f"with {chunker} alone"))
        tables.append(at(rows, over=ALL).assign(chunker=chunker))
    table = pd.concat(tables, ignore_index=True)
    return table[["chunker", *(name for name in table if name != "chunker")]]


def answers(rows: pd.DataFrame, summed: pd.DataFrame) -> pd.DataFrame:
    """Each registered question answered for each model, by the registered rule.

    Args:
        rows: of :func:`system_gains`.
        summed: of :func:`together`.

    Returns:
        ``name`` and ``question`` of the rule, ``model``, ``answer``, how many collections were
        ``counted``, those in which the outcome is ``significant in``, over questions and over
        documents, and of the rule's first comparison the mean over collections with its interval.
    """
    found = []
    for rule, model in product(RULES, dict.fromkeys(rows["model"])):
        of_pairs = [
            at(rows, model=model, system=system, baseline=baseline).set_index("collection")
            for system, baseline in rule.pairs
        ]
        counted = [one for one in of_pairs[0].index if all(one in part.index for part in of_pairs)]
        seen, over_documents = (
            [one for one in counted if all(part.at[one, unit] == rule.outcome for part in of_pairs)]
            for unit in ("shown", "shown_documents")
        )
        if counted:
            system, baseline = rule.pairs[0]
            mean = at(summed, model=model, system=system, baseline=baseline, over=ALL).iloc[0]
            answer = judged(rule, len(seen)) if len(counted) >= COLLECTIONS else OPEN
            told = (rule.name, rule.question, model, answer, len(counted))
            where = (", ".join(seen), ", ".join(over_documents))
            found.append((*told, *where, *mean[["difference", "low", "high"]]))
    columns = ["name", "question", "model", "answer", "counted", SEEN, SEEN_OVER_DOCUMENTS,
               "difference", "low", "high"]  # fmt: skip
    return pd.DataFrame(found, columns=columns)


def judged(rule: Rule, shown: int) -> str:
    """What a rule answers where so many of the collections show its outcome."""
    if rule.removes:
        return YES if shown == 0 else MOSTLY if shown == 1 else NO
    return YES if shown >= 4 else NO if shown <= 1 else DEPENDS
