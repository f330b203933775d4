"""Scores of several chunkers, question by question: what means, deviations and tests rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from IPython.display import HTML

from chunkstudy.evaluation import measures, statistics
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.study_results import StudyError
from chunkstudy.study import titles
from chunkstudy.study.tables import Table

KEYS = ("chunker", "part", "query_id")
BEST = "best"


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

    def means(self) -> HTML:
        """A row a chunker, for reading: the mean of each measure over all questions, in percent."""
        means = self.frame.groupby("chunker", sort=False)[list(self.measures)].mean()
        return HTML(Table.of(means.reset_index()).html(self._caption()))

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
        names = ["all", *(self.frame["part"].unique() if parts else ())]
        return pd.concat([self._summary(str(one)) for one in names], ignore_index=True)

    def _summary(self, part: str) -> pd.DataFrame:
        rows: list[dict[str, object]] = []
        some = self.frame if part == "all" else self.frame[self.frame["part"] == part]
        for chunker, own in some.groupby("chunker", sort=False):
            for measure in self.measures:
                interval = statistics.bootstrap_interval(own[measure])
                key: dict[str, object] = {
                    "run": self.runs[str(chunker)],
                    "chunker": chunker,
                    "part": part,
                    "measure": measure,
                }
                mean = statistics.mean(own[measure])
                ends = {"low": interval.low, "high": interval.high}
                rows.append(key | {"statistic": "mean", "value": mean} | ends)
                std = statistics.population_std(own[measure])
                rows.append(key | {"statistic": "std", "value": std})
        return pd.DataFrame(rows)

    def paired(
        self,
        baseline: str = BEST,
        measure: str = "",
        correction: Literal["holm"] = "holm",
    ) -> pd.DataFrame:
        """Every other chunker minus the baseline, question by question.

        Args:
            baseline: a chunker, or ``best``: the one of the highest mean.
            measure: by which; the first where none is named.
            correction: of the p of all these comparisons; only Holm's.

        Returns:
            What ``statistics.differences.differences`` does, a row a chunker.

        Raises:
            StudyError: if the baseline was not run, or another correction is asked for.
        """
        if correction != "holm":
            raise StudyError(f"unknown correction {correction!r}; use 'holm'")
        if baseline not in (BEST, *self.runs):
            raise StudyError(f"{baseline!r} was not run; use best or one of {', '.join(self.runs)}")
        name = measure or self.measures[0]
        against = self._best(name) if baseline == BEST else baseline
        return self.compare([(one, against) for one in self.runs if one != against], name)

    def compare(self, pairs: Sequence[tuple[str, str]], measure: str = "") -> pd.DataFrame:
        """The first chunker of each pair minus the other, question by question; Holm's correction
        over the pairs.

        Raises:
            StudyError: if one of them was not run.
        """
        name = measure or self.measures[0]
        if unknown := {one for pair in pairs for one in pair} - set(self.runs):
            raise StudyError(f"{min(unknown)!r} was not run; use one of {', '.join(self.runs)}")
        some = [
            Pair(
                {"chunker": one, "other chunker": other, "measure": name},
                self.of(one, name),
                self.of(other, name),
            )
            for one, other in pairs
        ]
        return differences(some, f"{name}, {len(some)} pairs", "score", "other score")

    def against(self, other: Scores, measure: str = "") -> pd.DataFrame:
        """Each chunker here minus the same chunker there, question by question; Holm's correction
        over the chunkers."""
        name = measure or self.measures[0]
        some = [
            Pair({"chunker": one, "measure": name}, self.of(one, name), other.of(one, name))
            for one in self.runs
            if one in other.runs
        ]
        return differences(some, f"{name}, {len(some)} chunkers", "score", "other score")

    def _best(self, measure: str) -> str:
        means = self.frame.groupby("chunker", sort=False)[measure].mean()
        return str(means.idxmin() if measures.find(measure).lower_is_better else means.idxmax())

    def _caption(self) -> str:
        questions = self.frame["query_id"].nunique()
        return f"{questions} questions, {self.k} retrieved, in percent"
