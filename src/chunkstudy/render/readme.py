"""The README's generated part: the findings in short, advice, claims, verdicts, and the answers on
late chunking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pandas as pd

GENERATED = re.compile(r"(<!-- generated: results -->\n).*?(<!-- end generated -->)", re.DOTALL)
WORKS = {
    "chroma": "Chroma",
    "jina": "Jina",
    "taxonomy": "Beyond Chunk-Then-Embed,",
    "tutorial": "tutorial",
}
VERDICTS = ("exact", "within_noise", "deviates", "not_run")
CLAIMS = ("holds", "partly", "contradicted", "open")
SHORT = {
    "Is semantic's loss the method's?": (
        "Is it semantic chunking that fails under late chunking on FiQA and TREC-COVID?"
    ),
    "Is NFCorpus's large gain with fixed-size chunks": (
        "With MiniLM, is late chunking's gain on NFCorpus the repair of short tails?"
    ),
    "Does it within documents where more questions": (
        "With MiniLM, does late chunking harm within a document, as the taxonomy finds?"
    ),
    "How much of it is contextualized at all?": (
        "How much do the taxonomy's E5 rows contextualize within books?"
    ),
    "Does the window explain E5's mixed results": (
        "Does its short window explain E5's mixed results in corpora?"
    ),
    "Or does not chunking?": "Does paragraph chunking win in corpora?",
    "Does the ranking reverse within a document?": (
        "Does the ranking of methods reverse within a document?"
    ),
    "Does it matter how a proposition is judged?": "Does it matter how a proposition is judged?",
    "Does no weaker model with it beat a stronger one": (
        "Does no weaker model with late chunking beat a stronger one without?"
    ),
    "Approximate search lowers recall": (
        "Can approximate search explain why Chroma's recall with MiniLM lies below ours?"
    ),
    "Finance repeats its passages": "Does it matter that Chroma finds chunks by their text?",
    "Overlap.": "Is overlap between chunks good or bad?",
}
"""How the findings begin that a reader meets first, and the question each answers, in words that
need nothing before them."""
Tables = dict[str, pd.DataFrame]


def fill(readme: str, comparison: pd.DataFrame, claims: pd.DataFrame, made: Tables) -> str:
    """The README with its generated part made anew.

    Args:
        readme: its text.
        comparison: a row per published cell.
        claims: the ledger.
        made: every table by name.
    """
    parts = [
        _short(made["findings"]),
        _rows(
            ("task", "what the runs support", "how sure"),
            made["which_chunker_advice"][["task", "advice", "how sure"]].to_numpy().tolist(),
        ),
        _claims(claims),
        _verdicts(comparison),
        _recall(comparison),
        "<details>\n<summary>Late chunking with one small model, question by question</summary>\n",
        _rows(
            ("late chunking, all-MiniLM-L6-v2", "answer"),
            made["late_chunking_answers"][["question", "answer"]].to_numpy().tolist(),
        ),
        "</details>\n",
    ]
    block = "\n" + "\n".join(part for part in parts if part)
    return GENERATED.sub(lambda m: m[1] + block + "\n" + m[2], readme)


def _short(findings: pd.DataFrame) -> str:
    """The findings of SHORT as a list; one whose records are missing is left out."""
    lines = [
        f"- **{question}** {answer}"
        for start, question in SHORT.items()
        for finding in findings["finding"][findings["finding"].str.startswith(start)]
        for answer in [re.sub(r"^([^.?]*\?|Overlap\.) ", "", finding)]
    ]
    return "\n".join([*lines, ""]) if lines else ""


def _verdicts(comparison: pd.DataFrame) -> str:
    found = []
    for (work, table), rows in comparison.groupby(["work", "table"], sort=False):
        counts = [int((rows["verdict"] == name).sum()) for name in VERDICTS]
        name = table if str(table).startswith("figure") or work != "taxonomy" else f"table {table}"
        found.append((f"{WORKS[str(work)]} {name}", len(rows), *counts))
    return _rows(("published", "cells", *(name.replace("_", " ") for name in VERDICTS)), found)


def _claims(claims: pd.DataFrame) -> str:
    """How many claims hold, read strictly and read charitably where they are loose."""
    kinds = claims["reading"].str.split(":").str[0]
    found = []
    for work, rows in claims.groupby("work", sort=False):
        strict, kind = rows[kinds[rows.index] != "charitable"], rows[kinds[rows.index] != "strict"]
        counts = [
            f"{int((strict['verdict'] == name).sum())} / {int((kind['verdict'] == name).sum())}"
            for name in CLAIMS
        ]
        found.append((WORKS[str(work)].rstrip(","), strict["id"].nunique(), *counts))
    return _rows(("claims of", "claims, read strictly / charitably", *CLAIMS), found)


def _recall(comparison: pd.DataFrame) -> str:
    rows = comparison[
        (comparison["table"] == "minilm")
        & (comparison["measure"] == "SpanRecall@5")
        & (comparison["statistic"] == "mean")
        & comparison["reproduced"].notna()
    ]
    found = [
        (
            row["chunker"],
            row["published"],
            f"{float(row['reproduced']):.1f}",
            f"{float(row['low']):.1f} to {float(row['high']):.1f}",
            f"{float(row['corrected']):.1f}",
        )
        for row in rows.to_dict("records")
    ]
    heads = ("chunker (all-MiniLM-L6-v2)", "published recall at 5", "reproduced", "95% interval",
             "corrected")  # fmt: skip
    return _rows(heads, found)


def _rows(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [_line(heads), "|" + "---|" * len(heads), *map(_line, rows)]
    return "\n".join([*lines, ""])


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
