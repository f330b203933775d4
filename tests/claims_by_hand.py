"""Data made by hand for claims that the menu does not turn: both verdicts are found between them
and the data as they are.

Most of them ask for several cells to be just so: both ends of a range, one group of methods above
another with every model, or records with windows that nothing here was run with.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from chunkstudy.runs.conditions import LARGE
from tests.claims_mutations import Change, Mutation, Source

V2, V3 = "jinaai/jina-embeddings-v2-small-en", "jinaai/jina-embeddings-v3"
NOMIC, E5 = "nomic-ai/nomic-embed-text-v1", "intfloat/multilingual-e5-large-instruct"
MODELS = (V2, V3, NOMIC, E5)
AS_JINA = V2.replace("/", "__")


def only(kind: str, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Change:
    """A change of one source, which leaves the others as they are."""
    return lambda source, found: change(found) if source == (kind, name) else found


def told(value: float, table: str = "", **where: str | tuple[str, ...]) -> Change:
    """The value of a table's rows that have these keys; of every table's without one named."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        if table not in ("", source[1]):
            return found
        at = pd.Series(True, index=found.index)
        for name, values in where.items():
            among = [values] if isinstance(values, str) else list(values)
            at &= found[name].astype(str).isin(among)
        return found.assign(value=found["value"].mask(at, value))

    return change


def also(*changes: Change) -> Mutation:
    """One after the other."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        for one in changes:
            found = one(source, found)
        return found

    return Mutation(change)


def by_model(values: tuple[float, float, float, float], **where: str) -> list[Change]:
    """A value for each of the four models."""
    return [told(v, encoder=m, **where) for m, v in zip(MODELS, values, strict=True)]


def against_paragraphs(collection: str, chunker: str, ratios: tuple[float, ...]) -> Mutation:
    """Paragraphs score a half, the other method so many times that, model by model."""
    v2, v3, nomic, e5 = (ratio / 2 for ratio in ratios)
    return also(
        told(0.5, collection=collection, chunker="paragraph"),
        *by_model((v2, v3, nomic, e5), collection=collection, chunker=chunker),
    )


def fact(name: str, value: str) -> Mutation:
    """One fact of official code with another value."""
    return Mutation(only("code", name, lambda found: found.assign(value=value)))


def column(name: str, value: float, alias: str) -> Mutation:
    """A column of one number, in records taken as if they were of another model."""
    return Mutation(lambda source, found: found.assign(**{name: value}), alias=alias)


def propositions(score: float) -> Mutation:
    """The score of propositions judged by their own text."""

    def change(found: pd.DataFrame) -> pd.DataFrame:
        at = found["chunker"] == "proposition-released"
        return found.assign(**{"DCG@10": found["DCG@10"].mask(at, score)})

    return Mutation(only("table", "late_chunking_emma", change), alias=AS_JINA)


def ceilings(by: float) -> Mutation:
    """The best reachable score follows the size of chunks, or runs against it."""
    name = "Ceiling(DCG@10)"
    return Mutation(
        lambda _, found: found.assign(**{name: by * found["mean tokens"]}), alias=AS_JINA
    )


def windows(wide: float) -> Mutation:
    """A gain of 0.01 with 512 tokens and another with 8,192."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        row = found.iloc[[0]].assign(encoder=AS_JINA, measure="nDCG@10", protocol="corrected")
        rows = [row.assign(window=512, difference=0.01), row.assign(window=8192, difference=wide)]
        return pd.concat(rows, ignore_index=True)

    return Mutation(change)


def without_marks() -> Mutation:
    return Mutation(lambda source, found: found.assign(marks=""))


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


STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
BY_HAND: dict[str, list[Mutation]] = {
    "C01": [
        also(told(92.6, "chroma/main", chunker="llm", measure="SpanRecall@5", statistic="mean"))
    ],
    "C07": [Mutation(only("facts", "chroma_counts", two_more))],
    "C19": [Mutation(only("cells", "chroma/main", slightly_below))],
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
    "X13": [
        also(
            told(50, ordering="contextualized"),
            told(20, ordering="pre_embedding", chunker="semantic"),
        )
    ],
    "X15": [column("low", low, AS_JINA) for low in (0.1, -0.1)],
    "C138": [column("high", high, "BAAI__bge-small-en-v1.5") for high in (0.1, -0.1)],
    "C126": [fact("taxonomy-fixed-tokens", "512"), fact("taxonomy-sentences", "3")],
    "C72": [without_marks()],
    "C77": [also(told(0.9, collection="average", chunker=STRUCTURE))],
    "C82": [also(told(0.9, collection="average", chunker=("sentence-5", "fixed-256")))],
    "C86": [
        also(*by_model((0.29, 0.36, 0.3, 0.3), collection="arguana")),
        also(*by_model((0.1, 0.1, 0.1, 0.1), collection="arguana")),
        against_paragraphs("arguana", "proposition", (0.65, 0.5, 0.6, 0.6)),
    ],
    "C87": [against_paragraphs("fiqa", "proposition", (0.7, 0.6, 0.65, 0.65))],
    "X22": [also(told(0.9, chunker=("paragraph", "fixed-256")))],
    "C98": [propositions(score) for score in (0.0, 9.0)],
    "C120": [also(told(0.23, ordering="relative change", chunker="fixed-256")), without_marks()],
    "X36": [without_marks()],
    "X28": [ceilings(by) for by in (1, -1)],
    "C112": [windows(0.02), windows(0)],
}
"""By claim."""
