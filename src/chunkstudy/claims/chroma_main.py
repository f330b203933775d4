"""Chroma's main table (S0:22-36, text-embedding-3-large): do its own cells bear the prose out?"""

from __future__ import annotations

import math

import pandas as pd

from chunkstudy.claims.chroma_rows import (
    MEASURES,
    RECALL,
    SHORT,
    differences,
    main_table,
    queries,
    ranks,
)
from chunkstudy.claims.evidence import (
    Evidence,
    highest,
    listed,
    rank,
)
from chunkstudy.claims.verdicts import (
    Finding,
    Readings,
    charitable,
    counted,
    decide,
    strict,
)

DEFAULTS = ("token-800-400", "kamradt")
"""Rows with a vendor's or a library's default settings (S0:383, S0:387)."""


def recall_gap(evidence: Evidence) -> Readings:
    """Is the largest difference of recall 9 points, or 9 percent?"""
    recall = main_table(evidence)[RECALL]
    points = recall.max() - recall.min()
    percent = 100 * points / recall.min()
    figures = (
        f"{recall.max():.1f} ({highest(recall)}) against {recall.min():.1f} ({recall.idxmin()}): "
        f"{points:.1f} points, {percent:.1f}%"
    )
    return (
        strict("9 points of recall", decide(round(points) == 9, figures)),
        charitable("a ratio that begins with 9 percent", decide(math.floor(percent) == 9, figures)),
    )


def defaults_are_poor(evidence: Evidence) -> Finding:
    """Do the rows with default settings stand in the lower half of every measure?"""
    table = main_table(evidence)
    middle = (len(table) + 1) / 2
    cases = {
        f"{row} {SHORT[measure]}": rank(table[measure], row) > middle
        for row in DEFAULTS
        for measure in MEASURES
    }
    return counted(cases, ranks(table, *DEFAULTS))


def recursive_performs_well(evidence: Evidence) -> Readings:
    """Do recursive rows stand above the mean?"""
    table = main_table(evidence)
    rows = [name for name in table.index if name.startswith("recursive")]
    above = table.loc[rows] > table.mean()
    margin = (table.loc[rows] - table.mean()).round(2)
    best = str(margin[RECALL][above.all(axis=1)].idxmax()) if above.all(axis=1).any() else rows[0]
    return (
        strict(
            "most recursive rows above the mean of all rows on all four measures",
            decide(
                above.all(axis=1).sum() > len(rows) / 2,
                f"{above.all(axis=1).sum()} of {len(rows)} rows",
            ),
        ),
        charitable(
            "some parameters put it above the mean on all four measures",
            decide(
                bool(above.all(axis=1).any()),
                f"{best} minus the mean: {listed(margin.T[best].rename(SHORT), '{:+.2f}')}",
            ),
        ),
    )


def recursive_200_is_high_everywhere(evidence: Evidence) -> Readings:
    """Where does recursive 200 rank on each measure?"""
    table = main_table(evidence)
    row = "recursive-200-0"
    third = len(table) / 3
    places = {SHORT[m]: rank(table[m], row) for m in MEASURES}
    mean = table.mean()
    return (
        strict(
            "in the upper third of every measure",
            counted({m: r <= third for m, r in places.items()}, ranks(table, row)),
        ),
        charitable(
            "at or above the mean on every measure",
            counted(
                {SHORT[m]: table[m][row] >= mean[m] for m in MEASURES},
                f"recall {table[RECALL][row]:.1f} against a mean of {mean[RECALL]:.2f}",
            ),
        ),
    )


def recursive_beats_token_when_small(evidence: Evidence) -> Readings:
    """Recursive against token windows at 400 and 200 tokens without overlap."""
    table = main_table(evidence)
    own = _pairs(table, "400-0", "200-0")
    printed = evidence.printed("chroma", "minilm", measure=RECALL, statistic="mean")
    recall = printed.set_index("chunker")["value"]
    both = dict(own)
    for size in ("250-0", "200-0"):
        both[f"MiniLM {size} recall"] = recall[f"recursive-{size}"] > recall[f"token-{size}"]
    figures = ", ".join(
        f"recall at {size} {table[RECALL][f'recursive-{size}']:.1f} against "
        f"{table[RECALL][f'token-{size}']:.1f}"
        for size in ("400-0", "200-0")
    )
    small = differences(evidence, "recursive-200-0", "token-200-0", RECALL)
    return (
        strict("with both embedding models", counted(both, figures)),
        charitable("in the table it speaks of", counted(own, figures).witnessed(small)),
    )


def advantage_is_lost_when_large(evidence: Evidence) -> Readings:
    """Recursive against token windows at 800/400 and 400/200."""
    table = main_table(evidence)
    pairs = _pairs(table, "800-400", "400-200")
    reversed_ = {name: not won for name, won in pairs.items()}
    sizes = {size: [w for n, w in pairs.items() if n.startswith(size)] for size in ("800", "400")}
    return (
        strict("token windows win on every measure", counted(reversed_)),
        charitable(
            "recursive no longer wins on all measures",
            counted(
                {size: not all(won) for size, won in sizes.items()},
                f"of {len(pairs)} comparisons recursive wins {sum(pairs.values())}",
            ),
        ),
    )


def less_overlap_raises_iou(evidence: Evidence) -> Readings:
    """400 tokens with an overlap of 200 against none."""
    iou = main_table(evidence)["SpanIoU@5"]
    change = pd.Series(
        {name: iou[f"{name}-400-0"] - iou[f"{name}-400-200"] for name in ("recursive", "token")}
    )
    figures = f"change of printed IoU in points: {listed(change, '{:+.1f}')}"
    witness = "; ".join(
        f"{name} 250 without minus with overlap {found}"
        for name in ("recursive", "token")
        if (found := differences(evidence, f"{name}-250-0", f"{name}-250-125", "SpanIoU@5"))
    )
    return (
        strict(
            "IoU rises for both chunkers",
            counted({str(k): v > 0 for k, v in change.items()}, figures).witnessed(witness),
        ),
        charitable(
            "IoU rises on average and never falls",
            decide(change.mean() > 0 and change.min() >= 0, figures),
        ),
    )


def assistants_default_is_worst(evidence: Evidence) -> Readings:
    """Token windows of 800 with overlap 400: recall slightly below the mean, the rest lowest."""
    table = main_table(evidence)
    row = "token-800-400"
    recall, mean = table[RECALL][row], table[RECALL].mean()
    cases = {SHORT[m]: table[m].idxmin() == row for m in MEASURES[1:]}
    std = evidence.value("chroma", "main", chunker=row, measure=RECALL, statistic="std")
    error = std / math.sqrt(queries(evidence))
    figures = f"recall {recall:.1f}, mean {mean:.2f}, standard error {error:.2f}"
    return (
        strict(
            "recall below the mean by more than its standard error, the others lowest",
            counted({"recall": mean - recall > error, **cases}, figures),
        ),
        charitable(
            "recall below the mean, the others lowest",
            counted({"recall": recall < mean, **cases}, figures),
        ),
    )


def iou_is_precision(evidence: Evidence) -> Readings:
    """Does IoU say anything of recall, or only what precision says?"""
    table = main_table(evidence)
    apart = (table["SpanIoU@5"] - table["SpanPrecision@5"]).abs().round(1)
    same_order = table["SpanIoU@5"].rank().equals(table["SpanPrecision@5"].rank())
    order = table["SpanIoU@5"].corr(table["SpanPrecision@5"], method="spearman")
    figures = (
        f"printed IoU equals printed precision in {(apart == 0).sum()} of {len(apart)} rows, "
        f"differs by {apart.max():.1f} points at most; rank correlation {order:.2f}"
    )
    return (
        strict(
            "IoU orders some two rows otherwise than precision does",
            decide(not same_order, figures),
        ),
        charitable("some printed IoU differs from its precision", decide(apart.max() > 0, figures)),
    )


def _pairs(table: pd.DataFrame, *sizes: str) -> dict[str, bool]:
    return {
        f"{size} {SHORT[m]}": bool(table[m][f"recursive-{size}"] > table[m][f"token-{size}"])
        for size in sizes
        for m in MEASURES
    }
