"""What the runs show that no paper prints, each sentence with its figures computed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

ANSWERS = {
    "late chunking with one small model": "late_chunking_answers",
    "Jina's posts": "jina_answers",
    "the taxonomy": "taxonomy_answers",
}
"""Questions that tables answer, by what they are about."""


def findings(comparison: pd.DataFrame, made: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Rows of ``about, finding, figures``; a finding whose records are missing is left out."""
    rows: list[tuple[str, str]] = []
    omega = comparison[
        (comparison["measure"] == "PrecisionOmega") & (comparison["verdict"] != "not_run")
    ]
    exact = int((omega["verdict"] == "exact").sum())
    rows.append(
        (
            "PrecisionOmega of the recursive and token rows is reproduced to the printed digit "
            "under the code's own rules: offsets found afterwards, touching counts as a hit, "
            "overlap not charged.",
            f"{exact} of {len(omega)} cells exact",
        )
    )
    rows += _lengths(made["chroma_lengths"])
    rows += _protocols(made["chroma_protocols"])
    approximate = made["chroma_approximate_search"]
    figures = "; ".join(_approximate(row) for row in approximate.to_dict("records"))
    rows.append(
        (
            "Approximate search lowers recall at 5 and makes it depend on the order of insertion; "
            "the published values lie below those of exact search by about as much.",
            figures,
        )
    )
    counts = made["chroma_collection"].set_index("part").astype(str)
    repeats = counts["excerpts_that_stand_more_than_once"].to_dict()
    excerpts = counts["excerpts"].to_dict()
    rows.append(
        (
            "Finance repeats its passages: most of its excerpts stand more than once, so that "
            "offsets found by the first occurrence credit a copy that was not retrieved.",
            f"{repeats['finance']} of {excerpts['finance']} excerpts in finance, "
            f"{repeats['all']} of {excerpts['all']} in all",
        )
    )
    found = [("Chroma", *row) for row in rows]
    for about, name in ANSWERS.items():
        found += [
            (about, f"{row['question']} {row['answer']}", row["figures"])
            for row in made[name].to_dict("records")
        ]
    for row in made["labels_answers"].to_dict("records"):
        found.append(("the tutorial", f"{str(row['about']).capitalize()}. {row['finding']}", ""))
    return pd.DataFrame(found, columns=["about", "finding", "figures"])


def _lengths(lengths: pd.DataFrame) -> list[tuple[str, str]]:
    special = lengths[lengths["length function"] == "wordpiece-special"]
    if special.empty:
        return []
    named = special[["size in WordPiece with special tokens", "published size"]]
    sizes = ", ".join(
        "{} (printed {})".format(*row) for row in named.itertuples(index=False, name=None)
    )
    found = [
        (
            "The MiniLM table's chunk sizes are WordPiece tokens with [CLS] and [SEP], truncated, "
            "and its recursive chunks were cut with that length, although the caption says cl100k.",
            sizes,
        )
    ]
    if "difference" in lengths and lengths["difference"].notna().any():
        mean = lengths.dropna(subset=["difference"]).groupby("length function")["difference"]
        figures = "; ".join(f"{name}: {value:.2f}" for name, value in mean.agg(_mean_size).items())
        found.append(
            (
                "Distance of reproduced from published MiniLM recall, mean over the recursive "
                "rows, in points, by length function.",
                figures,
            )
        )
    return found


def _protocols(protocols: pd.DataFrame) -> list[tuple[str, str]]:
    recall = protocols[(protocols["measure"] == "SpanRecall@5") & (protocols["encoder"] != "none")]
    if recall.empty:
        return []
    largest = recall.iloc[int(recall["difference"].astype(float).abs().argmax())]
    return [
        (
            "Finding chunks by their text afterwards, with cluster's and Kamradt's quirks, moves "
            "recall at 5; the largest change of a row, in points, with its 95% interval.",
            f"{largest['chunker']}: {largest['difference']} "
            f"[{largest['low']}, {largest['high']}], Holm p {largest['p (Holm)']}",
        )
    ]


def _mean_size(differences: pd.Series) -> float:
    return float(differences.abs().mean())


def _approximate(row: Mapping[Hashable, object]) -> str:
    lists = ", ".join(
        f"{name} {row[f'HNSW, {name}']}" for name in ("list 50", "list 20", "list 10")
    )
    return f"{row['chunker']}: published {row['published']}, exact {row['exact']}, {lists}"
