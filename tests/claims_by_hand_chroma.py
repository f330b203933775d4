"""Data made by hand for those of Chroma's claims that the menu of mutations does not turn.

A name is that of the claim, its reading and, where it has several, its leaf. What is made stands
against the data as they are, so that both verdicts are found between them.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from chunkstudy.runs.conditions import LARGE
from tests.claims_mutations import Change, Mutation, Source


def only(kind: str, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Change:
    """A change of one source, which leaves the others as they are."""
    return lambda source, found: change(found) if source == (kind, name) else found


def put(
    row: dict[str, str], value: float, column: str = "value"
) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """A number in the rows where columns have these words."""

    def change(found: pd.DataFrame) -> pd.DataFrame:
        at = pd.Series(True, index=found.index)
        for name, word in row.items():
            at &= found[name] == word
        assert at.any(), row
        return found.assign(**{column: found[column].mask(at, value)})

    return change


def slightly_below(found: pd.DataFrame) -> pd.DataFrame:
    """Kamradt's row a hundredth below the mean of the others."""
    others = found[found["chunker"] != "kamradt"]
    means = others.groupby(["measure", "statistic"])["value"].mean() * 0.99
    keys = pd.MultiIndex.from_frame(found[["measure", "statistic"]])
    at = found["chunker"] == "kamradt"
    return found.assign(
        value=found["value"].mask(at, pd.Series(means.reindex(keys).to_numpy(), found.index))
    )


def two_more(found: pd.DataFrame) -> pd.DataFrame:
    """Two questions more in the first corpus."""
    return found.assign(queries=found["queries"] + [2, *[0] * (len(found) - 1)])


def with_llm(seconds: float) -> Change:
    """A chunker that asks a language model, and how long it takes for a million tokens."""

    def change(found: pd.DataFrame) -> pd.DataFrame:
        row = found.iloc[:1].assign(chunker="llm", **{"chunking s/M tokens": seconds})
        return pd.concat([found, row], ignore_index=True)

    return only("table", "chroma_cost", change)


def peaking(chunker: str) -> Change:
    """text-embedding-3-large with three sizes of token windows, the best of them as given."""

    def change(found: pd.DataFrame) -> pd.DataFrame:
        keys = (found["measure"] == "SpanRecall@5") & (found["part"] == "all")
        row = found[keys & (found["protocol"] == "as_published-chroma")].iloc[:1]
        series = [
            row.assign(chunker=name, encoder=LARGE, mean=0.9 if name == chunker else 0.8)
            for name in ("token-200-0", "token-250-0", "token-400-0")
        ]
        return pd.concat([found, *series], ignore_index=True)

    return only("table", "chroma_scores", change)


def clusters_lead(source: Source, found: pd.DataFrame) -> pd.DataFrame:
    """Published cells in which clusters stand above every other row."""
    if source[0] != "cells":
        return found
    clusters = found["chunker"].str.startswith("cluster-")
    return found.assign(value=found["value"].where(~clusters, 99.0))


def as_long_as_printed(found: pd.DataFrame) -> pd.DataFrame:
    """Recursive chunks a third of a token longer than the table says, counted in cl100k."""
    told = {"recursive-250-125": 180.3, "recursive-250-0": 162.3, "recursive-200-0": 128.3}
    size = "size in cl100k"
    return found.assign(**{size: found["chunker"].map(told).fillna(found[size])})


MAIN = ("cells", "chroma/main")
CHROMA: dict[str, list[Mutation]] = {
    "C01": [
        Mutation(
            only(
                *MAIN, put({"chunker": "llm", "measure": "SpanRecall@5", "statistic": "mean"}, 92.6)
            )
        )
    ],
    "C07": [Mutation(only("facts", "chroma_counts", two_more))],
    "C19": [Mutation(only(*MAIN, slightly_below))],
    "C24": [Mutation(peaking("token-250-0")), Mutation(peaking("token-400-0"))],
    "C26": [Mutation(only("table", "chroma_lengths", as_long_as_printed))],
    "C52": [
        Mutation(chunkers={"cluster-400": "llm"}),
        Mutation(chunkers={"cluster-400": "llm"}, fallbacks=3),
    ],
    "C53": [Mutation(with_llm(1_800.0)), Mutation(with_llm(18_000.0))],
    "C54": [Mutation(clusters_lead)],
    "X01": [
        Mutation(
            only(
                "study",
                "questions/counts",
                lambda found: found.assign(**{"mean tokens of a question": 8.2}),
            )
        )
    ],
}
