"""Chroma's tables of token overlap: what their columns are computed from, in which units they
count, what is counted of them beside the published ones, and what is printed twice."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.core.project import Project
from chunkstudy.core.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.notebook.runs import MIN, Cut, Runs
from chunkstudy.pipeline.conditions import LARGE, MINILM, NONE, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.records import Run
from chunkstudy.published.sources import TOKEN_WINDOWS

SPECIAL = 2
"""[CLS] and [SEP], which the report's table of all-MiniLM-L6-v2 counts in every chunk."""
RETRIEVAL = ("SpanRecall", "SpanPrecision", "SpanIoU")
"""What depends on what was found; a size and the best possible precision do not."""
PUBLISHED_COUNTS = {  # tokens and queries of each corpus
    "chatlogs": (7_727, 56),
    "finance": (166_177, 97),
    "pubmed": (117_211, 99),
    "state_of_the_union": (10_444, 76),
    "wikitexts": (26_649, 144),
}
REPEATED = "excerpts_that_stand_more_than_once"
CAPTION_QUERIES = 474
"""What the last caption of the report's appendix says; its table of corpora says 472."""
CUTS: tuple[Cut, ...] = (5, 10, MIN)
WITHOUT_A_MODEL = tuple(
    f"{name}-{size}"
    for size in ("800-400", "400-200", "400-0", "200-0")
    for name in ("recursive", "token")
)
"""Rows of the main table whose chunks need no model."""
EXACT, INSIDE, DEVIATES = "exact", "within_stack", "deviates"
COLLECTION = "chroma"
SIZES = ("250-125", "250-0", "200-0")
"""Of the rows of the table of all-MiniLM-L6-v2."""
LENGTHS = ("cl100k", "wordpiece", "wordpiece-special")
MEASURES = ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5", "SpanRecall@Min")
OMEGA = "PrecisionOmega"
"""Needs no ranking, so that chunks which no model draws are compared once."""
MINILM_ROWS = (
    *(f"{family}-{size}" for size in SIZES for family in ("recursive", "token")),
    "cluster-250",
    "cluster-200",
)
"""The rows of the report's table with all-MiniLM-L6-v2."""
CHUNKERS = (*MINILM_ROWS, "kamradt", "kamradt-modified-300")
"""Those of the table of all-MiniLM-L6-v2 at the sizes that it states, and Kamradt's two."""


def sizes(runs: Mapping[str, Run]) -> pd.DataFrame:
    """How many chunks there are and their mean size, as the report counts it: in tokens of
    text-embedding-3-large, but in its table of all-MiniLM-L6-v2 in tokens of that model.

    Args:
        runs: by the path of the record.

    Returns:
        ``run, chunker, part, measure, statistic, value``.
    """
    rows = []
    for path, run in runs.items():
        key = {"run": path, "chunker": path.split("/")[1], "part": "all", "statistic": "mean"}
        rows.append({**key, "measure": "chunks", "value": float(run.counts.chunks)})
        unit, special = ("cl100k", 0) if run.encoder == NONE else ("wordpiece", SPECIAL)
        size = run.sizes[unit].mean + special
        rows.append({**key, "measure": "chunk size", "value": size})
    return pd.DataFrame(rows)


def minilm_table(sizes: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """The table of all-MiniLM-L6-v2 in the report's order of columns: mean size, then mean and
    deviation of recall, precision, best possible precision and overlap."""
    size = sizes[sizes["measure"] == "chunk size"]
    return pd.concat([size, summary], ignore_index=True)


def every_cut(runs: Runs, *others: Cut) -> pd.DataFrame:
    """Mean and deviation of every measure by corpus, at each of the report's cuts: five chunks,
    ten, and as many as hold the excerpts; and at others."""
    cuts = dict.fromkeys((*CUTS, *others))
    summaries = pd.concat([runs.scores(k).summary(parts=True) for k in cuts], ignore_index=True)
    return summaries.drop_duplicates(["run", "part", "measure", "statistic"])


def by_verdict(cells: pd.DataFrame) -> pd.DataFrame:
    """By corpus, how many of the published numbers that were judged are ``exact`` to the last
    printed digit, how many of these depend on what was found, how many others are ``within_stack``,
    what the published search gives when it is run again, and how many deviate, by how many points
    at most; sizes left out.

    Args:
        cells: as ``Study.beside`` gives it.
    """
    cells = cells[cells["measure"] != "chunk size"]
    told = {verdict: cells["verdict"] == verdict for verdict in (EXACT, INSIDE, DEVIATES)}
    counts = {
        "published numbers": cells["verdict"].isin(list(told)),
        EXACT: told[EXACT],
        "of these, of retrieval": told[EXACT] & cells["measure"].str.startswith(RETRIEVAL),
        INSIDE: told[INSIDE],
        DEVIATES: told[DEVIATES],
    }
    by_part = pd.DataFrame(counts).groupby(cells["part"], sort=False).sum()
    off = cells["difference"].abs().where(told[DEVIATES], 0.0)
    by_part["largest difference"] = off.groupby(cells["part"], sort=False).max()
    return by_part.reset_index()


def counts_beside_published(counts: pd.DataFrame) -> pd.DataFrame:
    """Tokens and questions of each corpus and of all together beside the published ones.

    Args:
        counts: a row a corpus, as ``Study.counts`` gives them.
    """
    sums = counts.sum(numeric_only=True).to_frame().T.assign(part="all")
    table = pd.concat([counts, sums], ignore_index=True)
    published = pd.DataFrame.from_dict(PUBLISHED_COUNTS, "index", columns=["tokens", "queries"])
    published.loc["all"] = published.sum()
    table = table.join(published.add_suffix(" published"), on="part")
    units = [name for unit in published for name in (unit, f"{unit} published")]
    chosen = table[["part", *units, "excerpts", REPEATED]]
    return chosen.astype({column: "Int64" for column in chosen if column != "part"})


def agreement(cells: pd.DataFrame) -> pd.DataFrame:
    """By row: how many published numbers of Precision Omega and of retrieval are exact at the
    stated size and at the one found.

    Args:
        cells: windows of the stated sizes and of those found beside the published rows that state
            the former (``Study.beside``), which are known by the latter.
    """
    both = cells[(cells["verdict"] != "") & cells["chunker"].isin(TOKEN_WINDOWS.values())]
    omega, exact = both["measure"] == OMEGA, both["verdict"] == EXACT
    searched = both["stack_low"].notna()
    counts = {
        "of precision omega": omega,
        "exact of these": omega & exact,
        "of retrieval": searched,
        "exact of retrieval": searched & exact,
    }
    own = both["run"].str.split("/").str[1]
    windows = own.isin(TOKEN_WINDOWS).map({True: "as stated", False: "as found"})
    table = both.assign(chunker=own, windows=windows, **counts)
    by_row = table.groupby(["chunker", "windows"], sort=False)[list(counts)]
    return by_row.sum().reset_index()


def lengths(places: Project, published: pd.DataFrame) -> pd.DataFrame:
    """Which length function and unit give the chunk sizes of the table of all-MiniLM-L6-v2, and its
    recall; a row a recursive chunker and length function, recall in fractions.

    Args:
        published: that table, as ``Study.published`` gives it.
    """
    library, protocol = Library(places), AS_PUBLISHED_CHROMA.name
    cells = at(published, statistic="mean").set_index(["chunker", "measure"])["value"]
    rows = []
    for name in (f"recursive-{size}" for size in SIZES):
        for length in LENGTHS:
            slug = name + ("" if length == "cl100k" else f"-{length}")
            free = library[Condition(COLLECTION, slug, NONE, NONE, protocol)]
            scored = library.get(Condition(COLLECTION, slug, MINILM, PRE_EMBEDDING, protocol))
            sizes, recall = free.run.sizes, cells[name, "SpanRecall@5"] / 100
            row: dict[str, object] = {
                "chunker": name,
                "length function": length,
                "chunks": free.run.counts.chunks,
                "published size": cells[name, "chunk size"],
                "size in cl100k": sizes["cl100k"].mean,
                "size in WordPiece": sizes["wordpiece"].mean,
                "size in WordPiece with special tokens": sizes["wordpiece"].mean + SPECIAL,
                "published recall": recall,
            }
            if scored is not None:
                own = statistics.mean(scored.wide["SpanRecall@5"])
                row |= {"reproduced recall": own, "difference": own - recall}
            rows.append(row)
    return pd.DataFrame(rows)


def token_unit(places: Project) -> pd.DataFrame:
    """Scores that count characters minus those that count true cl100k tokens, question by question,
    of every record under the corrected protocol; corrected within a measure and encoder."""
    library, pairs = Library(places), []
    for condition, record in library.items():
        if (condition.collection, condition.protocol) != (COLLECTION, CORRECTED.name):
            continue
        drawn = condition.chunking.needs_encoder
        for measure in MEASURES:
            if measure == OMEGA and condition.encoder != NONE and not drawn:
                continue
            name, at, cut = measure.partition("@")
            in_tokens = f"{name}(unit=token){at}{cut}"
            if measure not in record.wide or in_tokens not in record.wide:
                continue
            keys = {name: getattr(condition, name) for name in ("chunker", "encoder", "ordering")}
            both = record.wide[measure], record.wide[in_tokens]
            pairs.append(Pair(keys | {"measure": measure}, *both))

    family = "characters against tokens, {measure}, {encoder}"
    return differences(pairs, family, "characters", "tokens")


def printed_twice(published: pd.DataFrame) -> pd.DataFrame:
    """The rows of text-embedding-3-large that the main table prints and the appendix again: five
    chunks, all corpora.

    Args:
        published: as ``Study.published`` gives it.

    Returns:
        A row a chunker and measure: both means and their difference, fractions, and the rank of
        the chunker among these rows in each.
    """
    own = at(published, encoder=LARGE, part="all", statistic="mean")
    means = own.set_index(["chunker", "measure", "table"])["value"].unstack("table") / 100
    means = means.reindex(columns=["main", "appendix"]).dropna()
    ranks = means.groupby("measure").rank(ascending=False, method="min").astype(int)
    return means.assign(
        **{"appendix - main": means["appendix"] - means["main"]},
        **{f"rank in {name}": ranks[name] for name in means},
    ).reset_index()
