"""Which chunker to use: for each task and model, how far each lies behind the best, at what cost.

Under the corrected protocol, each model at the window with the most records; within documents, late
chunking at every window beside that; with it, where the papers' own models rank a method. A method
is said to be behind only where its paired difference from the best survives Holm's correction
within the task, collections and model. The best is chosen by the same scores, so being behind is
shown a little too easily. On COVID-QA intervals and tests are over papers, each with all its
questions.

A passage of one document is looked for in three collections that are not averaged: papers, Chroma's
corpora, and one novel, whose questions are too few to advise from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis import windows
from chunkstudy.analysis.paired import EQUIVALENT, SIGNIFICANT, Pair, differences, documents_of
from chunkstudy.chunkers import catalogue
from chunkstudy.chunkers.table import CHUNKERS
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.encoding import SPECIAL, parse_ordering
from chunkstudy.grid.grids import BEIR_AT_HAND, OWN, PRE
from chunkstudy.grid.library import Library, Record
from chunkstudy.statistics.clusters import clustered_means

EXCERPTS, IN_CORPUS, IN_DOCUMENT = "excerpts", "in-corpus", "in-document"
QUESTIONS = (
    (EXCERPTS, ("chroma",)),
    (IN_CORPUS, BEIR_AT_HAND),
    (IN_DOCUMENT, (covid_qa.WITHIN,)),
    (IN_DOCUMENT, ("chroma-within",)),
    (IN_DOCUMENT, ("gutenqa-emma",)),
)
"""Tasks, and the collections over which each is one question."""
GROUP = ["task", "collections", "encoder"]
"""What is ranked by itself, as the tables name it."""
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
ENCODED = "tokens encoded a token of text"
OPERATIONS = "million operations a token"
READ = "tokens that a reader gets"
"""Of the five chunks retrieved where excerpts are looked for, measured; of ten chunks of mean size
within a document; missing where whole documents are looked for."""
NOTHING = pd.DataFrame()
SAME_TEXT = {"chroma": "chroma-within"}
"""Collections whose text was counted under another name."""
FEWEST_ARMS = 3
"""Of fewer, none can be called the best."""
FEWEST_QUESTIONS = 100
"""Fewer bear no advice: no two chunkers of the tutorial's comparison could be told apart by five
points with a hundred (``labels_power``)."""
ADVISED = "enough questions to advise"
Method = tuple[str, str]
Question = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Known:
    """What is known beside the records, as :func:`which_chunker` takes it."""

    published: pd.DataFrame
    cost: pd.DataFrame
    sizes: pd.DataFrame
    papers: pd.DataFrame


def which_chunker(
    library: Library,
    published: pd.DataFrame,
    cost: pd.DataFrame,
    sizes: pd.DataFrame = NOTHING,
    papers: pd.DataFrame = NOTHING,
) -> pd.DataFrame:
    """A row per task, collections, encoder, chunker and ordering, the best of each encoder first.

    Args:
        library: the records.
        published: every published cell.
        cost: the table of what each chunker costs on Chroma's data.
        sizes: documents and WordPiece tokens of the collections; without them what late chunking
            reads is missing.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA.
    """
    known = Known(published, cost, sizes, papers)
    tables = [
        _ranked(question, encoder, library, known)
        for question in QUESTIONS
        for encoder in _encoders(question, library)
    ]
    tables = [one for one in tables if len(one) >= FEWEST_ARMS]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def advice(table: pd.DataFrame) -> pd.DataFrame:
    """A row per task, collections and encoder: the best; what is shown to be as good within the
    margin, and what is neither that nor shown to be worse; how many are behind and by how much;
    for excerpts, the best where text read in vain is charged; and whether the questions are enough
    to advise from."""
    rows = []
    for (task, _, encoder), group in table.groupby(GROUP, sort=False):
        best = group.iloc[0]
        close, behind = (group[group["behind"] == word] for word in ("no", "yes"))
        equal = close["shown"] == EQUIVALENT
        row = {
            "task": task,
            "encoder": encoder,
            **best[["chunker", "ordering", "credited", "measure", "score", "low", "high"]],
            **best[["n", "collections"]],
            ADVISED: "yes" if best["n"] >= FEWEST_QUESTIONS else "no",
            **best[[ENCODED, OPERATIONS, READ]],
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
    question: Question,
    encoder: str,
    library: Library,
    known: Known,
) -> pd.DataFrame:
    task, _ = question
    records = _records(question, encoder, library)
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
        Pair({"chunker": method[0], "ordering": method[1]}, scores[method], best)
        for method in ranked[1:]
    ]
    names = ", ".join(next(iter(records.values())))
    if names == covid_qa.WITHIN and len(known.papers):
        pairs = [_over_papers(one, known.papers) for one in pairs]
    compared = differences(pairs, f"behind the best, {task}, {names}, {encoder}", "score", "best")
    intervals = _intervals((scores[method] for method in ranked), names, known.papers)
    rows = []
    for at, (method, (low, high)) in enumerate(zip(ranked, intervals, strict=True)):
        found = dict(compared.iloc[at - 1]) if at else {}
        behind = "yes" if found.get("p_holm", 1.0) < SIGNIFICANT else "no"
        rows.append(
            {
                "task": task,
                "encoder": encoder,
                "chunker": method[0],
                "ordering": method[1],
                "measure": measure,
                "collections": names,
                "n": len(best),
                "score": means[method],
                "low": low,
                "high": high,
                "difference": found.get("difference", 0.0),
                "difference low": found.get("low", 0.0),
                "difference high": found.get("high", 0.0),
                **_chunk_cost(task, method, list(records[method].values()), known.cost),
                ENCODED: _encoded(method, records[method], known.sizes),
                OPERATIONS: models.spec(windows.model(encoder)).flops_per_token(0) / 1e6,
                "credited": CREDITED.get(method[0], ITSELF),
                **_published_rank(task, method, known.published),
                **{name: found.get(name, missing) for name, missing in TESTED.items()},
                "behind": behind if at else "",
            }
        )
    return pd.DataFrame(rows)


def _over_papers(pair: Pair, parts: pd.DataFrame) -> Pair:
    """A pair of one collection whose questions come in papers."""
    scores = (pair.first.droplevel(0), pair.second.droplevel(0))
    return Pair(pair.keys, *scores, documents_of(parts))


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


def _encoders(question: Question, library: Library) -> list[str]:
    """Of each model with records of the task, its encoder with the most of them; the model with
    the most records first."""
    counts = Counter(one.encoder for one in library if _belongs(question, one))
    best: dict[str, str] = {}
    for encoder in sorted(counts, key=lambda one: (counts[one], windows.reach(one)), reverse=True):
        best.setdefault(windows.model(encoder), encoder)
    return list(best.values())


def _belongs(question: Question, one: Condition) -> bool:
    """Whether a condition is asked about; a model of four bits answers another question only, and
    so does a chunker that is a control."""
    if one.collection not in question[1] or one.protocol != OWN or one.encoder == NONE:
        return False
    spec = catalogue.parse(one.chunker)
    usual = spec.length == CHUNKERS[spec.name].lengths[0]
    whole = models.spec(windows.model(one.encoder)).four_bits is None
    if spec.entry.control:
        return False
    return usual and whole and (one.ordering == PRE or windows.contextualized(one))


def _narrower(question: Question, encoder: str, one: Condition) -> bool:
    """Whether it is late chunking by the same model at another window, within documents, where the
    windows were swept. Plain chunks that a narrower window leaves whole would be the same again."""
    same = windows.model(one.encoder) == windows.model(encoder)
    whole = windows.window(one.ordering) == windows.reach(one.encoder)
    return question[0] == IN_DOCUMENT and same and whole and one.ordering != PRE


def _records(question: Question, encoder: str, library: Library) -> dict[Method, dict[str, Record]]:
    """Per chunker and ordering the records by collection, where all collections that have any have
    one; a late arm beside its plain one only, so that no half of a run is called the best."""
    wanted = [
        one
        for one in library
        if _belongs(question, one) and (one.encoder == encoder or _narrower(question, encoder, one))
    ]
    seen = {one.collection for one in wanted}
    names = [name for name in question[1] if name in seen]
    found: dict[Method, dict[str, Record]] = {}
    for one in wanted:
        record = library.get(one)
        if record is not None:
            found.setdefault((one.chunker, one.ordering), {})[one.collection] = record
    whole = {
        method
        for method, records in found.items()
        if len(records) == len(names)
        and all(_searched(question[0], one) for one in records.values())
    }
    return {
        method: {name: found[method][name] for name in names}
        for method in found
        if method in whole and (method[0], PRE) in whole
    }


def _searched(task: str, record: Record) -> bool:
    """Whether a mean document has more chunks than are ranked: where it has not, the first ten are
    the whole document, and their order says little."""
    counts = record.run.counts
    depth = int(MEASURES[task].partition("@")[2])
    return task != IN_DOCUMENT or counts.chunks > depth * counts.documents


def _chunk_cost(
    task: str, method: Method, records: list[Record], cost: pd.DataFrame
) -> dict[str, object]:
    unit = "cl100k" if task == EXCERPTS else "wordpiece"
    chunks = sum(record.run.counts.chunks for record in records)
    weighted = sum(r.run.sizes[unit].mean * r.run.counts.chunks for r in records) / chunks
    row: dict[str, object] = {"chunks": chunks, "mean tokens": weighted}
    if task == IN_DOCUMENT:
        row[READ] = int(MEASURES[task].partition("@")[2]) * weighted
    if task == EXCERPTS:
        row[IOU] = statistics.mean(records[0].wide[IOU])
        row["tokens read at 5"] = statistics.mean(records[0].wide["TokensRead@5"])
        row[READ] = row["tokens read at 5"]
        seen = cost[cost["chunker"] == method[0]]
        row["chunking s/M tokens"] = seen["chunking s/M tokens"].iloc[0] if len(seen) else np.nan
    return row | {"needs": _needs(method[0])}


def _encoded(method: Method, records: Mapping[str, Record], sizes: pd.DataFrame) -> float:
    """Tokens that the encoder reads for every token of text: chunks with their two special tokens,
    or a mean document's windows. What a window cuts off a chunk is counted all the same. NaN where
    the size of a collection is not recorded."""
    if sizes.empty:
        return np.nan
    known = sizes.set_index("collection").to_dict("index")
    read = text = 0.0
    for name, record in records.items():
        counted = known.get(SAME_TEXT.get(name, name))
        if counted is None:
            return np.nan
        tokens, documents = counted["wordpiece_tokens"], counted["documents"]
        ordering = parse_ordering(method[1])
        if ordering.window:
            steps = tokens / documents - (ordering.window - SPECIAL)
            window = 1 + max(0, math.ceil(steps / (ordering.window - SPECIAL - ordering.overlap)))
            read += tokens + documents * ((window - 1) * ordering.overlap + window * SPECIAL)
        else:
            size = record.run.sizes["wordpiece"].mean
            read += record.run.counts.chunks * (size + SPECIAL)
        text += tokens
    return read / text


def _needs(chunker: str) -> str:
    spec = catalogue.parse(chunker)
    if spec.llm or spec.name in LLM_GUIDED:
        return "an LLM"
    if spec.reader:
        return "a causal model"
    return "an encoder" if spec.needs_encoder else "nothing"


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
