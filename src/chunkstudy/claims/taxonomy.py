"""The taxonomy's claims that no predicate fits, and what all-MiniLM-L6-v2 shows beside them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.chunkers import catalogue
from chunkstudy.claims.evidence import Evidence, listed, paired, points, rank
from chunkstudy.claims.verdicts import Outcome, counted, decide, unanswered
from chunkstudy.grid.conditions import MINILM
from chunkstudy.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA, AS_PUBLISHED_LUMBERCHUNKER

IELAB, LUMBER = AS_PUBLISHED_IELAB.name, AS_PUBLISHED_LUMBERCHUNKER.name
IN_CORPUS = ("fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs")
E5 = "intfloat/multilingual-e5-large-instruct"
EMMA = "records of all 100 books: GutenQA's texts, and the models' weights"
TEXT = " ".join(f"Sentence number {i} is plain. It ends as others do." for i in range(90))
"""A stated input: 180 sentences without anything that a splitter could stumble over."""
BOOKS, QUESTIONS = 100, 3_000
"""GutenQA's."""
LEVEL = 0.05
AVERAGE = "average"


def official_chunkers_agree(_: Evidence, same_chunks: bool) -> Outcome:
    """Spans, or their number, of Jina's and of ielab's fixed-size and sentence chunkers."""
    cases, figures = {}, []
    for name in ("fixed-256", "sentence-5"):
        theirs, own = (
            [tuple(found[:2]) for found in catalogue.build(name, protocol)(TEXT)]
            for protocol in (AS_PUBLISHED_JINA, AS_PUBLISHED_IELAB)
        )
        cases[name] = theirs == own if same_chunks else len(theirs) == len(own)
        share = len(set(theirs) & set(own)) / len(theirs)
        figures.append(f"{name}: {len(theirs)} and {len(own)} chunks, {share:.0%} the same")
    return counted(cases, ", ".join(figures))


def any_overlap_is_relevant(_: Evidence) -> Outcome:
    """Does the official code take any overlap with a judged paragraph for relevant?"""
    return decide(
        AS_PUBLISHED_IELAB.relevance == "overlap",
        "1 rule in the code: the judged text is found in the chunk",
    )


def another_method_is_best(evidence: Evidence) -> Outcome:
    """Is the best method on GutenQA another than in corpora?"""
    inside, across = (_scores(evidence, "3", name).idxmax() for name in ("gutenqa", AVERAGE))
    return counted(
        {model: inside[model] != across[model] for model in inside.index},
        ", ".join(f"{model} {across[model]} and {inside[model]}" for model in inside.index),
    )


def judging_by_paragraphs_changes_nothing(evidence: Evidence) -> Outcome:
    """Is a proposition credited with its paragraph judged as by its own text?

    The paper's code credits it with the whole paragraph, LumberChunker's own judges its text.
    """
    name = "proposition-released"
    per_query = {
        condition.protocol: record.wide["DCG@10"]
        for condition, record in evidence.records("gutenqa-emma")
        if condition.chunker == name and condition.ordering == "pre_embedding"
    }
    if IELAB not in per_query or LUMBER not in per_query:
        return unanswered(EMMA, f"{len(per_query)} ways to judge on record")
    difference = paired(per_query[IELAB], per_query[LUMBER])
    ceilings = ", ".join(
        f"{_emma(evidence, protocol)['Ceiling(DCG@10)'][name]:.3f}" for protocol in (IELAB, LUMBER)
    )
    return decide(
        difference[1] <= 0 <= difference[2],
        f"Emma, all-MiniLM-L6-v2: {per_query[IELAB].mean():.3f} judged by the parent's text, "
        f"{per_query[LUMBER].mean():.3f} by its own, difference in points {points(difference)}; "
        f"the best any ranking could reach is {ceilings}",
    )


def changes_follow_from_scores(evidence: Evidence) -> Outcome:
    """168 relative changes recomputed from tables 3 and 5, within printed rounding."""
    met: list[bool] = []
    for name in ("gutenqa", *IN_CORPUS):
        before, after, printed = (_scores(evidence, number, name) for number in ("3", "5", "4"))
        bound = 100 * 0.0001 / before + 0.006  # scores are printed to four decimals
        met += ((printed - 100 * (after / before - 1)).abs() <= bound).to_numpy().ravel().tolist()
    return counted(met, "relative changes within printed rounding")


def scores_fall_where_chunks_grow_alike(evidence: Evidence) -> Outcome:
    """Is the growth of similarity within documents tied to the change of the score?"""
    table = evidence.study("similarity/orderings")
    gains = evidence.table("late_chunking_gains")
    if table.empty or gains.empty:
        return unanswered("similarities of chunks and their records", "0 similarities on record")
    keys = ["collection", "chunker"]
    gains = _of_minilm(gains[gains["protocol"] == "corrected"])[[*keys, "difference"]]
    both = table[table["pairs"] == "all"].merge(gains, on=keys, suffixes=("", " of score"))
    r = float(both["difference"].corr(both["difference of score"]))
    return decide(r < -0.3, f"r = {r:.2f} over {len(both)} rows, all-MiniLM-L6-v2")


def others_lose_less_often(evidence: Evidence, on_average: bool) -> Outcome:
    """In-corpus cells that lose: fewer with each model than with E5, or on average?"""
    tables = pd.concat([_scores(evidence, "4", name) for name in IN_CORPUS])
    lost = (tables < 0).sum()
    short = lost[_short(E5)]
    others = lost.drop(_short(E5))
    figures = f"of {len(tables)} cells lose {listed(lost, '{:d}')}"
    if on_average:
        return decide(others.mean() < short, figures)
    return counted({str(model): bool(n < short) for model, n in others.items()}, figures)


def poorer_methods_lose_too(evidence: Evidence) -> Outcome:
    """Do methods that score lower than semantic chunks on FiQA lose by context as well?"""
    before, change = (_scores(evidence, number, "fiqa") for number in ("3", "4"))
    named = pd.Series(
        {
            f"{model} {method}": float(change[model][method])
            for model in before.columns
            for method in before.index
            if before[model][method] < before[model]["semantic"]
        }
    )
    figures = f"methods below semantic change by {listed(named, '{:+.1f}%')}"
    return counted({str(key): v < 0 for key, v in named.items()}, figures)


def points_are_queries(_: Evidence) -> Outcome:
    """Are the points queries? What the figure calls significant depends on how many there are.

    The prose marks r = 0.23 as significant and r = -0.11 not; the sentence-based one would be
    beyond doubt with 3,000 points and is not with 100.
    """
    p = {n: _p(-0.11, n) for n in (QUESTIONS, BOOKS)}
    return decide(
        p[QUESTIONS] >= LEVEL,
        f"r = -0.11, printed without a mark, has p = {p[QUESTIONS]:.1e} over {QUESTIONS} questions "
        f"and p = {p[BOOKS]:.2f} over {BOOKS} books; r = 0.23, printed with one, p = "
        f"{_p(0.23, BOOKS):.3f} over {BOOKS} books",
    )


def stated_r_is_significant(_: Evidence, r: float) -> Outcome:
    """Is a stated r significant over 100 books?"""
    p = _p(r, BOOKS)
    return decide(p < LEVEL, f"p = {p:.3f}; times the six methods {min(1.0, 6 * p):.2f}")


def larger_chunks_reach_more(evidence: Evidence) -> Outcome:
    """Are larger chunks more likely to hold what is judged? On Emma, by chunker."""
    rows = _emma(evidence, IELAB)
    if len(rows) < 3:
        return unanswered(EMMA, f"{len(rows)} chunkers on record")
    r = float(np.corrcoef(np.log(rows["mean tokens"]), rows["Ceiling(DCG@10)"])[0, 1])
    return unanswered(
        EMMA, f"r = {r:.2f} of log size and best reachable score over {len(rows)} chunkers"
    )


def marks_hold_after_correction(evidence: Evidence) -> Outcome:
    """How many tests stand behind the marks?"""
    scores, changes = _marked(evidence, "3", "5"), _marked(evidence, "4")
    columns = changes.groupby(["encoder", "collection"]).ngroups
    methods = changes["chunker"].nunique()
    tests = 2 * columns * 2 * (methods - 1) - 2 * columns + len(changes)
    letters = int(scores["marks"].str.replace("bold|underline|[+]", "", regex=True).str.len().sum())
    stars = int(changes["marks"].str.contains("*", regex=False).sum())
    return unanswered(
        "scores per query of the models that were tested",
        f"{letters} marks and {stars} stars of about {tests} tests without correction, of which "
        f"{LEVEL * tests:.0f} would be marked by chance",
    )


def marks_keep_the_rule(evidence: Evidence) -> Outcome:
    """Is no best cell marked as worse than the best, no worst one as better, no change of 0?"""
    marks, changes = _marked(evidence, "3", "5")["marks"], _marked(evidence, "4")
    none = changes[changes["value"] == 0]
    best, worst = marks[marks.str.contains("bold")], marks[marks.str.contains("underline")]
    return counted(
        {
            "best without a": not best.str.replace("bold", "").str.contains("a").any(),
            "worst without b": not worst.str.replace("underline", "").str.contains("b").any(),
            "no change of 0 with a star": not none["marks"].str.contains("*", regex=False).any(),
        },
        f"{len(best)} best and {len(worst)} worst cells, {len(none)} changes of 0",
    )


def change_by_unguarded_empty_documents(evidence: Evidence) -> str:
    """How empty documents without a guard against NaN change a score."""
    guard = evidence.table("late_chunking_nan_guard")
    if guard.empty:
        return ""
    change = guard["change"]
    reach = f"{change.min():+.1%} to {change.max():+.1%}"
    return f"empty documents without a guard change nDCG@10 by {reach}"


def documents_of_several_paragraphs(evidence: Evidence) -> str:
    """How many documents paragraphs cut at all, by collection at hand."""
    found = [
        f"{name} {facts['documents of several paragraphs'][0]} of {facts['documents'][0]}"
        for name in IN_CORPUS
        if not (facts := evidence.facts(f"{name}_facts")).empty
    ]
    return f"documents of several paragraphs: {', '.join(found)}" if found else ""


def documents_that_fit(evidence: Evidence) -> str:
    """How many documents one window of 512 tokens holds, so that no model reads more of them."""
    found = [
        f"{name} {1 - facts['longer than 510 tokens'][0] / facts['documents'][0]:.0%}"
        for name in IN_CORPUS
        if not (facts := evidence.facts(f"{name}_facts")).empty
    ]
    return f"documents that fit E5's window: {', '.join(found)}" if found else ""


def gains_by_window(evidence: Evidence) -> str:
    """The gain at the narrowest and the widest window, per chunker, in corpora."""
    table = evidence.table("late_chunking_windows")
    if table.empty:
        return ""
    table = _of_minilm(table)
    table = table[table["collection"].isin(IN_CORPUS) & (table["chunker"] != "none")]
    steps = []
    for (name, chunker), group in table.groupby(["collection", "chunker"], sort=False):
        group = group.sort_values("window")
        if len(group) > 1:
            first, last = group.iloc[0], group.iloc[-1]
            steps.append(
                f"{name} {chunker} {100 * first['difference']:+.2f} with {first['window']} tokens, "
                f"{100 * last['difference']:+.2f} with {last['window']}"
            )
    return ", ".join(steps)


def best_on_emma(evidence: Evidence) -> str:
    """LumberChunker's rank and the best chunker on GutenQA's public book."""
    rows = _emma(evidence, IELAB)
    if rows.empty:
        return ""
    order = rows["DCG@10"]
    return (
        f"Emma: rank {rank(order, 'lumberchunker-released')} of {len(order)}, best "
        f"{order.idxmax()} {order.max():.3f}"
    )


def ceilings_on_emma(evidence: Evidence) -> str:
    """The best score any ranking could reach, by the code's rule and by any overlap."""
    texts = []
    for name, protocol in (("its code", IELAB), ("any overlap", "corrected")):
        rows = _emma(evidence, protocol)
        if len(rows):
            best = rows["Ceiling(DCG@10)"]
            texts.append(f"{name} {best.min():.3f} to {best.max():.3f}")
    return f"best reachable DCG@10 on Emma by {', by '.join(texts)}" if texts else ""


def gains_within_documents(evidence: Evidence) -> str:
    """Contextualized minus plain, in points, on Emma and within Chroma's corpora by window."""
    gains = evidence.table("late_chunking_gains")
    windows = evidence.table("late_chunking_positions")
    found = []
    if len(gains):
        emma = _of_minilm(gains)
        emma = emma[(emma["collection"] == "gutenqa-emma") & (emma["protocol"] == "corrected")]
        found.append(f"Emma, points: {_differences(emma, 'chunker')}")
    if len(windows):
        whole = _of_minilm(windows)
        whole = whole[(whole["positions"] == "in order") & (whole["corpus"] == "all")]
        found.append(f"Chroma's corpora by window, points: {_differences(whole, 'window')}")
    return "; ".join(found)


def _differences(table: pd.DataFrame, key: str) -> str:
    rows = zip(*(table[name] for name in (key, "difference", "low", "high")), strict=True)
    return ", ".join(f"{name} {points(tuple(found))}" for name, *found in rows)


def _scores(evidence: Evidence, table: str, collection: str) -> pd.DataFrame:
    """One collection's cells of table 3, 4 or 5: method by model."""
    cells = evidence.cells("taxonomy", table)
    cells = cells[(cells["collection"] == collection) & (cells["chunker"] != AVERAGE)]
    return cells.assign(model=cells["encoder"].map(_short)).pivot(
        index="chunker", columns="model", values="value"
    )


def _marked(evidence: Evidence, *tables: str) -> pd.DataFrame:
    cells = pd.concat([evidence.cells("taxonomy", table) for table in tables])
    return cells[(cells["chunker"] != AVERAGE) & (cells["collection"] != AVERAGE)]


def _emma(evidence: Evidence, protocol: str) -> pd.DataFrame:
    """all-MiniLM-L6-v2 on GutenQA's public book, plain chunks: DCG@10 and its ceiling by method."""
    table = evidence.table("late_chunking_emma")
    if table.empty:
        return table
    rows = _of_minilm(table)
    rows = rows[(rows["protocol"] == protocol) & (rows["ordering"] == "pre_embedding")]
    return rows.set_index("chunker")


def _of_minilm(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of all-MiniLM-L6-v2, with whatever window; the witness of these claims."""
    return table[table["encoder"].str.startswith(MINILM)]


def _short(encoder: str) -> str:
    return encoder.rpartition("/")[2]


def _p(r: float, n: int) -> float:
    """Two-sided p of Pearson's r over n points."""
    t = abs(r) * np.sqrt((n - 2) / (1 - r * r))
    return float(2 * stats.t.sf(t, n - 2))
