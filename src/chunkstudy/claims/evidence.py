"""What computations look at: printed cells, their comparison, records, tables, facts.

Everything is committed with the project, so that verdicts come out the same wherever they are
derived, with or without the collections at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from chunkstudy import statistics
from chunkstudy.claims.verdicts import Finding, counted, unanswered
from chunkstudy.grid.conditions import Condition
from chunkstudy.places import Places
from chunkstudy.published.compare import Library, Scores, read_published


@dataclass(frozen=True)
class Evidence:
    """What is known.

    Attributes:
        places: where the project's files lie.
        comparison: a row per printed cell, with what was reproduced.
        tables: the derived tables by name, as ``results/tables`` holds them.
    """

    places: Places
    comparison: pd.DataFrame
    tables: dict[str, pd.DataFrame]

    @cached_property
    def library(self) -> Library:
        return Library(self.places)

    @cached_property
    def published(self) -> pd.DataFrame:
        """Printed cells of every work; ``value`` is the number, missing where it is lost."""
        cells = read_published(self.places)
        return cells.assign(value=pd.to_numeric(cells["printed"], errors="coerce"))

    def printed(self, work: str, table: str, **keys: str) -> pd.DataFrame:
        """The printed cells of one table whose columns have these values."""
        return _where(self.published, work=work, table=table, **keys)

    def value(self, work: str, table: str, **keys: str) -> float:
        """The one printed number that these keys name.

        Raises:
            LookupError: if they name none or several.
        """
        cells = self.printed(work, table, **keys)
        if len(cells) != 1:
            raise LookupError(f"{len(cells)} cells of {work}, {table} have {keys}, not 1")
        return float(cells["value"].iloc[0])

    def compared(self, work: str, table: str, **keys: str) -> pd.DataFrame:
        """The same cells beside what was reproduced."""
        return _where(self.comparison, work=work, table=table, **keys)

    def facts(self, name: str) -> pd.DataFrame:
        """``results/parts/<name>.csv``; empty where no run has written it yet."""
        path = self.places.results / "parts" / f"{name}.csv"
        return pd.read_csv(path) if path.exists() else pd.DataFrame()

    def experiment(self, name: str) -> pd.DataFrame:
        """``results/experiments/<name>.csv``; empty where it was not run."""
        path = self.places.results / "experiments" / f"{name}.csv"
        return pd.read_csv(path) if path.exists() else pd.DataFrame()

    def records(self, collection: str) -> Iterator[tuple[Condition, Scores]]:
        """Every record of a collection."""
        for condition in self.library:
            if condition.collection == collection:
                record = self.library.get(condition)
                assert record is not None
                yield condition, record

    def per_query(self, condition: Condition, measure: str) -> pd.Series | None:
        """A measure's value per query; None without the record."""
        record = self.library.get(condition)
        return None if record is None else record.wide[measure]


def reproduced(cells: pd.DataFrame) -> Finding:
    """Whether printed cells came out again: at the printed digits or within measured noise."""
    done = cells[cells["verdict"] != "not_run"]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    exact = done["verdict"].isin(["exact", "within_noise"])
    figures = []
    differences = pd.to_numeric(done["difference"], errors="coerce")
    if differences.notna().any():
        furthest = done.iloc[int(differences.abs().fillna(-1).argmax())]
        figures.append(
            f"furthest {furthest['chunker']}: printed {furthest['published']}, "
            f"reproduced {float(furthest['reproduced']):.3f}"
        )
    if len(done) < len(cells):
        figures.append(f"{len(cells) - len(done)} cells lost or without a record")
    return counted(exact.tolist(), "; ".join(figures))


def inside_interval(cells: pd.DataFrame) -> Finding:
    """Whether printed means lie in the 95% intervals of the reproduced ones."""
    done = cells[pd.to_numeric(cells["low"], errors="coerce").notna()]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    inside = {
        str(row["chunker"]): float(row["low"]) <= float(row["published"]) <= float(row["high"])
        for _, row in done.iterrows()
    }
    return counted(inside, "printed value inside the reproduced 95% interval")


def reasons(cells: pd.DataFrame, most: int = 3) -> str:
    """Why cells have not been run, each reason once, and no more than ``most`` of them."""
    waiting = cells[(cells["verdict"] == "not_run") & (cells["state"] != "lost")]
    parts = waiting["reason"].astype(str).str.split("; ").explode()
    found = list(dict.fromkeys(parts.str.replace("^(needs |.* first [^ ]+: )", "", regex=True)))
    more = [f"{len(found) - most} more reasons in comparison.csv"] if len(found) > most else []
    return "; ".join(found[:most] + more)


def rank(values: pd.Series, name: str) -> int:
    """1 for the highest value; equal values share the better rank."""
    return int((values > values[name]).sum()) + 1


def highest(values: pd.Series) -> str:
    return str(values.idxmax())


def spread(values: Iterable[float], form: str = "{:.2f}") -> str:
    """``lowest to highest``."""
    numbers = list(values)
    return f"{form.format(min(numbers))} to {form.format(max(numbers))}"


def listed(values: pd.Series, form: str = "{:.2f}") -> str:
    """``name value, name value``."""
    return ", ".join(f"{_name(key)} {form.format(value)}" for key, value in values.items())


def paired(a: pd.Series, b: pd.Series, scale: float = 100) -> tuple[float, float, float]:
    """Mean difference a - b over common queries and its 95% interval, times ``scale``."""
    both = pd.DataFrame({"a": a, "b": b}).dropna()
    found = statistics.paired_difference(both["a"], both["b"])
    return scale * found.mean, scale * found.interval.low, scale * found.interval.high


def shown(difference: tuple[float, float, float]) -> str:
    """``+1.23 [0.45, 2.01]``."""
    mean, low, high = difference
    return f"{mean:+.2f} [{low:.2f}, {high:.2f}]"


def numbers(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """A derived table with these columns as numbers again."""
    return table.assign(**{name: pd.to_numeric(table[name]) for name in columns})


def _name(key: object) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _where(cells: pd.DataFrame, **keys: str) -> pd.DataFrame:
    keep = pd.Series(True, index=cells.index)
    for name, value in keys.items():
        keep &= cells[name].astype(str) == value
    return cells[keep]
