"""For each task, collection and model, how far each arm trails the best, and at what cost.

An arm trails only where its paired difference from the best survives Holm's correction within the
task, collections and model. The best is chosen by the same scores, so that trailing is shown a
little too easily. On COVID-QA intervals and tests are over papers, each with all its questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import (
    SIGNIFICANT,
    Pair,
    at,
    differences,
    documents_of,
)
from chunkstudy.runs.conditions import PRE_EMBEDDING
from chunkstudy.runs.library import Library
from chunkstudy.studies.which_chunker import arms
from chunkstudy.studies.which_chunker.arms import EXCERPTS, IN_CORPUS, MEASURES, Method, Question

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
CREDITED = {"proposition-released": "the paragraph that it was made from"}
"""What counts as found with a chunk, where that is more than the chunk."""
ITSELF = "its own text"
TESTED: dict[str, object] = {
    "p_holm": np.nan, "family": None, "family_size": 0, "interval": "", "margin": np.nan,
    "p_equivalent_holm": np.nan, "shown": "",
}  # fmt: skip
"""What a comparison with the best adds, and what stands there for the best itself."""
METHOD = ("chunker", "ordering", "window")
FEWEST_ARMS = 3
"""Of fewer, none can be called the best."""


@dataclass(frozen=True)
class Known:
    """What is known beside the records.

    Attributes:
        published: the taxonomy's cells.
        cost: what each chunker costs on Chroma's data (:mod:`.chunker_costs`).
        sizes: documents and WordPiece tokens of the collections; without them what late chunking
            reads is missing.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA.
    """

    published: pd.DataFrame
    cost: pd.DataFrame
    sizes: pd.DataFrame = field(default_factory=pd.DataFrame)
    papers: pd.DataFrame = field(default_factory=pd.DataFrame)


def ranking(library: Library, known: Known, encoders: Collection[str] = ()) -> pd.DataFrame:
    """A row per task, collections, model, chunker, ordering and window, a model's best first.

    Args:
        known: what else is known.
        encoders: ids of models, of those with records; all if none is named.
    """
    tables = [
        _ranked(question, model, library, known)
        for question in arms.QUESTIONS
        for model in arms.every_model(question, library)
        if not encoders or model in encoders
    ]
    tables = [one for one in tables if len(one) >= FEWEST_ARMS]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _ranked(
    question: Question,
    model: str,
    library: Library,
    known: Known,
) -> pd.DataFrame:
    task, _ = question
    records = arms.records(question, model, library)
    measure = MEASURES[task]
    scores = {
        method: pd.concat({name: one.wide[measure] for name, one in found.items()})
        for method, found in records.items()
    }
    means = {method: found.groupby(level=0).mean().mean() for method, found in scores.items()}
    ranked = sorted(means, key=lambda method: (-means[method], method))
    if not ranked:
        return pd.DataFrame()
    best = scores[ranked[0]]
    pairs = [
        Pair(dict(zip(METHOD, method, strict=True)), scores[method], best) for method in ranked[1:]
    ]
    names = ", ".join(next(iter(records.values())))
    if names == covid_qa.WITHIN and len(known.papers):
        papers = documents_of(known.papers)
        pairs = [
            Pair(one.keys, one.first.droplevel(0), one.second.droplevel(0), papers) for one in pairs
        ]
    compared = differences(pairs, f"behind the best, {task}, {names}, {model}", "score", "best")
    intervals = _intervals((scores[method] for method in ranked), names, known.papers)
    rows = []
    for place, (method, (low, high)) in enumerate(zip(ranked, intervals, strict=True)):
        found = dict(compared.iloc[place - 1]) if place else {}
        behind = "yes" if found.get("p_holm", 1.0) < SIGNIFICANT else "no"
        rows.append(
            {
                "task": task,
                "encoder": model,
                **dict(zip(METHOD, method, strict=True)),
                "measure": measure,
                "collections": names,
                "n": len(best),
                "score": means[method],
                "low": low,
                "high": high,
                "difference": found.get("difference", 0.0),
                "difference low": found.get("low", 0.0),
                "difference high": found.get("high", 0.0),
                **arms.of_chunks(task, method, list(records[method].values()), known.cost),
                arms.ENCODED: arms.encoded(method, records[method], known.sizes),
                arms.OPERATIONS: models.spec(model).flops_per_token(0) / 1e6,
                "credited": CREDITED.get(method[0], ITSELF),
                **_published_rank(task, method, known.published),
                **{name: found.get(name, missing) for name, missing in TESTED.items()},
                "behind": behind if place else "",
            }
        )
    return pd.DataFrame(rows)


def _intervals(
    scores: Iterable[pd.Series], names: str, papers: pd.DataFrame
) -> list[statistics.Interval]:
    """The 95% interval of each score, by collection and query; over papers where these are
    known."""
    if names == covid_qa.WITHIN and len(papers):
        of = papers.set_index("query_id")["part"]
        by_query = (one.droplevel(0) for one in scores)
        clustered = clustered_means((one, of.loc[one.index]) for one in by_query)
        return [one.interval for one in clustered]
    groups = [[part for _, part in one.groupby(level=0, sort=False)] for one in scores]
    return [one.interval for one in statistics.over_collections(groups)]


def _published_rank(task: str, method: Method, published: pd.DataFrame) -> dict[str, float]:
    """The taxonomy's best and worst rank of this method among its six, over its four models."""
    names = ("best published rank", "worst published rank")
    if task == EXCERPTS or method[0] not in IN_THE_TAXONOMY:
        return dict.fromkeys(names, np.nan)
    table = "3" if method[1] == PRE_EMBEDDING else "5"
    column = "average" if task == IN_CORPUS else "gutenqa"
    cells = at(published, work="taxonomy", table=table, collection=column)
    cells = cells[cells["chunker"] != "average"]
    ranks = cells.groupby("encoder")["value"].rank(ascending=False)
    own = ranks[cells["chunker"] == IN_THE_TAXONOMY[method[0]]].astype(int)
    return dict(zip(names, (own.min(), own.max()), strict=True))
