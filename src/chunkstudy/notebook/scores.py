"""Scores of several chunkers, question by question: what means, deviations and tests rest on; and
a computed table beside the published one, with difference and verdict of every cell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd
from IPython.display import HTML

from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project
from chunkstudy.display import titles
from chunkstudy.display.formats import decimals
from chunkstudy.display.tables import Table
from chunkstudy.evaluation import measures, statistics
from chunkstudy.evaluation.statistics.differences import Pair, differences, mean_intervals
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, NONE, Condition
from chunkstudy.published import cells
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import source_of
from chunkstudy.published.verdicts import RUN, Judge, scale_of

PRINTED = ("chunker", "part", "measure", "statistic")
NUMBERS = ("value", "low", "high")
COLUMNS = ("run", *PRINTED, "published", "published encoder", "reproduced", "low", "high",
           "difference", "stack_low", "stack_high", "verdict")  # fmt: skip
UNSCALED = ("chunk size", "chunks")
"""What is no fraction."""
PARTS = ("collection", "chunker", "encoder", "ordering", "protocol")
"""What a run's path names."""
PLUS_MINUS = "\N{NARROW NO-BREAK SPACE}\N{PLUS-MINUS SIGN}\N{NARROW NO-BREAK SPACE}"
BEST = "best"


class Means(pd.DataFrame):
    """Fractions, a row a chunker and a column a measure, which a page shows in percent; whatever is
    computed from them is a frame as others."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_html_(self) -> str:
        return Table.of(self.reset_index()).html(self.attrs.get("caption", ""))


@dataclass(frozen=True)
class Scores:
    """Scores at one cut-off.

    Attributes:
        frame: a row a chunker and question: ``chunker`` (slug), ``part`` (the question's corpus),
            ``query_id``, then a column a measure; fractions.
        measures: the names of those columns, the one that decides first.
        runs: by chunker, the path of the record that the scores are of.
        k: how many chunks or documents were retrieved, or what was read instead.
    """

    frame: pd.DataFrame
    measures: tuple[str, ...]
    runs: Mapping[str, str]
    k: int | str

    def head(self, rows: int = 5) -> HTML:
        """The first rows for reading, in percent."""
        return HTML(Table.of(self.frame.head(rows)).html(self._caption()))

    def means(self) -> Means:
        """The mean of each measure over all questions, fractions, a row a chunker; a page shows
        them as a table in percent."""
        means = Means(self.frame.groupby("chunker", sort=False)[list(self.measures)].mean())
        means.attrs["caption"] = self._caption()
        return means

    @property
    def best(self) -> str:
        """The chunker whose mean is highest by the measure that decides, as a reader calls it."""
        return titles.shown("chunker", self._best(self.measures[0]))

    def of(self, chunker: str, measure: str) -> pd.Series:
        """One chunker's scores by question."""
        own = self.frame[self.frame["chunker"] == chunker]
        values: pd.Series = own.set_index("query_id")[measure]
        return values

    def wide(self, measure: str) -> pd.DataFrame:
        """One measure's scores, a row a question and a column a chunker."""
        wide = self.frame.pivot(index="query_id", columns="chunker", values=measure)
        return wide[list(self.runs)].rename_axis(columns=None)

    @property
    def documents(self) -> pd.Series | None:
        """By question, the part of the collection that it is asked of, such as a paper; None where
        that is all of it."""
        parts: pd.Series = self.frame.drop_duplicates("query_id").set_index("query_id")["part"]
        return parts if parts.nunique() > 1 else None

    def summary(self, parts: bool = False) -> pd.DataFrame:
        """Mean and deviation over all questions, as a published table has them: ``run, chunker,
        part, measure, statistic, value`` and, of a mean, its 95% interval ``low`` to ``high``;
        fractions. With ``parts`` also of each corpus."""
        groups = [("all", self.frame)]
        groups += [*self.frame.groupby("part", sort=False)] if parts else []
        documents = self.documents
        rows: list[dict[str, object]] = []
        for part, some in groups:
            for (chunker, own), measure in product(
                some.groupby("chunker", sort=False), self.measures
            ):
                run, values = self.runs[str(chunker)], own.set_index("query_id")[measure]
                key: dict[str, object] = {"run": run, "chunker": chunker, "part": part}
                key["measure"] = measure
                mean, (interval,) = statistics.mean(values), mean_intervals([values], documents)
                ends = {"low": interval.low, "high": interval.high}
                rows.append(key | {"statistic": "mean", "value": mean} | ends)
                std = statistics.population_std(values)
                rows.append(key | {"statistic": "std", "value": std})
        return pd.DataFrame(rows)

    def paired(self, baseline: str = BEST, measure: str = "") -> pd.DataFrame:
        """Every other chunker minus the baseline, question by question; Holm's correction over
        them.

        Args:
            baseline: a chunker, or ``best``: the one of the highest mean.
            measure: by which; the first where none is named.

        Returns:
            What ``statistics.differences.differences`` does, a row a chunker.

        Raises:
            StudyError: if the baseline was not run.
        """
        if baseline not in (BEST, *self.runs):
            raise StudyError(f"{baseline!r} was not run; use best or one of {', '.join(self.runs)}")
        name = measure or self.measures[0]
        against = self._best(name) if baseline == BEST else baseline
        return self.compare(
            [(chunker, against) for chunker in self.runs if chunker != against], name
        )

    def compare(self, pairs: Sequence[tuple[str, str]], measure: str = "") -> pd.DataFrame:
        """The first chunker of each pair minus the other, question by question; Holm's correction
        over the pairs.

        Raises:
            StudyError: if one of them was not run.
        """
        name = measure or self.measures[0]
        if unknown := {chunker for pair in pairs for chunker in pair} - set(self.runs):
            raise StudyError(f"{min(unknown)!r} was not run; use one of {', '.join(self.runs)}")
        some = [
            Pair(
                {"chunker": chunker, "other chunker": other, "measure": name},
                self.of(chunker, name),
                self.of(other, name),
                self.documents,
            )
            for chunker, other in pairs
        ]
        return differences(some, f"{name}, {len(some)} pairs", "score", "other score")

    def against(self, other: Scores, measure: str = "") -> pd.DataFrame:
        """Each chunker here minus the same chunker there, question by question; Holm's correction
        over the chunkers."""
        name = measure or self.measures[0]
        some = [
            Pair(
                {"chunker": chunker, "measure": name},
                self.of(chunker, name),
                other.of(chunker, name),
                self.documents,
            )
            for chunker in self.runs
            if chunker in other.runs
        ]
        return differences(some, f"{name}, {len(some)} chunkers", "score", "other score")

    def _best(self, measure: str) -> str:
        means = self.frame.groupby("chunker", sort=False)[measure].mean()
        return str(means.idxmin() if measures.find(measure).lower_is_better else means.idxmax())

    def _caption(self) -> str:
        questions = self.frame["query_id"].nunique()
        return f"{questions} questions, {self.k} retrieved, in percent"


def beside(places: Project, tables: Sequence[str], frame: pd.DataFrame) -> pd.DataFrame:
    """A table with what was published of the same chunker, and the verdict.

    Args:
        tables: each a work and its table, as ``results/published`` names them: ``chroma/minilm``;
            a number is judged by the first that has it.
        frame: ``run, chunker, part, measure, statistic, value`` and, where there is one, the
            interval ``low`` to ``high``; scores are fractions, sizes tokens.

    Returns:
        ``COLUMNS``, in the printed unit; ``stack_low`` to ``stack_high`` is what the published
        search gave when it was run again. A verdict is given where the run is the published
        condition, so that another encoder's scores stand beside the table without one.

    Raises:
        StudyError: if there is no such published table, with those there are.
    """
    judge = Judge(places)
    here: dict[tuple[str, ...], list[tuple[Cell, Condition]]] = {}
    for cell in printed(places, tables):
        if isinstance(source := source_of(cell), Condition):
            keys = (source.chunker, cell.part, cell.measure, cell.statistic)
            key = (source.collection, _late(source.ordering), *keys)
            here.setdefault(key, []).append((cell, source))
    rows = [_row(row, here, judge) for row in frame.to_dict("records")]
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def printed(places: Project, tables: Sequence[str]) -> list[Cell]:
    """The numbers of published tables, in the order in which these are named.

    Raises:
        StudyError: if there is no such table, with those there are.
    """
    known = cells.read(places)
    by_table = {table: [cell for cell in known if _table(cell) == table] for table in tables}
    if unknown := [table for table, of_table in by_table.items() if not of_table]:
        names = ", ".join(sorted({_table(cell) for cell in known}))
        raise StudyError(f"no published table {unknown[0]!r}; use one of {names}")
    return [cell for of_table in by_table.values() for cell in of_table]


def _table(cell: Cell) -> str:
    return f"{cell.work}/{cell.table}"


def as_published(frame: pd.DataFrame, rows: str = "chunker") -> pd.DataFrame:
    """The same as text, laid out as published tables are: mean and deviation in one cell; for each
    chunker, or what else of ``PARTS`` is named, a line of what was published, one of ours, one of
    verdicts; a column for each measure and whatever else tells numbers apart."""
    parts = frame["run"].str.split("/", expand=True).set_axis(list(PARTS), axis=1)
    cells = parts.assign(**frame)
    names = [name for name in (*PARTS, "measure") if name != rows and cells[name].nunique() > 1]
    lines = []
    for row, own in cells.groupby(rows, sort=False):
        columns = list(own.groupby(names or ["measure"], sort=False))
        name = titles.shown(rows, row)
        for line, text in LINES.items():
            said = {_title(names or ["measure"], keys): text(cell) for keys, cell in columns}
            if any(said.values()):
                of_model = _other_encoder(own) if line == "published" else ""
                lines.append({rows: name, "line": line + of_model, **said})
                name = ""
    return pd.DataFrame(lines).rename(columns={"line": ""})


def _title(names: Sequence[str], keys: Sequence[object]) -> str:
    return ", ".join(titles.shown(*pair) for pair in zip(names, keys, strict=True))


def _row(
    row: Mapping[Hashable, object],
    here: Mapping[tuple[str, ...], list[tuple[Cell, Condition]]],
    judge: Judge,
) -> dict[str, object]:
    """A number in the printed unit, with what was published of it."""
    collection, _, encoder, ordering, protocol = str(row["run"]).split("/")
    keys = (str(row[name]) for name in PRINTED)
    candidates = here.get((collection, _late(ordering), *keys), [])
    same_encoder = [pair for pair in candidates if pair[1].encoder in (NONE, encoder)]
    match = next(iter(same_encoder or candidates), None)
    unscaled = 1.0 if row["measure"] in UNSCALED else 100.0
    scale = scale_of(match[0]) if match else unscaled
    value, low, high = (scale * float(str(row.get(name, "nan"))) for name in NUMBERS)
    shown: dict[str, object] = {"run": row["run"], **{name: row[name] for name in PRINTED}}
    shown |= {"reproduced": value, "low": low, "high": high, "verdict": ""}
    if match is None:
        return shown
    cell, source = match
    shown |= {"published": cell.published, "published encoder": source.encoder}
    shown |= {"difference": value - cell.value}
    if source.protocol == protocol and source.encoder in (NONE, encoder):
        shown |= judge.judged(cell, source, value)
    return shown


def _late(ordering: str) -> str:
    """Late chunking, whatever its window is, or not."""
    return CONTEXTUALIZED if ordering.startswith(CONTEXTUALIZED) else ""


def _other_encoder(cells: pd.DataFrame) -> str:
    """Return the published model behind a comma if it is not the model that was run here."""
    if "published encoder" not in cells:
        return ""
    known = cells[cells["published encoder"].notna() & (cells["published encoder"] != NONE)]
    others = known.loc[known["published encoder"] != known["encoder"], "published encoder"]
    return "".join(f", {titles.encoder(str(slug))}" for slug in others.unique())


def _published(cell: pd.DataFrame) -> str:
    return PLUS_MINUS.join(cell["published"].dropna())


def _ours(cell: pd.DataFrame) -> str:
    """Our values with the published number of decimals, two at least."""
    printed = [len(str(text).partition(".")[2]) for text in cell["published"].dropna()]
    digits = 0 if cell["measure"].iloc[0] == "chunks" else max([2, *printed])
    return PLUS_MINUS.join(decimals(value, digits) for value in cell["reproduced"])


def _verdict(cell: pd.DataFrame) -> str:
    """The weakest verdict of mean and deviation; by how much they differ where one is not exact."""
    judged = cell[cell["verdict"] != ""]
    if judged.empty:
        return ""
    weakest = max(judged["verdict"], key=RUN.index)
    said = titles.shown("verdict", weakest)
    if weakest == RUN[0]:
        return said
    apart = judged["difference"].dropna().map(lambda value: decimals(value, signed=True))
    return f"{said}: {', sd '.join(apart)}" if len(apart) else said


LINES: dict[str, Callable[[pd.DataFrame], str]] = {
    "published": _published,
    "ours": _ours,
    "verdict": _verdict,
}
"""What stands in each line of a chunker."""
