"""The questions that the late-chunking papers leave open, answered from the tables.

A sentence chooses its words by the figures: a gain or a loss is one whose interval, or whose
Holm-adjusted p, says so.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from chunkstudy.analysis.printed_numbers import numbers
from chunkstudy.render import late_chunking_answers_gains as gains
from chunkstudy.render.late_chunking_answers_gains import LEVEL, Tables


def answers(made: Tables) -> pd.DataFrame:
    """Rows of ``question, answer, figures``; a question whose records are missing is left out."""
    asked: list[tuple[str, Callable[[Tables], tuple[str, str] | None]]] = [
        (
            "Does contextualized encoding beat plain chunking in corpora with this model?",
            gains.corpora,
        ),
        ("Does it within a document, Emma?", gains.emma),
        (
            "Does it within documents where more questions are asked, Chroma's corpora?",
            gains.excerpts,
        ),
        ("What costs there at the widest window, the context or the positions?", gains.positions),
        ("Do its chunks grow alike with the window, and is that the cost?", gains.excerpts_alike),
        ("Is the gain a matter of the window?", gains.window),
        ("How much is contextualized where whole chunks are packed into windows?", gains.company),
        ("Is NFCorpus's large gain with fixed-size chunks the repair of short tails?", gains.tails),
        ("What does one empty document do without a guard against NaN?", _nan),
        ("Does the depth before documents are scored by their best chunk matter?", _depth),
        ("Do chunks of one document grow alike, and is that why Emma loses?", gains.similarity),
        ("Where does paragraph chunking differ from none?", _paragraphs),
        ("Is the best reachable score on Emma the same for all chunkers?", _ceiling),
        ("Does it matter how a proposition is judged?", _propositions),
        ("Do the official protocols change a conclusion?", _protocols),
    ]
    rows = [(question, *found) for question, answer in asked if (found := answer(made))]
    return pd.DataFrame(rows, columns=["question", "answer", "figures"])


def _nan(made: Tables) -> tuple[str, str] | None:
    rows = numbers(made["late_chunking_nan_guard"])
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
    rows = numbers(made["late_chunking_emma"])
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
    rows = numbers(made["late_chunking_propositions"])
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
    every = numbers(made["late_chunking_protocols"])
    rows = every[every["p (Holm)"] < LEVEL] if len(every) else every
    changes = numbers(made["late_chunking_gains"])
    if changes.empty:
        return None
    signs = changes[changes["p (Holm)"] < LEVEL].copy()
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
