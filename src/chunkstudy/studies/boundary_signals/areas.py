"""Do signals of a causal model tell true boundaries from other ends of sentences?

From the study ``boundary-signals``. A *task* is one kind of boundary in one text, such as the ends
of chapters in Emma. Ends of documents take no part where ends of their parts are asked for; where
ends of documents are, those of parts count among the others. Each task is asked twice: among all
ends of sentences, and among ends of paragraphs only, where layout tells nothing any more.
Documents are drawn for intervals, or, where there are fewer than ten, the stretches from one true
boundary to the next.
"""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from chunkstudy.display.drawing import COLORS, intervals, one_legend, rows_named, style, titled
from chunkstudy.display.titles import shown
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, NOT_SHOWN, SIGNIFICANT
from chunkstudy.evaluation.statistics.intervals import LEVEL
from chunkstudy.studies.boundary_signals import roc
from chunkstudy.studies.boundary_signals.signals import INFLUENCE, SIGNALS
from chunkstudy.studies.boundary_signals.texts import DOCUMENT, SENTENCE

KINDS = {
    ("built-in articles", "document"): "articles",
    ("built-in articles", "part"): "sections of articles",
    ("built-in chats", "document"): "chats",
    ("built-in chats", "part"): "turns of chats",
    ("chat logs", "part"): "turns of Chroma's chat logs",
    ("wikitexts", "part"): "sections of Chroma's wikitexts",
    ("Emma", "document"): "chapters of Emma",
}
"""The boundaries of each task, by text and kind. The four conversations in Chroma's chat logs and
the articles in its wikitexts are too few for an interval."""
TEXT = {name: text for (text, _), name in KINDS.items()}
MEAN, TOPICS, TURNS = "mean over all", "mean over ends of topics", "mean over turns"
OVER = {
    MEAN: tuple(KINDS.values()),
    TOPICS: tuple(name for name in KINDS.values() if not name.startswith("turns")),
    TURNS: tuple(name for name in KINDS.values() if name.startswith("turns")),
}
"""What each mean is over: where another speaker begins, the topic often stays."""
SENTENCES, PARAGRAPHS = "ends of sentences", "ends of paragraphs"
PARAGRAPH_END, SINCE, PUNCTUATION = "paragraph end", "length since", "punctuation"
BASELINES = (PARAGRAPH_END, SINCE, PUNCTUATION)
DISTANCE = "distance"
FEWEST = 10
"""Documents below which stretches between true boundaries are drawn; other places of a task."""
NORMAL = (
    "of means normal, from the errors of the jackknife over the same groups; those of two kinds in "
    "one text are taken to go together"
)


Task = tuple[dict[str, object], dict[str, roc.PairCounts]]
"""One kind of boundary among the candidates of one text, with how many places were measured and how
many of these are boundaries; and by signal and baseline the pairs of a boundary and another place.
"""


def tasks(places: pd.DataFrame) -> Iterator[Task]:
    """Every task, among all candidates and among ends of paragraphs.

    Args:
        places: the table ``places`` of the experiment.
    """
    for (text, kind), name in KINDS.items():
        of_text = places[places["text"] == text]
        if kind != DOCUMENT:
            of_text = of_text[of_text["begins"] != DOCUMENT]
        true = (of_text["begins"] == kind).to_numpy()
        groups = of_text["document"].to_numpy(dtype=np.int64)
        if of_text["document"].nunique() < FEWEST:
            groups = np.cumsum(true, dtype=np.int64)
        measured = of_text[[*SIGNALS, DISTANCE]].notna().all(axis=1).to_numpy()
        inner = (of_text["begins"] == SENTENCE).to_numpy()
        for among, mask in ((SENTENCES, measured), (PARAGRAPHS, measured & ~inner)):
            if mask[true].any() and mask[~true].sum() >= FEWEST:
                told = scores(of_text[mask], true[mask], groups[mask])
                pairs = {
                    signal: roc.pair_counts(score, true[mask], groups[mask])
                    for signal, score in told.items()
                    if (signal, among) != (PARAGRAPH_END, PARAGRAPHS)
                }
                counts = {"places": int(mask.sum()), "true boundaries": int(true[mask].sum())}
                yield {"among": among, "boundaries": name, **counts}, pairs


def scores(
    places: pd.DataFrame, true: NDArray[np.bool_], groups: NDArray[np.int64]
) -> dict[str, ArrayLike]:
    """What every signal and baseline says of each candidate, more where a boundary is likelier.

    Punctuation and lengths together, whether a paragraph ends, the mark, and the logarithms of the
    lengths of both sentences, are what a regression tells of documents that it has not seen.
    """
    ends = places["begins"] != SENTENCE
    marks = [places["mark"] == mark for mark in (".", "?", "quote", "other")]
    lengths = np.log(places[["before", "after"]])
    layout = np.column_stack([ends, *marks, lengths]).astype(float)
    return {
        **{signal: places[signal] for signal in (*SIGNALS, DISTANCE)},
        INFLUENCE: -places[INFLUENCE],
        PARAGRAPH_END: ends,
        SINCE: places["since"],
        PUNCTUATION: roc.held_out(layout, true, groups),
    }


def areas(tasks: list[Task], against: str = "") -> pd.DataFrame:
    """The area under the ROC curve of every signal and baseline, a row each, and means over kinds
    of boundaries; ``p`` is of being at chance. Or, against a baseline, the area of each signal
    minus the baseline's at the same places: which of the two tells boundaries better by itself.

    ``p_holm`` is corrected within a family: all signals and kinds of boundaries among one kind of
    candidates, while their means are a family of their own.
    """
    value, chance = ("difference", 0.0) if against else ("area", roc.CHANCE)
    rows = []
    for keys, pairs in tasks:
        for signal, counted in pairs.items():
            if against and signal in BASELINES:
                continue
            area = roc.area(counted, pairs.get(against))
            ends = {"low": area.interval.low, "high": area.interval.high}
            tested = {value: area.mean, **ends, "p": area.p, "error": area.error}
            rows.append(keys | {"signal": signal} | tested)
    of_kinds = pd.DataFrame(rows)
    of_kinds.insert(2, "signal", of_kinds.pop("signal"))
    table = pd.concat([of_kinds, means(of_kinds, value, chance)], ignore_index=True)
    mean = table["boundaries"].isin(list(OVER))
    family = f"against {against}" if against else "areas, text alone"
    table["family"] = family + mean.map({True: ", means, ", False: ", "}) + table["among"]
    p = table.groupby("family", sort=False)["p"]
    holm = p.transform(statistics.holm)
    differs = holm < SIGNIFICANT
    words = np.select([differs & (table[value] > chance), differs], [HIGHER, LOWER], NOT_SHOWN)
    return table.drop(columns="error").assign(
        p_holm=holm,
        family_size=p.transform("count").astype(int),
        shown=words,
        interval=np.where(mean, NORMAL, ""),
    )


def means(rows: pd.DataFrame, value: str, chance: float) -> pd.DataFrame:
    """The means over kinds of boundaries, each kind counting the same, with a normal interval; a
    mean of fewer than half of its kinds is left out.

    Args:
        rows: of kinds and signals, with ``value`` and its ``error``.
        value: the column to average.
        chance: what ``p`` is of.
    """
    averaged, counts = [], ["places", "true boundaries"]
    for (among, signal), every in rows.groupby(["among", "signal"], sort=False):
        for over, kinds in OVER.items():
            of = every[every["boundaries"].isin(kinds)]
            if len(of) < len(kinds) / 2:
                continue
            # kinds of one text, which share it, as if they erred together; texts apart
            of_text = of["error"].groupby(of["boundaries"].map(TEXT)).sum()
            mean, error = of[value].mean(), float(np.sqrt((of_text**2).sum())) / len(of)
            low, high = stats.norm.interval(LEVEL, mean, error)
            p = float(2 * stats.norm.sf(abs(mean - chance) / error))
            averaged.append((among, over, signal, *of[counts].sum(), mean, low, high, p))
    columns = ["among", "boundaries", "signal", *counts, value, "low", "high", "p"]
    return pd.DataFrame(averaged, columns=columns)


@style()
def figure_areas(areas: pd.DataFrame) -> Figure:
    """The area of each signal, a small dot per kind of boundary and a large one with its interval
    for their mean; a panel among all ends of sentences, one among ends of paragraphs."""
    heights = {name: height for height, name in enumerate(areas["signal"].unique())}
    areas = areas.assign(height=areas["signal"].map(heights))
    figure, panels = plt.subplots(
        1, 2, figsize=(9, 0.36 * len(heights) + 1.7), sharex=True, sharey=True
    )
    for axes, among in zip(panels, (SENTENCES, PARAGRAPHS), strict=True):
        rows = areas[areas["among"] == among]
        kinds, mean = (
            rows[rows["boundaries"].isin(KINDS.values())],
            rows[rows["boundaries"] == MEAN],
        )
        axes.plot(
            kinds["area"], kinds["height"], "o", ms=3, color="0.6", zorder=1,
            label="one kind of boundary",
        )  # fmt: skip
        compared = mean["signal"].isin((*BASELINES, DISTANCE))
        of_model = "signal of the language model, mean over all kinds, 95% interval"
        for part, color, label in (
            (mean[~compared], COLORS[0], of_model),
            (mean[compared], COLORS[1], "what it is compared with"),
        ):
            intervals(axes, part, part["height"], color, label, "area", scale=1)
        axes.axvline(roc.CHANCE, color="grey", lw=0.8, zorder=0)
        axes.set_title(f"among {among}", loc="left")
        axes.set_xlabel("area under the ROC curve (0.5 is chance)")
    rows_named(panels[0], [shown("signal", name) for name in heights])
    first = areas[(areas["among"] == SENTENCES) & (areas["boundaries"] == MEAN)]
    best, without = (
        rows.sort_values("area").iloc[-1]
        for rows in (
            first[~first["signal"].isin((*BASELINES, DISTANCE))],
            first[first["signal"].isin(BASELINES)],
        )
    )
    titled(
        figure,
        "What tells best where a section, chapter, turn or chat ends: of SmolLM2-135M-Instruct "
        f"{_lower(shown('signal', best['signal']))} ({best['area']:.2f}), without a model "
        f"{_lower(shown('signal', without['signal']))} ({without['area']:.2f})",
    )
    one_legend(figure, panels, columns=1)
    return figure


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]
