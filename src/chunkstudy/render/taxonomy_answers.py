"""RQ1 to RQ4 of the taxonomy, asked of its printed tables, and of MiniLM's runs where they can say.

Each answer takes out what else could explain the printed numbers: that a document without line
breaks is one paragraph, so that its paragraph row is no chunking at all; the two collections that
an empty document can have spoilt; the window, which changes with the model; the best score that any
retriever could reach. A sentence chooses its words by the figures.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.analysis.taxonomy_printed import GUIDED, STRUCTURE, by_encoder, of_method, short
from chunkstudy.published.consistency import IN_CORPUS
from chunkstudy.render import taxonomy_answers_late as rq3

NO_CHANGE = 0.25
"""Percent: a rounding of the fourth decimal either side is at most about that."""
Tables = dict[str, pd.DataFrame]


def answers(published: pd.DataFrame, made: Tables) -> pd.DataFrame:
    """Rows of ``question, part, answer, figures``.

    Args:
        published: every printed cell.
        made: tables of MiniLM's runs by name.
    """
    cells = published[published["work"] == "taxonomy"]
    cells = cells[cells["state"] == "whole"].assign(value=lambda c: c["printed"].astype(float))
    plain, change, late = (by_encoder(cells, table) for table in ("3", "4", "5"))
    rows = [
        ("Is LumberChunker's advantage reproduced (Table 1)?", "reproduction", *_table_1(cells)),
        ("Are Jina's numbers reproduced (Table 2)?", "reproduction", *_table_2(cells)),
        ("Do structure-based methods win in corpora?", "RQ1", *_structure(plain)),
        ("Or does not chunking?", "RQ1", *_not_chunking(change, made)),
        ("Does the ranking reverse within a document?", "RQ2", *_reversal(plain)),
        ("What do ceilings explain?", "RQ2", *_ceilings(made)),
        ("Does late chunking help in corpora?", "RQ3", *rq3.in_corpus(plain, late)),
        ("Is semantic's loss the method's?", "RQ3", *rq3.semantic(change, made)),
        ("Does it harm within a document, always?", "RQ3", *rq3.in_document(change)),
        ("Or is that the window?", "RQ3", *rq3.window(change, made)),
        ("Does the window explain E5's mixed results in corpora?", "RQ3", *rq3.fits(change, made)),
        ("How much of it is contextualized at all?", "RQ3", *rq3.company(change, made)),
        ("Is it chunk size within a document?", "RQ4", *_size_within(made)),
        ("What does pooling collections do?", "RQ4", *_size_pooled(made)),
    ]
    return pd.DataFrame(rows, columns=["question", "part", "answer", "figures"])


def _table_1(cells: pd.DataFrame) -> tuple[str, str]:
    wide = cells[cells["table"] == "1"].pivot(index="chunker", columns="statistic", values="value")
    tau = stats.kendalltau(wide["original"], wide["reproduced"]).statistic
    lead = {}
    for name in ("original", "reproduced"):
        ranked = wide[name].sort_values(ascending=False)
        lead[name] = f"{ranked.index[0]} leads by {100 * (ranked.iloc[0] - ranked.iloc[1]):.1f}"
    same = "the same" if tau == 1 else f"not the same (tau {tau:.2f})"
    answer = (
        f"The order of the {len(wide)} methods is {same}: originally {lead['original']} points, "
        f"reproduced {lead['reproduced']}. Recursive chunks, second in the original notebook, were "
        "not run again."
    )
    difference = 100 * (wide["reproduced"] - wide["original"])
    return answer, ", ".join(f"{name} {value:+.2f}" for name, value in difference.items())


def _table_2(cells: pd.DataFrame) -> tuple[str, str]:
    table = cells[cells["table"] == "2"]
    wide = table.pivot(
        index=["collection", "chunker", "ordering"], columns="statistic", values="value"
    )
    gap = (100 * (wide["reproduced"] - wide["original"])).round(1)
    named = [(" ".join(key), float(value)) for key, value in zip(gap.index, gap, strict=True)]
    gains = wide.xs("contextualized", level="ordering") - wide.xs("pre_embedding", level="ordering")
    signs = np.sign(gains.round(3).to_numpy())
    agree = int((signs[:, 0] == signs[:, 1]).sum())
    close = [value for _, value in named if abs(value) <= 1]
    worst = max(named, key=lambda one: abs(one[1]))
    answer = (
        f"Mostly: {len(close)} of {len(named)} cells lie within a point (RMSE "
        f"{np.sqrt((gap**2).mean()):.2f}), and {agree} of {len(gains)} gains keep their sign; the "
        f"largest gap is {worst[0]}, {worst[1]:+.1f}."
    )
    return answer, ", ".join(f"{name} {value:+.1f}" for name, value in named if abs(value) > 1)


def _structure(plain: pd.DataFrame) -> tuple[str, str]:
    average = plain["average"].unstack("chunker")
    best = average.idxmax(axis=1)
    first = int(best.isin(STRUCTURE).sum())
    pairs = above = 0
    against = []
    for encoder, row in average.iterrows():
        for one in STRUCTURE:
            for other in GUIDED:
                pairs += 1
                above += int(row[one] > row[other])
                if row[one] <= row[other]:
                    against.append(f"{short(encoder)}: {other} {row[other]:.4f} over {one}")
    answer = (
        f"The best average is a structure-based method's in {first} of {len(best)} models, but not "
        f"every such method beats every guided one: {above} of {pairs} pairs."
    )
    return answer, "; ".join(against)


def _not_chunking(change: pd.DataFrame, made: Tables) -> tuple[str, str]:
    rows = of_method(change, "paragraph")[list(IN_CORPUS)]
    still = int((rows.abs().to_numpy() <= NO_CHANGE).sum())
    answer = (
        f"The paragraph row changes by at most {NO_CHANGE}% under late chunking in {still} of "
        f"{rows.size} cells, as it must where a document is one chunk: it is no chunking."
    )
    facts = made["late_chunking_collections"]
    seen = facts[facts["collection"].isin(IN_CORPUS)] if len(facts) else facts
    if len(seen):
        flat = seen[seen["documents of several paragraphs"] == 0]["collection"].tolist()
        answer += f" No document of {', '.join(flat)} holds a line break."
    table = made["which_chunker"]
    mini = table[table["task"] == "in-corpus"]
    none = mini[(mini["chunker"] == "none") & (mini["ordering"] == "pre_embedding")]
    if len(none):
        gap = none.iloc[0]
        answer += (
            f" MiniLM without chunking lies {-float(gap['difference']):.1f} points "
            f"[{-float(gap['difference high']):.1f}, {-float(gap['difference low']):.1f}] behind "
            "the best of its arms."
        )
    return answer, ", ".join(f"{short(e)} {row.abs().max():.2f}%" for e, row in rows.iterrows())


def _reversal(plain: pd.DataFrame) -> tuple[str, str]:
    found = {}
    for encoder in plain.index.unique("encoder"):
        part = plain.loc[encoder]
        found[short(encoder)] = stats.kendalltau(part["average"], part["gutenqa"])
    taus = [one.statistic for one in found.values()]
    answer = (
        f"It changes rather than reverses: Kendall's tau of the two rankings lies between "
        f"{min(taus):.2f} and {max(taus):.2f} (a reversal is -1; six methods, none significant)."
        if min(taus) > -0.6 and min(one.pvalue for one in found.values()) >= 0.05
        else f"Kendall's tau lies between {min(taus):.2f} and {max(taus):.2f}; a reversal is -1."
    )
    return answer, ", ".join(
        f"{name} tau {one.statistic:.2f} (p {one.pvalue:.2f})" for name, one in found.items()
    )


def _ceilings(made: Tables) -> tuple[str, str]:
    rows = made["late_chunking_emma"]
    if rows.empty:
        return "Open: it needs records of gutenqa-emma.", ""
    rows = rows[(rows["protocol"] == "as_published-ielab") & (rows["ordering"] == "pre_embedding")]
    score = rows["DCG@10"].astype(float)
    best = rows["Ceiling(DCG@10)"].astype(float)
    tau = stats.kendalltau(score, score / best).statistic
    answer = (
        f"On Emma the best any retriever could reach lies between {best.min():.1f} and "
        f"{best.max():.1f} by the chunker alone, since the judged text must stand inside one "
        f"chunk; dividing by it leaves the ranking {'as it is' if tau == 1 else 'nearly as it is'} "
        f"(tau {tau:.2f})."
    )
    named = zip(rows["chunker"], score, best, strict=True)
    return answer, ", ".join(f"{name} {value:.1f} of {top:.1f}" for name, value, top in named)


def _size_within(made: Tables) -> tuple[str, str]:
    rows = _correlations(made)
    rows = rows[(rows["collection"] == "gutenqa-emma") & (rows["definition"] == "text")]
    if rows.empty:
        return "Open: it needs records of gutenqa-emma.", ""
    sure = rows[(rows["fisher low"].astype(float) > 0) | (rows["fisher high"].astype(float) < 0)]
    same = (rows["r"].astype(float) > 0) & (rows["published r of Jina-v3"].astype(float) > 0)
    answer = (
        f"Not between questions of one book: of {len(rows)} methods on Emma {len(sure)} "
        f"{'correlates' if len(sure) == 1 else 'correlate'} beyond chance"
        + "".join(f" ({row['method']} {row['r']})" for row in sure.to_dict("records"))
        + f", and {int(same.sum())} share the positive sign of the printed r, whose points are "
        "whole books: there, chunk size can stand for the book."
    )
    return answer, "; ".join(
        f"{r['method']} {r['r']} [{r['fisher low']}, {r['fisher high']}], printed "
        f"{r['published r of Jina-v3']}"
        for r in rows.to_dict("records")
    )


def _size_pooled(made: Tables) -> tuple[str, str]:
    rows = _correlations(made)
    rows = rows[rows["collection"] == "in-corpus, pooled"]
    wide = rows.assign(r=rows["r"].astype(float)).pivot(
        index="method", columns="definition", values="r"
    )
    if not {"code", "within"} <= set(wide):
        return "Open: it needs records of two collections.", ""
    answer = (
        f"Over the pooled queries MiniLM's r lies between {wide['code'].min():.2f} and "
        f"{wide['code'].max():.2f} as the code computes it, and between "
        f"{wide['within'].min():.2f} and {wide['within'].max():.2f} once each collection is "
        "centred: what is left of size is small, and part of what pooling shows is the collections."
    )
    return answer, "; ".join(
        f"{name}: code {row['code']:.3f}, within {row['within']:.3f}"
        for name, row in wide.iterrows()
    )


def _correlations(made: Tables) -> pd.DataFrame:
    """MiniLM's under plain chunking and the corrected protocol, where there is one."""
    table = made["chunk_size_correlations"].fillna("")
    return table[
        (table["source"] == "records")
        & table["model"].str.contains("corrected")
        & (table["ordering"] == "pre_embedding")
        & (table["r"] != "")
        & (table["method"] != "No chunking")
    ]
