"""What Jina's two posts conclude, asked of their own tables and of MiniLM's runs.

A sentence chooses its words by the figures.
"""

from __future__ import annotations

import pandas as pd


def answers(made: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Rows of ``question, answer, figures``.

    Args:
        made: the tables ``jina_datasets``, ``jina_length`` and ``jina_comparisons`` by name.
    """
    datasets, comparisons = made["jina_datasets"], made["jina_comparisons"]
    rows = [
        ("Does late chunking improve every collection (S1:266)?", *_every(datasets)),
        ("Is it better than not chunking at all (S1:266)?", *_none(datasets)),
        ("Does its gain grow with document length (S1:266-270)?", *_length(made["jina_length"])),
        ("Does every model gain on every collection (S4:13)?", *_gains(comparisons)),
        ("Do boundaries matter less under it (S4:13)?", *_boundaries(comparisons)),
        (
            "Does no weaker model with it beat a stronger one without (S4:13)?",
            *_weaker(comparisons),
        ),
    ]
    return pd.DataFrame(rows, columns=["question", "answer", "figures"])


def _every(datasets: pd.DataFrame) -> tuple[str, str]:
    gain = datasets["late - plain"].astype(float)
    equal = datasets.loc[gain == 0, "collection"].tolist()
    answer = f"In {int((gain > 0).sum())} of {len(gain)} as printed"
    answer += f"; {' and '.join(equal)} stays as it was." if equal else "."
    seen = datasets[datasets["MiniLM late - plain"] != ""]
    if len(seen):
        ends = seen["MiniLM late - plain"].str.extract(r"\[(\S+), (\S+)\]").astype(float)
        sure = seen.loc[ends[0] > 0, "collection"].tolist()
        where = f"only on {' and '.join(sure)}" if sure else "nowhere"
        answer += f" MiniLM gains beyond its uncertainty {where}, of {len(seen)} collections."
    printed = [f"{r['collection']} {r['late - plain']}" for r in datasets.to_dict("records")]
    witness = [f"{r['collection']} {r['MiniLM late - plain']}" for r in seen.to_dict("records")]
    return answer, f"published: {', '.join(printed)}; MiniLM: {', '.join(witness)}"


def _none(datasets: pd.DataFrame) -> tuple[str, str]:
    gain = datasets["late - no chunking"].astype(float)
    answer = (
        f"In {int((gain > 0).sum())} of {len(gain)} collections; it is worse in "
        f"{int((gain < 0).sum())}. Documents that fit the window need no chunks."
    )
    shown = [f"{r['collection']} {r['late - no chunking']}" for r in datasets.to_dict("records")]
    return answer, f"late - no chunking, published: {', '.join(shown)}"


def _length(length: pd.DataFrame) -> tuple[str, str]:
    points = length[length["gain in"] == "points"].to_dict("records")
    by_name = {str(row["left out"]): row for row in points}
    whole = by_name[""]
    word = "Five points cannot say" if float(whole["low"]) < 0 else "Yes"
    answer = (
        f"{word}: r = {whole['Pearson r']} [{whole['low']}, {whole['high']}], exact p = "
        f"{whole['p (exact)']}, although the order of the five is the same (rho = "
        f"{whole['Spearman rho']}). Without NFCorpus r is {by_name['nfcorpus']['Pearson r']}."
    )
    figures = "; ".join(f"without {n or 'none'}: {r['Pearson r']}" for n, r in by_name.items())
    return answer, figures


def _gains(comparisons: pd.DataFrame) -> tuple[str, str]:
    rows = comparisons[comparisons["question"] == "late against plain"]
    above, equal, below = (int(rows[one].sum()) for one in ("above", "equal", "below"))
    cells = int(rows["cells"].sum())
    word = "Yes" if above == cells else "Nearly"
    answer = f"{word}: {above} of {cells} cells gain, {equal} stay and {below} lose."
    return answer, "; ".join(
        f"{r['where']}: {r['mean']} ({r['smallest']} to {r['largest']})"
        for r in rows.to_dict("records")
    )


def _boundaries(comparisons: pd.DataFrame) -> tuple[str, str]:
    plain = comparisons[comparisons["question"] == "fixed-256 late against semantic plain"]
    late = comparisons[comparisons["question"] == "fixed-256 late against semantic late"]
    answer = (
        f"Fixed sizes with late chunking beat semantic boundaries without it in "
        f"{int(plain['above'].sum())} of {int(plain['cells'].sum())} cells, and semantic ones with "
        f"it in {int(late['above'].sum())} of {int(late['cells'].sum())}, by "
        f"{late['smallest'].astype(float).min():.1f} to "
        f"{late['largest'].astype(float).max():.1f} points."
    )
    return answer, "; ".join(f"{r['where']}: {r['mean']}" for r in late.to_dict("records"))


def _weaker(comparisons: pd.DataFrame) -> tuple[str, str]:
    rows = comparisons[comparisons["question"] == "weaker late against stronger plain"]
    above, cells = int(rows["above"].sum()), int(rows["cells"].sum())
    found = rows[rows["above"] > 0].to_dict("records")
    if not above:
        return f"True of all {cells} cells.", ""
    answer = f"Contradicted by its own table: in {above} of {cells} cells it does."
    return answer, "; ".join(f"{r['where']}: {r['above in']}, +{r['largest']}" for r in found)
