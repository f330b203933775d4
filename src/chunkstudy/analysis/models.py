"""Does it hold for a second model, and is it the window or the length of training texts?

Families of comparisons, each corrected by itself, for one collection, measure and group of
chunkers: a model's windows; two models at the windows that both have; a model's change from the
narrow window to the wide one; two models' changes. On COVID-QA papers are what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import pandas as pd

from chunkstudy.analysis.model_gains import (
    EVERY,
    GROUPS,
    LONG,
    MEASURES,
    REFERENCE,
    SECOND,
    Arms,
    arms,
    both,
    gain,
    in_order,
    mean,
    only,
    shared,
)
from chunkstudy.analysis.paired import NOT_SHOWN, Keys, Pair, differences
from chunkstudy.analysis.papers import with_papers
from chunkstudy.grid.library import Library

NARROW, WIDE = 128, 512
"""Tokens read at once: those of the texts that two models were tuned on, and the widest window."""
Found = dict[tuple[str, str, str], Arms]
"""By collection, measure and group of chunkers."""


def every(library: Library, parts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables ``late_chunking_by_model``, ``late_chunking_models``, ``late_chunking_changes``,
    ``late_chunking_changes_between`` and ``late_chunking_held``.

    Args:
        library: the records.
        parts: ``query_id`` and ``part``, the paper of every query of COVID-QA; may be empty.
    """
    found: Found = {}
    for collection, measures in MEASURES.items():
        for measure in measures:
            of = arms(library, collection, measure)
            for over, chunkers in GROUPS.items():
                if over == EVERY or collection in LONG:
                    found[collection, measure, over] = only(of, chunkers)
    made: dict[str, tuple[Callable[[Found], Iterator[Pair]], str, str, str]] = {
        "late_chunking_by_model": (by_window, "the windows", "contextualized", "plain"),
        "late_chunking_models": (between, "the windows", "gain", "gain against"),
        "late_chunking_changes": (
            changes, "the change with the window", "gain at the wider", "at the narrower",
        ),
        "late_chunking_changes_between": (
            changes_between, "the change with the window", "change", "change against",
        ),
    }  # fmt: skip
    tables = {
        name: differences(with_papers(make(found), parts), _family(question), first, second)
        for name, (make, question, first, second) in made.items()
    }
    return tables | {"late_chunking_held": held(tables["late_chunking_by_model"])}


def by_window(found: Found) -> Iterator[Pair]:
    """Contextualized minus plain, over the chunkers that all models and windows of a collection
    have, so that every row of it can be held against every other."""
    for keys, of in _collections(found):
        cells, chunkers = shared(of)
        for model, window in cells:
            chunked = of[model, window]
            yield Pair(
                keys | {"model": model, "window": window, "chunkers": len(chunkers)},
                mean(chunked[one].late for one in chunkers),
                mean(chunked[one].plain for one in chunkers),
            )


def between(found: Found) -> Iterator[Pair]:
    """The gain with one model minus the gain with another, question by question."""
    for keys, of in _collections(found):
        for against, model in _models(of):
            for window in sorted({window for _, window in of}):
                chunkers = both(of, (model, window), (against, window))
                if chunkers:
                    yield Pair(
                        keys
                        | {"model": model, "other model": against}
                        | {"window": window, "chunkers": len(chunkers)},
                        gain(of[model, window], chunkers),
                        gain(of[against, window], chunkers),
                    )


def changes(found: Found) -> Iterator[Pair]:
    """The gain at the wide window minus the gain at the narrow one, of each model."""
    for keys, of in _collections(found):
        for model in sorted({model for model, _ in of}, key=in_order):
            chunkers = both(of, (model, WIDE), (model, NARROW))
            if chunkers:
                yield Pair(
                    keys | {"model": model, **_ENDS, "chunkers": len(chunkers)},
                    gain(of[model, WIDE], chunkers),
                    gain(of[model, NARROW], chunkers),
                )


def changes_between(found: Found) -> Iterator[Pair]:
    """The change of the gain with one model minus its change with another."""
    for keys, of in _collections(found):
        for against, model in _models(of):
            ends = [(one, window) for one in (model, against) for window in (WIDE, NARROW)]
            if chunkers := both(of, *ends):
                wide, narrow, other_wide, other_narrow = (gain(of[e], chunkers) for e in ends)
                yield Pair(
                    keys
                    | {"model": model, "other model": against}
                    | {**_ENDS, "chunkers": len(chunkers)},
                    wide - narrow,
                    other_wide - other_narrow,
                )


def held(rows: pd.DataFrame) -> pd.DataFrame:
    """What the reference shows and the second model, side by side, and whether it held.

    *yes*: both are higher, both lower, or both equivalent; *no*: each shows something, and not the
    same; *open*: one of them shows nothing; *not run*: the second model has no finished records.

    Args:
        rows: the table ``late_chunking_by_model``.
    """
    if rows.empty:
        return pd.DataFrame()
    wanted = rows[[*ASKED, "n", "chunkers", "model", *RESULT]]
    first, second = (
        wanted[wanted["model"] == one].drop(columns="model") for one in (REFERENCE, SECOND)
    )
    own = {name: f"second model {name}" for name in RESULT}
    both = first.merge(second[[*ASKED, *RESULT]].rename(columns=own), how="left", on=ASKED)
    words = zip(both["shown"], both["second model shown"].fillna(""), strict=True)
    return both.assign(held=[held_word(*pair) for pair in words])


def held_word(one: str, other: str) -> str:
    """Whether what one model shows held for another, in the words of :func:`held`.

    Args:
        other: what the other one shows; empty where it was not run.
    """
    if not other:
        return "not run"
    if NOT_SHOWN in (one, other):
        return "open"
    return "yes" if one == other else "no"


ASKED = ["collection", "measure", "over", "window"]
RESULT = ["difference", "low", "high", "shown"]
_ENDS = {"from": NARROW, "to": WIDE}


def _collections(found: Found) -> Iterator[tuple[dict[str, object], Arms]]:
    for (collection, measure, over), of in found.items():
        yield {"collection": collection, "measure": measure, "over": over}, of


def _models(of: Arms) -> Iterator[tuple[str, str]]:
    """Every two models, the earlier first."""
    return combinations(sorted({model for model, _ in of}, key=in_order), 2)


def _family(question: str) -> Callable[[Keys], str]:
    def name(keys: Keys) -> str:
        pair = "other model" in keys
        if pair and "window" not in keys:
            who = "two models"
        else:
            who = f"{keys['model']} against {keys['other model']}" if pair else str(keys["model"])
        return f"{question}, {keys['collection']}, {keys['measure']}, {keys['over']}, {who}"

    return name
