"""What the taxonomy's tables look like: rows, columns, cells; and the printed ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pandas as pd

from chunkstudy.protocols import AS_PUBLISHED_IELAB, CORRECTED
from chunkstudy.published.consistency import AVERAGE, IN_CORPUS

LABELS = {
    "jinaai/jina-embeddings-v2-small-en": "Jina-v2",
    "jinaai/jina-embeddings-v3": "Jina-v3",
    "nomic-ai/nomic-embed-text-v1": "Nomic",
    "intfloat/multilingual-e5-large-instruct": "E5-Large",
    "sentence-transformers/all-MiniLM-L6-v2": "MiniLM",
}


@dataclass(frozen=True)
class Method:
    """A row of the tables.

    Attributes:
        label: as the paper prints it.
        chunkers: slugs that are this method; the first one recorded for a collection is taken.
        reference: printed and tested, but not one of the methods compared: it is never best or
            worst and enters no average.
    """

    label: str
    chunkers: tuple[str, ...]
    reference: bool = False


METHODS = (
    Method("No chunking", ("none",), reference=True),
    Method("Paragraph", ("paragraph",)),
    Method("Sentence", ("sentence-5",)),
    Method("Fixed-size", ("fixed-256",)),
    Method("Semantic", ("semantic",)),
    Method("LumberChunker", ("lumberchunker", "lumberchunker-released")),
    Method("Proposition", ("proposition", "proposition-released")),
)
"""The paper's six, and no chunking, which it leaves out."""


@dataclass(frozen=True)
class Layout:
    """Which records fill a table: its columns, its rows, and the protocols they may be under."""

    collections: tuple[str, ...] = ("gutenqa", "gutenqa-emma", *IN_CORPUS)
    methods: tuple[Method, ...] = METHODS
    protocols: tuple[str, ...] = (AS_PUBLISHED_IELAB.name, CORRECTED.name)


TAXONOMY = Layout()
BUILTIN_CHUNKERS = {
    "Fixed-size": ("fixed-64",),
    "LumberChunker": ("lumberchunker-handmade",),
    "Proposition": ("proposition-sentences",),
}
NO_LLM = {"LumberChunker": ", by hand", "Proposition": ", sentences"}
BUILTIN = Layout(
    ("builtin-graded",),
    tuple(
        replace(one, label=f"{one.label}{NO_LLM.get(one.label, '')}", chunkers=chunkers)
        for one in METHODS
        for chunkers in (BUILTIN_CHUNKERS.get(one.label, one.chunkers),)
    ),
    (CORRECTED.name,),
)
"""The built-in documents are short, so that fixed-size chunks are of 64 tokens. No LLM takes part:
its boundaries were set by hand, its propositions are sentences, and both are called so."""


@dataclass(frozen=True)
class Cell:
    """A value as a fraction, or in percent where it is a change, and how it is set."""

    value: float
    marks: str = ""
    bold: bool = False
    underline: bool = False


@dataclass
class Table:
    """A table in the paper's layout.

    Attributes:
        columns: collections, then ``average``.
        rows: (model, method) to cells by column; the method of a model's last row is ``Avg``.
        tests: every test behind a mark, a row each.
        averaged: by model, how many collections its averages are over.
        percent: whether the values are changes in percent.
    """

    columns: list[str]
    rows: dict[tuple[str, str], dict[str, Cell]] = field(default_factory=dict)
    tests: pd.DataFrame = field(default_factory=pd.DataFrame)
    averaged: dict[str, int] = field(default_factory=dict)
    percent: bool = False

    def beside(self, other: Table) -> Table:
        """Both tables' rows under the columns of either."""
        columns = [*self.columns, *other.columns]
        known = [name for name in TAXONOMY.collections if name in columns]
        rest = [name for name in dict.fromkeys(columns) if name not in (*known, AVERAGE)]
        tests = pd.concat([one.tests for one in (self, other)], ignore_index=True)
        return Table(
            [*known, *rest, AVERAGE],
            self.rows | other.rows,
            tests,
            self.averaged | other.averaged,
            self.percent,
        )


def published_table(cells: pd.DataFrame, number: str) -> Table:
    """Table 3, 4 or 5 as printed."""
    cells = cells[(cells["work"] == "taxonomy") & (cells["table"] == number)]
    named = {chunker: method.label for method in METHODS for chunker in method.chunkers}
    table = Table([*[c for c in TAXONOMY.collections if c in set(cells["collection"])], AVERAGE])
    table.percent = number == "4"
    for cell in cells.to_dict("records"):
        model = LABELS[str(cell["encoder"])]
        method = "Avg" if cell["chunker"] == AVERAGE else named[str(cell["chunker"])]
        parts = str(cell["marks"]).split("+")
        letters = "".join(one for one in parts if one not in ("bold", "underline"))
        table.rows.setdefault((model, method), {})[str(cell["collection"])] = Cell(
            float(str(cell["printed"])), letters, "bold" in parts, "underline" in parts
        )
        table.averaged[model] = len(IN_CORPUS)
    return table
