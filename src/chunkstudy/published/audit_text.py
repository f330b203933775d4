"""What the taxonomy and Jina say in words about their tables, against the tables.

The figures of a sentence stand here beside their line of the source; everything they are held
against is computed from the printed cells. A figure holds if it is the computed one at the digits
stated; a range holds for the cells that lie in it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from chunkstudy.published.audit_check import (
    AVERAGE,
    DATASETS,
    IN_CORPUS,
    SLACK,
    SMALL,
    STRUCTURE,
    Check,
    Printed,
    named,
    of,
    ranged,
    stacked,
    statement,
)

V3 = "jinaai/jina-embeddings-v3"
NOMIC = "nomic-ai/nomic-embed-text-v1"
E5 = "intfloat/multilingual-e5-large-instruct"
LUMBER, PROPOSITION = "lumberchunker", "proposition"
STRENGTH = (SMALL, NOMIC, V3)
"""Jina's three models in its own order, the weakest first (S4:17-19)."""
QUOTED = {
    "3": {
        (AVERAGE, "paragraph"): {SMALL: 0.4303, V3: 0.4948, E5: 0.4997},
        (AVERAGE, "fixed-256"): {NOMIC: 0.4801, V3: 0.4849},
        (AVERAGE, "sentence-5"): {V3: 0.4723},
        ("trec-covid", LUMBER): {SMALL: 0.6890, NOMIC: 0.7762, E5: 0.6952},
        ("gutenqa", LUMBER): {SMALL: 0.4659, V3: 0.5640, NOMIC: 0.6016, E5: 0.5495},
    },
    "4": {
        (AVERAGE, PROPOSITION): {SMALL: 22.87, V3: 27.11, NOMIC: 15.62, E5: 26.94},
        ("gutenqa", AVERAGE): {NOMIC: -53.17, V3: -29.82, SMALL: -5.16, E5: -3.83},
        ("fiqa", "semantic"): {SMALL: -26.37, V3: -26.73, NOMIC: -25.43, E5: -23.56},
    },
    "5": {
        (AVERAGE, PROPOSITION): {V3: 0.4785},
        (AVERAGE, "paragraph"): {V3: 0.4949},
        (AVERAGE, LUMBER): {V3: 0.4913},
    },
}
"""Cells that the text repeats, by table: S2:200-257, S2:300-349."""


def text_checks(printed: Printed) -> list[Check]:
    """Every check of sentences against tables."""
    return [
        *_quoted(printed),
        *_in_corpus(printed),
        *_in_document(printed),
        *_contextualized(printed),
        *_chunk_size(printed),
        *_jina(printed),
    ]


def _quoted(printed: Printed) -> list[Check]:
    found = []
    for number, quotes in QUOTED.items():
        there = stacked(printed.table(number)).to_dict()
        cells = [
            (value, float(there[encoder, chunker, name]))
            for (name, chunker), by_model in quotes.items()
            for encoder, value in by_model.items()
        ]
        worst = max(abs(said - there) for said, there in cells)
        wrong = [f"{said} for {there}" for said, there in cells if abs(said - there) > SLACK]
        found.append(
            Check(f"Cells of Table {number} that the text quotes",
                  "S2:200-349, " + printed.where(("taxonomy", number)), "as in the table",
                  "; ".join(wrong) or "as in the table", worst,
                  "percent" if number == "4" else "fraction", len(cells), len(wrong))
        )  # fmt: skip
    return found


def _in_corpus(printed: Printed) -> list[Check]:
    scores = printed.methods("3")
    average = scores[AVERAGE].unstack("chunker")
    loss = 100 * (1 - of(scores, PROPOSITION) / of(scores, "paragraph"))
    others = average.drop(columns=STRUCTURE)
    behind = average[STRUCTURE].min(axis=1) > others.max(axis=1)
    gap = 100 * (average[STRUCTURE].max(axis=1) / average[STRUCTURE].min(axis=1) - 1)
    lowest = scores[IN_CORPUS].groupby("encoder").transform("min")
    is_lowest = stacked(of(scores[IN_CORPUS].eq(lowest), PROPOSITION))
    ranks = scores.groupby("encoder").rank(ascending=False, method="min")
    lumber = of(ranks, LUMBER)
    over = stacked(of(scores[IN_CORPUS], LUMBER) > _best(scores[IN_CORPUS], STRUCTURE))
    fiqa = scores["fiqa"].unstack("chunker")
    return [
        statement("RQ1, every structure-based method has a higher average than every other, in "
                  "each model", "S2:200", "all models", _fails(behind, "not with"), behind),
        statement("RQ1, paragraphs have the highest average of three models, fixed size of Nomic",
                  "S2:200", "3 and Nomic", named(tuple(average.idxmax(axis=1))),
                  average.idxmax(axis=1) == np.where(average.index == NOMIC, "fixed-256",
                                                     "paragraph")),
        ranged("RQ1, the gap among structure-based averages is typically within 1-3%", "S2:200",
               0, 3, gap, 0, "percent"),
        statement("RQ1, propositions are the worst method on every in-corpus collection",
                  "S2:202", "all", _fails(is_lowest, "not on"), is_lowest),
        ranged("RQ1, averages of propositions", "S2:204", 0.3484, 0.3937, average[PROPOSITION], 4,
               "fraction"),
        ranged("RQ1, propositions lose against paragraphs on average", "S2:204", 15, 27,
               loss[AVERAGE], 0, "percent"),
        ranged("RQ1, propositions on ArguAna", "S2:204", 0.29, 0.36,
               of(scores, PROPOSITION)["arguana"], 2, "fraction"),
        ranged("RQ1, propositions lose against paragraphs on ArguAna", "S2:204", 35, 50,
               loss["arguana"], 0, "percent"),
        ranged("RQ1, propositions on FiQA", "S2:204", 0.21, 0.28,
               of(scores, PROPOSITION)["fiqa"], 2, "fraction"),
        ranged("RQ1, propositions lose against paragraphs on FiQA", "S2:204", 30, 40,
               loss["fiqa"], 0, "percent"),
        ranged("RQ1, LumberChunker ranks in the bottom half on ArguAna and FiQA", "S2:243", 4, 6,
               stacked(lumber[["arguana", "fiqa"]]), 0, "rank"),
        statement("RQ1, LumberChunker nowhere exceeds the best structure-based method", "S2:243",
                  "nowhere", _fails(~over, "it does on"), ~over),
        ranged("RQ2, LumberChunker's in-corpus rank by average", "S2:253", 2, 4, lumber[AVERAGE],
               0, "rank"),
        statement("RQ3, semantic chunks are below every structure-based method on FiQA before "
                  "contextualizing", "S2:349", "all models",
                  _fails(fiqa["semantic"] < fiqa[STRUCTURE].min(axis=1), "not with"),
                  fiqa["semantic"] < fiqa[STRUCTURE].min(axis=1)),
    ]  # fmt: skip


def _in_document(printed: Printed) -> list[Check]:
    scores = printed.methods("3")["gutenqa"]
    table = scores.unstack("chunker")
    ranks = table.rank(axis=1, ascending=False, method="min")
    gain = 100 * (table[LUMBER] / table["paragraph"] - 1)
    return [
        ranged("RQ2, LumberChunker is the best method on GutenQA", "S2:253", 1, 1, ranks[LUMBER],
               0, "rank"),
        ranged("RQ2, LumberChunker gains over paragraphs on GutenQA", "S2:253", 10, 30, gain, 0,
               "percent"),
        ranged("RQ2, paragraphs' rank on GutenQA", "S2:253", 2, 3, ranks["paragraph"], 0, "rank"),
        ranged("RQ2, propositions' rank on GutenQA", "S2:259", 2, 4, ranks[PROPOSITION], 0,
               "rank"),
    ]  # fmt: skip


def _contextualized(printed: Printed) -> list[Check]:
    scores, gains = printed.methods("5"), printed.methods("4")
    lost = gains["gutenqa"] < 0
    average = scores[AVERAGE].unstack("chunker")
    below = stacked(average[[*STRUCTURE, LUMBER]].gt(average[PROPOSITION], axis=0))
    again = printed.of("taxonomy", "2", "reproduced")
    arms = again.pivot(index=["collection", "chunker"], columns="ordering", values="value")
    better = arms["contextualized"] > arms["pre_embedding"]
    excepted = [("fiqa", "semantic"), ("trec-covid", "semantic")]
    rest = better.drop(excepted)
    stars = printed.methods("4", "marks")[DATASETS] == "*"
    zero = gains[DATASETS].abs() <= SLACK
    return [
        statement("Table 2, contextualized is above plain chunking except for semantic chunks on "
                  "FiQA and TREC-COVID", "S2:169", "all others", _fails(rest, "not on"), rest),
        ranged("RQ3, LumberChunker's average gain", "S2:304", 2.42, 4.80,
               of(gains, LUMBER)[AVERAGE], 2, "percent"),
        statement("RQ3, propositions gain most on average in each model", "S2:304", "all models",
                  "", gains[AVERAGE].unstack("chunker").idxmax(axis=1).eq(PROPOSITION)),
        statement("RQ3, propositions stay below each structure-based method and LumberChunker",
                  "S2:341", "most", _fails(below, "not below"), below),
        statement("RQ3, contextualized chunking loses on GutenQA in all configurations",
                  "S2:343-345", "all", _fails(lost, "gains with"), lost),
        statement("Table 4, no change of nothing bears a star", printed.where(("taxonomy", "4")),
                  "none", "", ~stacked(stars & zero)[stacked(zero)]),
    ]  # fmt: skip


def _chunk_size(printed: Printed) -> list[Check]:
    text = printed.of("taxonomy", "figure 2, text")
    images = printed.of("taxonomy", "figure 2, repository")
    images = images[images["encoder"] == V3].set_index(["collection", "ordering", "chunker"])
    read = images["value"].sort_index()
    same = text[text["statistic"] == "r"].set_index(["collection", "ordering", "chunker"])["value"]
    same = same[same.index.isin(read.index)]
    beir = read.loc["beir", "pre_embedding"]
    late = read.loc["gutenqa", "contextualized"]
    before = text["ordering"] == "pre_embedding"
    lowest, highest = (
        float(text.loc[(text["statistic"] == f"{end} r") & before, "value"].iloc[0])
        for end in ("lowest", "highest")
    )
    return [
        statement("RQ4, correlations in the text are those of the repository's figure",
                  "S2:366-370", "the same", "the same", (read[same.index] - same).abs() <= SLACK),
        ranged("RQ4, in-corpus correlations of Jina-v3 against those of the repository's figure",
               "S2:366", lowest, highest, beir, 2, "correlation"),
        statement("RQ4, in-document correlations stay positive under contextualized chunking",
                  "S2:370", "all", _fails(late > 0, "not with"), late > 0),
    ]  # fmt: skip


def _jina(printed: Printed) -> list[Check]:
    beir = printed.of("jina", "beir")
    beir = beir[(beir["measure"] == "nDCG@10") & (beir["chunker"] == "fixed-256")]
    arms = beir.pivot(index="collection", columns="ordering", values="value")
    improved = arms["contextualized"] > arms["pre_embedding"]
    cells = printed.of("jina", "combinations")
    table = cells.pivot(
        index=["encoder", "chunker", "collection"], columns="ordering", values="value"
    )
    gained = table["contextualized"] > table["pre_embedding"]
    fixed = of(table, "fixed-256")["contextualized"]
    semantic = of(table, "semantic")["pre_embedding"]
    above = fixed > semantic.reindex(fixed.index)
    late, plain = table["contextualized"].to_dict(), table["pre_embedding"].to_dict()
    never = pd.Series(
        {
            (weak, strong, chunker, name): late[weak, chunker, name] <= plain[strong, chunker, name]
            for weak, strong in combinations(STRENGTH, 2)
            for chunker, name in sorted(
                set(zip(cells["chunker"], cells["collection"], strict=True))
            )
        }
    )
    return [
        statement("Late chunking improves every collection", "S1:266", "all",
                  _fails(improved, "not"), improved),
        statement("Every model gains from late chunking on every collection, with any boundaries",
                  "S4:13, S4:21-38", "all", _fails(gained, "not with"), gained),
        statement("Late chunking with fixed boundaries is above plain chunking with semantic ones",
                  "S4:13, S4:21-38", "all", _fails(above, "not with"), above),
        statement("No weaker model with late chunking is above a stronger one without, the "
                  "boundaries being the same", "S4:13, S4:21-38", "never",
                  _fails(never, "it is with"), never),
    ]  # fmt: skip


def _best(table: pd.DataFrame, chunkers: list[str]) -> pd.DataFrame:
    """The best of some methods, by encoder."""
    return table[table.index.get_level_values("chunker").isin(chunkers)].groupby("encoder").max()


def _fails(right: pd.Series, words: str) -> str:
    """The cells that do not bear a sentence out; nothing where all do."""
    wrong = [named(key) for key in right.index[~right.to_numpy(dtype=bool)]]
    return f"{words} {'; '.join(wrong)}" if wrong else ""
