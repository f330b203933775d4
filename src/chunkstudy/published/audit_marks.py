"""Whether bold, underline and superscripts of the taxonomy's tables stand where the scores say."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.audit_check import DATASETS, Check, Printed, named, stacked


def mark_checks(printed: Printed) -> list[Check]:
    """Every check of marks against scores."""
    found = []
    for number in ("3", "5"):
        where = printed.where(("taxonomy", number))
        values, marks = printed.methods(number), printed.methods(number, "marks")
        bold, underlined = marked(marks, "bold"), marked(marks, "underline")
        by_model = values.groupby("encoder")
        found += [
            _marks(f"Table {number}: bold is the best of a model's column", where, bold,
                   values.eq(by_model.transform("max"))),
            _marks(f"Table {number}: underline is the worst of a model's column", where,
                   underlined, values.eq(by_model.transform("min"))),
            _one_test(number, where, values, marks),
        ]  # fmt: skip
    return found


def marked(marks: pd.DataFrame, word: str) -> pd.DataFrame:
    """Where ``bold`` or ``underline`` stands in the marks."""
    return marks.apply(lambda column: column.str.split("+").map(lambda parts: word in parts))


def superscript(marks: pd.DataFrame, letter: str) -> pd.DataFrame:
    """Where the superscript letter stands in the marks."""
    return marks.apply(
        lambda column: column.str.split("+").map(
            lambda parts: any(letter in part for part in parts if part in ("a", "b", "ab"))
        )
    )


def _marks(check: str, where: str, marks: pd.DataFrame, extreme: pd.DataFrame) -> Check:
    """One mark per column and model, on a cell that is extreme; ties leave the choice free."""
    per_column = stacked(marks.groupby("encoder").sum())
    right = stacked((marks & extreme).groupby("encoder").sum())
    off = (per_column != 1) | (right != 1)
    missing = per_column.index[per_column == 0]
    return Check(
        check,
        where,
        "one cell each",
        "none in " + "; ".join(named(key) for key in missing) if len(missing) else "one cell each",
        float("nan"),
        "columns",
        len(per_column),
        int(off.sum()),
    )


def _one_test(number: str, where: str, values: pd.DataFrame, marks: pd.DataFrame) -> Check:
    """Best against worst is one test, so the best bears b exactly where the worst bears a."""
    a, b = superscript(marks, "a")[DATASETS], superscript(marks, "b")[DATASETS]
    a_there, b_there = stacked(a).to_dict(), stacked(b).to_dict()
    agree: dict[tuple[str, str], bool] = {}
    for encoder, block in values[DATASETS].groupby("encoder"):
        for name in DATASETS:
            order = block[name].sort_values()
            best, worst = (*order.index[-1], name), (*order.index[0], name)
            own = not a_there[best] and not b_there[worst]
            agree[str(encoder), name] = own and b_there[best] == a_there[worst]
    off = [key for key, right in agree.items() if not right]
    return Check(
        f"Table {number}: the best differs from the worst as the worst from the best, and neither "
        "from itself",
        where,
        "the same test",
        "; ".join(named(key) for key in off) or "the same test",
        float("nan"),
        "columns",
        len(agree),
        len(off),
    )
