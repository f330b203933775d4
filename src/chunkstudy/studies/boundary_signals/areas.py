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

from chunkstudy.chunkers.signals import INFLUENCE, READ, SIGNALS, strength
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.studies.boundary_signals import held_out, roc
from chunkstudy.studies.boundary_signals.means import (
    FEWEST,
    KINDS,
    PARAGRAPHS,
    SENTENCES,
    corrected,
    means,
)
from chunkstudy.studies.boundary_signals.texts import ALONE, STANDS

PARAGRAPH_END, SINCE, PUNCTUATION = "paragraph end", "length since", "punctuation"
DISTANCE, ALL = "distance", "all signals"
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

    @cached_property
    def by_punctuation(self) -> held_out.HeldOut:
        """What punctuation and lengths alone tell of documents that were left out."""
        return held_out.predictions(punctuation(self.rows), self.true, self.groups)


def tables(study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """``areas``, ``against``, ``added``, ``markup`` and ``cut``.

    Args:
        study: the tables of the experiment by name.
    """
    found = list(tasks(study["places"]))
    return {
        "areas": areas(found),
        "against": against(found),
        "added": added(found),
        "markup": markup(study["places"]),
        "cut": cut(study["cut"]),
    }


def tasks(places: pd.DataFrame) -> Iterator[Task]:
    """Every task in every form, among all candidates and among ends of paragraphs."""
    for (text, kind), name in KINDS.items():
        of_text = places[places["text"] == text]
        for form, of_form in of_text.groupby("form", sort=False):
            here = of_form[~of_form["begins"].isin(_larger(kind))]
            measured = here[[*SIGNALS, DISTANCE]].drop(columns=_missing(here)).notna().all(axis=1)
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
            scores = task.scores(name)
            wins = roc.wins(scores, task.true, task.groups)
            one, chance = roc.area(wins), roc.by_chance(scores, task.true)
            rows.append(
                {
                    **task.keys,
                    "signal": name,
                    "places": len(task.rows),
                    "true boundaries": int(task.true.sum()),
                    "groups drawn": one.groups,
                    "area": one.value,
                    "low": one.interval.low,
                    "high": one.interval.high,
                    "by chance low": chance.low,
                    "by chance high": chance.high,
                    "p": one.p,
                    "error": one.error,
                }
            )
    table = pd.DataFrame(rows)
    return corrected(
        pd.concat([table, means(table, "area")], ignore_index=True), "area", roc.CHANCE, "areas"
    )


def against(found: list[Task]) -> pd.DataFrame:
    """The area of each signal minus that of punctuation and lengths at the same places, in texts
    alone: which of the two tells boundaries better by itself."""
    rows: list[dict[str, object]] = []
    for task in found:
        if task.keys["form"] != ALONE:
            continue
        other = roc.wins(task.scores(PUNCTUATION), task.true, task.groups)
        for name in (*SIGNALS, DISTANCE):
            wins = roc.wins(task.scores(name), task.true, task.groups)
            one = roc.area(wins, other)
            rows.append(
                {
                    **_asked(task, name),
                    "groups drawn": one.groups,
                    "area": float(wins.area()),
                    "punctuation": float(other.area()),
                    **_told(one),
                }
            )
    table = pd.DataFrame(rows)
    table = pd.concat([table, means(table, "difference")], ignore_index=True)
    return corrected(table, "difference", 0.0, "against punctuation")


def added(found: list[Task]) -> pd.DataFrame:
    """What signals add to punctuation and lengths: held-out areas and log-losses of a logistic
    regression with them minus without them, in texts alone."""
    rows: list[dict[str, object]] = []
    for task in found:
        if task.keys["form"] != ALONE:
            continue
        base = punctuation(task.rows)
        without = task.by_punctuation
        wins = roc.wins(without.score, task.true, task.groups)
        for name, own in ({one: [one] for one in (*SIGNALS, DISTANCE)} | {ALL: SIGNALS}).items():
            columns = np.column_stack([base, task.rows[list(own)].to_numpy(dtype=float)])
            with_it = held_out.predictions(columns, task.true, task.groups)
            other = roc.wins(with_it.score, task.true, task.groups)
            one = roc.area(other, wins)
            saved = held_out.log_loss(without.probability, task.true)
            saved = saved - held_out.log_loss(with_it.probability, task.true)
            (bits,) = clustered_means([(saved, task.groups)])
            rows.append(
                {
                    **_asked(task, name),
                    "groups drawn": one.groups,
                    "punctuation": float(wins.area()),
                    "with the signal": float(other.area()),
                    **_told(one),
                    "bits saved": bits.mean,
                    "bits saved low": bits.interval.low,
                    "bits saved high": bits.interval.high,
                    "bits p": bits.p,
                }
            )
    table = pd.DataFrame(rows)
    return corrected(
        pd.concat([table, means(table, "difference")], ignore_index=True),
        "difference",
        0.0,
        "beside punctuation",
    )


def _asked(task: Task, signal: str) -> dict[str, object]:
    return {
        "among": task.keys["among"],
        "boundaries": task.keys["boundaries"],
        "signal": signal,
        "places": len(task.rows),
        "true boundaries": int(task.true.sum()),
    }


def _told(one: roc.Area) -> dict[str, float]:
    """Of a difference, as :func:`corrected` takes it."""
    return {
        "difference": one.value,
        "low": one.interval.low,
        "high": one.interval.high,
        "p": one.p,
        "error": one.error,
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
            found = roc.area(first, second)
            rows.append(
                {
                    "boundaries": name,
                    "signal": signal,
                    "places": len(both),
                    "true boundaries": int(true.sum()),
                    "groups drawn": found.groups,
                    ALONE: float(second.area()),
                    STANDS: float(first.area()),
                    **_told(found),
                }
            )
    return corrected(pd.DataFrame(rows), "difference", 0.0, "with headings")


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
        rows.append(
            {
                "signal": name,
                "places": len(both),
                "rank correlation": float(first.corr(second, method="spearman")),
                "median difference": float(apart),
            }
        )
    return pd.DataFrame(rows)


def _larger(kind: str) -> tuple[str, ...]:
    """What begins at boundaries that take no part."""
    return () if kind == "document" else ("document",)


def _truth(rows: pd.DataFrame, kind: str) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which candidates are boundaries, and what is drawn together."""
    true: NDArray[np.bool_] = (rows["begins"] == kind).to_numpy(dtype=bool)
    if rows["document"].nunique() >= FEWEST:
        return true, rows["document"].to_numpy(dtype=np.int64)
    return true, np.cumsum(true, dtype=np.int64)


def _missing(rows: pd.DataFrame) -> list[str]:
    """Signals that were not measured in a form: influence where texts stand as they are."""
    return [INFLUENCE] if rows[INFLUENCE].isna().all() else []
