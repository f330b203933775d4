"""The taxonomy's claims that no predicate fits."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.numbers import pairs
from chunkstudy.published.claims.outcomes import Outcome, counted
from chunkstudy.runs.display_names import shown

IN_CORPUS = ("fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs")
E5 = "intfloat/multilingual-e5-large-instruct"
AVERAGE = "average"


def another_method_is_best(evidence: Evidence) -> Outcome:
    """Is the best method on GutenQA another than in corpora?"""
    inside, across = (_scores(evidence, "3", name).idxmax() for name in ("gutenqa", AVERAGE))
    return counted(
        {_model(model): inside[model] != across[model] for model in inside.index},
        ", ".join(
            f"{_model(model)} {_method(across[model])} and {_method(inside[model])}"
            for model in inside.index
        ),
    )


def changes_follow_from_scores(evidence: Evidence) -> Outcome:
    """168 relative changes recomputed from tables 3 and 5, within printed rounding."""
    met: list[bool] = []
    for name in ("gutenqa", *IN_CORPUS):
        before, after, printed = (_scores(evidence, number, name) for number in ("3", "5", "4"))
        bound = 100 * 0.0001 / before + 0.006  # scores are printed to four decimals
        met += ((printed - 100 * (after / before - 1)).abs() <= bound).to_numpy().ravel().tolist()
    return counted(met, "relative changes within printed rounding")


def others_lose_less_often(evidence: Evidence) -> Outcome:
    """Do fewer in-corpus cells lose with each of the other models than with E5?"""
    tables = pd.concat([_scores(evidence, "4", name) for name in IN_CORPUS])
    lost = (tables < 0).sum()
    return counted(
        {_model(model): bool(n < lost[E5]) for model, n in lost.drop(E5).items()},
        f"of {len(tables)} cells lose {pairs(lost.rename(_model), '{:d}')}",
    )


def marked_below_the_best_on_gutenqa(evidence: Evidence, best: str, others: list[str]) -> Outcome:
    """Is one method the best on GutenQA, and each of the others marked as significantly lower?

    Mark ``a`` of Table 3 is a paired t-test against the best at p < 0.05.
    """
    cells = evidence.frame("cells", "taxonomy/3")
    cells = cells[(cells["collection"] == "gutenqa") & (cells["chunker"] != AVERAGE)]
    top = cells.loc[cells.groupby("encoder")["value"].idxmax()].set_index("encoder")["chunker"]
    marked = {
        f"{_model(row['encoder'])}, {_method(row['chunker'])}": top[row["encoder"]] == best
        and "a" in str(row["marks"])
        for _, row in cells[cells["chunker"].isin(others)].iterrows()
    }
    return counted(marked, f"cells of Table 3 marked at p < 0.05 below {_method(best)}")


def poorer_methods_lose_too(evidence: Evidence) -> Outcome:
    """Do methods that score lower than semantic chunks on FiQA lose by context as well?"""
    before, change = (_scores(evidence, number, "fiqa") for number in ("3", "4"))
    named = pd.Series(
        {
            f"{_model(model)}, {_method(method)}": float(change[model][method])
            for model in before.columns
            for method in before.index
            if before[model][method] < before[model]["semantic"]
        }
    )
    figures = f"methods below semantic change by {pairs(named, '{:+.1f}%')}"
    return counted({str(key): v < 0 for key, v in named.items()}, figures)


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


def _scores(evidence: Evidence, table: str, collection: str) -> pd.DataFrame:
    """One collection's cells of table 3, 4 or 5: method by model."""
    cells = evidence.frame("cells", f"taxonomy/{table}")
    cells = cells[(cells["collection"] == collection) & (cells["chunker"] != AVERAGE)]
    return cells.pivot(index="chunker", columns="encoder", values="value")


def _marked(evidence: Evidence, *tables: str) -> pd.DataFrame:
    cells = pd.concat([evidence.frame("cells", f"taxonomy/{table}") for table in tables])
    return cells[(cells["chunker"] != AVERAGE) & (cells["collection"] != AVERAGE)]


def _model(encoder: object) -> str:
    return shown("encoder", encoder)


def _method(chunker: object) -> str:
    return shown("chunker", chunker)
