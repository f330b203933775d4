"""The taxonomy's printed tables and figure as numbers."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

from chunkstudy.claims.evidence import Evidence, numbers

IN_CORPUS = ("fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs")
STRUCTURE = ("paragraph", "sentence-5", "fixed-256")
OTHERS = ("semantic", "lumberchunker", "proposition")
METHODS = (*STRUCTURE, *OTHERS)
SHORT = {
    "jina-embeddings-v2-small-en": "Jina-v2",
    "jina-embeddings-v3": "Jina-v3",
    "nomic-embed-text-v1": "Nomic",
    "multilingual-e5-large-instruct": "E5",
}
MODELS = tuple(SHORT.values())
EMMA_WITNESS = "records of all 100 books: GutenQA's texts, and the models' weights"


def scores(evidence: Evidence, table: str, column: str) -> pd.DataFrame:
    """One collection's (or the average's) cells of table 3, 4 or 5: method by model."""
    cells = evidence.printed("taxonomy", table, collection=column)
    cells = cells[cells["chunker"].isin(METHODS)]
    wide = cells.assign(model=cells["encoder"].str.split("/").str[1].map(SHORT)).pivot(
        index="chunker", columns="model", values="value"
    )
    return wide.loc[list(METHODS), list(MODELS)]


def cells(evidence: Evidence, table: str) -> dict[str, pd.DataFrame]:
    """Method by model for each in-corpus collection."""
    return {name: scores(evidence, table, name) for name in IN_CORPUS}


def mean_of(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Mean over collections, method by model."""
    frames = list(tables.values())
    total = frames[0]
    for frame in frames[1:]:
        total = total + frame
    return total / len(frames)


def flat(table: pd.DataFrame) -> dict[str, float]:
    """Every cell by ``model method``."""
    return {
        f"{model} {method}": float(table[model][method])
        for model in table.columns
        for method in table.index
    }


def column_average(evidence: Evidence, table: str, column: str) -> pd.Series:
    """The printed average row of table 3, 4 or 5, per model."""
    found = evidence.printed("taxonomy", table, collection=column, chunker="average")
    names = found["encoder"].str.split("/").str[1].map(SHORT)
    return pd.Series(found["value"].to_numpy(), index=names.to_numpy())[list(MODELS)]


def ranks(column: pd.DataFrame, method: str) -> pd.Series:
    """A method's rank per model, 1 for the best."""
    return column.rank(ascending=False, method="min").T[method].astype(int)


def change(column: pd.DataFrame, method: str, base: str) -> pd.Series:
    """A method against another per model, in percent."""
    return 100 * (column.T[method] / column.T[base] - 1)


def figure_2() -> pd.DataFrame:
    """r of chunk size and score per method, read off the repository's figures.

    Indexed by model, collection and ordering; Jina-v3's is the paper's figure 2.
    """
    path = files("chunkstudy").joinpath("data", "claims", "figure_2.csv")
    with path.open("r", encoding="utf-8") as file:
        table = pd.read_csv(file)
    table["model"] = table["model"].map(SHORT)
    return table.set_index(["model", "collection", "ordering"])


def emma(evidence: Evidence, protocol: str, ordering: str = "pre_embedding") -> pd.DataFrame:
    """all-MiniLM-L6-v2 on GutenQA's public book: DCG@10 and its ceiling by method, in percent."""
    table = evidence.tables["late_chunking_emma"]
    if table.empty:
        return table
    table = table[(table["protocol"] == protocol) & (table["ordering"] == ordering)]
    return numbers(table, "DCG@10", "Ceiling(DCG@10)").set_index("chunker")
