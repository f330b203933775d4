"""Cells that stand in two places: the taxonomy's tables, its repository's, and Jina's posts."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from chunkstudy.studies.taxonomy.checks import (
    SCORES,
    SMALL,
    Check,
    Tables,
    compare,
    stacked,
    without_numbers,
)

KEYS = ["collection", "chunker", "ordering"]
V3 = "jinaai/jina-embeddings-v3"


def in_the_papers(tables: Tables) -> list[Check]:
    """What Jina's posts and the taxonomy's tables publish twice."""
    beir, later = tables.of("jina", "beir"), tables.of("jina", "combinations")
    first = beir[(beir["chunker"] == "fixed-256") & (beir["collection"] != "quora")]
    small = later[later["encoder"] == SMALL].set_index(KEYS)
    original, again = (
        tables.of("taxonomy", "2", statistic).set_index(KEYS)
        for statistic in ("original", "reproduced")
    )
    grid = pd.concat([tables.of("taxonomy", number) for number in SCORES])
    grid = grid[grid["encoder"] == SMALL].set_index(KEYS)
    return [
        compare("Jina's two posts print the same scores",
                tables.where(("jina", "beir"), ("jina", "combinations")),
                first.set_index(KEYS)["value"], small, 0.05, "percent"),
        compare("Table 2's originals are Jina's printed scores",
                tables.where(("taxonomy", "2"), ("jina", "combinations")),
                small["value"] / 100, original, 0.001),
        compare("Table 2's reproduced scores are those of Jina-v2 in Tables 3 and 5",
                tables.where(("taxonomy", "2"), ("taxonomy", "3"), ("taxonomy", "5")),
                grid.loc[grid.index.isin(again.index), "value"], again, 0.00055),
        _rows_printed_twice(tables),
    ]  # fmt: skip


def in_the_repository(tables: Tables) -> list[Check]:
    """What the taxonomy's repository publishes beside the paper, against the paper and the post."""
    return [*_extended(tables), _rises(tables), *_figure_2(tables)]


def _extended(tables: Tables) -> list[Check]:
    """Table 2 (Extended): Jina-v3 and Nomic."""
    keys = ["encoder", *KEYS]
    post = tables.of("jina", "combinations").set_index(keys)["value"] / 100
    original, again = (
        tables.of("taxonomy", "2, repository", statistic).set_index(keys)
        for statistic in ("original", "reproduced")
    )
    grid = pd.concat([tables.of("taxonomy", number) for number in SCORES]).set_index(keys)
    fiqa = original.query("encoder == @V3 and collection == 'fiqa'")
    six, v3 = fiqa.index, fiqa.droplevel("encoder")
    others = original.index.difference(six)
    sentences = others.get_level_values("chunker") == "sentence-5"
    where = tables.where(("taxonomy", "2, repository"), ("jina", "combinations"))
    return [
        compare("Table 2 (Extended)'s originals of fixed-size and semantic chunks, but FiQA's of "
                "Jina-v3, are Jina's", where, post[others[~sentences]], original, 0.0),
        compare("Table 2 (Extended)'s originals of sentences, but FiQA's of Jina-v3, are Jina's",
                where, post[others[sentences]], original, 0.0),
        compare("Table 2 (Extended)'s six originals of Jina-v3 on FiQA are Jina's of Jina-v3",
                where, post[six], original, 0.0),
        compare("Table 2 (Extended)'s six originals of Jina-v3 on FiQA are Jina's of Jina-v2-small",
                where, post[SMALL][v3.index], v3, 0.0),
        compare("Table 2 (Extended)'s reproduced scores are those of Tables 3 and 5",
                tables.where(("taxonomy", "2, repository"), ("taxonomy", "3"), ("taxonomy", "5")),
                grid.loc[again.index, "value"], again, 0.00055),
    ]  # fmt: skip


def _rises(tables: Tables) -> Check:
    """Where the reproduction falls under contextualized encoding though Jina's post rises."""
    keys = ["encoder", "collection", "chunker"]
    post = tables.of("jina", "combinations").pivot(index=keys, columns="ordering", values="value")
    rising = post.index[post["contextualized"] > post["pre_embedding"]]
    names = [("taxonomy", "2"), ("taxonomy", "2, repository")]
    ours = pd.concat([tables.of(*name, "reproduced") for name in names])
    ours = ours.pivot(index=keys, columns="ordering", values=["value", "place"]).loc[rising]
    falls = ours["value"]["contextualized"] < ours["value"]["pre_embedding"]
    return without_numbers(
        "What rises under contextualized encoding in Jina's post rises in its reproduction",
        tables.where(*names, ("jina", "combinations")), "changes", len(rising),
        list(ours["place"]["contextualized"][falls]),
    )  # fmt: skip


def _figure_2(tables: Tables) -> list[Check]:
    """What the text says of Figure 2, against the image of Jina-v3 in the repository."""
    names = ("taxonomy", "figure 2, text"), ("taxonomy", "figure 2, repository")
    text, image = (tables.of(*name) for name in names)
    image = image[image["encoder"] == V3]
    single = text[text["statistic"] == "r"].set_index(KEYS)
    ends = image.groupby(["collection", "ordering"])["value"].agg(["min", "max"])
    spread = stacked(ends.set_axis(["lowest r", "highest r"], axis=1))
    bounds = text[text["statistic"] != "r"].set_index(["collection", "ordering", "statistic"])
    where = tables.where(*names)
    return [
        compare("The text's r of single methods are those of Figure 2's image of Jina-v3", where,
                image.set_index(KEYS)["value"][single.index], single, 0.0, "correlation"),
        compare("The text's lowest and highest r are those of Figure 2's image of Jina-v3", where,
                spread[bounds.index], bounds, 0.0, "correlation"),
    ]  # fmt: skip


def _rows_printed_twice(tables: Tables) -> Check:
    """Rows of the combination table with other boundaries: how many repeat each other's scores."""
    rows = tables.of("jina", "combinations").pivot(
        index=["encoder", "ordering", "marks"], columns="collection", values="value"
    )
    pairs = [(one, other) for one, other in combinations(rows.index, 2) if one[:2] == other[:2]]
    same = [int((rows.loc[one] == rows.loc[other]).sum()) for one, other in pairs]
    all_but_one = [
        f"{one[2]} and {other[2]}: {alike} of {rows.shape[1]} scores the same"
        for (one, other), alike in zip(pairs, same, strict=True)
        if alike >= rows.shape[1] - 1
    ]
    return without_numbers(
        "No two chunkers of a model and ordering print (nearly) the same row",
        tables.where(("jina", "combinations")), "rows", len(pairs), all_but_one,
    )  # fmt: skip
