"""Chroma's tables of token overlap: what their columns are computed from, and what is counted of
them beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published.sources import TOKEN_WINDOWS
from chunkstudy.runs import chunker_costs
from chunkstudy.runs.conditions import NONE
from chunkstudy.runs.library import Library
from chunkstudy.runs.published_grid import MAIN_SIZES
from chunkstudy.runs.records import Run
from chunkstudy.show.runs import MIN, Cut, Runs
from chunkstudy.show.scores import Scores

SPECIAL = 2
"""[CLS] and [SEP], which the report's table of all-MiniLM-L6-v2 counts in every chunk."""
WORDPIECE, CL100K = "wordpiece", "cl100k"
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
WITHOUT_A_MODEL = tuple(f"{name}-{size}" for size in MAIN_SIZES for name in ("recursive", "token"))
"""Rows of the main table whose chunks need no model."""
EXACT, INSIDE, DEVIATES = "exact", "within_stack", "deviates"


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
        unit, special = (CL100K, 0) if run.encoder == NONE else (WORDPIECE, SPECIAL)
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
    found = pd.concat([runs.scores(k).summary(parts=True) for k in cuts], ignore_index=True)
    return found.drop_duplicates(["run", "part", "measure", "statistic"])


def costs(places: Places) -> pd.DataFrame:
    """What each chunker costs on these corpora (:mod:`chunkstudy.runs.chunker_costs`)."""
    return chunker_costs.table(Library(places))


def by_corpus(scores: Scores) -> pd.DataFrame:
    """Each chunker's mean of the measure that decides, over all questions and by corpus, with its
    interval, fractions; and what it was found with."""
    table = scores.summary(parts=True)
    table = table[(table["measure"] == scores.measures[0]) & (table["statistic"] == "mean")]
    made_by = table.pop("run").str.split("/", expand=True)
    asked = scores.frame.groupby("part")["query_id"].nunique()
    table[["encoder", "ordering", "protocol"]] = made_by[[2, 3, 4]]
    table["n"] = table["part"].map({**asked, "all": asked.sum()})
    return table.drop(columns="statistic").rename(columns={"value": "mean"})


def by_verdict(found: pd.DataFrame) -> pd.DataFrame:
    """By corpus, how many of the published numbers that were judged are ``exact`` to the last
    printed digit, how many of these depend on what was found, how many others are ``within_stack``,
    what the published search gives when it is run again, and how many deviate, by how many points
    at most; sizes left out.

    Args:
        found: as ``Study.beside`` gives it.
    """
    found = found[found["measure"] != "chunk size"]
    told = {one: found["verdict"] == one for one in (EXACT, INSIDE, DEVIATES)}
    judged = found.assign(
        **told,
        judged=found["verdict"].isin(list(told)),
        scores=told[EXACT] & found["measure"].str.startswith(RETRIEVAL),
        off=found["difference"].abs().where(told[DEVIATES], 0.0),
    )
    return (
        judged.groupby("part", sort=False)
        .agg(
            **{
                "published numbers": ("judged", "sum"),
                EXACT: (EXACT, "sum"),
                "of these, of retrieval": ("scores", "sum"),
                INSIDE: (INSIDE, "sum"),
                DEVIATES: (DEVIATES, "sum"),
                "largest difference": ("off", "max"),
            }
        )
        .reset_index()
    )


def counts_beside_published(counts: pd.DataFrame) -> pd.DataFrame:
    """Tokens and questions of each corpus and of all together beside the published ones.

    Args:
        counts: a row a corpus, as ``Study.collection(...).counts()`` gives them.
    """
    sums = counts.sum(numeric_only=True).to_frame().T.assign(part="all")
    table = pd.concat([counts, sums], ignore_index=True)
    published = pd.DataFrame.from_dict(PUBLISHED_COUNTS, "index", columns=["tokens", "queries"])
    published.loc["all"] = published.sum()
    beside = table[["part", "tokens", "queries"]].merge(
        published, "left", left_on="part", right_index=True, suffixes=("", " published")
    )
    columns = ["tokens published", "queries published"]
    table[columns] = beside[columns].to_numpy()
    found = table[["part", "tokens", columns[0], "queries", columns[1], "excerpts", REPEATED]]
    return found.astype({one: "Int64" for one in found if one != "part"})


OMEGA = "PrecisionOmega"


def as_rows(summary: pd.DataFrame) -> pd.DataFrame:
    """Windows of the stated sizes, to be set beside the published rows that state them: these are
    known by the windows that give their numbers."""
    stated = summary[summary["chunker"].isin(TOKEN_WINDOWS)]
    return stated.assign(chunker=stated["chunker"].map(TOKEN_WINDOWS))


def agreement(stated: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """By row: how many published numbers of Precision Omega and of retrieval are exact at the
    stated size and at the one found.

    Args:
        stated: windows of the stated sizes beside the published rows (``Study.beside``).
        found: those of the sizes found.
    """
    both = pd.concat([stated.assign(windows="as stated"), found.assign(windows="as found")])
    both = both[(both["verdict"] != "") & both["chunker"].isin(TOKEN_WINDOWS.values())]
    omega, exact = both["measure"] == OMEGA, both["verdict"] == EXACT
    searched = both["stack_low"].notna()
    counts = {
        "of precision omega": omega,
        "exact of these": omega & exact,
        "of retrieval": searched,
        "exact of retrieval": searched & exact,
    }
    own = both["run"].str.split("/").str[1]
    table = both.assign(chunker=own, **counts).groupby(["chunker", "windows"], sort=False)
    return table[list(counts)].sum().reset_index()
