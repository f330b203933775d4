"""The taxonomy's first question, plain chunking in corpora (S2:194-245): table 3's cells."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, listed, spread
from chunkstudy.claims.taxonomy_rows import (
    IN_CORPUS,
    METHODS,
    MODELS,
    OTHERS,
    STRUCTURE,
    cells,
    change,
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
)


def structure_has_higher_averages(evidence: Evidence) -> Readings:
    """Averages of structure-based methods against those of the other three."""
    average = scores(evidence, "3", "average")
    cases = {
        f"{model} {a} below {b}": bool(average[model][a] > average[model][b])
        for model in MODELS
        for a in STRUCTURE
        for b in OTHERS
    }
    groups = {
        model: average[model][list(STRUCTURE)].mean() > average[model][list(OTHERS)].mean()
        for model in MODELS
    }
    without = pd.Series(
        {
            model: average[model][list(STRUCTURE)].mean()
            - average[model][["semantic", "lumberchunker"]].mean()
            for model in MODELS
        }
    )
    return (
        strict("each structure-based method above each other one", counted(cases)),
        charitable(
            "mean of the three above mean of the others",
            counted(groups, f"without propositions the lead is {listed(without, '{:+.4f}')}"),
        ),
    )


def paragraph_is_best_thrice(evidence: Evidence) -> Finding:
    """The best average per model."""
    best = scores(evidence, "3", "average").idxmax()
    return counted(
        {model: best[model] == "paragraph" for model in ("Jina-v2", "Jina-v3", "E5")},
        f"paragraph is best for {(best == 'paragraph').sum()} of {len(best)} models",
    )


def fixed_is_best_with_nomic(evidence: Evidence) -> Finding:
    """The best average with Nomic."""
    nomic = scores(evidence, "3", "average")["Nomic"]
    return decide(str(nomic.idxmax()) == "fixed-256", f"fixed-256 {nomic['fixed-256']:.4f}")


def gaps_are_one_to_three_percent(evidence: Evidence) -> Readings:
    """Gaps of averages between structure-based methods."""
    average = scores(evidence, "3", "average")
    gaps = {
        f"{model} {one}-{other}": 100 * abs(average[model][one] / average[model][other] - 1)
        for model in MODELS
        for i, one in enumerate(STRUCTURE)
        for other in STRUCTURE[i + 1 :]
    }
    values = pd.Series(gaps)
    figures = f"gaps {spread(values, '{:.1f}%')}, median {values.median():.1f}%"
    return (
        strict(
            "each gap of 1 to 3 percent",
            counted([bool(1 <= round(v) <= 3) for v in values], figures),
        ),
        charitable("the median gap", decide(1 <= round(values.median()) <= 3, figures)),
    )


def paragraph_leads_by_two_and_five(evidence: Evidence) -> Finding:
    """Paragraph against fixed-size and sentence-based chunks with Jina-v3."""
    average = scores(evidence, "3", "average")["Jina-v3"]
    lead = 100 * (average["paragraph"] / average[["fixed-256", "sentence-5"]] - 1)
    return counted(
        {"fixed": round(lead["fixed-256"]) == 2, "sentence": round(lead["sentence-5"]) == 5},
        f"lead {listed(lead, '{:.1f}%')}",
    )


def uniform_boundaries_matter(evidence: Evidence) -> Readings:
    """Is the best method, paragraph, chunking at all? It is set beside Jina's unchunked scores."""
    unchunked = evidence.printed("jina", "beir", chunker="none", measure="nDCG@10")
    none = unchunked.set_index("collection")["value"] / 100
    names = [name for name in IN_CORPUS if name in none.index]
    apart = pd.Series(
        {name: scores(evidence, "3", name)["Jina-v2"]["paragraph"] - none[name] for name in names}
    )
    facts = evidence.tables["late_chunking_collections"]
    counts = ""
    if len(facts):
        here = facts[facts["collection"].isin(IN_CORPUS)]
        counts = "; documents of several paragraphs: " + ", ".join(
            f"{row['collection']} {row['documents of several paragraphs']} of {row['documents']}"
            for _, row in here.iterrows()
        )
    average = scores(evidence, "3", "average")
    pairs = [
        bool(average[model][uniform] > average[model][guided])
        for model in MODELS
        for uniform in ("fixed-256", "sentence-5")
        for guided in ("semantic", "lumberchunker")
    ]
    return (
        strict(
            "the boundaries of paragraphs change a score by more than 0.001 against no chunking",
            counted(
                {str(k): abs(v) > 0.001 for k, v in apart.items()},
                f"Jina-v2, paragraph minus no chunking: {listed(apart, '{:+.4f}')}{counts}",
            ),
        ),
        charitable(
            "fixed-size and sentence averages above semantic and LumberChunker's",
            counted(pairs, "comparisons over four models"),
        ),
    )


def proposition_is_worst(evidence: Evidence) -> Readings:
    """Propositions' rank in 24 cells and by average."""
    every = cells(evidence, "3")
    last = {
        f"{name} {model} rank {place}": place == len(METHODS)
        for name in IN_CORPUS
        for model, place in ranks(every[name], "proposition").items()
    }
    best = [name for name, place in last.items() if "rank 1" in name and not place]
    average = ranks(scores(evidence, "3", "average"), "proposition")
    return (
        strict("last in each cell", counted(last, f"best in {len(best)}: {', '.join(best)}")),
        charitable(
            "last by average with each model",
            counted({str(m): r == len(METHODS) for m, r in average.items()}),
        ),
    )


def proposition_has_lowest_average(evidence: Evidence) -> Finding:
    """The lowest averages and their range."""
    average = scores(evidence, "3", "average")
    low = average.T["proposition"]
    cases = {model: str(average[model].idxmin()) == "proposition" for model in MODELS}
    ends = {"lowest": f"{low.min():.4f}" == "0.3484", "highest": f"{low.max():.4f}" == "0.3937"}
    return counted({**cases, **ends}, spread(low, "{:.4f}"))


def proposition_loses_15_to_27(evidence: Evidence) -> Readings:
    """Propositions against paragraphs by average."""
    return _loss(-change(scores(evidence, "3", "average"), "proposition", "paragraph"), 15, 27)


def proposition_on_arguana(evidence: Evidence) -> Readings:
    """Propositions against paragraphs on ArguAna."""
    return _loss(-change(scores(evidence, "3", "arguana"), "proposition", "paragraph"), 35, 50)


def proposition_on_fiqa(evidence: Evidence) -> Readings:
    """Propositions against paragraphs on FiQA."""
    return _loss(-change(scores(evidence, "3", "fiqa"), "proposition", "paragraph"), 30, 40)


def lumber_on_trec_covid(evidence: Evidence) -> Readings:
    """LumberChunker's rank on TREC-COVID."""
    place = ranks(scores(evidence, "3", "trec-covid"), "lumberchunker")
    figures = f"ranks {listed(place, '{:d}')} of {len(METHODS)}"
    named = place[["Jina-v2", "Nomic", "E5"]]
    return (
        strict(
            "first or second with each model",
            counted({str(m): r <= 2 for m, r in place.items()}, figures),
        ),
        charitable(
            "with the three models it names",
            counted({str(m): r <= 2 for m, r in named.items()}, figures),
        ),
    )


def lumber_on_arguana_and_fiqa(evidence: Evidence) -> Finding:
    """LumberChunker's rank on ArguAna and FiQA."""
    cases = {
        f"{name} {model} rank {place}": place > len(METHODS) / 2
        for name in ("arguana", "fiqa")
        for model, place in ranks(scores(evidence, "3", name), "lumberchunker").items()
    }
    return counted(cases)


def lumber_suits_abstracts(evidence: Evidence) -> Readings:
    """LumberChunker's rank on the four collections of scientific abstracts."""
    places = {
        f"{name} {model}": int(place)
        for name in ("trec-covid", "scifact", "nfcorpus", "scidocs")
        for model, place in ranks(scores(evidence, "3", name), "lumberchunker").items()
    }
    half = len(METHODS) / 2
    means = pd.Series(places).groupby(lambda k: str(k).split()[0]).mean()
    figures = f"mean rank {listed(means, '{:.1f}')} of {len(METHODS)}"
    return (
        strict(
            "in the upper half in each cell",
            counted([place <= half for place in places.values()], figures),
        ),
        charitable(
            "mean rank in the upper half on each collection",
            counted({str(k): v <= (len(METHODS) + 1) / 2 for k, v in means.items()}, figures),
        ),
    )


def lumber_never_exceeds(evidence: Evidence) -> Readings:
    """LumberChunker against the best structure-based method."""
    every = cells(evidence, "3")
    lead = pd.Series(
        {
            f"{name} {model}": 100
            * (every[name][model]["lumberchunker"] / every[name][model][list(STRUCTURE)].max() - 1)
            for name in IN_CORPUS
            for model in MODELS
        }
    )
    average = scores(evidence, "3", "average")
    means = {
        model: bool(average[model]["lumberchunker"] <= average[model][list(STRUCTURE)].max())
        for model in MODELS
    }
    above = lead[lead > 0]
    return (
        strict(
            "in no cell above the best structure-based method",
            counted([v <= 0 for v in lead], f"above it: {listed(above, '{:+.1f}%')}"),
        ),
        charitable("by average with each model", counted(means)),
    )


def structure_always_beats_llm(evidence: Evidence) -> Readings:
    """Paragraph and fixed-size against both LLM-guided methods."""
    every = cells(evidence, "3")
    cases = [
        bool(every[name][model][a] > every[name][model][b])
        for name in IN_CORPUS
        for model in MODELS
        for a in ("paragraph", "fixed-256")
        for b in ("lumberchunker", "proposition")
    ]
    average = scores(evidence, "3", "average")
    means = {
        f"{model} {a} {b}": bool(average[model][a] > average[model][b])
        for model in MODELS
        for a in ("paragraph", "fixed-256")
        for b in ("lumberchunker", "proposition")
    }
    return (
        strict("in each cell", counted(cases, "comparisons in table 3")),
        charitable("by average with each model", counted(means)),
    )


def _loss(loss: pd.Series, low: int, high: int) -> Readings:
    figures = f"loss {listed(loss, '{:.1f}%')}"
    return (
        strict(
            f"from {low} to {high} percent, both reached",
            counted(
                {f"{low}%": round(loss.min()) == low, f"{high}%": round(loss.max()) == high},
                figures,
            ),
        ),
        charitable(
            f"each between {low} and {high} percent",
            counted({str(m): low <= round(v) <= high for m, v in loss.items()}, figures),
        ),
    )
