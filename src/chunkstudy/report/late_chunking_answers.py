"""The questions that the late-chunking papers leave open, answered from the tables.

A sentence chooses its words by the figures: a gain or a loss is one whose interval, or whose
Holm-adjusted p, says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd

from chunkstudy.experiment.grids import BEIR_AT_HAND

Tables = dict[str, pd.DataFrame]
LEVEL = 0.05


def answers(made: Tables) -> pd.DataFrame:
    """Rows of ``question, answer, figures``; a question whose records are missing is left out."""
    asked: list[tuple[str, Callable[[Tables], tuple[str, str] | None]]] = [
        ("Does contextualized encoding beat plain chunking in corpora with this model?", _corpora),
        ("Does it within a document, Emma?", _emma),
        ("Is the gain a matter of the window?", _window),
        ("How much is contextualized where whole chunks are packed into windows?", _company),
        ("Is NFCorpus's large gain with fixed-size chunks the repair of short tails?", _tails),
        ("What does one empty document do without a guard against NaN?", _nan),
        ("Does the depth before documents are scored by their best chunk matter?", _depth),
        ("Do chunks of one document grow alike, and is that why Emma loses?", _similarity),
        ("Where does paragraph chunking differ from none?", _paragraphs),
        ("Is the best reachable score on Emma the same for all chunkers?", _ceiling),
        ("Does it matter how a proposition is judged?", _propositions),
        ("Do the official protocols change a conclusion?", _protocols),
    ]
    rows = [(question, *found) for question, answer in asked if (found := answer(made))]
    return pd.DataFrame(rows, columns=["question", "answer", "figures"])


def _corpora(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_gains"])
    rows = rows[(rows["measure"] == "nDCG@10") & (rows["protocol"] == "corrected")]
    rows = rows[~rows["chunker"].str.contains("merged|dropped") & (rows["chunker"] != "none")]
    rows = rows[rows["collection"].isin(BEIR_AT_HAND)]
    if rows.empty:
        return None
    return _counted(rows), "; ".join(map(_gain, rows.to_dict("records")))


def _emma(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_gains"])
    rows = rows[(rows["collection"] == "gutenqa-emma") & (rows["protocol"] == "corrected")]
    if rows.empty:
        return None
    return _counted(rows), "; ".join(map(_gain, rows.to_dict("records")))


def _window(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_windows"])
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


def _company(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_company"])
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
        "Little where chunks are large. ielab's code packs whole chunks: at 512 tokens "
        f"{100 * narrow.min():.2f} to {100 * narrow.max():.0f}% of Emma's chunks, by chunker, have "
        "their window to themselves, where late chunking is plain encoding; at 8,192 at most "
        f"{100 * wide.max():.2f}% do."
    )
    gains = _numbers(made["late_chunking_gains"])
    gains = gains[
        (gains["protocol"] == "as_published-ielab")
        & (gains["collection"] == "gutenqa-emma")
        & (gains["low"] == 0)
        & (gains["high"] == 0)
    ]
    if len(gains):
        answer += f" With {', '.join(gains['chunker'])} every query scores the same either way."
    return answer, "alone in their window: " + "; ".join(figures)


def _tails(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_tail_gains"])
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
    gains = _numbers(made["late_chunking_gains"])
    same = [gains[name] == merged[name] for name in ("collection", "protocol")]
    row = gains[same[0] & same[1] & (gains["chunker"] == merged["remedy"])]
    return float(row["low"].iloc[0])


def _nan(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_nan_guard"])
    if rows.empty:
        return None
    one, most = (
        rows[rows["empty documents"] == number]["change (%)"]
        for number in (rows["empty documents"].min(), rows["empty documents"].max())
    )
    answer = (
        f"One costs {-one.max():.0f} to {-one.min():.0f}% of nDCG@10 on average over the draws, "
        f"{int(rows['empty documents'].max())} cost {-most.max():.0f} to {-most.min():.0f}%, "
        "depending on their ids; with the guard nothing changes."
    )
    figures = "; ".join(
        f"{r['collection']}, {int(r['empty documents'])} empty "
        f"({r['empty documents, in proportion to']}): {r['nDCG@10, guarded']:.2f} to "
        f"{r['nDCG@10, NaN kept']:.2f}, {r['change (%)']:.1f}% "
        f"[{r['largest']:.1f}, {r['smallest']:.1f}]"
        for r in rows.to_dict("records")
    )
    return answer, figures


def _depth(made: Tables) -> tuple[str, str] | None:
    rows = made["late_chunking_depth"]
    if rows.empty:
        return None
    wide = rows.pivot(index=["collection", "chunker"], columns="depth", values="nDCG@10")
    wide = 100 * wide.astype(float)
    recall = rows.pivot(index=["collection", "chunker"], columns="depth", values="R@100")
    recall = 100 * recall.astype(float)
    change = {depth: (wide[depth] - wide["all"]).abs().max() for depth in ("20", "100", "1000")}
    lost = (recall["100"] - recall["all"]).min()
    answer = (
        f"Not for nDCG@10 from 100 chunks on (largest change {change['100']:.2f} points), but "
        f"R@100 loses up to {-lost:.1f} points at 100 chunks, since fewer documents are returned."
    )
    figures = "; ".join(f"{depth} chunks: {value:.3f}" for depth, value in change.items())
    return answer, f"largest change of nDCG@10 against all chunks, in points: {figures}"


def _similarity(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_similarity"])
    if rows.empty:
        return None
    rows = rows[rows["pairs"] == "neighbours"]
    closer = int((rows["low"] > 0).sum())
    gains = _numbers(made["late_chunking_gains"])
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


def _paragraphs(made: Tables) -> tuple[str, str] | None:
    rows = made["late_chunking_collections"]
    if rows.empty:
        return None
    several = rows[rows["documents of several paragraphs"] > 0]["collection"].tolist()
    nowhere = rows[rows["documents of several paragraphs"] == 0]["collection"].tolist()
    answer = (
        f"Nowhere in {', '.join(nowhere)}, whose documents hold no line break; in "
        f"{', '.join(several) or 'none of the others'} it does."
    )
    figures = "; ".join(
        f"{r['collection']}: {r['documents of several paragraphs']} of {r['documents']}"
        for r in rows.to_dict("records")
    )
    return answer, f"documents of several paragraphs: {figures}"


def _ceiling(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_emma"])
    if rows.empty:
        return None
    rows = rows[rows["ordering"] == "pre_embedding"]
    figures = []
    for protocol, group in rows.groupby("protocol", sort=False):
        best = group.set_index("chunker")["Ceiling(DCG@10)"]
        figures.append(f"{protocol}: " + ", ".join(f"{c} {v:.1f}" for c, v in best.items()))
    substring = rows[rows["protocol"] != "corrected"]["Ceiling(DCG@10)"]
    answer = (
        f"No: by substring it lies between {substring.min():.1f} and {substring.max():.1f}, since "
        "the judged text must stand inside one chunk; by overlap every chunker can reach "
        f"{rows[rows['protocol'] == 'corrected']['Ceiling(DCG@10)'].min():.1f}."
    )
    return answer, "; ".join(figures)


def _propositions(made: Tables) -> tuple[str, str] | None:
    rows = _numbers(made["late_chunking_propositions"])
    if rows.empty:
        return None
    row = rows.iloc[0]
    word = "Yes" if row["low"] > 0 or row["high"] < 0 else "Not beyond its uncertainty"
    answer = (
        f"{word}: the same propositions and vectors score {row['parents judged']:.1f} where their "
        f"parents are judged (S2's code) and {row['own text judged']:.1f} where their own text is "
        "(LumberChunker's). Parents are Gemini's chunks here, longer than paragraphs, so more "
        "often the text looked for is inside."
    )
    figures = f"difference {row['difference']:+.2f} [{row['low']:.2f}, {row['high']:.2f}]"
    return answer, f"{figures}, n = {int(row['n'])}"


def _protocols(made: Tables) -> tuple[str, str] | None:
    every = _numbers(made["late_chunking_protocols"])
    rows = every[every["p (Holm)"] < LEVEL] if len(every) else every
    gains = _numbers(made["late_chunking_gains"])
    if gains.empty:
        return None
    signs = gains[gains["p (Holm)"] < LEVEL].copy()
    signs["sign"] = signs["difference"] > 0
    turned = signs.groupby(["collection", "chunker"])["sign"].nunique()
    names = [" ".join(map(str, key)) for key in turned.index[turned > 1]]
    pairs = f"{len(every)} pairs of an official protocol and the corrected one"
    answer = f"Scores differ beyond chance in {len(rows)} of {pairs}; " + (
        f"the sign of the gain turns for {', '.join(names)}."
        if names
        else "the sign of a gain never turns."
    )
    return answer, "; ".join(
        f"{r['collection']}, {r['chunker']}, {r['ordering']}, {r['protocol']}: "
        f"{r['difference']:+.2f} [{r['low']:.2f}, {r['high']:.2f}]"
        for r in rows.to_dict("records")
    )


def _counted(rows: pd.DataFrame) -> str:
    sure = rows["p (Holm)"] < LEVEL
    more = int((sure & (rows["difference"] > 0)).sum())
    less = int((sure & (rows["difference"] < 0)).sum())
    return (
        f"{more} of {len(rows)} comparisons gain, {less} lose, and {len(rows) - more - less} show "
        "no difference after Holm's correction."
    )


def _gain(row: dict[Hashable, Any]) -> str:
    return (
        f"{row['collection']}, {row['chunker']}: {row['difference']:+.2f} "
        f"[{row['low']:.2f}, {row['high']:.2f}]"
    )


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its printed figures as numbers again."""
    found = table.copy()
    for name in found:
        try:
            found[name] = pd.to_numeric(found[name])
        except (ValueError, TypeError):
            continue
    return found
