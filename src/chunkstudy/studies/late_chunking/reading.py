"""The comparisons in words and tables, for the page and for the paper."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, at
from chunkstudy.studies.late_chunking.gains import NO_LOSS, SEEN, Rule
from chunkstudy.studies.late_chunking.systems import called
from chunkstudy.study import titles
from chunkstudy.study.formats import Column, Columns, percent, points, whole

COLUMNS: Columns = {
    SEEN: Column(SEEN, titles.named("collection")),
    "counted": Column("collections recorded", whole),
    "collections counted": Column("collections", whole),
    "ends": Column("smallest to largest", str),
    "shared": Column("words shared, %", percent),
}


def sentence(rule: Rule, rows: pd.DataFrame) -> str:
    """A rule's answers in words: the answer, where all models agree, then of each model in how many
    collections its outcome is significant, and the mean over collections.

    Args:
        rule: one of :data:`RULES`.
        rows: its rows of :func:`gains.answers`.
    """
    agreed = set(rows["answer"])
    opening = rows["answer"].iloc[0] if len(agreed) == 1 else "it depends on the model"
    parts = []
    for _, row in rows.iterrows():
        seen = len(row[SEEN].split(", ")) if row[SEEN] else 0
        spread = f" [{points(row['low'])}, {points(row['high'])}]" if row["counted"] > 1 else ""
        parts.append(
            f"with {titles.encoder(row['model'])} significantly {rule.outcome} in {seen} of "
            f"{row['counted']} collections, {points(row['difference'])}{spread} points on average"
            + (f" ({row['answer']})" if len(agreed) > 1 else "")
            + (", no loss" if rule.removes and row["low"] > NO_LOSS else "")
        )
    return f"{opening.capitalize()}: {'; '.join(parts)}."


def compared(rows: pd.DataFrame) -> list[str]:
    """What each row compares."""
    return [
        f"{called(system)}, minus {called(baseline)}"
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
