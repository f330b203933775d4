"""The taxonomy's Tables 1 to 5: what is counted in them, and Tables 3 to 5 with published cells and
ours in one form: a row is a cell.

Tables 3 and 5 are means, plain and late, marked as the paper marks them: bold the best of a column,
underlined the worst, a where a method differs significantly from the best (paired t-test, p < 0.05,
uncorrected), b where it differs from the worst. Table 4 is the relative change from Table 3 to
Table 5, with a star where it is significant. On a page they stand as the paper sets them, published
rows first, ours below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from chunkstudy.core.project import Project
from chunkstudy.display import drawing, titles
from chunkstudy.display.formats import Column, Columns, number, percent, points, whole
from chunkstudy.display.titles import shown
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.notebook.scores import Scores
from chunkstudy.pipeline import facts
from chunkstudy.pipeline.conditions import PRE_EMBEDDING
from chunkstudy.published.chunk_size import BOOKS
from chunkstudy.published.papers import TAXONOMY_METHODS
from chunkstudy.published.sources import AVERAGE

ALPHA = 0.05
METHOD_OF = {f"{method}-released": method for method in TAXONOMY_METHODS[3:]}
"""What the paper calls a chunker: LumberChunker's chunks are those that its authors released."""
WHOSE = ["original", "reproduced"]
"""The numbers of Tables 1 and 2: of the authors, and of the taxonomy."""
COLUMNS = [
    "source", "encoder", "protocol", "ordering", "collection", "method", "chunker", "n", "value",
    "best", "worst", "marks",
]  # fmt: skip
CELL = ["collection", "method"]
KEYS = ["encoder", "chunker", "collection"]
CAPTIONS = {
    "3": "plain chunking",
    "4": "change from plain to late chunking, percent. *: differs from plain chunking",
    "5": "late chunking",
}
MARKS = "Bold: best of a column. Underlined: worst. a: differs from the best, b: from the worst"
AS_CHANGES: Columns = {"value": Column("change, %", points)}
AS_NUMBERS: Columns = {"*": number}
AS_PACKED: Columns = {
    "alone": Column("alone in their window, %", percent),
    "other tokens": Column("else the others' tokens, median", whole),
    "windows": Column("windows used", whole),
    "fewest": Column("windows that would do", whole),
}


def agreement(published: pd.DataFrame) -> pd.Series:
    """By model, Kendall's tau between the rankings of methods in corpora, by their average, and
    within books.

    Args:
        published: the cells of Table 3.
    """
    own = published[published["chunker"] != AVERAGE]
    wide = own.pivot(index=["encoder", "chunker"], columns="collection", values="value")
    taus = {
        str(encoder): stats.kendalltau(scores[AVERAGE], scores["gutenqa"]).statistic
        for encoder, scores in wide.groupby("encoder", sort=False)
    }
    return pd.Series(taus, name="Kendall's tau").rename_axis("encoder")


@drawing.style()
def figure_rankings(published: pd.DataFrame) -> Figure:
    """Ranks of the published methods in corpora and within books, a panel a model.

    Args:
        published: the cells of Table 3.
    """
    rows = published[published["chunker"] != AVERAGE]
    models, methods = (list(dict.fromkeys(rows[name])) for name in ("encoder", "chunker"))
    figure, panels = plt.subplots(1, len(models), figsize=(10, 3.6), sharey=True)
    same = 0
    palette = dict(zip(methods, drawing.COLORS, strict=False))
    for axes, model in zip(panels, models, strict=True):
        part = rows[rows["encoder"] == model]
        wide = part.pivot(index="chunker", columns="collection", values="value")
        ranks = wide[[AVERAGE, "gutenqa"]].rank(ascending=False)
        for method, row in ranks.iterrows():
            label = titles.chunker(str(method))
            axes.plot([0, 1], row, "-o", color=palette[str(method)], label=label)
        axes.set_xticks([0, 1], ["in corpora", "within books"])
        axes.set_xlim(-0.3, 1.3)
        axes.set_title(titles.encoder(model), loc="left")
        same += bool(ranks[AVERAGE].idxmin() == ranks["gutenqa"].idxmin())
    drawing.titled(figure, f"The method that is best in corpora is the best within books too with "
                   f"{same} of {len(models)} models")  # fmt: skip
    panels[0].set(ylabel="rank", ylim=(6.3, 0.7))
    drawing.one_legend(figure, panels[:1], columns=6)
    return figure


def counted(places: Project, collections: Iterable[str]) -> pd.DataFrame:
    """What was counted of collections' documents, by collection; no row where nobody did."""
    counts = {name: facts.read(places, f"{name}_facts") for name in collections}
    return pd.concat(
        {name: frame.iloc[0] for name, frame in counts.items() if len(frame)}, axis=1
    ).T


def moved(plain: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """``encoder, chunker, collection, plain, late`` of every published cell but averages, as
    fractions.

    Args:
        plain: the cells of Table 3.
        late: the cells of Table 5.
    """
    both = _by_cell(plain, "plain").join(_by_cell(late, "late")).reset_index()
    return both[(both["chunker"] != AVERAGE) & (both["collection"] != AVERAGE)]


def averages(plain: pd.DataFrame, change: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """By model and method, the average change in percent as Table 4 has it, a mean of six
    percentages, and between the averages of Tables 3 and 5; the furthest apart first.

    Args:
        plain: the cells of Table 3; ``change`` and ``late`` likewise of Tables 4 and 5.
    """
    both = _by_cell(plain, "plain").join(_by_cell(late, "late")).join(_by_cell(change, "published"))
    own = both.xs(AVERAGE, level="collection").drop(index=AVERAGE, level="chunker")
    own["between averages"] = 100 * (own["late"] / own["plain"] - 1)
    apart = (own["published"] - own["between averages"]).abs()
    order = apart.sort_values(ascending=False).index
    return own.loc[order, ["published", "between averages"]].reset_index()


def _by_cell(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return cells.set_index(KEYS)[["value"]].set_axis([name], axis=1)


def gaps(published: pd.DataFrame) -> pd.DataFrame:
    """``collection, chunker, ordering, original, reproduced, gap`` of every pair of Table 1 or 2,
    the largest gap first; fractions."""
    keys = ["collection", "chunker", "ordering"]
    wide = published.pivot(index=keys, columns="statistic", values="value")[WHOSE]
    wide["gap"] = (wide["reproduced"] - wide["original"]).round(6)
    order = wide["gap"].abs().sort_values(ascending=False, kind="stable").index
    return wide.loc[order].rename_axis(columns=None).reset_index()


def means(scores: Iterable[Scores]) -> pd.DataFrame:
    """A row a collection and chunker, without marks or averages.

    Args:
        scores: of a collection each, all by one encoder, ordering and protocol.
    """
    rows = [
        {
            **_keys(method, values),
            "chunker": str(values.name).split("/")[1],
            "n": len(values),
            "value": float(values.mean()),
        }
        for scored in scores
        for method, values in _column(scored).items()
    ]
    table = pd.DataFrame(rows).assign(source="records", best=False, worst=False, marks="")
    return table[COLUMNS].astype({"n": "Int64", "value": float})


def marked(scores: Sequence[Scores], number: str = "3") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Means as the paper marks them, and the tests behind the marks: each method against the best
    and the worst of its column, paired t-tests, with Holm's correction and without.

    Args:
        scores: of a collection each, all by one encoder, ordering and protocol.
        number: of the table, ``3`` plain or ``5`` late.
    """
    own = means(scores)
    tests = differences(_with_best_and_worst(scores, number), _family, "first", "second")
    columns = own.groupby("collection")["value"]
    several = columns.transform("size") > 1
    own["best"] = several & (own["value"] == columns.transform("max"))
    own["worst"] = several & (own["value"] == columns.transform("min"))
    return with_averages(own.assign(marks=_letters(own, tests)), ranked=True), tests


def changed(plain: Sequence[Scores], late: Sequence[Scores]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Relative changes by late chunking with a star where a paired t-test says so, and these tests,
    with Holm's correction and without: Table 4.

    Args:
        plain: of a collection each, all by one encoder and protocol.
        late: the same under late chunking.
    """
    pairs = (
        Pair(_keys(method, values, "4", PRE_EMBEDDING, method), values, before[method])
        for scored, under in zip(plain, late, strict=True)
        for before in [_column(scored)]
        for method, values in _column(under).items()
    )
    tests = differences(pairs, _family, "first", "second")
    both = tests[[*CELL, "n", "first", "second"]]
    own = means(late).drop(columns=["n", "value"]).merge(both, on=CELL)
    own["value"] = own["first"] / own["second"].where(own["second"] != 0) - 1
    return with_averages(own.assign(marks=_letters(own, tests))[COLUMNS], ranked=False), tests


def with_averages(own: pd.DataFrame, ranked: bool) -> pd.DataFrame:
    """The rows with each method's average, and the average over methods, in the paper's places.

    An average over collections is over the in-corpus ones that every method has, two at least. The
    methods are those with an in-corpus score at all; over them a collection has an
    average where each has a score. ``n`` then counts what was averaged.
    """
    wide = own.pivot(index="method", columns="collection", values="value")
    inside = [name for name in wide if name not in BOOKS]
    counted = wide[wide[inside].notna().any(axis=1)]
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
        values = wide[name] if name in BOOKS else wide.loc[counted.index][name]
        if len(values) and values.notna().all():
            added.append((AVERAGE, name, len(values), float(values.mean()), False, False))
    columns = ["method", "collection", "n", "value", "best", "worst"]
    averages = pd.DataFrame(added, columns=columns).assign(
        chunker="", marks="", **own.iloc[0][["source", "encoder", "protocol", "ordering"]]
    )
    both = pd.concat([own, averages[COLUMNS]], ignore_index=True) if added else own
    order = dict.fromkeys([*TAXONOMY_METHODS, *own["method"], AVERAGE])
    places = {name: at for at, name in enumerate(order)}
    return both.sort_values("method", key=lambda names: names.map(places), kind="stable")


def _column(scored: Scores) -> dict[str, pd.Series]:
    """Scores per query by method; each series bears the path of its record."""
    return {
        METHOD_OF.get(chunker, chunker): values.rename(path)
        for chunker, path in scored.runs.items()
        for values in [scored.of(chunker, scored.measures[0]).dropna()]
    }


def _with_best_and_worst(scores: Iterable[Scores], number: str) -> Iterator[Pair]:
    """Each method of a column against its best and its worst, every two methods once."""
    for column in map(_column, scores):
        best = max(column, key=lambda method: column[method].mean())
        worst = min(column, key=lambda method: column[method].mean())
        for method, values in column.items():
            for against, other in (("best", best), ("worst", worst)):
                if method != other and (method, against) != (best, "worst"):
                    keys = _keys(method, values, number, against, other)
                    yield Pair(keys, values, column[other])


def _keys(method: str, values: pd.Series, *test: str) -> dict[str, object]:
    """What a cell is of; of a test also for which table, against what, and against which method."""
    collection, _, encoder, ordering, protocol = str(values.name).split("/")
    keys: dict[str, object] = {"encoder": encoder, "protocol": protocol, "ordering": ordering,
                               "collection": collection, "method": method}  # fmt: skip
    if not test:
        return keys
    number, against, other = test
    return {"table": f"taxonomy_table{number}", **keys, "against": against, "other": other}


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
        own: rows as :func:`marked` or :func:`changed` make them.
        number: of the table, ``3`` to ``5``.
    """
    printed = cells.assign(
        model=cells["encoder"].map(titles.encoder),
        method=cells["chunker"],
        value=cells["value"] / cells["unit"].map({"percent": 100, "fraction": 1}),
        best=cells["marks"].str.contains("bold"),
        worst=cells["marks"].str.contains("underline"),
        marks=cells["marks"].str.replace(r"bold|underline|\+", "", regex=True),
    )
    runs = zip(own["encoder"], own["protocol"], strict=True)
    names = [f"{titles.encoder(model)}, {shown('protocol', rules)}" for model, rules in runs]
    both = pd.concat([printed, own.assign(model=names)], ignore_index=True)
    keys = pd.DataFrame(
        {
            "model": both["model"].map(escape),
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
