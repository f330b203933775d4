"""Which chunker to use: for each task and model, how far each lies behind the best, at what cost.

Under the corrected protocol, each model at the window with the most records; beside it, where the
papers' own models rank a method. A method is said to be behind only where its paired difference
from the best survives Holm's correction within the task and model. The best is chosen by the same
scores, so being behind is shown a little too easily.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis import windows
from chunkstudy.analysis.paired import EQUIVALENT, SIGNIFICANT, Pair, differences
from chunkstudy.chunkers import catalogue
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.grids import BEIR_AT_HAND, OWN, PRE
from chunkstudy.grid.library import Library, Record

EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
TASKS = {
    EXCERPTS: ("chroma",),
    IN_CORPUS: BEIR_AT_HAND,
    IN_DOCUMENT: ("gutenqa-emma",),
}
MEASURES = {EXCERPTS: "SpanRecall@5", IN_CORPUS: "nDCG@10", IN_DOCUMENT: "DCG@10"}
IN_THE_TAXONOMY = {
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
CREDITED = {"proposition-released": "the paragraph that it was made from"}
"""What counts as found with a chunk, where that is more than the chunk."""
ITSELF = "its own text"
TESTED: dict[str, object] = {
    "p_holm": np.nan, "family": "", "family_size": 0, "interval": "", "margin": np.nan,
    "p_equivalent_holm": np.nan, "shown": "",
}  # fmt: skip
"""What a comparison with the best adds, and what stands there for the best itself."""
AS_GOOD = "shown to be as good within a point"
Method = tuple[str, str]


def which_chunker(library: Library, published: pd.DataFrame, cost: pd.DataFrame) -> pd.DataFrame:
    """A row per task, encoder, chunker and ordering, the best of each task and encoder first.

    Args:
        library: the records.
        published: every published cell.
        cost: the table of what each chunker costs on Chroma's data.
    """
    tables = [
        _ranked(task, encoder, library, published, cost)
        for task in TASKS
        for encoder in _encoders(task, library)
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def advice(table: pd.DataFrame) -> pd.DataFrame:
    """A row per task and encoder: the best; what is shown to be as good within the margin, and what
    is neither that nor shown to be worse; how many are behind and by how much; and, for excerpts,
    the best where text read in vain is charged."""
    rows = []
    for (task, encoder), group in table.groupby(["task", "encoder"], sort=False):
        best = group.iloc[0]
        close, behind = (group[group["behind"] == word] for word in ("no", "yes"))
        equal = close["shown"] == EQUIVALENT
        row = {
            "task": task,
            "encoder": encoder,
            **best[["chunker", "ordering", "credited", "measure", "score", "low", "high"]],
            **best[["n", "collections"]],
            AS_GOOD: _arms(close[equal]),
            "not shown to be worse": _arms(close[~equal]),
            "others": len(group) - 1,
            "behind": len(behind),
            "behind by at least": -behind["difference"].max(),
            "behind by at most": -behind["difference"].min(),
        }
        if task == EXCERPTS:
            by_overlap = group.iloc[int(group[IOU].argmax())]
            row |= {
                f"best by {IOU}": by_overlap["chunker"],
                IOU: by_overlap[IOU],
                "tokens read at 5": by_overlap["tokens read at 5"],
            }
        rows.append(row)
    return pd.DataFrame(rows)


def _arms(rows: pd.DataFrame) -> str:
    return "; ".join(rows["chunker"] + " " + rows["ordering"])


def _ranked(
    task: str, encoder: str, library: Library, published: pd.DataFrame, cost: pd.DataFrame
) -> pd.DataFrame:
    records = _records(task, encoder, library)
    measure = MEASURES[task]
    scores = {
        method: pd.concat({name: one.wide[measure] for name, one in found.items()})
        for method, found in records.items()
    }
    means = {method: found.groupby(level=0).mean().mean() for method, found in scores.items()}
    ranked = sorted(means, key=lambda method: (-means[method], method))
    best = scores[ranked[0]]
    pairs = [
        Pair({"chunker": method[0], "ordering": method[1]}, scores[method], best)
        for method in ranked[1:]
    ]
    compared = differences(pairs, f"behind the best, {task}, {encoder}", "score", "best")
    rows = []
    for at, method in enumerate(ranked):
        groups = [one for _, one in scores[method].groupby(level=0, sort=False)]
        low, high = statistics.over_collections(groups).interval
        found = dict(compared.iloc[at - 1]) if at else {}
        behind = "yes" if found.get("p_holm", 1.0) < SIGNIFICANT else "no"
        rows.append(
            {
                "task": task,
                "encoder": encoder,
                "chunker": method[0],
                "ordering": method[1].split("-")[0],
                "measure": measure,
                "collections": ", ".join(records[method]),
                "n": len(best),
                "score": means[method],
                "low": low,
                "high": high,
                "difference": found.get("difference", 0.0),
                "difference low": found.get("low", 0.0),
                "difference high": found.get("high", 0.0),
                **_chunk_cost(task, method, list(records[method].values()), cost),
                "credited": CREDITED.get(method[0], ITSELF),
                **_published_rank(task, method, published),
                **{name: found.get(name, missing) for name, missing in TESTED.items()},
                "behind": behind if at else "",
            }
        )
    return pd.DataFrame(rows)


def _encoders(task: str, library: Library) -> list[str]:
    """Of each model with records of the task, its encoder with the most of them."""
    counts = Counter(one.encoder for one in library if _belongs(task, one))
    best: dict[str, str] = {}
    for encoder in sorted(counts, key=lambda one: (counts[one], windows.reach(one)), reverse=True):
        best.setdefault(windows.model(encoder), encoder)
    return list(best.values())


def _belongs(task: str, one: Condition) -> bool:
    spec = catalogue.parse(one.chunker)
    usual = spec.length == CHUNKERS[spec.name].lengths[0]
    known = one.collection in TASKS[task] and one.protocol == OWN and one.encoder != NONE
    return known and usual and (one.ordering == PRE or windows.contextualized(one))


def _records(task: str, encoder: str, library: Library) -> dict[Method, dict[str, Record]]:
    """Per chunker and ordering the records by collection, where all collections that have any have
    one."""
    wanted = [one for one in library if _belongs(task, one) and one.encoder == encoder]
    seen = {one.collection for one in wanted}
    names = [name for name in TASKS[task] if name in seen]
    found: dict[Method, dict[str, Record]] = {}
    for one in wanted:
        record = library.get(one)
        if record is not None:
            found.setdefault((one.chunker, one.ordering), {})[one.collection] = record
    return {
        method: {name: records[name] for name in names}
        for method, records in found.items()
        if len(records) == len(names)
    }


def _chunk_cost(
    task: str, method: Method, records: list[Record], cost: pd.DataFrame
) -> dict[str, object]:
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    chunks = sum(record.run.counts.chunks for record in records)
    weighted = sum(r.run.sizes[unit].mean * r.run.counts.chunks for r in records) / chunks
    row: dict[str, object] = {"chunks": chunks, "mean tokens": weighted}
    if task == EXCERPTS:
        row[IOU] = statistics.mean(records[0].wide[IOU])
        row["tokens read at 5"] = statistics.mean(records[0].wide["TokensRead@5"])
        seen = cost[cost["chunker"] == method[0]]
        row["chunking s/M tokens"] = seen["chunking s/M tokens"].iloc[0] if len(seen) else np.nan
    return row | {"needs": _needs(method[0])}


def _needs(chunker: str) -> str:
    name = catalogue.parse(chunker).name
    if name in LLM_GUIDED:
        return "an LLM"
    return "an encoder" if CHUNKERS[name].needs_encoder else "nothing"


def _published_rank(task: str, method: Method, published: pd.DataFrame) -> dict[str, float]:
    """The taxonomy's best and worst rank of this method among its six, over its four models."""
    names = ("best published rank", "worst published rank")
    if task == EXCERPTS or method[0] not in IN_THE_TAXONOMY:
        return dict.fromkeys(names, np.nan)
    table = "3" if method[1] == PRE else "5"
    column = "average" if task == IN_CORPUS else "gutenqa"
    cells = published[
        (published["work"] == "taxonomy")
        & (published["table"] == table)
        & (published["collection"] == column)
        & (published["chunker"] != "average")
    ]
    ranks = cells.groupby("encoder")["value"].rank(ascending=False)
    own = ranks[cells["chunker"] == IN_THE_TAXONOMY[method[0]]].astype(int)
    return dict(zip(names, (own.min(), own.max()), strict=True))
