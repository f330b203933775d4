"""Data made by hand for claims of Jina's posts and the taxonomy that the menu does not turn.

Each of them asks for several cells to be just so: both ends of a range, one group of methods above
another with every model, or records with windows that nothing here was run with.
"""

from __future__ import annotations

import pandas as pd

from tests.claims_mutations import Change, Mutation, Source

V2, V3 = "jinaai/jina-embeddings-v2-small-en", "jinaai/jina-embeddings-v3"
NOMIC, E5 = "nomic-ai/nomic-embed-text-v1", "intfloat/multilingual-e5-large-instruct"
MODELS = (V2, V3, NOMIC, E5)
AS_JINA = V2.replace("/", "__")


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

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        return found.assign(value=value) if source == ("code", name) else found

    return Mutation(change)


def column(name: str, value: float, alias: str) -> Mutation:
    """A column of one number, in records taken as if they were of another model."""
    return Mutation(lambda source, found: found.assign(**{name: value}), alias=alias)


def propositions(score: float) -> Mutation:
    """The score of propositions judged by their own text."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        if source != ("table", "late_chunking_emma"):
            return found
        at = found["chunker"] == "proposition-released"
        return found.assign(**{"DCG@10": found["DCG@10"].mask(at, score)})

    return Mutation(change, alias=AS_JINA)


def ceilings(by: float) -> Mutation:
    """The best reachable score follows the size of chunks, or runs against it."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        return found.assign(**{"Ceiling(DCG@10)": by * found["mean tokens"]})

    return Mutation(change, alias=AS_JINA)


def windows(wide: float) -> Mutation:
    """A gain of 0.01 with 512 tokens and another with 8,192."""

    def change(source: Source, found: pd.DataFrame) -> pd.DataFrame:
        row = found.iloc[[0]].assign(encoder=AS_JINA, measure="nDCG@10", protocol="corrected")
        rows = [row.assign(window=512, difference=0.01), row.assign(window=8192, difference=wide)]
        return pd.concat(rows, ignore_index=True)

    return Mutation(change)


def without_marks() -> Mutation:
    return Mutation(lambda source, found: found.assign(marks=""))


STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
LATE_CHUNKING: dict[str, list[Mutation]] = {
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
