"""Claims of *Beyond Chunk-Then-Embed* on the works that it repeats and on how its tables are made.

Those on its questions stand in :mod:`chunkstudy.studies.taxonomy.claims_questions`. Each function
judges the claims of one page from numbers as they are printed, a row a number. Tables 3 and 5 print
fractions, Table 4 percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.published.papers import E5_INSTRUCT, JINA_SMALL, JINA_V3, NOMIC
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.study.claims import Claim, cited, share

MODELS = {JINA_SMALL: "Jina-v2", JINA_V3: "Jina-v3", NOMIC: "Nomic", E5_INSTRUCT: "E5"}
METHODS = {
    "paragraph": "paragraphs",
    "sentence-5": "sentences",
    "fixed-256": "fixed sizes",
    "semantic": "semantic",
    "lumberchunker": "LumberChunker",
    "proposition": "propositions",
}
"""What the text calls models and methods, in the order of its tables."""
STRUCTURE = ["paragraphs", "sentences", "fixed sizes"]
LLM_GUIDED = ["LumberChunker", "propositions"]
PLAIN, LATE = "pre_embedding", "contextualized"
AUTHORS = {
    "paragraphs": 0.477212,
    "semantic": 0.431455,
    "propositions": 0.456568,
    "LumberChunker": 0.60995,
    "recursive": 0.532577,
}
"""Mean DCG@10 over GutenQA's 100 books with text-embedding-ada-002, as LumberChunker's authors
publish it in their repository's notebook."""


def scores(cells: pd.DataFrame, table: str) -> Any:
    """Table 3, 4 or 5 as a frame: a row a method, a column a collection and model."""
    own = cells[cells["table"] == table].replace({"encoder": MODELS, "chunker": METHODS})
    wide = own.pivot(index="chunker", columns=["collection", "encoder"], values="value")
    rows = [*METHODS.values(), AVERAGE]
    return wide.loc[rows].reindex(columns=list(MODELS.values()), level="encoder")


def of_methods(cells: pd.DataFrame, tables: str) -> Iterator[Any]:
    """Several of these tables without the row of averages."""
    return (scores(cells, table).drop(index=AVERAGE) for table in tables)


def ranks(numbers: Any) -> Any:
    """The rank of each method in its column, 1 the highest."""
    return numbers.rank(ascending=False, method="min")


def listed(numbers: Any, form: str = ".4f") -> str:
    """Each number behind its name."""
    return ", ".join(f"{name} {value:{form}}" for name, value in numbers.items())


def leads(numbers: Any, methods: list[str], others: list[str]) -> tuple[Any, Any]:
    """By model, the mean of some methods minus the mean of others; and every such method minus
    every other one."""
    pairs = [numbers.loc[method] - numbers.loc[other] for method, other in product(methods, others)]
    return numbers.loc[methods].mean() - numbers.loc[others].mean(), pd.concat(pairs)


def on_reproductions(cells: pd.DataFrame, facts: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the work says of the works that it repeats, and of how its tables are made.

    Args:
        cells: of Tables 1 to 5, and of the table of Jina's second post that Table 2 repeats.
        facts: of official code, by name.
    """
    yield from _of_table_1(cells)
    yield from _of_table_2(cells)
    yield from _of_tables_3_to_5(cells)
    chunkers, first, ends = (
        facts[name]
        for name in ("jina-chunkers", "taxonomy-first-fixed-tokens", "taxonomy-sentence-ends")
    )
    (tokens, tokens_of_jina), (sentences, sentences_of_jina) = (
        (facts[f"taxonomy-{unit}"].value, facts[f"jina-{unit}"].value)
        for unit in ("fixed-tokens", "sentences")
    )
    same_chunkers = (
        chunkers.value == "paragraphs, fixed sizes, sentences"
        and first.value == tokens_of_jina
        and ends.value == "the tokens . ! and ?"
    )
    yield Claim(
        "C126", tokens, sentences, cited(chunkers, first, ends),
        fair=tokens == tokens_of_jina and sentences == sentences_of_jina, strict=same_chunkers,
    )  # fmt: skip


def _of_table_1(cells: pd.DataFrame) -> Iterator[Claim]:
    table = cells[cells["table"] == "1"]
    both: Any = table.pivot(index="chunker", columns="statistic", values="value").rename(METHODS)
    original, again = both["original"], both["reproduced"]
    authors: Any = pd.Series(AUTHORS)
    apart = (authors - original).abs().dropna()
    yield Claim("C69", apart.max(), fair=len(apart) == 4 and (apart < 0.0001).all())
    yield Claim("C71", listed(again), fair=again.rank().equals(original.rank()))
    best = scores(cells, "3").drop(index=AVERAGE)["gutenqa"].idxmax() == "LumberChunker"
    books = cells[(cells["table"] == "3") & (cells["collection"] == "gutenqa")]
    below = books[books["chunker"].replace(METHODS).isin(STRUCTURE)]["marks"].str.contains("a")
    lead = 100 * (authors["LumberChunker"] / authors["recursive"] - 1)
    yield Claim("C72", share(below), lead, fair=best.all() and all(below))


def _of_table_2(cells: pd.DataFrame) -> Iterator[Claim]:
    keys = ["collection", "chunker", "ordering"]
    small = cells[cells["encoder"] == JINA_SMALL]
    post = small[small["table"] == "combinations"].set_index(keys)["value"] / 100
    table = cells[cells["table"] == "2"]
    pairs: Any = table.pivot(index=keys, columns="statistic", values="value")
    alike = pairs["original"].round(3) == post[pairs.index].round(3)
    yield Claim("C73", share(alike), fair=len(alike) == 24 and alike.all())
    grid = small[small["table"].isin(["3", "5"])].set_index(keys)["value"]
    apart = (pairs["reproduced"] - grid[pairs.index]).abs()
    rounded = apart < 0.00051
    yield Claim("C74", apart.max(), share(rounded), fair=apart < 0.00095, strict=rounded)
    wide = pairs["reproduced"].unstack("ordering")
    gain = (wide[LATE] - wide[PLAIN]).unstack("collection")
    means, semantic = gain.drop("semantic").mean(axis=1), gain.loc["semantic"]
    excepted = ["fiqa", "trec-covid"]
    gains: Any = pd.concat([gain.drop("semantic").stack(), semantic.drop(excepted)]) > 0
    yield Claim("C75", means.min(), share(gains), fair=means > 0, strict=gains)
    fiqa, covid = semantic[excepted]
    yield Claim("C76", fiqa, covid)


def _of_tables_3_to_5(cells: pd.DataFrame) -> Iterator[Claim]:
    plain, changes, late = of_methods(cells, "345")
    apart = (changes - 100 * (late / plain - 1)).abs()
    rounding = 0.01 / plain + 0.006  # of scores printed to four decimals, and of percentages
    closes = (apart - rounding)[[*IN_CORPUS, "gutenqa"]] <= 0
    yield Claim("C100", share(closes), fair=closes.size == 168 and closes.all(axis=None))

    def means(table: Any) -> Any:
        return table[list(IN_CORPUS)].T.groupby("encoder").mean().T

    apart = (changes[AVERAGE] - means(changes)).abs()
    own = 100 * (late[AVERAGE] / plain[AVERAGE] - 1).loc["propositions"]
    yield Claim("C101", apart.max(axis=None), listed(own, "+.2f"), fair=apart <= 0.011)
    furthest = []
    for number, methods in (("3", plain), ("5", late)):
        rows = means(methods) - methods[AVERAGE]
        columns = methods.mean() - scores(cells, number).loc[AVERAGE]
        furthest += [rows.abs().max(axis=None), columns.abs().max()]
    yield Claim("C102", max(furthest), fair=[apart <= 0.00011 for apart in furthest])
    single = cells[(cells["chunker"] != AVERAGE) & (cells["collection"] != AVERAGE)]
    marks = single[single["table"].isin(["3", "5"])]["marks"]
    best, worst = (marks[marks.str.contains(word)] for word in ("bold", "underline"))
    none = single[(single["table"] == "4") & (single["value"] == 0)]["marks"]
    broken = [best.str.contains("a"), worst.str.contains("b"), none.str.contains("*", regex=False)]
    yield Claim("C127", len(best), len(worst), len(none), fair=not pd.concat(broken).any())
