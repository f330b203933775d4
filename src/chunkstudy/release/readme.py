"""The README's first screen: what was run of each work, and what was found; and the numbers in the
table at the head of REPRODUCING.md."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd

from chunkstudy.core.files import write_text
from chunkstudy.core.project import Project
from chunkstudy.notebook import summary_files
from chunkstudy.published.sources import WORKS
from chunkstudy.published.verdicts import RUN

HEADLINES = (
    "late_chunking",
    "chroma_2_token_overlap",
    "baselines",
    "taxonomy_rq3_contextualized",
)
"""Pages whose first answer stands on the first screen."""
RECOMMENDATIONS = "what_to_do"
"""The table of what to do."""
HEADS = ("work", "numbers", "computed", "exact", "within reruns", "deviate")
GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end generated -->)", re.DOTALL)
"""The mark of a block, by its name, what stands there, and the mark of its end."""
QUOTED = re.compile(r"(<!-- ([\w-]+/[\w-]+) -->)[^<]*")
"""The mark of a notebook's number, by its name, and the number, up to the next mark."""


def fill(places: Project) -> None:
    """Write the generated parts of ``README.md`` and the numbers of ``REPRODUCING.md`` anew."""
    blocks: dict[str, Callable[[], str]] = {
        "works": lambda: works(summary_files.table(places, "comparison")),
        "advice": lambda: advice(summary_files.table(places, RECOMMENDATIONS)),
        "findings": lambda: headlines(summary_files.answers(places), "results/notebooks/"),
    }
    numbers = summary_files.numbers(places)
    for path in (places.root / "README.md", places.root / "REPRODUCING.md"):
        if path.exists():
            text = path.read_text(encoding="utf-8")
            text = GENERATED.sub(lambda mark: f"{mark[1]}\n{blocks[mark[2]]()}\n\n{mark[3]}", text)
            write_text(path, QUOTED.sub(lambda mark: mark[1] + numbers[mark[2]], text))


def works(comparison: pd.DataFrame) -> str:
    """What was published, what of it was run, and how it agrees."""
    by_work = [
        (WORKS[str(work)].title, *_counts(cells))
        for work, cells in comparison.groupby("work", sort=False)
    ]
    rows = [HEADS, *by_work, ("all", *_counts(comparison))]
    head, *lines = (f"| {' | '.join(row)} |" for row in rows)
    scores = int((comparison["of_retrieval"] & (comparison["verdict"] == "exact")).sum())
    below = (
        f"*Exact*: every published digit agrees; {scores:,} of these depend on a search, the "
        "others are counts, sizes and Precision \N{GREEK CAPITAL LETTER OMEGA}."
    )
    return "\n".join([head, "|" + "---|" * len(HEADS), *lines, "", below])


def advice(recommendations: pd.DataFrame) -> str:
    """Return the recommendations as a Markdown table: question, answer, evidence."""
    heads = ("question", "answer", "evidence")
    rows = recommendations[list(heads)].itertuples(index=False)
    lines = [
        f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows
    ]
    return "\n".join(["| Question | Answer | Evidence |", "|---|---|---|", *lines])


def headlines(answers: pd.DataFrame, folder: str = "") -> str:
    """The first answer of each of ``HEADLINES``, with a link to its page in ``folder``."""
    first = answers.drop_duplicates("page").set_index("page").reindex(HEADLINES).dropna()
    return "\n".join(
        f"{at}. **{question}** {answer} ([page]({folder}{page}.ipynb))"
        for at, (page, question, answer) in enumerate(first.itertuples(), start=1)
    )


def _counts(cells: pd.DataFrame) -> tuple[str, ...]:
    """How many there are, how many were run, and how many of these agree in each way."""
    run = cells[cells["verdict"] != "not_run"]
    verdicts = (int((run["verdict"] == name).sum()) for name in RUN)
    return tuple(f"{count:,}" for count in (len(cells), len(run), *verdicts))
