"""Can empty documents explain a printed loss? What speaks for it beside what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import points

STEPS = Path(__file__).with_name("steps.csv")
"""The explanation in order: what is looked at, what is put in or was read; of a step that is run
the result that the explanation needs, of another what was read, which bears it out; where it
stands, and what it does not show."""
OFFICIAL = Path(__file__).with_name("official.csv")
"""What each method's official code makes of an empty document, and where that stands."""
WITH_EMPTY = ("fiqa", "trec-covid")
LOSES, COMPARED = "semantic", "sentence-5"
"""The method that loses, and the one whose late score stands for what it would score without."""
ARMS = {
    "FiQA": "as large a share as in FiQA",
    "TREC-COVID": "as large a share as in TREC-COVID",
    "FiQA, as many": "as many as in FiQA",
    "FiQA, as many among as many": "as many as in FiQA, among as many documents",
}
AS_GUARD: Columns = {
    "arm": Column("empty documents put in", str), "change": Column("mean change, %", points),
    "smallest": Column("smallest change, %", points),
    "largest": Column("largest change, %", points),
}  # fmt: skip
AS_METHODS: Columns = {
    "official code": Column("an empty document becomes", str),
    "ours": Column("in our code", str),
    "fiqa from": Column("FiQA: smallest change, %", points),
    "fiqa to": Column("FiQA: largest, %", points),
    "draft from": Column("FiQA in the draft: smallest, %", points),
    "draft to": Column("FiQA in the draft: largest, %", points),
    "trec-covid from": Column("TREC-COVID: smallest, %", points),
    "trec-covid to": Column("TREC-COVID: largest, %", points),
    "above best": Column("above the model's best if it lost that much too, %", points),
}
CHAIN = ["step", "name", "ran", "input", "result", "bears it out", "leaves open", "source"]


def chain(ran: pd.DataFrame) -> pd.DataFrame:
    """The steps in order: what was run or read, what came out, whether the explanation needs it so,
    what it leaves open, and where it stands.

    Args:
        ran: name, what ran and the result of each step that is run.
    """
    steps = pd.read_csv(STEPS, keep_default_na=False)
    both = steps.merge(ran, "left", on="name", suffixes=("", " here"))
    result = both["result here"].fillna(both["result"])
    return both.assign(
        step=both.index + 1,
        ran=both["ran"].fillna("read, not run"),
        result=result,
        **{"bears it out": (result == both["result"]).map({True: "yes", False: "no"})},
    )[CHAIN]


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
    both = pd.concat([printed, draft]).groupby(["collection", "chunker"])["change"]
    low, high = both.min(), both.max()
    fiqa = printed[printed["collection"] == "fiqa"]
    above = (fiqa["without that loss"] / fiqa["best"] - 1).groupby(fiqa["chunker"]).min()
    table = pd.read_csv(OFFICIAL)
    name, source = table["chunker"], table.pop("source")
    table["ours"] = name.map(ours).fillna("")
    for collection in ("fiqa", "draft", "trec-covid"):
        table[f"{collection} from"] = name.map(low[collection])
        table[f"{collection} to"] = name.map(high[collection])
    asked = (name != LOSES) & table["official code"].str.contains("empty")
    return table.assign(**{"above best": name.map(above).where(asked)}, source=source)


def guard(found: pd.DataFrame) -> pd.DataFrame:
    """nDCG@10 with and without the guard, and by which fraction it changes over the draws.

    Args:
        found: a row per draw of empty documents.
    """
    change = found["NaN kept"] / found["guarded"] - 1
    draws = found.assign(arm=found["proportion"].map(ARMS), change=change)
    by = draws.groupby(["collection", "arm", "documents", "empty documents"], sort=False)
    return by.agg(
        **{
            "nDCG@10, guarded": ("guarded", "mean"),
            "nDCG@10, NaN kept": ("NaN kept", "mean"),
            "change": ("change", "mean"),
            "smallest": ("change", "max"),
            "largest": ("change", "min"),
            "draws": ("change", "size"),
        }
    ).reset_index()
