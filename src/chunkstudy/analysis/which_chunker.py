"""Which chunker to use: for each task, how far each lies behind the best, at what cost.

Measured with all-MiniLM-L6-v2 under the corrected protocol; beside it, where the papers' own
models rank a method. A method is said to be behind only where its paired difference from the best
survives Holm's correction within the task. The best is chosen by the same scores, so being behind
is shown a little too easily.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.chunkers import catalogue
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.grids import BEIR_AT_HAND, LATE, OWN, PRE, WIDE
from chunkstudy.published.compare import Library, Scores

LEVEL = 0.05
EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
TASKS = {
    EXCERPTS: ("chroma",),
    IN_CORPUS: BEIR_AT_HAND,
    IN_DOCUMENT: ("gutenqa-emma",),
}
MEASURES = {EXCERPTS: "SpanRecall@5", IN_CORPUS: "nDCG@10", IN_DOCUMENT: "DCG@10"}
PRINTED = {
    "none": "paragraph",
    "paragraph": "paragraph",
    "fixed-256": "fixed-256",
    "sentence-5": "sentence-5",
    "semantic": "semantic",
    "lumberchunker-released": "lumberchunker",
    "proposition-released": "proposition",
}
"""Chunkers here and the taxonomy's rows that they correspond to; BEIR's documents hold no line
break, so there its paragraphs are whole documents."""
IOU = "SpanIoU@5"
LLM_GUIDED = ("lumberchunker-released", "proposition-released")
Method = tuple[str, str]


def which_chunker(library: Library, published: pd.DataFrame, cost: pd.DataFrame) -> pd.DataFrame:
    """A row per task, chunker and ordering, the best first.

    Args:
        library: the records.
        published: every printed cell.
        cost: the table of what each chunker costs on Chroma's data.
    """
    tables = [_task(task, library, published, cost) for task in TASKS]
    found = pd.concat([one for one in tables if len(one)], ignore_index=True)
    return found.astype(object).fillna("")


def advice(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``task, advice, how sure``; the words follow from the table."""
    rows = []
    for task, group in table.groupby("task", sort=False):
        best = group.iloc[0]
        close = group[group["behind"] == "no"]
        names = [_named(row) for row in close.to_dict("records")]
        words = f"{_named(best.to_dict())} scores highest, {best['score']} ({best['measure']})"
        words += f"; not shown to be worse: {', '.join(names)}" if names else ""
        if task == EXCERPTS:
            words += _by_iou(group)
        behind = group[group["behind"] == "yes"]
        sure = (
            f"{len(behind)} of {len(group) - 1} others behind beyond their uncertainty, by "
            f"{_range(-behind['difference'].astype(float))} points"
            if len(behind)
            else f"none of {len(group) - 1} others is behind beyond its uncertainty"
        )
        count = f"{best['n']} queries of {best['collections']}"
        rows.append({"task": task, "advice": words + ".", "how sure": f"{sure}; {count}."})
    return pd.DataFrame(rows)


def _range(values: pd.Series) -> str:
    low, high = f"{values.min():.1f}", f"{values.max():.1f}"
    return low if low == high else f"{low} to {high}"


def _task(task: str, library: Library, published: pd.DataFrame, cost: pd.DataFrame) -> pd.DataFrame:
    scores = _scores(task, library)
    if not scores:
        return pd.DataFrame()
    means = {method: np.mean([one.mean() for one in values]) for method, values in scores.items()}
    ranked = sorted(means, key=lambda method: (-means[method], method))
    best = scores[ranked[0]]
    rows = []
    for method in ranked:
        low, high = statistics.over_collections(scores[method]).interval
        found = statistics.over_collections(
            [one - other.loc[one.index] for one, other in zip(scores[method], best, strict=True)]
        )
        rows.append(
            {
                "task": task,
                "chunker": method[0],
                "ordering": method[1].split("-")[0],
                "measure": MEASURES[task],
                "collections": ", ".join(_collections(task, library)),
                "n": sum(map(len, best)),
                "score": f"{100 * means[method]:.1f}",
                "low": f"{100 * low:.1f}",
                "high": f"{100 * high:.1f}",
                "difference": f"{100 * found.mean:.2f}",
                "difference low": f"{100 * found.interval.low:.2f}",
                "difference high": f"{100 * found.interval.high:.2f}",
                "p": found.p,
                **_chunk_cost(task, method, library, cost),
                "rank in the papers": _printed_rank(task, method, published),
            }
        )
    table = pd.DataFrame(rows)
    table.loc[1:, "p (Holm)"] = [f"{p:.2g}" for p in statistics.holm(table["p"].iloc[1:])]
    adjusted = pd.to_numeric(table["p (Holm)"])
    table["behind"] = np.where(adjusted < LEVEL, "yes", "no")
    table.loc[0, "behind"] = ""
    return table.drop(columns="p")


def _collections(task: str, library: Library) -> list[str]:
    """Those with records of plain chunking; a task is scored on all of them or on none."""
    seen = {one.collection for one in library if _belongs(task, one)}
    return [name for name in TASKS[task] if name in seen]


def _belongs(task: str, one: Condition) -> bool:
    encoder = MINILM if task == EXCERPTS else WIDE
    spec = catalogue.parse(one.chunker)
    usual = spec.length == CHUNKERS[spec.name].lengths[0]
    known = one.collection in TASKS[task] and one.protocol == OWN and one.encoder == encoder
    return known and usual and one.ordering in (PRE, LATE)


def _scores(task: str, library: Library) -> dict[Method, list[pd.Series]]:
    """Per chunker and ordering the scores of each collection, where all have them."""
    names = _collections(task, library)
    methods = dict.fromkeys((c.chunker, c.ordering) for c in library if _belongs(task, c))
    found = {}
    for method in methods:
        records = list(_records(task, method, names, library))
        if len(records) == len(names) > 0:
            found[method] = [record.wide[MEASURES[task]] for record in records]
    return found


def _records(task: str, method: Method, names: Iterable[str], library: Library) -> Iterable[Scores]:
    encoder = MINILM if task == EXCERPTS else WIDE
    for name in names:
        record = library.get(Condition(name, method[0], encoder, method[1], OWN))
        if record is not None:
            yield record


def _chunk_cost(
    task: str, method: Method, library: Library, cost: pd.DataFrame
) -> dict[str, object]:
    records = list(_records(task, method, _collections(task, library), library))
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    chunks = sum(record.run.counts.chunks for record in records)
    weighted = sum(r.run.sizes[unit].mean * r.run.counts.chunks for r in records) / chunks
    row: dict[str, object] = {"chunks": chunks, "mean tokens": f"{weighted:.0f}"}
    if task == EXCERPTS:
        row[IOU] = f"{100 * records[0].wide[IOU].mean():.1f}"
    seen = cost[cost["chunker"] == method[0]] if task == EXCERPTS else cost.iloc[:0]
    if len(seen):
        row["tokens read at 5"] = seen["TokensRead@5"].iloc[0]
        row["chunking s/M tokens"] = seen["chunking s/M tokens"].iloc[0]
    return row | {"needs": _needs(method[0])}


def _needs(chunker: str) -> str:
    name = catalogue.parse(chunker).name
    if name in LLM_GUIDED:
        return "an LLM"
    return "an encoder" if CHUNKERS[name].needs_encoder else "nothing"


def _printed_rank(task: str, method: Method, published: pd.DataFrame) -> str:
    """The taxonomy's ranks of this method among its six, over its four models, best to worst."""
    if task == EXCERPTS or method[0] not in PRINTED:
        return ""
    table = "3" if method[1] == PRE else "5"
    column = "average" if task == IN_CORPUS else "gutenqa"
    cells = published[
        (published["work"] == "taxonomy")
        & (published["table"] == table)
        & (published["collection"] == column)
        & (published["chunker"] != "average")
    ]
    values = cells.assign(value=cells["printed"].astype(float))
    ranks = values.groupby("encoder")["value"].rank(ascending=False)
    own = sorted(int(rank) for rank in ranks[cells["chunker"] == PRINTED[method[0]]])
    return f"{own[0]} to {own[-1]} of 6" if own else ""


def _by_iou(group: pd.DataFrame) -> str:
    """Recall rises with what is read; the share of text wanted and read tells another story."""
    order = group[IOU].astype(float).to_numpy().argmax()
    best = group.iloc[int(order)]
    return (
        f"; by {IOU}, which charges what is read in vain, it is {_named(best.to_dict())} "
        f"({best[IOU]}), with {best['tokens read at 5']} tokens read"
    )


def _named(row: Mapping[Hashable, Any]) -> str:
    late = " with late chunking" if row["ordering"] == "contextualized" else ""
    return f"{row['chunker']}{late}"
