"""Do signals of a causal model tell true boundaries from other ends of sentences?

From the study ``boundary-signals``. A *task* is one kind of boundary in one text, such as the ends
of chapters in Emma. Ends of documents take no part where ends of their parts are asked for; where
ends of documents are, those of parts count among the others. Each task is asked twice: among all
ends of sentences, and among ends of paragraphs only, where layout tells nothing any more.
Documents are drawn for intervals, or, where there are fewer than ten, the stretches from one true
boundary to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers.signals import READ, SIGNALS, strength
from chunkstudy.evaluation.statistics import with_interval
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.studies.boundary_signals import roc
from chunkstudy.studies.boundary_signals.means import (
    FEWEST,
    KINDS,
    PARAGRAPHS,
    SENTENCES,
    tested,
)
from chunkstudy.studies.boundary_signals.texts import ALONE, STANDS

PARAGRAPH_END, SINCE, PUNCTUATION = "paragraph end", "length since", "punctuation"
DISTANCE, ALL = "distance", "all signals"
WHERE = ("among", "boundaries")
BASELINES = (PARAGRAPH_END, SINCE, PUNCTUATION)


@dataclass(frozen=True)
class Task:
    """One kind of boundary among the candidates of one text.

    Attributes:
        keys: the row's leading columns.
        rows: the candidates that everything was measured at.
        true: which of them are boundaries.
        groups: what is drawn together.
    """

    keys: Mapping[str, object]
    rows: pd.DataFrame
    true: NDArray[np.bool_]
    groups: NDArray[np.int64]

    def scores(self, name: str) -> NDArray[np.float64]:
        """By a signal or a baseline, larger where a boundary is likelier."""
        if name == PARAGRAPH_END:
            found = (self.rows["begins"] != "sentence").astype(float)
        elif name == SINCE:
            found = self.rows["since"].astype(float)
        elif name == PUNCTUATION:
            return self.by_punctuation.score
        else:
            found = strength(name, self.rows[name])
        return np.asarray(found, dtype=np.float64)

    def wins(self, name: str) -> roc.Wins:
        """Pairs of a boundary and another place in which the score is the larger one."""
        return roc.wins(self.scores(name), self.true, self.groups)

    def asked(self, signal: str, *keys: str) -> dict[str, object]:
        """The leading columns of a signal's row."""
        counts = {"places": len(self.rows), "true boundaries": int(self.true.sum())}
        return {**{key: self.keys[key] for key in keys}, "signal": signal, **counts}

    @cached_property
    def by_punctuation(self) -> roc.HeldOut:
        """What punctuation and lengths alone tell of documents that were left out."""
        return roc.predictions(punctuation(self.rows), self.true, self.groups)


def tables(study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """``areas``, ``against``, ``added``, ``markup`` and ``cut``.

    Args:
        study: the tables of the experiment by name.
    """
    found = list(tasks(study["places"]))
    alone = [one for one in found if one.keys["form"] == ALONE]
    return {
        "areas": areas(found),
        "against": against(alone),
        "added": added(alone),
        "markup": markup(study["places"]),
        "cut": cut(study["cut"]),
    }


def tasks(places: pd.DataFrame) -> Iterator[Task]:
    """Every task in every form, among all candidates and among ends of paragraphs."""
    for (text, kind), name in KINDS.items():
        of_text = places[places["text"] == text]
        for form, of_form in of_text.groupby("form", sort=False):
            here = of_form[~of_form["begins"].isin(_larger(kind))]
            measured = here[[*SIGNALS, DISTANCE]].dropna(axis=1, how="all").notna().all(axis=1)
            true, groups = _truth(here, kind)
            for among in (SENTENCES, PARAGRAPHS):
                kept = measured.to_numpy()
                if among == PARAGRAPHS:
                    kept = kept & (here["begins"] != "sentence").to_numpy()
                if kept[true].sum() and kept[~true].sum() >= FEWEST:
                    keys = {"boundaries": name, "form": form, "among": among}
                    yield Task(keys, here[kept], true[kept], groups[kept])


def areas(found: list[Task]) -> pd.DataFrame:
    """The area under the ROC curve of every signal and baseline, a row each, and means over kinds
    of boundaries.

    ``by chance low`` and ``by chance high`` hold the middle 95% of areas where as many places were
    drawn at random; ``p`` is of being at chance.
    """
    rows: list[dict[str, object]] = []
    for task in found:
        for name in (*SIGNALS, DISTANCE, *BASELINES):
            paragraphs = task.keys["among"] == PARAGRAPHS
            if (name == PARAGRAPH_END and paragraphs) or (
                name in SIGNALS and task.rows[name].isna().all()
            ):
                continue
            chance = roc.by_chance(task.scores(name), task.true)
            ends = {"by chance low": chance.low, "by chance high": chance.high}
            rows.append(task.asked(name, *task.keys) | _told(task.wins(name)) | ends)
    return tested(rows, "area", roc.CHANCE, "areas")


def against(found: list[Task]) -> pd.DataFrame:
    """The area of each signal minus that of punctuation and lengths at the same places, in texts
    alone: which of the two tells boundaries better by itself."""
    rows: list[dict[str, object]] = []
    for task in found:
        other = task.wins(PUNCTUATION)
        for name in (*SIGNALS, DISTANCE):
            wins = task.wins(name)
            both = {"area": float(wins.area()), "punctuation": float(other.area())}
            rows.append(task.asked(name, *WHERE) | _told(wins, other, of=both))
    return tested(rows, "difference", 0.0, "against punctuation")


def added(found: list[Task]) -> pd.DataFrame:
    """What signals add to punctuation and lengths: held-out areas and log-losses of a logistic
    regression with them minus without them, in texts alone."""
    rows: list[dict[str, object]] = []
    for task in found:
        base, without, wins = punctuation(task.rows), task.by_punctuation, task.wins(PUNCTUATION)
        for name, own in ({one: [one] for one in (*SIGNALS, DISTANCE)} | {ALL: SIGNALS}).items():
            columns = np.column_stack([base, task.rows[list(own)].to_numpy(dtype=float)])
            with_it = roc.predictions(columns, task.true, task.groups)
            other = roc.wins(with_it.score, task.true, task.groups)
            saved = roc.log_loss(without.probability, task.true)
            saved = saved - roc.log_loss(with_it.probability, task.true)
            (bits,) = clustered_means([(saved, task.groups)])
            both = {"punctuation": float(wins.area()), "with the signal": float(other.area())}
            rows.append(
                {
                    **task.asked(name, *WHERE),
                    **_told(other, wins, of=both),
                    **with_interval("bits saved", bits.mean, bits.interval),
                    "bits p": bits.p,
                }
            )
    return tested(rows, "difference", 0.0, "beside punctuation")


def _told(
    first: roc.Wins, second: roc.Wins | None = None, of: Mapping[str, float] | None = None
) -> dict[str, object]:
    """What :func:`tested` takes of an area, or of a difference behind the two that it is of."""
    found = roc.area(first, second)
    return {
        "groups drawn": len(first.won),
        **(of or {}),
        "area" if second is None else "difference": found.mean,
        "low": found.interval.low,
        "high": found.interval.high,
        "p": found.p,
        "error": found.error,
    }


def markup(places: pd.DataFrame) -> pd.DataFrame:
    """The area of each signal where a text is read as it stands minus that where it is read alone,
    among the same ends of sentences."""
    rows: list[dict[str, object]] = []
    for (text, kind), name in KINDS.items():
        forms = dict(tuple(places[places["text"] == text].groupby("form", sort=False)))
        if len(forms) < 2:
            continue
        alone, stands = (forms[one].set_index("number") for one in (ALONE, STANDS))
        for signal in READ:
            other = f"{signal}, {STANDS}"
            both = alone.assign(**{other: stands[signal]}).dropna(subset=[signal, other])
            both = both[~both["begins"].isin(_larger(kind))]
            true, groups = _truth(both, kind)
            if not true.any():
                continue
            first, second = (
                roc.wins(strength(signal, both[one]), true, groups) for one in (other, signal)
            )
            sides = {ALONE: float(second.area()), STANDS: float(first.area())}
            asked = {"boundaries": name, "signal": signal, "places": len(both)}
            told = _told(first, second, of=sides)
            rows.append(asked | {"true boundaries": int(true.sum())} | told)
    return tested(rows, "difference", 0.0, "with headings")


def punctuation(rows: pd.DataFrame) -> NDArray[np.float64]:
    """What layout and punctuation tell of each candidate: whether a paragraph ends, the mark, and
    the logarithms of the lengths of both sentences."""
    marks = [(rows["mark"] == one).to_numpy(dtype=float) for one in (".", "?", "quote", "other")]
    lengths = [np.log(rows[one].to_numpy(dtype=float)) for one in ("before", "after")]
    return np.column_stack([(rows["begins"] != "sentence").to_numpy(float), *marks, *lengths])


def cut(study: pd.DataFrame) -> pd.DataFrame:
    """How alike a signal's values are where the same text is read in other passes: the rank
    correlation, and the median difference as a share of the spread over places."""
    rows = []
    for name in SIGNALS:
        both = study[[name, f"{name} anew"]].dropna()
        first, second = both[name], both[f"{name} anew"]
        apart = (first - second).abs().median() / first.std()
        alike = float(first.corr(second, method="spearman"))
        rows.append((name, len(both), alike, float(apart)))
    columns = ["signal", "places", "rank correlation", "median difference"]
    return pd.DataFrame(rows, columns=columns)


def _larger(kind: str) -> tuple[str, ...]:
    """What begins at boundaries that take no part."""
    return () if kind == "document" else ("document",)


def _truth(rows: pd.DataFrame, kind: str) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which candidates are boundaries, and what is drawn together."""
    true: NDArray[np.bool_] = (rows["begins"] == kind).to_numpy(dtype=bool)
    if rows["document"].nunique() >= FEWEST:
        return true, rows["document"].to_numpy(dtype=np.int64)
    return true, np.cumsum(true, dtype=np.int64)
