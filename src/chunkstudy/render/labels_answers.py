"""Every table of chunk labels by name, with a sentence for each, its words chosen by figures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pandas as pd

from chunkstudy.analysis import labels, labels_power
from chunkstudy.analysis.labels import CUT, RULE
from chunkstudy.analysis.printed_numbers import numbers
from chunkstudy.places import Places

Tables = dict[str, pd.DataFrame]
LEVEL = 0.05


def tables(places: Places) -> Tables:
    """Every table of chunk labels by name; empty where the experiment was not run."""
    records = labels.LabelRecords.read(places)
    scored = labels.scores(records)
    made = {
        "labels_worked_example": labels.worked_example(places),
        "labels_scores": scored,
        "labels_by_chunk_size": labels.by_chunk_size(scored),
        "labels_macro_micro": labels.macro_micro(records),
        "labels_power": labels_power.queries_needed(records),
        "labels_power_curve": labels_power.power_curve(records),
    }
    return made | {"labels_answers": answers(made)}


def answers(made: Tables) -> pd.DataFrame:
    """Rows of ``about, finding``; a finding whose records are missing is left out."""
    asked: list[tuple[str, Callable[[Tables], str | None]]] = [
        ("worked example", _example),
        ("chunk size", _size),
        ("overlap", _overlap),
        ("order", _order),
        ("what is gold", _rules),
        ("macro and micro", _averages),
        ("weight of queries", _weight),
        ("queries needed", _needed),
        ("drawn samples", _drawn),
    ]
    rows = [(about, found) for about, answer in asked if (found := answer(made))]
    return pd.DataFrame(rows, columns=["about", "finding"])


def _example(made: Tables) -> str | None:
    rows = made["labels_worked_example"]
    wrong = rows[rows["agrees"] != "yes"]
    text = f"All {len(rows)} printed numbers are met."
    if len(wrong):
        names = ", ".join(f"{r['query']} {r['quantity']}" for r in wrong.to_dict("records"))
        text = f"{len(rows) - len(wrong)} of {len(rows)} printed numbers are met; not {names}."
    wide = rows.pivot(index="query", columns="quantity", values="computed")
    of_query = wide.drop(index=["macro", "micro", "total"])
    if (of_query["precision"] == of_query["recall"]).all():
        text += (
            f" In all {len(of_query)} queries as many chunks are retrieved as are gold, so "
            "precision equals recall and the example would not notice if the two were confused."
        )
    return text


def _size(made: Tables) -> str | None:
    rows = numbers(made["labels_by_chunk_size"])
    if rows.empty:
        return None
    plain = rows[rows["chunker"].str.endswith("-0")]
    parts = []
    for family, group in plain.groupby(plain["chunker"].str.partition("-")[0], sort=False):
        group = group.sort_values("mean tokens")
        small, large = group.iloc[0], group.iloc[-1]
        parts.append(
            f"From {small['mean tokens']:.0f} to {large['mean tokens']:.0f} tokens per {family} "
            f"chunk, gold chunks per query go from {small['gold']:.2f} to {large['gold']:.2f}, the "
            f"best reachable precision from {small['best precision']:.1f} to "
            f"{large['best precision']:.1f}, precision from {small['precision']:.1f} to "
            f"{large['precision']:.1f}, SpanPrecision from {small['SpanPrecision']:.1f} to "
            f"{large['SpanPrecision']:.1f}."
        )
    of_spans = plain["SpanPrecision"].max() / plain["SpanPrecision"].min()
    of_labels = plain["precision"].max() / plain["precision"].min()
    return (
        f"Over chunks whose SpanPrecision at {CUT} differs by a factor of {of_spans:.1f}, "
        f"precision of labels differs by {of_labels:.1f}: a gold chunk counts the same whether "
        f"the answer fills it or is one line of it. {' '.join(parts)}"
    )


def _overlap(made: Tables) -> str | None:
    rows = numbers(made["labels_power"])
    if rows.empty:
        return None
    rows = rows[rows["a"].str.endswith("-125") & rows["b"].str.endswith("-0")]
    parts = []
    turned = []
    for (one, other), pair in rows.groupby(["a", "b"], sort=False):
        of_labels = pair[pair["measure"] == "recall"].iloc[0]
        of_spans = pair[pair["measure"] == "SpanRecall"].iloc[0]
        parts.append(
            f"{one} against {other}: recall of labels {_difference(of_labels)}, "
            f"SpanRecall {_difference(of_spans)}"
        )
        if _parted(of_labels, of_spans):
            turned.append(str(one))
    verdict = (
        f"For {', '.join(turned)} overlap is a loss by labels and a gain by spans, both beyond "
        "chance, on the same retrieved text: it makes more chunks gold, and a copy that is left "
        "out counts as a miss although its text was found"
        if turned
        else "Nowhere is overlap a loss by labels and a gain by spans, both beyond chance"
    )
    return f"{verdict}. In points with 95% intervals, {'; '.join(parts)}."


def _order(made: Tables) -> str | None:
    rows = numbers(made["labels_by_chunk_size"])
    if len(rows) < 3:
        return None
    rows = rows.set_index("chunker")
    parts: list[str] = []
    for of_labels, of_spans in (("recall", "SpanRecall"), ("precision", "SpanPrecision")):
        turned, pairs = _turned(rows[of_labels], rows[of_spans])
        start = of_labels.capitalize() if parts else of_labels
        parts.append(
            f"{start} of labels prefers {rows[of_labels].idxmax()} and {of_spans} "
            f"{rows[of_spans].idxmax()}; they order {turned} of {pairs} pairs of chunkers "
            "differently"
        )
    return f"Over the same rankings, {'. '.join(parts)}."


def _rules(made: Tables) -> str | None:
    rows = numbers(made["labels_scores"])
    if rows.empty:
        return None
    rows = rows[rows["cut"] == CUT]
    recall = rows.pivot(index="chunker", columns="rule", values="recall")
    reach = recall.max(axis=1) - recall.min(axis=1)
    whole = rows[rows["rule"] == "whole"].set_index("chunker")
    none = whole["without gold"]
    skipping = whole["skipping recall"] - whole["recall"]
    same = recall.index[recall["tutorial"] == recall["any"]]
    which = ", those without overlap" if all(name.endswith("-0") for name in same) else ""
    return (
        f"What counts as gold moves recall at {CUT} of one and the same ranking by up to "
        f"{reach.max():.1f} points ({reach.idxmax()}). If a chunk must hold the whole excerpt, up "
        f"to {none.max():.0f} queries have no gold chunk ({none.idxmax()}), and leaving them out "
        f"instead of counting 0 raises recall by up to {skipping.max():.1f} points. The "
        f"tutorial's own rule gives the recall of any shared character for {len(same)} of "
        f"{len(recall)} chunkers{which}."
    )


def _averages(made: Tables) -> str | None:
    rows = numbers(made["labels_macro_micro"])
    if rows.empty:
        return None
    scores = numbers(made["labels_scores"])
    scores = scores[scores["rule"] == RULE]
    apart = (scores["precision"] - scores["micro precision"]).abs().max()
    below, above = int((rows["high"] < 0).sum()), int((rows["low"] > 0).sum())
    widest = rows.iloc[int(rows["difference"].abs().argmax())]
    by_name = rows.set_index("chunker")
    turned, pairs = _turned(by_name["macro"], by_name["micro"])
    precision = (
        "Precision at k is the same either way, since every query retrieves k chunks"
        if apart == 0
        else f"Precision at k differs by up to {apart:.2f} points"
    )
    direction = (
        "so queries with many gold chunks are the harder ones here, not the easy ones that the "
        "tutorial warns of"
        if below > above
        else "so queries with many gold chunks are the easier ones, as the tutorial warns"
    )
    return (
        f"{precision}. Recall at {CUT} is lower by micro than by macro average for {below} of "
        f"{len(rows)} chunkers and higher for {above}, beyond chance, {direction}; most for "
        f"{widest['chunker']}: {widest['difference']:+.1f} points "
        f"[{widest['low']:.1f}, {widest['high']:.1f}]. The two order {turned} of {pairs} pairs of "
        "chunkers differently."
    )


def _weight(made: Tables) -> str | None:
    rows = numbers(made["labels_macro_micro"])
    if rows.empty:
        return None
    held = rows["held by a tenth"]
    half = (rows["macro high"] - rows["macro low"]) / 2
    apart = rows["difference"].abs()
    return (
        f"The tenth of queries with the most gold chunks holds {held.min():.0f} to "
        f"{held.max():.0f}% of them, which is what they weigh in a micro average. For "
        f"{(apart > half).sum()} of {len(rows)} chunkers the two averages lie further apart than "
        f"the uncertainty of the macro one (half its interval, {half.min():.1f} to "
        f"{half.max():.1f} points)."
    )


def _needed(made: Tables) -> str | None:
    rows = made["labels_power"]
    if rows.empty:
        return None
    five, two = rows["needed for 5 points"].astype(int), rows["needed for 2 points"].astype(int)
    shown = rows["shown by them"].astype(float)
    seen = (rows["p (Holm)"].astype(float) < LEVEL).sum()
    queries = int(rows["queries"].iloc[0])
    return (
        f"To see 5 points of recall at {CUT} four times in five takes {five.min()} to {five.max()} "
        f"queries, depending on the pair; 2 points take {two.min()} to {two.max()}. The "
        f"{queries} queries show differences of {shown.min():.1f} to {shown.max():.1f} points; "
        f"{seen} of {len(rows)} comparisons survive Holm's correction."
    )


def _drawn(made: Tables) -> str | None:
    rows = numbers(made["labels_power_curve"])
    if rows.empty:
        return None
    apart = 100 * (rows["seen"] - rows["by formula"]).abs().max()
    at = rows[(rows["queries"] == 50) & (rows["measure"] == "recall")]
    often = (at["seen"] >= 0.8).sum()
    return (
        f"With 50 queries drawn from these, {often} of {len(at)} differences in recall of labels "
        "are significant with their own sign in four samples of five. The formula of the t-test "
        f"agrees with the drawn samples to {apart:.0f} points at worst."
    )


def _turned(one: pd.Series, other: pd.Series) -> tuple[int, int]:
    """Pairs that two scores order in opposite directions, and all pairs."""
    pairs = list(combinations(one.index, 2))
    turned = sum((one[a] - one[b]) * (other[a] - other[b]) < 0 for a, b in pairs)
    return int(turned), len(pairs)


def _parted(of_labels: pd.Series, of_spans: pd.Series) -> bool:
    seen = max(of_labels["p (Holm)"], of_spans["p (Holm)"]) < LEVEL
    return bool(seen and of_labels["a minus b"] < 0 < of_spans["a minus b"])


def _difference(row: pd.Series) -> str:
    return f"{row['a minus b']:+.1f} [{row['low']:.1f}, {row['high']:.1f}]"
