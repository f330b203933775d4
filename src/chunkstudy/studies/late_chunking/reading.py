"""The comparisons in words, tables and the forest plot, for the page and for the paper."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.display import titles
from chunkstudy.display.drawing import COLORS, intervals, rows_named, style, titled, zero
from chunkstudy.display.formats import (
    Column,
    Columns,
    estimate,
    join_words,
    percent,
    points,
    probability,
    whole,
)
from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, at
from chunkstudy.studies.late_chunking.gains import (
    ALL,
    NEW,
    NO_LOSS,
    SEEN,
    SEEN_OVER_DOCUMENTS,
    Rule,
)
from chunkstudy.studies.late_chunking.systems import AVERAGED, BOTH, PLAIN, WORDS, late

COLUMNS: Columns = {
    SEEN: Column(SEEN, titles.named("collection")),
    SEEN_OVER_DOCUMENTS: Column(SEEN_OVER_DOCUMENTS, titles.named("collection")),
    "shown_documents": Column("outcome over documents", str),
    "p_holm_documents": Column("p over documents", probability),
    "counted": Column("collections recorded", whole),
    "collections counted": Column("collections", whole),
    "ends": Column("smallest to largest", str),
    "shared": Column("words shared, %", percent),
}

TOGETHER = "all together"
OVER = {PLAIN: "plain vectors", WORDS: "BM25"}
"""Baselines in a sentence."""
PANELS = (
    (late(512), PLAIN, "late, one state,\n512 tokens"),
    (late(512, AVERAGED), PLAIN, "late, averaged,\n512 tokens"),
    (late(128, AVERAGED), PLAIN, "late, averaged,\n128 tokens"),
    (WORDS, PLAIN, "BM25"),
    (BOTH, PLAIN, "BM25 and vectors"),
    (BOTH, WORDS, "BM25 and vectors,\nminus BM25"),
)
"""Systems and baselines, and what heads them; plain vectors are the baseline where none is said."""


def sentence(rule: Rule, rows: pd.DataFrame, summed: pd.DataFrame) -> str:
    """Return a rule's answers as two sentences.

    The first gives the answer, if all models agree, and for each model in how many collections the
    registered test is significant and the mean difference over collections. The second gives the
    count with documents as the unit and the means over the collections read after the registration.

    Args:
        rule: one of :data:`RULES`.
        rows: its rows of :func:`gains.answers`.
        summed: of :func:`gains.together`.
    """
    agreed = set(rows["answer"])
    opening = rows["answer"].iloc[0] if len(agreed) == 1 else "it depends on the model"
    parts: list[str] = []
    for _, row in rows.iterrows():
        seen = f"{_count(row[SEEN])} of {row['counted']}{'' if parts else ' collections'}"
        said = [seen, _means(rule, str(row["model"]), summed, ALL, unit=not parts)]
        said += [row["answer"]] if len(agreed) > 1 else []
        said += ["no loss"] if rule.removes and row["low"] > NO_LOSS else []
        parts.append(f"{titles.encoder(row['model'])} ({', '.join(said)})")
    first = f"{opening.capitalize()}: significantly {rule.outcome} with {join_words(parts)}."
    counts = [_count(row[SEEN_OVER_DOCUMENTS]) for _, row in rows.iterrows()]
    second = f"Tested over documents instead of questions: {join_words(map(str, counts))}"
    new = [_means(rule, str(model), summed, NEW, unit=False) for model in rows["model"]]
    if all(new):
        second += f"; the collections read after the registration alone: {join_words(new)}"
    return f"{first} {second}."


def _means(rule: Rule, model: str, summed: pd.DataFrame, over: str, *, unit: bool) -> str:
    """Return a rule's mean differences over collections, each with its baseline if there are two.

    Args:
        over: all collections, or those read after the registration.
        unit: True to name the unit, points.
    """
    texts = []
    for system, baseline in rule.pairs:
        rows = at(summed, model=model, system=system, baseline=baseline, over=over)
        if rows.empty:
            return ""
        row = rows.iloc[0]
        text = estimate(row) if row["collections counted"] > 1 else points(row["difference"])
        text += " points" if unit else ""
        texts.append(text + (f" over {OVER[baseline]}" if len(rule.pairs) > 1 else ""))
    return " and ".join(texts)


def _count(collections: str) -> int:
    """Return how many names a list that is joined by commas has."""
    return len(collections.split(", ")) if collections else 0


def compared(rows: pd.DataFrame) -> list[str]:
    """What each row compares."""
    return [
        f"{titles.system(system)}, minus {titles.system(baseline)}"
        for system, baseline in zip(rows["system"], rows["baseline"], strict=True)
    ]


def by_collection(rows: pd.DataFrame) -> pd.DataFrame:
    """Comparisons of :func:`gains.system_gains`, a row a system, baseline and model and a column a
    collection: each difference in points, with a star where it is significant."""
    keys = ["compared", "model"]
    stars = rows["shown"].isin([HIGHER, LOWER]).map({True: "*", False: ""})
    named = rows.assign(cell=rows["difference"].map(points) + stars, compared=compared(rows))
    wide = named.pivot(index=keys, columns="collection", values="cell")
    order = named.drop_duplicates(keys).set_index(keys).index
    names = list(dict.fromkeys(rows["collection"]))
    short = {name: titles.collection(name).partition(",")[0] for name in names}
    return wide.reindex(order)[names].rename(columns=short).fillna("").reset_index()


def count(rows: pd.DataFrame, rule: Rule) -> str:
    """In how many of its rows a rule's first comparison has the outcome that it asks for."""
    system, baseline = rule.pairs[0]
    some = at(rows, system=system, baseline=baseline)
    return f"{(some['shown'] == rule.outcome).sum()} of {len(some)}"


@style()
def figure_forest(rows: pd.DataFrame, summed: pd.DataFrame, title: str) -> Figure:
    """A panel a comparison, a row a collection and model: the difference with its 95% interval, and
    beneath each model all its collections together, a diamond with a t-interval over collections.

    Args:
        rows: of :func:`gains.system_gains`.
        summed: of :func:`gains.together`.
        title: what it shows, in a sentence.
    """
    models, collections = (list(dict.fromkeys(rows[key])) for key in ("model", "collection"))
    panels = [one for one in PANELS if len(at(rows, system=one[0], baseline=one[1]))]
    names = [titles.collection(name).partition(",")[0] for name in collections] + [TOGETHER]
    height = len(names) + 1
    figure, axes = plt.subplots(
        1, len(panels), sharey=True, squeeze=False,
        figsize=(1.75 * len(panels) + 1.6, 0.21 * height * len(models) + 1.5),
    )  # fmt: skip
    for panel, (system, baseline, head) in zip(axes[0], panels, strict=True):
        panel.set_title(head, loc="left", fontsize=8)
        panel.set_xlabel("points, 95%", fontsize=8)
        zero(panel)
        for n, model in enumerate(models):
            some = at(rows, model=model, system=system, baseline=baseline)
            places = [height * n + 1 + collections.index(name) for name in some["collection"]]
            intervals(panel, some, places, COLORS[n])
            all_of_them = at(summed, model=model, system=system, baseline=baseline, over=ALL)
            if len(some) > 1:
                last = [height * n + 1 + len(collections)]
                intervals(panel, all_of_them, last, "black", marker="D")
        # An interval over two collections is far wider than the differences themselves.
        compared = at(rows, system=system, baseline=baseline)
        ends = 100 * compared["low"].min(), 100 * compared["high"].max()
        room = 0.1 * (ends[1] - ends[0])
        panel.set_xlim(min(0, ends[0]) - room, max(0, ends[1]) + room)
    labels = [label for model in models for label in (titles.encoder(model), *names)]
    rows_named(axes[0, 0], labels, size=7.5)
    for n, label in enumerate(axes[0, 0].get_yticklabels()):
        label.set_fontweight("bold" if n % height == 0 else "normal")
    titled(figure, title)
    return figure
