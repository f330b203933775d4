"""The taxonomy's Tables 3 to 5, published cells and ours in one form: a row is a cell.

Tables 3 and 5 are means, plain and late, marked as the paper marks them: bold the best of a column,
underlined the worst, a where a method differs significantly from the best (paired t-test, p < 0.05,
uncorrected), b where it differs from the worst. Table 4 is the relative change from Table 3 to
Table 5, with a star where it is significant. On a page they stand as the paper sets them, published
rows first, ours below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_IELAB
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.published.chunk_size import BOOKS
from chunkstudy.published.sources import AVERAGE, IN_CORPUS
from chunkstudy.runs.conditions import PRE_EMBEDDING
from chunkstudy.study.scores import Scores
from chunkstudy.study.titles import shown

ALPHA = 0.05
PUBLISHED, RECORDS = "published", "records"
UNCHUNKED = "none"
METHODS = {
    "paragraph": ("paragraph",),
    "sentence-5": ("sentence-5",),
    "fixed-256": ("fixed-256",),
    "semantic": ("semantic",),
    "lumberchunker": ("lumberchunker", "lumberchunker-released"),
    "proposition": ("proposition", "proposition-released"),
}
"""The paper's six and the chunkers that are this method, of which the first recorded is taken."""
METHOD_OF = {chunker: method for method, chunkers in METHODS.items() for chunker in chunkers} | {
    "semantic-released": "semantic"
}
"""What the paper calls a chunker: LumberChunker's chunks are those that its authors released."""
COLUMNS = [
    "source", "encoder", "protocol", "ordering", "collection", "method", "chunker", "n", "value",
    "best", "worst", "marks",
]  # fmt: skip
ROWS = ["source", "encoder", "protocol"]
"""What tells one block of a table's rows from another."""
CELL = ["collection", "method"]
CAPTIONS = {
    "3": "plain chunking",
    "4": "change from plain to late chunking, percent. *: differs from plain chunking",
    "5": "late chunking",
}
MARKS = "Bold: best of a column. Underlined: worst. a: differs from the best, b: from the worst"


@dataclass(frozen=True)
class SystemScores:
    """Scores per query by method and collection, all of one encoder, ordering and protocol. Each
    series bears the name of its chunker."""

    encoder: str
    protocol: str
    ordering: str
    scores: dict[tuple[str, str], pd.Series]

    @classmethod
    def of(cls, scores: Iterable[Scores]) -> SystemScores:
        """Of a collection each."""
        values_of: dict[tuple[str, str], pd.Series] = {}
        for scored in scores:
            for chunker, path in scored.runs.items():
                collection, _, encoder, ordering, protocol = path.split("/")
                values = scored.of(chunker, scored.measures[0]).dropna().rename(chunker)
                values_of[METHOD_OF.get(chunker, chunker), collection] = values
        return cls(encoder, protocol, ordering, values_of)


def published(cells: pd.DataFrame, number: str) -> pd.DataFrame:
    """A table as published, in fractions."""
    own = cells[(cells["work"] == "taxonomy") & (cells["table"] == number)]
    rows = own[["encoder", "ordering", "collection", "chunker"]].assign(
        source=PUBLISHED,
        protocol=AS_PUBLISHED_IELAB.name,
        method=own["chunker"],
        n=own["collection"].map({AVERAGE: len(IN_CORPUS)}),
        value=own["value"] / own["unit"].map({"percent": 100, "fraction": 1}),
        best=own["marks"].str.contains("bold"),
        worst=own["marks"].str.contains("underline"),
        marks=own["marks"].str.replace(r"bold|underline|\+", "", regex=True),
    )
    return rows[COLUMNS].reset_index(drop=True).astype({"n": "Int64"})


def means(scores: Iterable[Scores]) -> pd.DataFrame:
    """A row a collection and chunker, without marks or averages.

    Args:
        scores: of a collection each, all by one encoder, ordering and protocol.
    """
    return _means(SystemScores.of(scores))


def marked(scores: Iterable[Scores], number: str = "3") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means as the paper marks them, and the tests behind the marks: each method against the best
    and the worst of its column, paired t-tests, with Holm's correction and without.

    Args:
        scores: of a collection each, all by one encoder, ordering and protocol.
        number: of the table, ``3`` plain or ``5`` late.
    """
    arm = SystemScores.of(scores)
    own = _means(arm)
    tests = differences(_with_best_and_worst(arm, number), _family, "first", "second")
    columns = own.groupby("collection")["value"]
    several = columns.transform("size") > 1
    own["best"] = several & (own["value"] == columns.transform("max"))
    own["worst"] = several & (own["value"] == columns.transform("min"))
    return with_averages(own.assign(marks=_letters(own, tests)), ranked=True), tests


def changed(plain: Iterable[Scores], late: Iterable[Scores]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Relative changes by late chunking with a star where a paired t-test says so, and these tests,
    with Holm's correction and without: Table 4.

    Args:
        plain: of a collection each, all by one encoder and protocol.
        late: the same under late chunking.
    """
    before, after = SystemScores.of(plain), SystemScores.of(late)
    tests = differences(_with_plain(before, after), _family, "first", "second")
    both = tests[[*CELL, "n", "first", "second"]]
    own = _means(after).drop(columns=["n", "value"]).merge(both, on=CELL)
    own["value"] = own["first"] / own["second"].where(own["second"] != 0) - 1
    return with_averages(own.assign(marks=_letters(own, tests))[COLUMNS], ranked=False), tests


def with_averages(own: pd.DataFrame, ranked: bool) -> pd.DataFrame:
    """The rows with each method's average, and the average over methods, in the paper's places.

    An average over collections is over the in-corpus ones that every compared method has, two at
    least. The methods are those with an in-corpus score at all; over them a collection has an
    average where each has a score. No chunking is no method. ``n`` then counts what was averaged.
    """
    wide = own.pivot(index="method", columns="collection", values="value")
    compared = wide.drop(index=UNCHUNKED, errors="ignore")
    inside = [name for name in wide if name not in BOOKS]
    counted = compared[compared[inside].notna().any(axis=1)]
    whole = [name for name in inside if len(counted) and counted[name].notna().all()]
    added: list[tuple[object, ...]] = []
    if len(whole) > 1:
        average = wide[whole].mean(axis=1, skipna=False).dropna()
        wide[AVERAGE] = average
        ends = (average.max(), average.min()) if ranked else (None, None)
        added += [
            (method, AVERAGE, len(whole), value, value == ends[0], value == ends[1])
            for method, value in average.items()
        ]
    for name in wide:
        needed = compared if name in BOOKS else counted
        values = wide.loc[needed.index][name]
        if len(values) and values.notna().all():
            added.append((AVERAGE, name, len(values), float(values.mean()), False, False))
    columns = ["method", "collection", "n", "value", "best", "worst"]
    averages = pd.DataFrame(added, columns=columns).assign(chunker="", marks="")
    for name in (*ROWS, "ordering"):
        averages[name] = own[name].iloc[0]
    both = pd.concat([own, averages[COLUMNS]], ignore_index=True) if added else own
    order = list(dict.fromkeys([UNCHUNKED, *METHODS, *own["method"], AVERAGE]))
    places = {name: at for at, name in enumerate(order)} | {AVERAGE: len(order)}
    return both.sort_values("method", key=lambda names: names.map(places), kind="stable")


def _means(arm: SystemScores) -> pd.DataFrame:
    rows = [
        (RECORDS, arm.encoder, arm.protocol, arm.ordering, name, method, values.name, len(values),
         float(values.mean()), False, False, "")
        for (method, name), values in arm.scores.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).astype({"n": "Int64", "value": float})


def _with_best_and_worst(arm: SystemScores, number: str) -> Iterator[Pair]:
    """Each method of a column against its best and its worst, every two methods once."""
    for name in dict.fromkeys(name for _, name in arm.scores):
        column = {
            method: values
            for (method, collection), values in arm.scores.items()
            if collection == name
        }
        best = max(column, key=lambda method: column[method].mean())
        worst = min(column, key=lambda method: column[method].mean())
        for method, values in column.items():
            for against, other in (("best", best), ("worst", worst)):
                if method != other and (method, against) != (best, "worst"):
                    keys = _keys(arm, number, (method, name))
                    yield Pair(keys | {"against": against, "other": other}, values, column[other])


def _with_plain(before: SystemScores, after: SystemScores) -> Iterator[Pair]:
    for key, values in after.scores.items():
        if key in before.scores:
            named = _keys(after, "4", key) | {"against": PRE_EMBEDDING, "other": key[0]}
            yield Pair(named, values, before.scores[key])


def _keys(arm: SystemScores, number: str, key: tuple[str, str]) -> dict[str, object]:
    return {"table": f"taxonomy_table{number}", "encoder": arm.encoder, "protocol": arm.protocol,
            "ordering": arm.ordering, "collection": key[1], "method": key[0]}  # fmt: skip


def _family(keys: Mapping[str, object]) -> str:
    task = "in-document" if keys["collection"] in BOOKS else "in-corpus"
    return f"{keys['table']}, {task}, {keys['encoder']}, {keys['protocol']}"


def _letters(own: pd.DataFrame, tests: pd.DataFrame) -> pd.Series:
    """Each cell's superscripts; the best differs from the worst where the worst's test says so."""
    sure = tests[tests["p"] < ALPHA]
    if sure.empty:
        return pd.Series("", index=own.index)
    letter = sure["against"].map({"best": "a", "worst": "b", PRE_EMBEDDING: "*"})
    letters = letter.groupby([sure[name] for name in CELL]).agg("".join).rename("letters")
    marks = own[CELL].join(letters, on=CELL)["letters"].fillna("")
    apart = (own["worst"] & marks.str.contains("a")).groupby(own["collection"])
    return marks.where(~(own["best"] & apart.transform("any")), "b")


def as_printed(cells: pd.DataFrame, own: pd.DataFrame, number: str = "3") -> str:
    """The published table as the paper sets it, as HTML, with our rows below.

    Args:
        cells: of the published table.
        own: rows as :func:`marked`, :func:`changed` or :func:`means` make
            them.
        number: of the table, ``3`` to ``5``.
    """
    both = pd.concat([published(cells, number), own], ignore_index=True)
    keys = pd.DataFrame(
        {
            "model": [_model(row) for row in both.to_dict("records")],
            "method": both["method"].map(
                lambda name: "Average" if name == AVERAGE else escape(shown("chunker", name))
            ),
            "collection": [escape(shown("collection", name)) for name in both["collection"]],
            "cell": [_cell(row, number) for row in both.to_dict("records")],
        }
    )
    wide = keys.pivot(index=["model", "method"], columns="collection", values="cell").fillna("")
    order = keys[["model", "method"]].drop_duplicates().itertuples(index=False, name=None)
    wide = wide.loc[list(order), list(dict.fromkeys(keys["collection"]))]
    marks = "" if number == "4" else f" {MARKS}"
    caption = (
        f"The taxonomy's Table {number}: {CAPTIONS[number]}.{marks} (paired t-test, p < 0.05). "
        "An average is over the in-corpus collections of its model's rows."
    )
    return f"<p><b>{escape(caption)}</b></p>" + wide.rename_axis(columns=None).to_html(escape=False)


def _model(row: dict[object, object]) -> str:
    """Whose row it is: a published model, or a recorded one and how it was run."""
    encoder = escape(shown("encoder", str(row["encoder"])))
    protocol = escape(shown("protocol", str(row["protocol"])))
    return f"{encoder}, {protocol}" if row["source"] == RECORDS else encoder


def _cell(row: dict[object, object], number: str) -> str:
    """A value with its marks; nothing where there is none."""
    value = row["value"]
    if not isinstance(value, float) or pd.isna(value):
        return ""
    text = f"{100 * value:+.2f}" if number == "4" else f"{value:.4f}"
    text = text.replace("-", "\N{MINUS SIGN}")
    marks = f"<sup>{row['marks']}</sup>" if row["marks"] else ""
    shape = "b" if row["best"] else "u" if row["worst"] else ""
    return f"<{shape}>{text}{marks}</{shape}>" if shape else f"{text}{marks}"
