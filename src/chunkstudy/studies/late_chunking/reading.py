"""The comparisons in words and tables, for the page and for the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics.differences import HIGHER, LOWER, at
from chunkstudy.studies.late_chunking.gains import NO_LOSS, SEEN, Rule
from chunkstudy.studies.late_chunking.systems import Tables, called
from chunkstudy.study import titles
from chunkstudy.study.formats import Column, Columns, percent, points, whole

COLUMNS: Columns = {
    SEEN: Column(SEEN, titles.named("collection")),
    "counted": Column("collections recorded", whole),
    "collections counted": Column("collections", whole),
    "ends": Column("smallest to largest", str),
    "shared": Column("words shared, %", percent),
}
LENGTHS = {
    "collection": "collection",
    "documents": "documents",
    "documents of several paragraphs": "several par.",
    "longer than 126 tokens": "> 126",
    "longer than 254 tokens": "> 254",
    "longer than 510 tokens": "> 510",
    "queries": "questions",
}
"""The heads of the paper's table of lengths."""
OF_LENGTHS = (
    "Collections that models were run on: how many documents have several paragraphs, and how many "
    "are longer than a window holds beside two special tokens."
)
SHORTER = {
    ", each corpus by itself": "",
    ", each paper by itself": "",
    ", each article by itself": "",
    ", each story by itself": "",
    ", each meeting by itself": ", one meeting",
    "GutenQA, Emma": "Emma",
    " in four bits": "",
    ", bfloat16": "",
}
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"question": "question", "model": "model", "answer": "answer", SEEN: "significant in",
              "difference": "mean", "low": "95% interval"},
    "caption": "The registered questions by model: the answer by the registered rule, the "
    "collections in which the outcome is significant after one correction over all comparisons, "
    "and the mean of the differences of DCG@10 over collections, in points.",
    "span": "page", "once": "question", "shorter": SHORTER,
}  # fmt: skip
"""How the paper sets the answers."""


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
    """Comparisons of :func:`gains.gains`, a row a system, baseline and model and a column a
    collection: each difference in points, with a star where it is significant."""
    keys = ["compared", "model"]
    stars = rows["shown"].isin([HIGHER, LOWER]).map({True: "*", False: ""})
    named = rows.assign(cell=rows["difference"].map(points) + stars, compared=compared(rows))
    wide = named.pivot(index=keys, columns="collection", values="cell")
    order = named.drop_duplicates(keys).set_index(keys).index
    names = list(dict.fromkeys(rows["collection"]))
    short = {name: titles.collection(name).partition(",")[0] for name in names}
    return wide.reindex(order)[names].rename(columns=short).fillna("").reset_index()


def where(rows: pd.DataFrame, outcome: str) -> str:
    """How many rows end so, and of which collections they are."""
    collections = dict.fromkeys(rows.loc[rows["shown"] == outcome, "collection"])
    names = ", ".join(titles.collection(name) for name in collections)
    count = int((rows["shown"] == outcome).sum())
    return f"{count} ({names})" if count else "none"


def count(rows: pd.DataFrame, rule: Rule) -> str:
    """In how many of its rows a rule's first comparison has the outcome that it asks for."""
    system, baseline = rule.pairs[0]
    some = at(rows, system=system, baseline=baseline)
    return f"{(some['shown'] == rule.outcome).sum()} of {len(some)}"


def shared(searched: Tables, collections: Sequence[str]) -> pd.DataFrame:
    """By collection its questions and the share of their words that their judged passages hold."""
    rows = searched["shared"].merge(searched["parts"], on="part")
    of_each = rows.groupby("collection")["shared"].agg(n="size", shared="mean")
    return of_each.reindex([name for name in collections if name in of_each.index]).reset_index()
