"""Kamradt's chunker, cluster and the LLM chunker in Chroma's main table (S0:31-35, S0:385-387)."""

from __future__ import annotations

import math

from chunkstudy.claims.chroma_rows import (
    MEASURES,
    MINILM_ROWS,
    RECALL,
    SHORT,
    main_table,
    minilm_condition,
    queries,
    ranks,
)
from chunkstudy.claims.evidence import (
    Evidence,
    highest,
    listed,
    paired,
    rank,
    reproduced,
    shown,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
)


def cluster_400_is_second(evidence: Evidence) -> Finding:
    """The rank of cluster 400 by recall, and its value."""
    recall = main_table(evidence)[RECALL]
    place = rank(recall, "cluster-400")
    return decide(place == 2, f"recall {recall['cluster-400']:.1f}, rank {place} of {len(recall)}")


def cluster_200_is_efficient(evidence: Evidence) -> Readings:
    """Cluster 200: average recall, the highest of all else."""
    table = main_table(evidence)
    row = "cluster-200"
    recall, mean = table[RECALL][row], table[RECALL].mean()
    std = evidence.value("chroma", "main", chunker=row, measure=RECALL, statistic="std")
    error = std / math.sqrt(queries(evidence))
    cases = {SHORT[m]: highest(table[m]) == row for m in MEASURES[1:]}
    figures = (
        f"recall {recall:.1f} (rank {rank(table[RECALL], row)} of {len(table)}), mean {mean:.2f}, "
        f"standard error {error:.2f}"
    )
    return (
        strict(
            "recall not below the mean, the others highest",
            counted({"recall": recall >= mean, **cases}, figures),
        ),
        charitable(
            "recall within one standard error of the mean, the others highest",
            counted({"recall": abs(recall - mean) <= error, **cases}, figures),
        ),
    )


def llm_has_highest_recall(evidence: Evidence) -> Finding:
    """Which row has the highest recall?"""
    recall = main_table(evidence)[RECALL]
    order = recall.sort_values(ascending=False)
    return decide(
        highest(recall) == "llm",
        f"{order.index[0]} {order.iloc[0]:.1f}, next {order.index[1]} {order.iloc[1]:.1f}",
    )


def llm_is_average_elsewhere(evidence: Evidence) -> Readings:
    """The LLM chunker's precision, precision Ω and IoU against the mean of all rows."""
    table = main_table(evidence)
    ratio = (100 * (table.T["llm"] / table.mean() - 1)).drop(RECALL)
    n = len(table)
    places = {SHORT[m]: rank(table[m], "llm") for m in MEASURES[1:]}
    figures = f"above the mean by {listed(ratio.rename(SHORT), '{:.0f}%')}"
    return (
        strict(
            "within a tenth of the mean",
            counted({SHORT[str(m)]: abs(v) <= 10 for m, v in ratio.items()}, figures),
        ),
        charitable(
            "in the middle half of the rows",
            counted(
                {m: n / 4 < place <= 3 * n / 4 + 1 for m, place in places.items()},
                ranks(table, "llm"),
            ),
        ),
    )


def kamradt_is_slightly_below_average(evidence: Evidence) -> Readings:
    """Kamradt's default against the mean of all rows."""
    table = main_table(evidence)
    ratio = (100 * (table.T["kamradt"] / table.mean() - 1)).rename(SHORT)
    figures = f"against the mean: {listed(ratio, '{:+.0f}%')}; " + ranks(table, "kamradt")
    return (
        strict(
            "below the mean by no more than a tenth, on every measure",
            counted({str(m): -10 <= v < 0 for m, v in ratio.items()}, figures),
        ),
        charitable(
            "below the mean on every measure",
            counted({str(m): v < 0 for m, v in ratio.items()}, figures),
        ),
    )


def modification_boosts_kamradt(evidence: Evidence) -> Readings:
    """Kamradt modified against Kamradt, printed cells."""
    table = main_table(evidence)
    before, after = table.T["kamradt"], table.T["kamradt-modified-300"]
    ratio = (100 * (after / before - 1)).rename(SHORT)
    figures = f"change: {listed(ratio, '{:+.0f}%')}"
    others = ratio.drop(SHORT[RECALL])
    return (
        strict(
            "the other measures rise by about as much, within a factor of 2",
            counted(
                {str(m): 0.5 <= v / ratio[SHORT[RECALL]] <= 2 for m, v in others.items()},
                figures,
            ),
        ),
        charitable(
            "every measure rises", counted({str(m): v > 0 for m, v in ratio.items()}, figures)
        ),
    )


def kamradt_recall_rises_as_chunks_shrink(evidence: Evidence) -> Finding:
    """Recall and mean chunk length of both Kamradt rows, as printed."""
    recall = main_table(evidence)[RECALL]
    size = evidence.printed("chroma", "main", measure="chunk size").set_index("chunker")["value"]
    before, after = "kamradt", "kamradt-modified-300"
    witness = _minilm_kamradt(evidence)
    return decide(
        recall[after] > recall[before] and size[after] < size[before],
        f"recall {recall[before]:.1f} to {recall[after]:.1f}, tokens {size[before]:.0f} to "
        f"{size[after]:.0f}",
    ).witnessed(witness)


def size_of_modified_kamradt(evidence: Evidence) -> Finding:
    """Does a limit of 300 give chunks of 397 tokens on average?"""
    cells = evidence.compared(
        "chroma", "main", chunker="kamradt-modified-300", measure="chunk size"
    )
    sizes = _sizes(evidence, "kamradt-modified-300")
    return reproduced(cells).witnessed(f"mean {sizes[0]:.1f} tokens" if sizes else "")


def limit_bounds_the_largest_chunk(evidence: Evidence) -> Finding:
    """Is the largest chunk of Kamradt modified shorter than the length asked for?

    An algorithm's promise: any embedding model's chunks can break it, and a mean above the limit
    breaks it too.
    """
    printed = evidence.value("chroma", "main", chunker="kamradt-modified-300", measure="chunk size")
    cases = {"printed mean size": printed < 300}
    figures = f"limit 300; printed mean {printed:.0f}"
    if sizes := _sizes(evidence, "kamradt-modified-300"):
        cases["largest chunk with all-MiniLM-L6-v2"] = sizes[1] < 300
        figures += f"; with all-MiniLM-L6-v2 mean {sizes[0]:.0f}, largest {sizes[1]:.0f}"
    return counted(cases, figures)


def cluster_is_consistently_strong(evidence: Evidence) -> Readings:
    """Cluster's ranks in the main table, and in each corpus with all-MiniLM-L6-v2."""
    table = main_table(evidence)
    rows = ("cluster-400", "cluster-200")
    third = len(table) / 3
    cases = {f"{row} {SHORT[m]}": rank(table[m], row) <= third for row in rows for m in MEASURES}
    above = (table.loc[list(rows)] > table.mean()).all(axis=1)
    witness = _corpus_ranks(evidence)
    return (
        strict(
            "both sizes in the upper third of every measure",
            counted(cases, ranks(table, *rows)).witnessed(witness),
        ),
        charitable(
            "one size above the mean on all four measures",
            decide(bool(above.any()), f"{above.sum()} of {len(rows)} sizes: {ranks(table, *rows)}"),
        ),
    )


def own_chunkers_are_competitive(evidence: Evidence) -> Readings:
    """Cluster's and the LLM chunker's rows against the best row of the older chunkers."""
    table = main_table(evidence)
    new = table.loc[["cluster-400", "cluster-200", "llm"]]
    old = table[table.index.str.startswith(("recursive", "token", "kamradt"))]
    old = old.drop("kamradt-modified-300")
    best = old.max()
    families = {"cluster": ["cluster-400", "cluster-200"], "llm": ["llm"]}
    return (
        strict(
            "both beat every older row on every measure",
            counted(
                {
                    f"{name} {SHORT[m]}": bool((new.loc[rows, m] > best[m]).any())
                    for name, rows in families.items()
                    for m in MEASURES
                },
                f"best older row: {listed(best.rename(SHORT), '{:.1f}')}",
            ),
        ),
        charitable(
            "each beats every older row on some measure",
            counted(
                {
                    "cluster": bool((new.iloc[:2] > best).any(axis=None)),
                    "llm": bool((new.T["llm"] > best).any()),
                },
                f"recall: {listed(new[RECALL], '{:.1f}')}, best older {best[RECALL]:.1f}",
            ),
        ),
    )


def _sizes(evidence: Evidence, chunker: str) -> tuple[float, float] | None:
    """Mean and largest chunk in cl100k tokens with all-MiniLM-L6-v2."""
    record = evidence.library.get(minilm_condition(chunker))
    if record is None:
        return None
    sizes = record.run.sizes["cl100k"]
    return sizes.mean, sizes.percentiles[-1]


def _minilm_kamradt(evidence: Evidence) -> str:
    before, after = (
        evidence.per_query(minilm_condition(name), RECALL)
        for name in ("kamradt", "kamradt-modified-300")
    )
    if before is None or after is None:
        return ""
    return f"recall of modified minus default {shown(paired(after, before))}"


def _corpus_ranks(evidence: Evidence) -> str:
    scores = evidence.tables["chroma_scores"]
    if scores.empty:
        return ""
    scores = scores[(scores["protocol"] == "as_published-chroma") & (scores["measure"] == RECALL)]
    names = [minilm_condition(row).chunker for row in MINILM_ROWS]
    scores = scores[scores["chunker"].isin(names) & (scores["encoder"] != "none")]
    wide = scores.assign(mean=scores["mean"].astype(float)).pivot(
        index="chunker", columns="part", values="mean"
    )
    if "cluster-250" not in wide.index:
        return ""
    places = ", ".join(
        f"{part} {rank(wide[part], 'cluster-250')}" for part in wide.columns if part != "all"
    )
    return f"rank by recall of cluster-250 among {len(wide)} rows per corpus: {places}"
