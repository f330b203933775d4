"""Answers on what late chunking gains: in corpora, within documents, by window, by how much is
contextualized at all, and by what a gain repairs.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from chunkstudy.analysis.printed_numbers import numbers
from chunkstudy.grid.grids import BEIR_AT_HAND

Tables = dict[str, pd.DataFrame]
LEVEL = 0.05


def corpora(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_gains"])
    rows = rows[(rows["measure"] == "nDCG@10") & (rows["protocol"] == "corrected")]
    rows = rows[~rows["chunker"].str.contains("merged|dropped") & (rows["chunker"] != "none")]
    rows = rows[rows["collection"].isin(BEIR_AT_HAND)]
    if rows.empty:
        return None
    return _counted(rows), "; ".join(map(_gain, rows.to_dict("records")))


def emma(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_gains"])
    rows = rows[(rows["collection"] == "gutenqa-emma") & (rows["protocol"] == "corrected")]
    if rows.empty:
        return None
    return _counted(rows), "; ".join(map(_gain, rows.to_dict("records")))


def excerpts(made: Tables) -> tuple[str, str] | None:
    means = numbers(made["late_chunking_positions"])
    rows = numbers(made["late_chunking_excerpts"])
    if means.empty or rows.empty:
        return None
    means = means[means["positions"] == "in order"].sort_values("window")
    widest = means[(means["window"] == means["window"].max()) & (means["corpus"] != "all")]
    means = means[means["corpus"] == "all"]
    steps = ", ".join(f"{_change(r)} at {r['window']} tokens" for r in means.to_dict("records"))
    of_dcg = rows[rows["measure"] == means["measure"].iloc[0]]
    sure = of_dcg[of_dcg["p (Holm)"] < LEVEL].groupby("window")["difference"]
    windows = list(means["window"])
    more, less = (
        ", ".join(str(int(sure.agg(count).get(size, 0))) for size in windows)
        for count in (lambda one: (one > 0).sum(), lambda one: (one < 0).sum())
    )
    late, plain = (
        ", ".join(f"{score:.1f}" for score in means[arm]) for arm in ("contextualized", "plain")
    )
    word = "That depends on the window" if (means["low"] > 0).any() else "Not at every window"
    if (means["high"] < 0).all():
        word = "Yes, at every window"
    elif not (means["high"] < 0).any():
        word = "Not shown"
    answer = (
        f"{word}: {means['measure'].iloc[0]} changes by {steps}, on average "
        f"over {means['chunkers'].iloc[0]} chunkers and {means['n'].iloc[0]} questions, each "
        f"within its corpus; of the chunkers {more} gain and {less} lose after Holm's correction. "
        f"Contextualized chunks score {late}; plain ones, which narrow windows cut, {plain}. At "
        f"{means['window'].max()} tokens, by corpus: "
        + ", ".join(f"{r['corpus']} {r['difference']:+.1f}" for r in widest.to_dict("records"))
        + "."
    )
    figures = [
        f"{measure}, {window} tokens: "
        + ", ".join(f"{r['chunker']} {_change(r)}" for r in group.to_dict("records"))
        for (measure, window), group in rows.groupby(["measure", "window"], sort=False)
    ]
    return answer, "; ".join(figures)


def positions(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_positions"])
    if rows.empty:
        return None
    rows = rows[rows["corpus"] == "all"]
    found = rows.set_index(["window", "positions"])["contextualized"]
    readings = [(256, "in order"), (256, "256 to 511"), (512, "in order"), (512, "0 to 255")]
    if not set(readings) <= set(found.index):
        return None
    narrow, far, wide, near = (float(found[one]) for one in readings)
    moved = rows.set_index("window")["against in order"]
    moved = moved[moved != ""]
    by_place, by_context = narrow - far, narrow - near
    word = "Both"
    if by_place > 2 * by_context:
        word = "The positions, mostly"
    elif by_context > 2 * by_place:
        word = "The context, mostly"
    answer = (
        f"{word}. 256 tokens score {narrow:.1f}, and {far:.1f} where they are read at positions "
        f"256 to 511, a difference of {moved[256]}; 512 tokens score {wide:.1f}, and {near:.1f} "
        f"where they are read at positions 0 to 255, two tokens each, a difference of "
        f"{moved[512]}. The model was tuned on 128 tokens, says its card."
    )
    return answer, "; ".join(
        f"{r['window']} tokens, {r['positions']}: {_change(r)}" for r in rows.to_dict("records")
    )


def excerpts_alike(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_excerpts_alike"])
    changes = numbers(made["late_chunking_excerpts"])
    if rows.empty or changes.empty:
        return None
    rows = rows[rows["positions"].isna() | (rows["positions"] == "")]
    rows = rows.assign(alike=rows["contextualized"] - rows["plain"])
    changes = changes[changes["measure"] == "DCG@10"].set_index(["window", "chunker"])
    both = rows.set_index(["window", "chunker"]).join(changes["difference"])
    means = both.groupby("window")[["plain", "contextualized", "difference"]].mean()
    steps = ", ".join(
        f"at {window} tokens from {row['plain']:.2f} to {row['contextualized']:.2f}, DCG@10 "
        f"{row['difference']:+.1f}"
        for window, row in means.iterrows()
    )
    (below, narrow), (above, wide) = list(means.iterrows())[-2:]
    over = both["alike"].corr(both["difference"])
    within = both["alike"] - both.groupby("chunker")["alike"].transform("mean")
    change = both["difference"] - both.groupby("chunker")["difference"].transform("mean")
    answer = (
        f"Neighbouring chunks grow alike in {int((both['alike'] > 0).sum())} of {len(both)} rows: "
        f"{steps}, on average over the chunkers. From {below} to {above} tokens their likeness "
        f"moves by {wide['contextualized'] - narrow['contextualized']:+.2f} and the change of "
        f"DCG@10 by {wide['difference'] - narrow['difference']:+.1f} points. Growing alike and "
        f"changing correlate at r = {over:.2f} over the rows, and at {within.corr(change):.2f} "
        "between the windows of a chunker."
    )
    return answer, "; ".join(
        f"{r['chunker']}, {r['window']} tokens: {r['alike']:+.3f}, DCG@10 {r['difference']:+.2f}"
        for r in both.reset_index().to_dict("records")
    )


def window(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_windows"])
    if rows.empty:
        return None
    figures = []
    grows = 0
    total = 0
    for (name, chunker), group in rows.groupby(["collection", "chunker"], sort=False):
        group = group.sort_values("window")
        steps = ", ".join(
            f"{int(r['window'])}: {r['difference']:+.2f} [{r['low']:.2f}, {r['high']:.2f}]"
            for r in group.to_dict("records")
        )
        figures.append(f"{name}, {chunker}: {steps}")
        if chunker != "none" and len(group) > 1:
            total += 1
            grows += int(group["difference"].iloc[-1] > group["difference"].iloc[0])
    word = "Yes" if grows == total else "No" if grows == 0 else "Not throughout"
    answer = (
        f"{word}: in {total - grows} of {total} rows the difference is smaller at the widest "
        "window than at the narrowest, with the same model. A narrow window cuts long chunks that "
        "are embedded alone, while late chunking slides over the whole document."
    )
    return answer, "; ".join(figures)


def company(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_company"])
    if rows.empty:
        return None
    figures = [
        f"{name}, {window:g} tokens: "
        + ", ".join(f"{r['chunker']} {100 * r['alone']:.0f}%" for r in group.to_dict("records"))
        for (name, window), group in rows.groupby(["collection", "window"], sort=False)
    ]
    emma = rows[rows["collection"] == "gutenqa-emma"].set_index("chunker")
    if emma.empty:
        return None
    narrow, wide = (emma[emma["window"] == size]["alone"] for size in (512, 8192))
    answer = (
        "ielab's code packs whole chunks: at 512 tokens "
        f"{100 * narrow.min():.2f} to {100 * narrow.max():.0f}% of Emma's chunks, by chunker, have "
        "their window to themselves, where late chunking is plain encoding; at 8,192 at most "
        f"{100 * wide.max():.2f}% do."
    )
    gains = numbers(made["late_chunking_gains"])
    gains = gains[
        (gains["protocol"] == "as_published-ielab")
        & (gains["collection"] == "gutenqa-emma")
        & (gains["low"] == 0)
        & (gains["high"] == 0)
    ]
    if len(gains):
        answer += f" With {', '.join(gains['chunker'])} every query scores the same either way."
    return answer, "alone in their window: " + "; ".join(figures)


def tails(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_tail_gains"])
    rows = rows[rows["collection"] == "nfcorpus"] if len(rows) else rows
    if rows.empty:
        return None
    jina = rows[rows["protocol"] == "as_published-jina"]
    merged = (jina if len(jina) else rows).iloc[0]
    share = 100 * merged["difference"] / merged["gain"] if merged["gain"] > 0 else float("nan")
    if merged["gain"] <= 0:
        word = "With this model there is no gain to explain"
    elif merged["low"] <= 0:
        word = "No: the gain does not change beyond its uncertainty once short tails are merged"
    elif _left(made, merged) > 0:
        word = f"In part: {share:.0f}% of the gain goes with the tails"
    else:
        word = (
            f"Yes: of MiniLM's gain of {merged['gain']:.2f} points "
            f"{merged['gain without short tails']:.2f} are left once short tails are merged, "
            "no longer distinguishable from nothing"
        )
    figures = "; ".join(
        f"{r['protocol']}, {r['remedy']}: gain {r['gain']:.2f}, without tails "
        f"{r['gain without short tails']:.2f}, difference {r['difference']:.2f} "
        f"[{r['low']:.2f}, {r['high']:.2f}]"
        for r in rows.to_dict("records")
    )
    return word + ".", figures


def _left(made: Tables, merged: pd.Series) -> float:
    """The lower end of the interval of the gain that is left without short tails, in points."""
    gains = numbers(made["late_chunking_gains"])
    same = [gains[name] == merged[name] for name in ("collection", "protocol")]
    row = gains[same[0] & same[1] & (gains["chunker"] == merged["remedy"])]
    return float(row["low"].iloc[0])


def similarity(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_similarity"])
    if rows.empty:
        return None
    rows = rows[rows["pairs"] == "neighbours"]
    closer = int((rows["low"] > 0).sum())
    gains = numbers(made["late_chunking_gains"])
    here = gains[gains["protocol"] == "corrected"].set_index(["collection", "chunker"])
    both = rows.set_index(["collection", "chunker"]).join(
        here["difference"].rename("difference of score")
    )
    both = both.dropna(subset=["difference of score"])
    r = both["difference"].corr(both["difference of score"])
    answer = (
        f"Neighbouring chunks grow alike in {closer} of {len(rows)} rows. Over the "
        f"{len(both)} rows with scores, growing alike and gaining correlate at r = {r:.2f}."
    )
    figures = "; ".join(
        f"{r['collection']}, {r['chunker']}: {r['pre_embedding']:.3f} to "
        f"{r['contextualized']:.3f}, {r['difference']:+.3f} [{r['low']:.3f}, {r['high']:.3f}]"
        for r in rows.to_dict("records")
    )
    return answer, figures


def _counted(rows: pd.DataFrame) -> str:
    sure = rows["p (Holm)"] < LEVEL
    more = int((sure & (rows["difference"] > 0)).sum())
    less = int((sure & (rows["difference"] < 0)).sum())
    return (
        f"{more} of {len(rows)} comparisons gain, {less} lose, and {len(rows) - more - less} show "
        "no difference after Holm's correction."
    )


def _gain(row: dict[Hashable, Any]) -> str:
    return f"{row['collection']}, {row['chunker']}: {_change(row)}"


def _change(row: dict[Hashable, Any]) -> str:
    return f"{row['difference']:+.2f} [{row['low']:.2f}, {row['high']:.2f}]"
