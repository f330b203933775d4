"""RQ3 asked of the printed tables: late chunking in corpora and within books, and what else than
the method the printed changes show.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis.taxonomy_printed import METHODS, SPOILT, of_method, short
from chunkstudy.published.consistency import IN_CORPUS

E5 = "intfloat/multilingual-e5-large-instruct"
HALF = 50
"""Percent of a method's chunks."""
Tables = dict[str, pd.DataFrame]


def in_corpus(plain: pd.DataFrame, late: pd.DataFrame) -> tuple[str, str]:
    kept = [name for name in IN_CORPUS if name not in SPOILT]
    gain = 100 * (late - plain)
    by_method = gain[list(IN_CORPUS)].mean(axis=1).groupby("chunker").mean()
    whole = gain[kept].mean(axis=1).groupby("chunker").mean()
    up = int((gain[list(IN_CORPUS)].to_numpy() > 0).sum())
    answer = (
        f"As printed, {up} of {gain[list(IN_CORPUS)].size} cells gain, most for propositions "
        f"({by_method['proposition']:+.1f} points on average) and none for paragraphs "
        f"({by_method['paragraph']:+.2f}), which are whole documents. Over the four collections "
        f"without empty documents semantic gains too ({whole['semantic']:+.1f} against "
        f"{by_method['semantic']:+.1f} over six)."
    )
    return answer, ", ".join(
        f"{name} {by_method[name]:+.2f} of six, {whole[name]:+.2f} of four" for name in METHODS
    )


def semantic(change: pd.DataFrame, made: Tables) -> tuple[str, str]:
    rows = of_method(change, "semantic")
    kept = [name for name in IN_CORPUS if name not in SPOILT]
    six, four = rows[list(IN_CORPUS)].mean(axis=1), rows[kept].mean(axis=1)
    printed = ", ".join(
        f"{name} {rows[name].min():.1f} to {rows[name].max():.1f}%" for name in SPOILT
    )
    answer = (
        f"Not shown: its loss stands on {' and '.join(SPOILT)} ({printed}), where an empty "
        f"document can turn scores into NaN. Over the other four it gains {four.min():.1f} to "
        f"{four.max():.1f}% in all {len(four)} models, against {six.min():.1f} to "
        f"{six.max():.1f}% printed over six."
    )
    guard = made["late_chunking_nan_guard"]
    if len(guard):
        loss = guard["change (%)"].astype(float)
        kinds = guard["empty documents, in proportion to"]
        many, one = loss[kinds == "FiQA, as many"], loss[kinds == "TREC-COVID"]
        answer += (
            f" In MiniLM's rankings of {', '.join(dict.fromkeys(guard['collection']))}, as many "
            f"empty documents as FiQA has cost {-many.max():.0f} to {-many.min():.0f}% without a "
            f"guard, and one, as TREC-COVID has, {-one.max():.0f} to {-one.min():.0f}%."
        )
    return answer, ", ".join(f"{short(e)} {six[e]:+.2f} to {four[e]:+.2f}" for e in six.index)


def in_document(change: pd.DataFrame) -> tuple[str, str]:
    rows = change["gutenqa"]
    gains = [
        f"{short(encoder)} {method} {value:+.2f}%"
        for (encoder, method), value in zip(rows.index, rows, strict=True)
        if value > 0
    ]
    answer = (
        f"Not in all configurations, as the text says: {len(gains)} of {len(rows)} printed cells "
        "gain."
        if len(gains)
        else f"Yes: all {len(rows)} printed cells lose."
    )
    return answer, ", ".join(gains)


def window(change: pd.DataFrame, made: Tables) -> tuple[str, str]:
    means = change["gutenqa"].groupby("encoder").mean()
    answer = (
        "The model with 512 tokens loses least ("
        + ", ".join(f"{short(e)} {v:.1f}%" for e, v in means.sort_values().items())
        + "), but window and model change together."
    )
    rows = made["late_chunking_windows"]
    rows = rows[rows["collection"] == "gutenqa-emma"] if len(rows) else rows
    if rows.empty:
        return answer, ""
    wide = rows.assign(difference=rows["difference"].astype(float)).pivot(
        index="chunker", columns="window", values="difference"
    )
    wide.columns = wide.columns.astype(int)
    first, last = min(wide.columns), max(wide.columns)
    worse = int((wide[last] < wide[first]).sum())
    answer += (
        f" With one model, MiniLM on Emma, the loss grows with the window in {worse} of "
        f"{len(wide)} chunkers: from {wide[first].mean():+.1f} points at {first} tokens to "
        f"{wide[last].mean():+.1f} at {last}, on average."
    )
    corpora = made["late_chunking_positions"]
    if len(corpora):
        corpora = corpora[(corpora["positions"] == "in order") & (corpora["corpus"] == "all")]
        steps = ", ".join(
            f"{float(r['difference']):+.1f} [{r['low']}, {r['high']}] at {r['window']}"
            for r in corpora.to_dict("records")
        )
        answer += f" On Chroma's corpora, {corpora['n'].iloc[0]} questions, it changes by {steps}."
    figures = "; ".join(
        f"{name}: " + ", ".join(f"{w} {row[w]:+.1f}" for w in sorted(wide.columns))
        for name, row in wide.iterrows()
    )
    return answer, figures


def fits(change: pd.DataFrame, made: Tables) -> tuple[str, str]:
    """The paper's reason for E5's losses (S2:349), where a document fits its window anyway."""
    facts = made["late_chunking_collections"].set_index("collection")
    known = [name for name in IN_CORPUS if name in facts.index]
    if not known:
        return "Open: it needs records of a collection.", ""
    outgrown = facts.loc[known, "longer than 510 tokens"].astype(float)
    share = 100 * (1 - outgrown / facts.loc[known, "documents"].astype(float))
    loses = change[known] < 0
    own = loses.xs(E5, level="encoder").to_numpy()
    others = loses.drop(index=E5, level="encoder").to_numpy()
    word = "Hardly" if share.min() > HALF and own.mean() > others.mean() else "Not excluded"
    answer = (
        f"{word}: of the documents of {', '.join(known)} {share.min():.0f} to {share.max():.0f}% "
        "have at most 510 tokens (MiniLM's), so that one window holds them whatever the model. "
        f"There {short(E5)} loses in {own.sum()} of {own.size} cells, the others in "
        f"{others.sum()} of {others.size}."
    )
    lost = loses.groupby("encoder").sum()
    figures = [
        f"{name} {share[name]:.1f}% fit, losses "
        + ", ".join(f"{short(e)} {int(n)}" for e, n in lost[name].items())
        for name in known
    ]
    return answer, "; ".join(figures)


def company(change: pd.DataFrame, made: Tables) -> tuple[str, str]:
    """E5 reads 512 tokens, into which the official code packs whole chunks."""
    rows = made["late_chunking_company"]
    if len(rows):
        rows = rows[(rows["collection"] == "gutenqa-emma") & (rows["window"].astype(int) == 512)]
    if rows.empty:
        return "Open: it needs `chunkstudy study packed-windows`.", ""
    found = rows.set_index("chunker")["alone"].astype(float)
    alone = {
        name: 100 * next(found[slug] for slug in (name, f"{name}-released") if slug in found)
        for name in METHODS
    }
    printed = change["gutenqa"].xs(E5, level="encoder")
    figures = [f"{name}: {alone[name]:.1f}% alone, printed {printed[name]:+.2f}%" for name in alone]
    most = [name for name in alone if alone[name] > HALF]
    answer = (
        f"With {short(E5)} less than half of the chunks in {len(most)} of {len(alone)} methods: "
        "its window holds 512 tokens, the code packs whole chunks into it, and a chunk with no "
        "room beside it is encoded as by itself. On Emma, in MiniLM's tokens, that is so for "
        + ", ".join(
            f"{alone[name]:.1f}% of {name} ({printed[name]:+.2f}% printed)" for name in most
        )
        + ". Where chunks share their window: "
        + ", ".join(f"{name} {printed[name]:+.2f}%" for name in alone if name not in most)
        + "."
    )
    return answer, "; ".join(figures)
