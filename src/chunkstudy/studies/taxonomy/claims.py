"""Claims of *Beyond Chunk-Then-Embed* on the works that it repeats and on how its tables are made.

Those on its questions stand in :mod:`chunkstudy.studies.taxonomy.claims_methods` and
:mod:`chunkstudy.studies.taxonomy.claims_contextualized`. Each function judges the claims of one
page from numbers as they are printed, a row a number. Tables 3 and 5 print fractions, Table 4
percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from chunkstudy.published.cells import Fact
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.runs.published_grid import E5_INSTRUCT, JINA_SMALL, JINA_V3, NOMIC
from chunkstudy.show.claims import Claim, cited

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
printed = partial(Claim, basis="published")


def scores(cells: pd.DataFrame, table: str) -> Any:
    """Table 3, 4 or 5 as a frame: a row a method, a column a collection and model."""
    own = cells[cells["table"] == table].replace({"encoder": MODELS, "chunker": METHODS})
    wide = own.pivot(index="chunker", columns=["collection", "encoder"], values="value")
    rows = [*METHODS.values(), AVERAGE]
    return wide.loc[rows].reindex(columns=list(MODELS.values()), level="encoder")


def ranks(numbers: Any) -> Any:
    """The rank of each method in its column, 1 the highest."""
    return numbers.rank(ascending=False, method="min")


def listed(numbers: Any, form: str = ".4f") -> str:
    """Each number behind its name."""
    return ", ".join(f"{name} {value:{form}}" for name, value in numbers.items())


def on_reproductions(cells: pd.DataFrame, facts: Mapping[str, Fact]) -> Iterator[Claim]:
    """What the work says of the works that it repeats, and of how its tables are made.

    Args:
        cells: of Tables 1 to 5, and of the table of Jina's second post that Table 2 repeats.
        facts: of official code, by name.
    """
    table_1, table_2 = (cells[cells["table"] == number] for number in "12")
    place = "Section 4.1, below Table 1"
    both: Any = table_1.pivot(index="chunker", columns="statistic", values="value").rename(METHODS)
    original, again = both["original"], both["reproduced"]
    authors: Any = pd.Series(AUTHORS)
    apart = (authors - original).abs().dropna()
    yield printed(
        "C69", "Section 4.1, Table 1, column Original",
        "Table 1's originals: LumberChunker's published DCG@10 of four methods, rounded or cut to "
        "four decimals.",
        fair=len(apart) == 4 and (apart < 0.0001).all(), numbers=f"apart by {apart.max():.6f}",
    )  # fmt: skip
    yield Claim(
        "C70", "Section 4.1, Table 1, column Reproduced",
        "Table 1's reproductions: DCG@10 of four methods with text-embedding-ada-002.",
        needs="an OpenAI key for text-embedding-ada-002, and GutenQA's 100 books",
    )  # fmt: skip
    yield printed(
        "C71", place, "The order of the four methods is that of the original.",
        fair=again.rank().equals(original.rank()), numbers=f"4 methods, {listed(again)}",
    )  # fmt: skip
    plain = scores(cells, "3").drop(index=AVERAGE)
    books = cells[(cells["table"] == "3") & (cells["collection"] == "gutenqa")]
    books = books[books["chunker"].replace(METHODS).isin(STRUCTURE)]
    below = books["marks"].str.contains("a")
    best = plain["gutenqa"].idxmax() == "LumberChunker"
    lead = 100 * (authors["LumberChunker"] / authors["recursive"] - 1)
    yield printed(
        "C72", "Section 4.1, before Table 1",
        "LumberChunker significantly beats structure-based methods such as fixed-size and "
        "sentences within documents.",
        fair=best.all() and all(below),
        numbers=f"{below.sum()} of {len(below)} cells of Table 3 marked at p < 0.05 below the "
        f"best; its own lead over recursive chunks, which Table 1 leaves out, {lead:.1f}%",
    )  # fmt: skip

    keys = ["collection", "chunker", "ordering"]
    small = cells[cells["encoder"] == JINA_SMALL]
    post = small[small["table"] == "combinations"].set_index(keys)["value"] / 100
    pairs: Any = table_2.pivot(index=keys, columns="statistic", values="value")
    alike = pairs["original"].round(3) == post[pairs.index].round(3)
    yield printed(
        "C73", "Section 4.1, Table 2, columns Original",
        "Table 2's originals: 24 nDCG@10 from Jina's second post.",
        fair=len(alike) == 24 and alike.all(), numbers=f"{alike.sum()} of {len(alike)} alike",
    )  # fmt: skip
    grid = small[small["table"].isin(["3", "5"])].set_index(keys)["value"]
    apart = (pairs["reproduced"] - grid[pairs.index]).abs()
    yield printed(
        "C74", "Section 4.1, Table 2, columns Reproduced",
        "Table 2's reproductions are the cells of tables 3 and 5, shortened.",
        fair={"rounded or cut off": (apart < 0.00095).all()},
        strict={"rounded": (apart < 0.00051).all()},
        numbers=f"apart by up to {apart.max():.4f}, {(apart < 0.00051).sum()} of {len(apart)} "
        "are rounded",
    )  # fmt: skip
    place = "Section 4.1, below Table 2"
    wide = pairs["reproduced"].unstack("ordering")
    gain = (wide[LATE] - wide[PLAIN]).unstack("collection")
    others, semantic = gain.drop("semantic"), gain.loc["semantic"]
    excepted = ["fiqa", "trec-covid"]
    unexcepted: Any = pd.concat([others.stack(), semantic.drop(excepted)])
    yield printed(
        "C75", place,
        "Contextualized chunking consistently beats plain chunking, except with semantic chunks "
        "on FiQA and TREC-COVID.",
        fair={"every other method gains on average over the collections":
              (others.mean(axis=1) > 0).all()},
        strict={"every other cell gains": (unexcepted > 0).all()},
        numbers=f"mean gains {others.mean(axis=1).min():+.4f} and more; "
        f"{(unexcepted > 0).sum()} of {len(unexcepted)} cells gain",
    )  # fmt: skip
    yield Claim(
        "C76", place, "Versions of LlamaIndex may explain the exception.",
        numbers=f"semantic chunks change by {semantic[excepted[0]]:+.3f} on FiQA and "
        f"{semantic[excepted[1]]:+.3f} on TREC-COVID",
        needs="FiQA's texts and jina-v2-small-en: semantic chunks of two versions of LlamaIndex, "
        "contextualized, with NaN kept and dropped",
    )  # fmt: skip
    of = facts.__getitem__
    first, chunkers, ends = map(
        of, ("taxonomy-first-fixed-tokens", "jina-chunkers", "taxonomy-sentence-ends")
    )
    tokens, sentences = (
        (of(f"taxonomy-{unit}").value, of(f"jina-{unit}").value)
        for unit in ("fixed-tokens", "sentences")
    )
    yield Claim(
        "C126", "Section 3.1, structure-based methods",
        "All structure-based methods follow late chunking's default protocol and hyperparameters.",
        fair={"the same numbers: 256 tokens, 5 sentences":
              tokens[0] == tokens[1] and sentences[0] == sentences[1]},
        strict={"the same chunkers: paragraphs, fixed sizes and sentences":
                chunkers.value == "paragraphs, fixed sizes, sentences"
                and first.value == tokens[1] and ends.value == "the tokens . ! and ?"},
        numbers=f"{tokens[0]} tokens, {sentences[0]} sentences; {cited(chunkers, first, ends)}",
        basis="official code",
    )  # fmt: skip
    yield Claim(
        "C125", "Section 3.1, LLM-guided methods",
        "Temperature 0 makes a language model's segmentation deterministic.",
        needs="an API key: the same windows sent twice at temperature 0",
    )  # fmt: skip
    yield Claim(
        "C91", "Section 4.2, third finding",
        "LumberChunker processes 1.11 documents a second, paragraph chunking 1,854.",
        needs="an API key for LumberChunker's model, and both timed on SciDocs",
    )  # fmt: skip

    changes, late = (scores(cells, number).drop(index=AVERAGE) for number in "45")
    apart = (changes - 100 * (late / plain - 1)).abs()
    rounding = 0.01 / plain + 0.006  # of scores printed to four decimals, and of percentages
    closes = (apart - rounding)[[*IN_CORPUS, "gutenqa"]] <= 0
    yield printed(
        "C100", "Section 4.4, Table 4",
        "Table 4: 168 relative changes from table 3 to table 5.",
        fair=closes.size == 168 and closes.all(axis=None),
        numbers=f"{closes.sum().sum()} of {closes.size} within rounding",
    )  # fmt: skip
    means = changes[list(IN_CORPUS)].T.groupby("encoder").mean().T
    apart = (changes[AVERAGE] - means).abs()
    own = 100 * (late[AVERAGE] / plain[AVERAGE] - 1).loc["propositions"]
    yield printed(
        "C101", "Section 4.4, Table 4, column Avg",
        "Table 4's averages: a method's relative changes, averaged over the six collections.",
        fair=(apart <= 0.011).all(axis=None),
        numbers=f"apart by up to {apart.max(axis=None):.3f}; the averages of propositions "
        f"themselves change by {listed(own, '+.2f')}%",
    )  # fmt: skip
    parts, furthest = {}, []
    for number, methods in (("3", plain), ("5", late)):
        rows = methods[list(IN_CORPUS)].T.groupby("encoder").mean().T - methods[AVERAGE]
        columns = methods.mean() - scores(cells, number).loc[AVERAGE]
        parts[f"rows of table {number}"] = (rows.abs() <= 0.00011).all(axis=None)
        parts[f"columns of table {number}"] = (columns.abs() <= 0.00011).all()
        furthest += [rows.abs().max(axis=None), columns.abs().max()]
    yield printed(
        "C102", "Tables 3 and 5", "Averages of rows and columns of tables 3 and 5.",
        fair=parts, numbers=f"apart by up to {max(furthest):.6f}",
    )  # fmt: skip
    single = cells[(cells["chunker"] != AVERAGE) & (cells["collection"] != AVERAGE)]
    marks = single[single["table"].isin(["3", "5"])]["marks"]
    best, worst = (marks[marks.str.contains(word)] for word in ("bold", "underline"))
    none = single[(single["table"] == "4") & (single["value"] == 0)]["marks"]
    yield printed(
        "C127", "Captions of Tables 3 to 5",
        "Superscripts and stars mark differences at p < 0.05 by paired t-tests.",
        fair={"no mark breaks the caption's rule: no best cell is worse than the best, no worst "
              "one better than the worst, no change of 0 has a star":
              not best.str.contains("a").any()
              and not worst.str.contains("b").any()
              and not none.str.contains("*", regex=False).any()},
        strict={"the tests give these marks": None},
        numbers=f"{len(best)} best and {len(worst)} worst cells, {len(none)} changes of 0",
        needs="scores per query of the work's own runs",
    )  # fmt: skip
