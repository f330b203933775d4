"""The taxonomy's Tables 1 to 5, published cells and recorded ones in one frame each.

A row is a cell. Every encoder with records of two methods gets its rows, under each protocol, so
that a table is filled for another model by running its conditions. Tables 3 and 5 are means under
either ordering, marked as the paper marks them: bold the best of a column, underlined the worst, a
where a method differs significantly from the best (paired t-test, p < 0.05, uncorrected), b where
it differs from the worst. Table 4 is the relative change from Table 3 to Table 5, with a star where
it is significant. Tables 1 and 2 are the paper's own reproduction of LumberChunker and of Jina.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.grid.library import Library
from chunkstudy.protocols import (
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
    CORRECTED,
)
from chunkstudy.published.sources import AVERAGE, IN_CORPUS

ALPHA = 0.05
MARGIN = 0.01
"""A point of nDCG@10 or DCG@10: what counts as no difference in the equivalence test."""
MEASURE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}
IN_DOCUMENT = ("gutenqa", "gutenqa-emma")
UNCHUNKED = "none"
"""Compared with the methods, but no method, so that it enters no average over them."""
PUBLISHED, RECORDS = "published", "records"
IELAB, JINA = AS_PUBLISHED_IELAB.name, AS_PUBLISHED_JINA.name
LUMBERCHUNKER = AS_PUBLISHED_LUMBERCHUNKER.name
COLUMNS = [
    "source", "encoder", "protocol", "ordering", "collection", "method", "chunker", "n", "value",
    "best", "worst", "marks",
]  # fmt: skip
ROWS = ["source", "encoder", "protocol"]
"""What tells one block of a table's rows from another."""
COLUMN = ["encoder", "protocol", "collection"]
CELL = [*COLUMN, "method"]
TESTED = ["table", "encoder", "protocol", "ordering", "collection", "method", "against", "other"]


@dataclass(frozen=True)
class Layout:
    """Which records fill a table.

    Attributes:
        collections: the columns, in their order.
        methods: a row's name to the chunkers that are this method; the first recorded is taken.
        protocols: those that records may be under.
    """

    collections: tuple[str, ...]
    methods: Mapping[str, tuple[str, ...]]
    protocols: tuple[str, ...]

    def chunkers(self) -> dict[str, tuple[int, str]]:
        """Each chunker's place among those of its method, and the method."""
        return {
            chunker: (at, method)
            for method, chunkers in self.methods.items()
            for at, chunker in enumerate(chunkers)
        }


METHODS = {
    UNCHUNKED: ("none",),
    "paragraph": ("paragraph",),
    "sentence-5": ("sentence-5",),
    "fixed-256": ("fixed-256",),
    "semantic": ("semantic",),
    "lumberchunker": ("lumberchunker", "lumberchunker-released"),
    "proposition": ("proposition", "proposition-released"),
}
"""The paper's six, and no chunking, which it leaves out."""
TAXONOMY = Layout((*IN_DOCUMENT, *IN_CORPUS), METHODS, (IELAB, CORRECTED.name))
BUILTIN = Layout(
    ("builtin-graded",),
    {
        name: (name,)
        for name in (
            UNCHUNKED, "paragraph", "sentence-5", "fixed-64", "semantic",
            "lumberchunker-handmade", "proposition-sentences",
        )
    },
    (CORRECTED.name,),
)  # fmt: skip
"""The built-in documents are short, so that fixed-size chunks are of 64 tokens. No LLM takes part:
its boundaries were set by hand, its propositions are sentences, and both are named so."""
REPRODUCED = {
    "1": Layout(
        IN_DOCUMENT,
        {
            "paragraph": ("paragraph",),
            "semantic": ("semantic", "semantic-released"),
            "proposition": METHODS["proposition"],
            "lumberchunker": METHODS["lumberchunker"],
        },
        (LUMBERCHUNKER, IELAB),
    ),
    "2": Layout(
        ("scifact", "nfcorpus", "fiqa", "trec-covid"),
        {name: METHODS[name] for name in ("fixed-256", "sentence-5", "semantic")},
        (JINA, IELAB),
    ),
}
"""Whose protocol the quoted cells were made under, then that of the paper's reproduction."""


@dataclass
class Block:
    """The records of one encoder under one protocol: scores per query, by method and collection.

    Each series bears the name of its chunker. ``late`` are those of the widest window of
    contextualized encoding, whose slug ``ordering`` is; empty where there are none.
    """

    encoder: str
    protocol: str
    plain: dict[tuple[str, str], pd.Series]
    late: dict[tuple[str, str], pd.Series] = field(default_factory=dict)
    ordering: str = ""

    def arm(self, late: bool) -> tuple[str, dict[tuple[str, str], pd.Series]]:
        """The slug of an ordering and its scores."""
        return (self.ordering, self.late) if late else (PRE_EMBEDDING, self.plain)


def blocks(library: Library, layout: Layout = TAXONOMY) -> list[Block]:
    """Every encoder and protocol with plain records of two methods."""
    chunkers = layout.chunkers()
    found: dict[tuple[str, str], dict[str, dict[tuple[str, str], tuple[int, Condition]]]] = {}
    for one in library:
        known = chunkers.get(str(replace(catalogue.parse(one.chunker), by="")))
        wanted = one.collection in layout.collections and one.protocol in layout.protocols
        if known is None or not wanted or one.encoder == NONE:
            continue
        by_ordering = found.setdefault((one.encoder, one.protocol), {})
        cells = by_ordering.setdefault(one.ordering, {})
        at, method = known
        key = (method, one.collection)
        cells[key] = min(cells.get(key, (at, one)), (at, one))
    made = []
    for (encoder, protocol), by_ordering in sorted(found.items()):
        plain = _scores(library, layout, by_ordering.get(PRE_EMBEDDING, {}))
        if len({method for method, _ in plain}) < 2:
            continue
        widest = max(filter(None, map(_window, by_ordering)), default=0)
        ordering = f"{CONTEXTUALIZED}-{widest}" if widest else ""
        late = _scores(library, layout, by_ordering.get(ordering, {}))
        made.append(Block(encoder, protocol, plain, late, ordering))
    return made


def tables(library: Library, cells: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The five tables, those of the built-in collection, and every test behind a mark.

    Args:
        library: the records.
        cells: published cells.

    Returns:
        ``taxonomy_table1`` to ``5`` and ``taxonomy_builtin_table3`` to ``5`` with ``COLUMNS``,
        values as fractions; ``taxonomy_tests`` and ``taxonomy_superscripts``.
    """
    made = {
        f"taxonomy_table{number}": _joined(
            published(cells, number),
            *(scores(blocks(library, layout), layout, late) for late in arms),
        )
        for number, layout, arms in (
            ("1", REPRODUCED["1"], (False,)),
            ("2", REPRODUCED["2"], (False, True)),
        )
    }
    tests = []
    for name, layout in (("taxonomy", TAXONOMY), ("taxonomy_builtin", BUILTIN)):
        recorded = blocks(library, layout)
        for number in ("3", "4", "5"):
            table = f"{name}_table{number}"
            own, tested = marked(recorded, layout, table)
            printed = published(cells, number) if layout is TAXONOMY else own.iloc[:0]
            made[table] = _joined(printed, own)
            tests.append(tested)
    made["taxonomy_tests"] = _joined(*tests)
    made["taxonomy_superscripts"] = superscripts(made)
    return made


def published(cells: pd.DataFrame, number: str) -> pd.DataFrame:
    """A table as printed, in fractions; in Tables 1 and 2 the source says whose number it is."""
    own = cells[(cells["work"] == "taxonomy") & (cells["table"] == number)]
    rows = own[["encoder", "ordering", "collection"]].assign(
        source=own["statistic"] if number in REPRODUCED else PUBLISHED,
        protocol=IELAB,
        method=own["chunker"],
        chunker=own["chunker"],
        n=own["collection"].map({AVERAGE: len(IN_CORPUS)}),
        value=own["value"] / own["unit"].map({"percent": 100, "fraction": 1}),
        best=own["marks"].str.contains("bold"),
        worst=own["marks"].str.contains("underline"),
        marks=own["marks"].str.replace(r"bold|underline|\+", "", regex=True),
    )
    if number in REPRODUCED:
        rows.loc[rows["source"] == "original", "protocol"] = REPRODUCED[number].protocols[0]
    return rows[COLUMNS].reset_index(drop=True).astype({"n": "Int64"})


def scores(recorded: Iterable[Block], layout: Layout, late: bool) -> pd.DataFrame:
    """Means under one ordering, in the layout's order, without marks or averages."""
    rows = []
    for block in recorded:
        ordering, arm = block.arm(late)
        rows += [
            _cell(block, ordering, key, values, float(values.mean()))
            for key, values in _ordered(arm, layout)
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"n": "Int64", "value": float})


def marked(
    recorded: Sequence[Block], layout: Layout, table: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 3, 4 or 5 of records with marks and averages, and the tests behind the marks.

    Holm's correction is within the tests of one encoder under one protocol on either task.
    """
    number = table[-1]
    own = scores(recorded, layout, late=number != "3")
    compare = _with_plain if number == "4" else _with_best_and_worst
    pairs = [one for block in recorded for one in compare(block, table)]
    tests = differences(pairs, _family, "first", "second")
    if tests.empty:
        return with_averages(own, layout, ranked=False), tests
    tests["p_equivalent"] = [_equivalent(one) for one in pairs]
    if number == "4":
        own = own.drop(columns=["n", "value"]).merge(
            tests[[*CELL, "n", "first", "second"]], on=CELL
        )
        own["value"] = own["first"] / own["second"].where(own["second"] != 0) - 1
    else:
        columns = own.groupby(COLUMN)["value"]
        several = columns.transform("size") > 1
        own["best"] = several & (own["value"] == columns.transform("max"))
        own["worst"] = several & (own["value"] == columns.transform("min"))
    own["marks"] = _letters(own, tests)
    return with_averages(own[COLUMNS], layout, ranked=number != "4"), tests


def with_averages(own: pd.DataFrame, layout: Layout, ranked: bool) -> pd.DataFrame:
    """The rows with each method's average, and the average over methods, in the paper's places.

    An average over collections is over the in-corpus ones that every compared method has, two at
    least. The methods are those with an in-corpus record at all; over them a collection has an
    average where each has a record. ``n`` then counts what was averaged.
    """
    made = []
    for keys, block in own.groupby([*ROWS, "ordering"], sort=False):
        wide = block.pivot(index="method", columns="collection", values="value")
        wide = wide.reindex([name for name in layout.methods if name in wide.index])
        compared = wide.drop(index=UNCHUNKED, errors="ignore")
        inside = [name for name in wide if name not in IN_DOCUMENT]
        counted = compared[compared[inside].notna().any(axis=1)]
        whole = [name for name in inside if len(counted) and counted[name].notna().all()]
        added = []
        if len(whole) > 1:
            means = wide[whole].mean(axis=1, skipna=False).dropna()
            best, worst = (means.idxmax(), means.idxmin()) if ranked else (None, None)
            added += [
                (method, AVERAGE, len(whole), value, method == best, method == worst)
                for method, value in means.items()
            ]
            wide[AVERAGE] = means
        for name in wide:
            needed = compared.index if name in IN_DOCUMENT else counted.index
            values = wide.loc[needed, name]
            if len(values) and values.notna().all():
                added.append((AVERAGE, name, len(values), float(values.mean()), False, False))
        averages = pd.DataFrame(
            added, columns=["method", "collection", "n", "value", "best", "worst"]
        ).assign(chunker="", marks="", **dict(zip([*ROWS, "ordering"], keys, strict=True)))
        both = _joined(block, averages[COLUMNS])
        places = {name: at for at, name in enumerate([*layout.methods, AVERAGE])}
        made.append(both.sort_values("method", key=lambda m: m.map(places), kind="stable"))
    return _joined(own.iloc[:0], *made)


def superscripts(made: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many marks each table bears, and how many of the recorded ones Holm leaves."""
    tests = made["taxonomy_tests"]
    rows = []
    for name, table in made.items():
        if not {"value", "marks"} <= set(table) or name[-1] in REPRODUCED:
            continue
        for keys, block in table.groupby(ROWS, sort=False):
            row: dict[str, object] = {"table": name} | dict(zip(ROWS, keys, strict=True))
            row |= {mark: sum(mark in marks for marks in block["marks"]) for mark in "ab*"}
            if row["source"] == RECORDS and len(tests):
                own = tests[(tests["table"] == name) & (tests["encoder"] == row["encoder"])
                            & (tests["protocol"] == row["protocol"])]  # fmt: skip
                row |= {
                    "tests": len(own),
                    "significant": int((own["p"] < ALPHA).sum()),
                    "significant after Holm": int((own["p_holm"] < ALPHA).sum()),
                    "equivalent within a point": int((own["p_equivalent"] < ALPHA).sum()),
                }
            rows.append(row)
    table = pd.DataFrame(rows)
    counts = table.columns.drop(["table", *ROWS])
    return table.astype(dict.fromkeys(counts, "Int64"))


def _window(ordering: str) -> int:
    """The window of contextualized encoding as it is by default, 0 of any other ordering."""
    window = parse_ordering(ordering).window
    return window if ordering == f"{CONTEXTUALIZED}-{window}" else 0


def _scores(
    library: Library, layout: Layout, found: Mapping[tuple[str, str], tuple[int, Condition]]
) -> dict[tuple[str, str], pd.Series]:
    made = {}
    for key, (_, condition) in found.items():
        record = library.get(condition)
        if record is not None:
            scored = record.wide[MEASURE[condition.task]].dropna()
            made[key] = scored.rename(condition.chunker)
    return made


def _ordered(
    arm: Mapping[tuple[str, str], pd.Series], layout: Layout
) -> Iterator[tuple[tuple[str, str], pd.Series]]:
    for method in layout.methods:
        for name in layout.collections:
            if (method, name) in arm:
                yield (method, name), arm[method, name]


def _cell(
    block: Block, ordering: str, key: tuple[str, str], values: pd.Series, value: float
) -> dict[str, object]:
    return {
        "source": RECORDS,
        "encoder": block.encoder,
        "protocol": block.protocol,
        "ordering": ordering,
        "collection": key[1],
        "method": key[0],
        "chunker": values.name,
        "n": len(values),
        "value": value,
        "best": False,
        "worst": False,
        "marks": "",
    }


def _with_best_and_worst(block: Block, table: str) -> Iterator[Pair]:
    """Each method of a column against its best and its worst, every two methods once."""
    ordering, arm = block.arm(late=table.endswith("5"))
    for name in dict.fromkeys(name for _, name in arm):
        column = {method: values for (method, one), values in arm.items() if one == name}
        best = max(column, key=lambda method: column[method].mean())
        worst = min(column, key=lambda method: column[method].mean())
        for method, values in column.items():
            for against, other in (("best", best), ("worst", worst)):
                if method != other and (method, against) != (best, "worst"):
                    keys = (table, block.encoder, block.protocol, ordering, name, method)
                    named = dict(zip(TESTED, (*keys, against, other), strict=True))
                    yield Pair(named, values, column[other])


def _with_plain(block: Block, table: str) -> Iterator[Pair]:
    for (method, name), values in block.late.items():
        if (method, name) in block.plain:
            keys = (table, block.encoder, block.protocol, block.ordering, name, method)
            named = dict(zip(TESTED, (*keys, PRE_EMBEDDING, method), strict=True))
            yield Pair(named, values, block.plain[method, name])


def _family(keys: Mapping[str, object]) -> str:
    task = "in-document" if keys["collection"] in IN_DOCUMENT else "in-corpus"
    return f"{keys['table']}, {task}, {keys['encoder']}, {keys['protocol']}"


def _equivalent(pair: Pair) -> float:
    """p of the two one-sided tests that the systems differ by less than a point."""
    first, second = pair.first.align(pair.second, join="inner")
    return statistics.equivalence(first, second, MARGIN).p


def _letters(own: pd.DataFrame, tests: pd.DataFrame) -> pd.Series:
    """The superscripts of each cell; the best differs from the worst where the worst's test says so."""
    sure = tests[tests["p"] < ALPHA]
    letter = sure["against"].map({"best": "a", "worst": "b", PRE_EMBEDDING: "*"})
    found = letter.groupby([sure[name] for name in CELL]).agg("".join).rename("letters")
    marks = own[CELL].join(found, on=CELL)["letters"].fillna("")
    apart = (own["worst"] & marks.str.contains("a")).groupby([own[name] for name in COLUMN])
    return marks.where(~(own["best"] & apart.transform("any")), "b")


def _joined(*frames: pd.DataFrame) -> pd.DataFrame:
    """Frames one below the other; empty ones would spoil the types of columns."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else frames[0]
