"""The taxonomy on retrieval within documents (S2:247-261, S2:343-345): GutenQA's cells."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import (
    Evidence,
    highest,
    listed,
    numbers,
    paired,
    rank,
    shown,
    spread,
)
from chunkstudy.claims.taxonomy_rows import (
    EMMA_WITNESS,
    METHODS,
    MODELS,
    change,
    emma,
    flat,
    ranks,
    scores,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
    unanswered,
)
from chunkstudy.protocols import AS_PUBLISHED_IELAB, AS_PUBLISHED_LUMBERCHUNKER

IELAB, LUMBER = AS_PUBLISHED_IELAB.name, AS_PUBLISHED_LUMBERCHUNKER.name


def rankings_reverse(evidence: Evidence) -> Readings:
    """Rank correlation of methods between corpora and GutenQA, per model."""
    inside, across = scores(evidence, "3", "gutenqa"), scores(evidence, "3", "average")
    rho = pd.Series({m: float(inside[m].corr(across[m], method="spearman")) for m in MODELS})
    figures = f"rank correlation {listed(rho, '{:+.2f}')} over {len(METHODS)} methods"
    changed = {m: inside[m].idxmax() != across[m].idxmax() for m in MODELS}
    return (
        strict(
            "negative for each model", counted({str(m): r < 0 for m, r in rho.items()}, figures)
        ),
        charitable("another method is best", counted(changed)),
    )


def lumber_ranked_second_to_fourth(evidence: Evidence) -> Finding:
    """LumberChunker's rank by in-corpus average."""
    place = ranks(scores(evidence, "3", "average"), "lumberchunker")
    return counted(
        {str(m): 2 <= r <= 4 for m, r in place.items()},
        f"ranks {listed(place, '{:d}')} of {len(METHODS)}",
    )


def paragraph_was_best(evidence: Evidence) -> Finding:
    """The best in-corpus average per model."""
    average = scores(evidence, "3", "average")
    return counted(
        {m: str(average[m].idxmax()) == "paragraph" for m in MODELS}, "best by in-corpus average"
    )


def lumber_is_best_on_gutenqa(evidence: Evidence) -> Finding:
    """The best method on GutenQA per model, and on its public book with all-MiniLM-L6-v2."""
    table = scores(evidence, "3", "gutenqa")
    rows = emma(evidence, IELAB)
    witness = ""
    if len(rows):
        order = rows["DCG@10"].sort_values(ascending=False)
        witness = (
            f"Emma: rank {rank(order, 'lumberchunker-released')} of {len(order)}, best "
            f"{highest(order)} {order.iloc[0]:.1f}"
        )
    return counted(
        {m: str(table[m].idxmax()) == "lumberchunker" for m in MODELS},
        listed(table.T["lumberchunker"], "{:.4f}"),
    ).witnessed(witness)


def lumber_leads_by_10_to_30(evidence: Evidence) -> Readings:
    """LumberChunker against paragraphs on GutenQA."""
    lead = change(scores(evidence, "3", "gutenqa"), "lumberchunker", "paragraph")
    figures = f"lead {listed(lead, '{:.1f}%')}"
    return (
        strict(
            "from 10 to 30 percent, both reached",
            counted({"10%": round(lead.min()) == 10, "30%": round(lead.max()) == 30}, figures),
        ),
        charitable(
            "each between 10 and 30 percent",
            counted({str(m): 10 <= v <= 30 for m, v in lead.items()}, figures),
        ),
    )


def paragraph_drops(evidence: Evidence) -> Finding:
    """Paragraph's rank on GutenQA."""
    return _second_to(evidence, "paragraph", 3)


def proposition_is_second_to_fourth(evidence: Evidence) -> Finding:
    """Proposition's rank on GutenQA."""
    return _second_to(evidence, "proposition", 4)


def proposition_needs_less_context(evidence: Evidence) -> Readings:
    """Is the better rank the task's, or that of judging propositions by their paragraphs?

    S2's code credits a proposition with its whole paragraph; LumberChunker's own judges its text.
    """
    name = "proposition-released"
    per_query = {}
    for condition, record in evidence.records("gutenqa-emma"):
        if condition.chunker == name and condition.ordering == "pre_embedding":
            per_query[condition.protocol] = 100 * record.wide["DCG@10"]
    place = ranks(scores(evidence, "3", "gutenqa"), "proposition")
    corpora = ranks(scores(evidence, "3", "average"), "proposition")
    table = charitable(
        "its rank improves within documents",
        counted(
            {m: bool(place[m] < corpora[m]) for m in MODELS},
            f"ranks {listed(corpora, '{:d}')} in corpora, {listed(place, '{:d}')} on GutenQA",
        ),
    )
    if IELAB not in per_query or LUMBER not in per_query:
        return (
            strict(
                "judging the propositions' own text changes nothing",
                unanswered(EMMA_WITNESS, f"{len(per_query)} ways to judge on record"),
            ),
            table,
        )
    difference = paired(per_query[IELAB], per_query[LUMBER], scale=1)
    ceilings = ", ".join(
        f"{emma(evidence, p)['Ceiling(DCG@10)'][name]:.1f}" for p in (IELAB, LUMBER)
    )
    figures = (
        f"Emma, all-MiniLM-L6-v2: {per_query[IELAB].mean():.1f} judged by the parent's text, "
        f"{per_query[LUMBER].mean():.1f} by its own, difference {shown(difference)}; the best "
        f"any ranking could reach is {ceilings}"
    )
    return (
        strict(
            "judging the propositions' own text changes nothing",
            decide(difference[1] <= 0 <= difference[2], figures),
        ),
        table,
    )


def structure_decides(evidence: Evidence) -> Finding:
    """LumberChunker's rank would have to follow document structure, all else equal."""
    rows = emma(evidence, IELAB)
    printed = scores(evidence, "3", "gutenqa")
    lead = change(printed, "lumberchunker", "paragraph")
    witness = ""
    if len(rows):
        best = rows["Ceiling(DCG@10)"]
        witness = f"Emma's best reachable score differs by chunker, {spread(best, '{:.1f}')}"
    return unanswered(
        f"{EMMA_WITNESS}; collections of one task that differ in structure alone",
        f"one in-document collection, lead over paragraphs {spread(lead, '{:.1f}%')}",
    ).witnessed(witness)


def any_overlap_is_relevant(evidence: Evidence) -> Finding:
    """The rule the paper states, against the one its code applies."""
    rows = {p: emma(evidence, p) for p in (IELAB, "corrected")}
    figures = f"rules of {len(rows)} protocols"
    if len(rows[IELAB]):
        figures = "; ".join(
            f"{name}: best reachable DCG@10 on Emma {spread(table['Ceiling(DCG@10)'], '{:.1f}')}"
            for name, table in (
                ("its code, text found in the chunk", rows[IELAB]),
                ("any overlap", rows["corrected"]),
            )
        )
    return decide(AS_PUBLISHED_IELAB.relevance == "overlap", figures)


def degrades_within_documents(evidence: Evidence) -> Readings:
    """GutenQA's relative changes, 24 cells and their means."""
    table = scores(evidence, "4", "gutenqa")
    every = flat(table)
    means = table.mean()
    figures = "gains: " + ", ".join(f"{name} {v:+.2f}%" for name, v in every.items() if v >= 0)
    return (
        strict("in each configuration", counted([v < 0 for v in every.values()], figures)),
        charitable(
            "by average with each model",
            counted({str(m): v < 0 for m, v in means.items()}, listed(means, "{:+.2f}%")).witnessed(
                _emma_gains(evidence)
            ),
        ),
    )


def losses_within_documents(evidence: Evidence) -> Finding:
    """The four stated averages against the cells."""
    means = scores(evidence, "4", "gutenqa").mean()
    stated = {"Nomic": -53.17, "Jina-v3": -29.82, "Jina-v2": -5.16, "E5": -3.83}  # S2:345
    return counted(
        {m: abs(means[m] - v) <= 0.011 for m, v in stated.items()}, listed(means, "{:+.2f}%")
    )


def chunks_grow_alike(evidence: Evidence) -> Readings:
    """Similarity of chunks within a document under both orderings, and its tie to the score."""
    table = evidence.tables["late_chunking_similarity"]
    if table.empty:
        losses = scores(evidence, "4", "gutenqa").mean()
        return unanswered(
            "similarities of chunks: `chunkstudy study similarity`",
            f"mean change on GutenQA {spread(losses, '{:+.2f}%')}; 0 similarities on record",
        )
    table = numbers(table, "difference", "low", "high")
    rows = table[table["pairs"] == "all"]
    names = rows["collection"] + " " + rows["chunker"]
    grows = dict(zip(names, (rows["low"] > 0).tolist(), strict=True))
    gains = numbers(evidence.tables["late_chunking_gains"], "difference")
    gains = gains[gains["protocol"] == "corrected"].set_index(["collection", "chunker"])
    both = rows.set_index(["collection", "chunker"]).join(
        gains["difference"].rename("difference of score")
    )
    both = both.dropna(subset=["difference of score"])
    figures = f"growth of similarity {spread(rows['difference'], '{:+.3f}')}, all-MiniLM-L6-v2"
    if len(both) < 3:
        return counted(grows, figures)
    r = float(both["difference"].corr(both["difference of score"]))
    return (
        strict(
            "and where they grow more alike, scores fall more",
            decide(r < -0.3, f"r = {r:.2f} over {len(both)} rows; {figures}{_by_window(evidence)}"),
        ),
        charitable("in each collection and with each chunker", counted(grows, figures)),
    )


def _by_window(evidence: Evidence) -> str:
    """Likeness of neighbouring chunks and the change of DCG@10 by window, on Chroma's corpora."""
    alike = evidence.tables["late_chunking_excerpts_alike"]
    changes = evidence.tables["late_chunking_positions"]
    if alike.empty or changes.empty:
        return ""
    alike = numbers(alike[alike["positions"].fillna("") == ""], "contextualized", "window")
    means = alike.groupby("window")["contextualized"].mean()
    changes = numbers(changes, "difference", "window")
    changes = changes[(changes["positions"] == "in order") & (changes["corpus"] == "all")]
    change = changes.set_index("window")["difference"]
    steps = [f"{w} tokens {means[w]:.2f}, DCG@10 {change[w]:+.1f}" for w in means.index]
    return f"; likeness of neighbours on Chroma's corpora with {'; '.join(steps)}"


def _second_to(evidence: Evidence, method: str, last: int) -> Finding:
    place = ranks(scores(evidence, "3", "gutenqa"), method)
    return counted(
        {str(m): 2 <= r <= last for m, r in place.items()},
        f"ranks {listed(place, '{:d}')} of {len(METHODS)}",
    )


def _emma_gains(evidence: Evidence) -> str:
    table = evidence.tables["late_chunking_gains"]
    if table.empty:
        return ""
    table = numbers(table, "difference", "low", "high")
    table = table[(table["collection"] == "gutenqa-emma") & (table["protocol"] == "corrected")]
    rows = ", ".join(
        f"{row['chunker']} {row['difference']:+.1f} [{row['low']:.1f}, {row['high']:.1f}]"
        for _, row in table.iterrows()
    )
    found = [f"Emma, points: {rows}"] if rows else []
    corpora = evidence.tables["late_chunking_positions"]
    steps = [
        f"{row['difference']} [{row['low']}, {row['high']}] with {row['window']} tokens"
        for _, row in corpora.iterrows()
        if (row["positions"], row["corpus"]) == ("in order", "all")
    ]
    if steps:
        found.append(f"Chroma's corpora, points: {', '.join(steps)}")
    return "; ".join(found)
