"""Can empty documents explain a printed loss? What speaks for it beside what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from chunkstudy.studies.empty_documents import chain as written

WITH_EMPTY = ("fiqa", "trec-covid")
LOSES, COMPARED = "semantic", "sentence-5"
"""The method that loses, and the one whose late score stands for what it would score without."""
ARMS = {
    "FiQA": "as large a share as in FiQA",
    "TREC-COVID": "as large a share as in TREC-COVID",
    "FiQA, as many": "as many as in FiQA",
    "FiQA, as many among as many": "as many as in FiQA, among as many documents",
}
CHAIN = ["step", "name", "ran", "input", "result", "bears it out", "leaves open", "source"]


def tables(study: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table of the question; those of the study are empty where it was not run.

    Args:
        study: its tables by name; may be none.
        published: the cells of the published tables.
    """
    printed = changes(published)
    return {
        "empty_documents_chain": chain(study["chain"]) if study else pd.DataFrame(),
        "empty_documents_published": printed,
        "empty_documents_methods": methods(printed, study) if study else pd.DataFrame(),
        "empty_documents_places": places(study["places"]) if study else pd.DataFrame(),
        "late_chunking_nan_guard": guard(study["draws"]) if study else pd.DataFrame(),
    }


def chain(ran: pd.DataFrame) -> pd.DataFrame:
    """The steps in order: what was run or read, what came out, whether the explanation needs it so,
    what it leaves open, and where it stands.

    Args:
        ran: name, what ran and the result of each step that is run.
    """
    results = ran.set_index("name").to_dict("index")
    rows = []
    for number, step in enumerate(written.words()["step"], start=1):
        found: dict[Any, Any] = {"ran": "read, not run", "result": step.get("result", "")}
        bears_out = step.get("bears_out", "")
        if step["how"] == "run":
            found = results[step["name"]]
            bears_out = "yes" if found["result"] == step["needs"] else "no"
        rows.append((number, step["name"], found["ran"], step["input"], found["result"], bears_out,
                     step["open"], step["source"]))  # fmt: skip
    return pd.DataFrame(rows, columns=CHAIN)


def changes(published: pd.DataFrame) -> pd.DataFrame:
    """Tables 3 and 5 of the taxonomy on the collections that hold empty documents.

    ``without that loss`` is what the late score would have to be if the method had lost as much as
    semantic chunks, whose score without empty documents is taken to be that of sentence groups;
    ``best`` is the best late score of the model there.
    """
    cells = published[
        (published["work"] == "taxonomy")
        & published["table"].isin(["3", "5"])
        & published["collection"].isin(WITH_EMPTY)
        & (published["chunker"] != "average")
    ]
    keys = ["collection", "encoder", "chunker"]
    if cells.empty:
        return pd.DataFrame()
    wide = cells.pivot(index=keys, columns="ordering", values="value").reset_index()
    wide = wide.rename_axis(columns=None)
    wide["change"] = wide["contextualized"] / wide["pre_embedding"] - 1
    late = wide.set_index(keys)["contextualized"].unstack("chunker")
    there = pd.MultiIndex.from_frame(wide[["collection", "encoder"]])
    lost = (late[LOSES] / late[COMPARED]).reindex(there).to_numpy()
    wide["without that loss"] = wide["contextualized"] / lost
    wide["best"] = late.max(axis=1).reindex(there).to_numpy()
    return wide


def methods(printed: pd.DataFrame, study: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row per method: what it makes of an empty document, and its change by late chunking over
    the four models, from the smallest to the largest, in the paper and in an earlier draft.

    ``above best`` is by how much at least the score on FiQA of a method that can make empty chunks
    would lie above every other score of its model if it had lost what semantic chunks lost there.
    """
    ours = study["chunkers"].set_index("chunker")["ours"]
    draft = study["draft"].assign(collection="draft")
    draft["change"] = draft["contextualized"] / draft["pre_embedding"] - 1
    both = pd.concat([printed, draft])
    spans = both.groupby(["collection", "chunker"])["change"]
    low, high = spans.min(), spans.max()
    fiqa = printed[printed["collection"] == "fiqa"]
    above = (fiqa["without that loss"] / fiqa["best"] - 1).groupby(fiqa["chunker"]).min()
    rows = []
    for one in written.words()["chunker"]:
        name = one["name"]
        row: dict[str, object] = {"chunker": name, "official code": one["official"]}
        row["ours"] = ours.get(name, "")
        for collection in ("fiqa", "draft", "trec-covid"):
            row[f"{collection} from"] = low[collection, name]
            row[f"{collection} to"] = high[collection, name]
        asked = name != LOSES and "empty" in one["official"]
        row["above best"] = above[name] if asked else math.nan
        rows.append({**row, "source": one["source"]})
    return pd.DataFrame(rows)


def places(found: pd.DataFrame) -> pd.DataFrame:
    """What one empty document costs, by the share of ids that come before its own."""
    return found.assign(change=found["NaN kept"] / found["guarded"] - 1)


def guard(found: pd.DataFrame) -> pd.DataFrame:
    """nDCG@10 with and without the guard, and by which fraction it changes over the draws.

    Args:
        found: a row per draw of empty documents.
    """
    keys = ["collection", "proportion", "documents", "empty documents"]
    rows = []
    for (name, proportion, documents, empties), group in found.groupby(keys, sort=False):
        change = group["NaN kept"] / group["guarded"] - 1
        rows.append(
            {
                "collection": name,
                "arm": ARMS[str(proportion)],
                "documents": documents,
                "empty documents": empties,
                "nDCG@10, guarded": group["guarded"].mean(),
                "nDCG@10, NaN kept": group["NaN kept"].mean(),
                "change": change.mean(),
                "smallest": change.max(),
                "largest": change.min(),
                "draws": len(group),
            }
        )
    return pd.DataFrame(rows)
