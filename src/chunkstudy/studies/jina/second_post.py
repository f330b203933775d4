"""Jina's second post: three models, three ways to cut, plain and late, counted in its own table,
held against what else prints it, and ours beside.

Scores are fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations as pairs_of

import pandas as pd

from chunkstudy.runs.names import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import thousandths, whole

CHUNKERS = ("fixed-256", "sentence-5", "semantic")
STRENGTH = (
    "jinaai/jina-embeddings-v2-small-en",
    "nomic-ai/nomic-embed-text-v1",
    "jinaai/jina-embeddings-v3",
)
"""The models from weak to strong, as the post orders them."""
ARM = ["encoder", "chunker", "ordering"]
AS_PRINTS: Columns = {
    "*": thousandths,
    "other model": Column("the score there is that of", named("encoder")),
    "largest difference": Column("largest difference", thousandths),
    **{one: Column(one, whole) for one in ("scores", "the same", "another model's")},
}
ROUNDING = 0.0005 + 1e-9
"""Half a unit of the post's last digit."""


def combinations(published: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """The post's table, a row per encoder, chunker and ordering, ours below.

    Args:
        published: its cells.
        ours: means (``Scores.summary``).
    """
    printed = pd.DataFrame(
        dict(zip(("encoder", "chunker", "ordering"), key, strict=True)) | values.to_dict()
        for key, values in _cells(published).items()
    )
    names = ["collection", "", "encoder", "ordering", "protocol"]
    runs = ours["run"].str.split("/", expand=True).set_axis(names, axis=1)
    runs = runs.assign(**ours[["chunker", "value"]])
    wide = runs.pivot(index=ARM, columns="collection", values="value").reset_index()
    table = pd.concat([printed.assign(source="published"), wide.assign(source="records")])
    return table[["source", *ARM, *(one for one in table if one not in ("source", *ARM))]]


def comparisons(published: pd.DataFrame) -> pd.DataFrame:
    """What the post says of its table, counted in its table: cells above, equal and below.

    A row holds ``first`` less ``second``, each an encoder, a chunker and an ordering, over the four
    collections, and names the question that it counts for.
    """
    plain, late = PRE_EMBEDDING, CONTEXTUALIZED
    asked = [
        *(("late against plain", (e, c, late), (e, c, plain)) for e in STRENGTH for c in CHUNKERS),
        *(
            (f"fixed-256 late against {c} {arm}", (e, "fixed-256", late), (e, c, ordering))
            for e in STRENGTH
            for c in CHUNKERS[1:]
            for arm, ordering in (("plain", plain), ("late", late))
        ),
        *(
            ("weaker late against stronger plain", (weak, c, late), (strong, c, plain))
            for weak, strong in pairs_of(STRENGTH, 2)
            for c in CHUNKERS
        ),
    ]
    values = _cells(published)
    rows = []
    for question, first, second in asked:
        difference = values[first] - values[second]
        thousandths_apart = (1000 * difference).round().astype(int)
        rows.append(
            {"question": question}
            | {f"first {key}": one for key, one in zip(ARM, first, strict=True)}
            | {f"second {key}": one for key, one in zip(ARM, second, strict=True)}
            | {
                "cells": len(difference),
                "above": int((thousandths_apart > 0).sum()),
                "equal": int((thousandths_apart == 0).sum()),
                "below": int((thousandths_apart < 0).sum()),
                "smallest": float(difference.min()),
                "mean": float(difference.mean()),
                "largest": float(difference.max()),
                "above in": ", ".join(difference.index[thousandths_apart > 0]),
            }
        )
    return pd.DataFrame(rows)


def prints(post: pd.DataFrame, others: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Scores of the post's table that stand elsewhere too: a row a score, with both, whether they
    are the same to the post's last digit, and where they are not, of which model they are.

    Args:
        post: its cells.
        others: by name, cells of other tables.
    """
    keys, here = [*ARM, "collection"], _fractions(post)
    found = []
    for name, cells in others.items():
        both = here.merge(_fractions(cells), on=keys, suffixes=(" post", ""))
        difference = (both["value"] - both["value post"]).round(6)
        found.append(both.assign(printed=name, difference=difference))
    table = pd.concat(found, ignore_index=True)
    same = table["difference"].abs() <= ROUNDING
    table["same"] = same.map({True: "yes", False: "no"})
    models = table[~same].reset_index().merge(here, on=keys[1:], suffixes=("", " of"))
    models = models[(models["value"] - models["value of"]).abs() <= ROUNDING].set_index("index")
    table["other model"] = models["encoder of"].groupby("index").first().reindex(table.index)
    columns = {"printed": "also published in", "value post": "second post", "value": "there"}
    last = ["difference", "same", "other model"]
    return table.rename(columns=columns)[[*keys, *columns.values(), *last]]


def agreement(found: pd.DataFrame) -> pd.DataFrame:
    """``prints``, counted by place and model: scores, those that are the same, those that are
    another model's, and the largest difference."""
    counted = found.assign(
        same=found["same"] == "yes",
        other=found["other model"].notna(),
        apart=found["difference"].abs(),
    ).groupby(["also published in", "encoder"], sort=False)
    table = counted.agg(
        **{
            "scores": ("same", "size"),
            "the same": ("same", "sum"),
            "another model's": ("other", "sum"),
            "largest difference": ("apart", "max"),
        }
    )
    return table.reset_index()


def _fractions(cells: pd.DataFrame) -> pd.DataFrame:
    scores = cells[cells["measure"] == "nDCG@10"]
    percent = scores["unit"] == "percent"
    return scores.assign(value=scores["value"].where(~percent, scores["value"] / 100))[
        [*ARM, "collection", "value"]
    ]


def _cells(published: pd.DataFrame) -> dict[tuple[str, str, str], pd.Series]:
    """The cells by encoder, chunker and ordering, each a series over collections."""
    keyed = _fractions(published).set_index(ARM).sort_index()
    return {
        key: keyed.loc[[key]].set_index("collection")["value"]
        for chunker in CHUNKERS
        for encoder in STRENGTH
        for key in ((encoder, chunker, PRE_EMBEDDING), (encoder, chunker, CONTEXTUALIZED))
    }
