"""How far reproductions have been off so far: the errors that bound the next one.

Of n errors, none of which is known to differ from the next in kind, the next is no larger than the
k-th smallest with probability k / (n + 1); that is all that is assumed, and what it assumes is that
the next cell is like those before. The smallest k that reaches `LEVEL` is taken, or n where so few
errors cannot reach it. Where something was so in k of n cases, the next is with probability
(k + 1) / (n + 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.recorded import MEASURE
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.sources import IN_CORPUS

LEVEL = 0.9
EMPTY_DOCUMENTS = ("fiqa", "trec-covid")
"""Of these the taxonomy's scores of semantic chunks fall as they do nowhere else."""
PAIR = ["collection", "chunker", "encoder", "ordering"]
WIDE = 512
"""Tokens in the widest window that our own runs read."""


@dataclass(frozen=True)
class Known:
    """What there is to learn from.

    Attributes:
        cells: published cells, as `cells.frame` gives them.
        comparison: what became of them.
        library: the records.
        lengths: the mean number of ``characters`` of a ``collection``'s documents, as measured.
    """

    cells: pd.DataFrame
    comparison: pd.DataFrame
    library: Library
    lengths: pd.DataFrame


@dataclass(frozen=True)
class Experience:
    """Errors of what is alike.

    Attributes:
        what: whose errors they are.
        errors: one each, signed.
        unit: ``score``: a fraction; ``relative``: a fraction of the printed number; ``printed``: in
            the printed unit.
    """

    what: str
    errors: tuple[float, ...]
    unit: str = "score"

    def reach(self) -> tuple[float, float]:
        """How far the next is off at most, and with which probability."""
        n = len(self.errors)
        if not n:
            raise PredictionError(f"there is nothing to learn from: {self.what}")
        k = min(n, math.ceil(LEVEL * (n + 1)))
        return sorted(map(abs, self.errors))[k - 1], k / (n + 1)


def again(k: int, n: int) -> float:
    """What was so in k of n cases is so in the next with this probability (Laplace's rule)."""
    return (k + 1) / (n + 2)


def gather(known: Known) -> dict[str, Experience]:
    """Every experience by name; one that there is nothing of has no errors."""
    return {name: make(known) for name, make in EXPERIENCES.items()}


def _two_works(known: Known) -> Experience:
    found = _printed_twice(known.cells)
    return Experience(
        "the same model, method, collection and ordering, printed by Jina and again by Beyond "
        "Chunk-Then-Embed",
        tuple((found["later"] - found["first"]) / 100),
    )


def _two_works_gains(known: Known) -> Experience:
    gains = [later - first for first, later in _arms(_printed_twice(known.cells), relative=False)]
    return Experience("late minus plain chunking, printed by both works", tuple(gains))


def _two_works_changes(known: Known) -> Experience:
    gains = [later - first for first, later in _arms(_printed_twice(known.cells), relative=True)]
    return Experience(
        "the relative change from plain to late chunking, printed by both works",
        tuple(100 * one for one in gains),
        "printed",
    )


def _printed_twice(cells: pd.DataFrame) -> pd.DataFrame:
    """Jina's combinations and the taxonomy's Tables 3 and 5, percent: ``first``, ``later``."""
    first = cells[(cells["work"] == "jina") & (cells["table"] == "combinations")]
    later = cells[(cells["work"] == "taxonomy") & cells["table"].isin(["3", "5"])]
    found = pd.DataFrame(
        {
            "first": first.set_index(PAIR)["value"],
            "later": 100 * later.set_index(PAIR)["value"],
        }
    ).dropna()
    names = found.reset_index()
    faulty = (
        (names["chunker"] == "semantic")
        & (names["ordering"] == CONTEXTUALIZED)
        & names["collection"].isin(EMPTY_DOCUMENTS)
    )
    return found[~faulty.to_numpy()]


def _arms(found: pd.DataFrame, relative: bool) -> Iterator[tuple[float, float]]:
    """What late chunking changes in the first print and in the later one, as a fraction."""
    for _, both in found.groupby(level=[0, 1, 2]):
        arms = both.droplevel([0, 1, 2])
        if {PRE_EMBEDDING, CONTEXTUALIZED} <= set(arms.index):
            late, plain = (arms.loc[one].to_numpy() for one in (CONTEXTUALIZED, PRE_EMBEDDING))
            first, later = (late / plain - 1 if relative else (late - plain) / 100).tolist()
            yield first, later


def _other_segmentation(known: Known) -> Experience:
    """Table 1: the embedding model stayed, the language model that segments did not."""
    arms = known.cells[(known.cells["work"] == "taxonomy") & (known.cells["table"] == "1")].pivot(
        index="chunker", columns="statistic", values="value"
    )
    return Experience(
        "LumberChunker's scores on GutenQA, printed again by Beyond Chunk-Then-Embed",
        tuple(arms["reproduced"] / arms["original"] - 1),
        "relative",
    )


def _minilm(statistic: str, what: str) -> Callable[[Known], Experience]:
    def make(known: Known) -> Experience:
        rows = known.comparison[
            (known.comparison["table"] == "minilm")
            & (known.comparison["measure"] == "SpanRecall@5")
            & (known.comparison["statistic"] == statistic)
        ].dropna(subset="reproduced")
        return Experience(what, tuple(rows["reproduced"] / rows["value"] - 1), "relative")

    return make


def _sizes(known: Known) -> Experience:
    rows = known.comparison[
        (known.comparison["table"] == "minilm")
        & (known.comparison["measure"] == "chunk size")
        & known.comparison["chunker"].str.startswith(("cluster", "kamradt"))
    ].dropna(subset="reproduced")
    return Experience(
        "chunk sizes of chunkers that ask a model, Chroma's table of all-MiniLM-L6-v2",
        tuple(rows["reproduced"] / rows["value"] - 1),
        "relative",
    )


def _lengths(known: Known) -> Experience:
    rows = known.cells[known.cells["measure"] == "characters"].merge(known.lengths, on="collection")
    return Experience(
        "the mean length of Jina's collections, those that were measured",
        tuple(rows["characters"] - rows["value"]),
        "printed",
    )


def _protocols(known: Known) -> Experience:
    """nDCG@10 in our own runs, corrected minus as published."""
    errors = [
        after - before
        for one in known.library
        if one.task == "in_corpus" and one.protocol != CORRECTED.name and one.encoder != NONE
        if (before := mean(known.library, one, MEASURE["in_corpus"])) is not None
        if (after := mean(known.library, _corrected(one), MEASURE["in_corpus"])) is not None
    ]
    return Experience("our own runs on BEIR's collections, corrected minus as published",
                      tuple(errors))  # fmt: skip


def _gains(chunker: str) -> Callable[[Known], Experience]:
    """Late minus plain chunking in our own corrected runs with a window of `WIDE`."""

    def make(known: Known) -> Experience:
        found = []
        for one in known.library:
            if one.chunker != chunker or one.protocol != CORRECTED.name:
                continue
            if one.collection not in IN_CORPUS or one.ordering != f"{CONTEXTUALIZED}-{WIDE}":
                continue
            late = mean(known.library, one, "nDCG@10")
            plain = mean(known.library, replace(one, ordering=PRE_EMBEDDING), "nDCG@10")
            if late is not None and plain is not None:
                found.append(late - plain)
        return Experience(
            f"late minus plain {chunker} chunks in our own corrected runs, a collection each",
            tuple(found),
        )

    return make


def _token_rows(known: Known) -> Experience:
    """Recall of fixed windows of text tokens, corrected minus as published, our own runs."""
    rows = known.comparison[
        (known.comparison["table"] == "minilm")
        & (known.comparison["measure"] == "SpanRecall@5")
        & (known.comparison["statistic"] == "mean")
        & known.comparison["chunker"].str.startswith("token-")
    ].dropna(subset="corrected")
    return Experience(
        "recall of token windows with all-MiniLM-L6-v2, corrected minus as published",
        tuple((rows["corrected"] - rows["reproduced"]) / 100),
    )


EXPERIENCES: dict[str, Callable[[Known], Experience]] = {
    "two-works": _two_works,
    "two-works-gains": _two_works_gains,
    "two-works-changes": _two_works_changes,
    "other-segmentation": _other_segmentation,
    "chroma-means": _minilm("mean", "recall in Chroma's table of all-MiniLM-L6-v2, our runs"),
    "chroma-deviations": _minilm("std", "deviations in Chroma's table of all-MiniLM-L6-v2, ours"),
    "chroma-sizes": _sizes,
    "chroma-token-rows": _token_rows,
    "lengths": _lengths,
    "protocols": _protocols,
    "gain-semantic": _gains("semantic"),
    "gain-sentences": _gains("sentence-5"),
}


def mean(library: Library, condition: Condition, measure: str, part: str = "all") -> float | None:
    """A condition's mean, a fraction; None without a record that has the measure."""
    record = library.get(condition)
    if record is None or measure not in record.wide:
        return None
    return statistics.mean(library.values(record, measure, part).dropna())


def _corrected(condition: Condition) -> Condition:
    return replace(condition, protocol=CORRECTED.name)
