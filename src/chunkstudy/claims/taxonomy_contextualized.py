"""The taxonomy's third question, contextualized chunking (S2:263-351): tables 4 and 5."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, listed, numbers, spread
from chunkstudy.claims.jina_rows import late_gains_of_minilm
from chunkstudy.claims.taxonomy_rows import (
    IN_CORPUS,
    METHODS,
    MODELS,
    STRUCTURE,
    cells,
    column_average,
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

LLM_GUIDED = ("lumberchunker", "proposition")


def proposition_gains_most(evidence: Evidence) -> Readings:
    """The largest average gain per model."""
    printed = scores(evidence, "4", "average")
    stated = {"Jina-v2": 22.87, "Jina-v3": 27.11, "Nomic": 15.62, "E5": 26.94}  # S2:304
    of_scores = 100 * (scores(evidence, "5", "average") / scores(evidence, "3", "average") - 1)
    return (
        strict(
            "with the stated figures as the change of the average score",
            counted(
                {m: bool(abs(of_scores[m]["proposition"] - v) <= 0.05) for m, v in stated.items()},
                f"change of the averages {listed(of_scores.T['proposition'], '{:+.2f}%')}",
            ),
        ),
        charitable(
            "largest of the printed averages, with the stated figures",
            counted(
                {
                    m: str(printed[m].idxmax()) == "proposition"
                    and bool(printed[m]["proposition"] == v)
                    for m, v in stated.items()
                },
                listed(printed.T["proposition"], "{:+.2f}%"),
            ),
        ),
    )


def lumber_gains_consistently(evidence: Evidence) -> Readings:
    """LumberChunker's gains in 24 cells and by average."""
    every = [
        float(table[m]["lumberchunker"]) for table in cells(evidence, "4").values() for m in MODELS
    ]
    average = scores(evidence, "4", "average").T["lumberchunker"]
    return (
        strict(
            "in each cell", counted([v > 0 for v in every], f"range {spread(every, '{:+.2f}%')}")
        ),
        charitable(
            "by average, from 2.42 to 4.80",
            counted(
                {"lowest": average.min() == 2.42, "highest": average.max() == 4.80},
                listed(average, "{:+.2f}%"),
            ),
        ),
    )


def structure_benefits_less(evidence: Evidence) -> Readings:
    """Average gains of structure-based methods against LLM-guided ones."""
    average = scores(evidence, "4", "average")
    cases = {
        f"{m} {a} above {b}": bool(average[m][a] < average[m][b])
        for m in MODELS
        for a in STRUCTURE
        for b in LLM_GUIDED
    }
    means = {
        m: average[m][list(STRUCTURE)].mean() < average[m][list(LLM_GUIDED)].mean() for m in MODELS
    }
    return (
        strict("each below each LLM-guided method", counted(cases)),
        charitable("mean below mean", counted({m: bool(v) for m, v in means.items()})),
    )


def context_is_restored(evidence: Evidence) -> Finding:
    """Propositions gain because of their own document's context: a control is missing."""
    gain = scores(evidence, "4", "average").T["proposition"]
    return unanswered(
        "a control: propositions contextualized by another document's text",
        f"gain {listed(gain, '{:+.2f}%')} with their own document; 0 runs with another's",
    )


def proposition_is_not_best(evidence: Evidence) -> Readings:
    """Propositions' rank under contextualized chunking."""
    places = {
        f"{name} {m}": place
        for name in IN_CORPUS
        for m, place in ranks(scores(evidence, "5", name), "proposition").items()
    }
    average = ranks(scores(evidence, "5", "average"), "proposition")
    return (
        strict("best in no cell", counted({k: v > 1 for k, v in places.items()})),
        charitable(
            "best by average with no model",
            counted(
                {str(m): r > 1 for m, r in average.items()}, f"ranks {listed(average, '{:d}')}"
            ),
        ),
    )


def proposition_is_below_most(evidence: Evidence) -> Readings:
    """Propositions against structure-based methods and LumberChunker, contextualized."""
    every = cells(evidence, "5")
    rivals = [*STRUCTURE, "lumberchunker"]
    below = [
        bool(every[name][m]["proposition"] < every[name][m][rivals].min())
        for name in IN_CORPUS
        for m in MODELS
    ]
    average = scores(evidence, "5", "average")
    return (
        strict(
            "below all four in more than half of the cells",
            decide(sum(below) > len(below) / 2, f"{sum(below)} of {len(below)} cells"),
        ),
        charitable(
            "below all four by average",
            counted(
                {m: bool(average[m]["proposition"] < average[m][rivals].min()) for m in MODELS},
                "",
            ),
        ),
    )


def long_windows_gain_more_consistently(evidence: Evidence) -> Readings:
    """In-corpus cells that lose, per model."""
    every = cells(evidence, "4")
    lost, gained = (
        pd.Series({m: sum(int(sign * v < 0) for t in every.values() for v in t[m]) for m in MODELS})
        for sign in (1, -1)
    )
    others = lost.drop("E5")
    figures = (
        f"of {len(every) * len(METHODS)} cells lose {listed(lost, '{:d}')}, gain "
        f"{listed(gained, '{:d}')}"
    )
    return (
        strict(
            "each of the three loses in fewer cells than E5",
            counted({str(m): v < lost["E5"] for m, v in others.items()}, figures),
        ),
        charitable("on average they do", decide(others.mean() < lost["E5"], figures)),
    )


def window_explains_the_difference(evidence: Evidence) -> Readings:
    """E5's average gain against the others'; with another model, the window alone is varied."""
    average = column_average(evidence, "4", "average")
    figures = f"average gain in corpora {listed(average, '{:+.2f}%')}{_fitting(evidence)}"
    return (
        strict(
            "with one of these models, a wider window gains more",
            unanswered("records of one of the four models at several windows", figures).witnessed(
                _window_sweep(evidence)
            ),
        ),
        charitable(
            "the model of 512 tokens gains less than the others on average",
            decide(average["E5"] < average.drop("E5").mean(), figures),
        ),
    )


def improves_in_corpora(evidence: Evidence) -> Readings:
    """All in-corpus changes."""
    every = [v for table in cells(evidence, "4").values() for v in flat(table).values()]
    average = scores(evidence, "4", "average")
    means = average.mean()
    return (
        strict(
            "by average for each method and model",
            counted(
                {f"{name} {v:+.2f}%": v > 0 for name, v in flat(average).items()},
                f"{sum(v > 0 for v in every)} of {len(every)} cells gain",
            ),
        ),
        charitable(
            "by average for each model",
            counted({str(m): v > 0 for m, v in means.items()}, listed(means, "{:+.2f}%")).witnessed(
                late_gains_of_minilm(evidence, "corrected")
            ),
        ),
    )


def llm_guided_is_best_contextualized(evidence: Evidence) -> Readings:
    """The best contextualized average per model: is it LLM-guided, and better than plain ones?"""
    late, plain = scores(evidence, "5", "average"), scores(evidence, "3", "average")
    best = {m: float(late[m][list(LLM_GUIDED)].max()) for m in MODELS}
    return (
        strict(
            "an LLM-guided method is the best of all, contextualized",
            counted(
                {m: bool(best[m] >= late[m].max()) for m in MODELS},
                f"best {', '.join(f'{m} {late[m].idxmax()}' for m in MODELS)} of {len(METHODS)}",
            ),
        ),
        charitable(
            "it beats the best plain method",
            counted(
                {m: bool(best[m] > plain[m].max()) for m in MODELS},
                ", ".join(f"{m} {best[m]:.4f} against {plain[m].max():.4f}" for m in MODELS),
            ),
        ),
    )


def _fitting(evidence: Evidence) -> str:
    """How many documents one window of 512 tokens holds, so that no model reads more of them."""
    found = [
        f"{name} {100 * (1 - facts['longer than 510 tokens'][0] / facts['documents'][0]):.0f}%"
        for name in IN_CORPUS
        if not (facts := evidence.facts(f"{name}_facts")).empty
    ]
    return f"; documents that fit E5's window: {', '.join(found)}" if found else ""


def _window_sweep(evidence: Evidence) -> str:
    """The gain at the narrowest and the widest window, per chunker, in corpora."""
    table = evidence.tables["late_chunking_windows"]
    if table.empty:
        return ""
    table = numbers(table, "difference", "window")
    table = table[table["collection"].isin(IN_CORPUS) & (table["chunker"] != "none")]
    steps = []
    for (name, chunker), group in table.groupby(["collection", "chunker"], sort=False):
        group = group.sort_values("window")
        if len(group) > 1:
            first, last = group.iloc[0], group.iloc[-1]
            steps.append(
                f"{name} {chunker} {first['difference']:+.2f} with {first['window']} tokens, "
                f"{last['difference']:+.2f} with {last['window']}"
            )
    return ", ".join(steps)
