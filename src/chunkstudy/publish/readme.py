"""The README's first screen: what was run of each work, and what was found; and the numbers in the
table at the head of REPRODUCING.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.published.sources import WORKS
from chunkstudy.published.verdicts import RUN
from chunkstudy.runs.conditions import NONE
from chunkstudy.study import titles, written
from chunkstudy.study.tables import Table

HEADLINES = (
    "late_chunking",
    "chroma_2_token_overlap",
    "baselines",
    "taxonomy_rq3_contextualized",
)
"""Pages whose first answer stands on the first screen."""
ADVISING = "which_chunker"
ADVICE = (
    "What should search?",
    "How large should chunks be?",
    "Plain or late chunking?",
    "When should documents be left whole?",
)
"""Its answers that say what to do."""
HEADS = (
    "work", "numbers published", "computed", "exact", "of these, retrieval scores",
    "in its search's range", "deviate", "the rest waits for",
)  # fmt: skip
NAMED = 3
"""Models that a work's other cells wait for, at most by name."""
END = "<!-- end generated -->"
QUOTED = re.compile(r"(<!-- ([\w-]+/[\w-]+) -->)[^<]*")
"""The mark of a notebook's number, by its name, and the number, up to the next mark."""


def fill(places: Places) -> None:
    """Write the generated parts of ``README.md`` and the numbers of ``REPRODUCING.md`` anew."""
    blocks = {
        "works": works(written.table(places, "comparison")),
        "advice": advice(written.answers(places)),
        "findings": headlines(written.answers(places), "results/notebooks/"),
    }
    fill_regions(places.root / "README.md", blocks)
    if (reproducing := places.root / "REPRODUCING.md").exists():
        numbers, text = written.numbers(places), reproducing.read_text(encoding="utf-8")
        write_text(reproducing, QUOTED.sub(lambda mark: mark[1] + numbers[mark[2]], text))


def fill_regions(path: Path, blocks: Mapping[str, str]) -> None:
    """Write blocks between a page's marks of their names; nothing where there is no page."""
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    for name, block in blocks.items():
        before, mark, rest = text.partition(f"<!-- generated: {name} -->\n")
        _, end, after = rest.partition(END)
        text = f"{before}{mark}\n{block}\n\n{end}{after}" if end else text
    write_text(path, text)


def works(comparison: pd.DataFrame) -> str:
    """What was published, what of it was run, how it agrees, and what the rest waits for."""
    by_work = [
        (WORKS[str(work)].title, *_counts(cells), _waits_for(cells))
        for work, cells in comparison.groupby("work", sort=False)
    ]
    rows = [*by_work, ("all", *_counts(comparison), "")]
    return Table(pd.DataFrame(rows, columns=list(HEADS))).markdown()


def advice(answers: pd.DataFrame) -> str:
    """What to do, a point an answer."""
    given = answers[answers["page"] == ADVISING].set_index("question")["answer"]
    known = given.reindex(list(ADVICE)).dropna()
    return "\n".join(f"- **{question}** {answer}" for question, answer in known.items())


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
    exact, *others = (int((run["verdict"] == name).sum()) for name in RUN)
    scores = int((run["of_retrieval"] & (run["verdict"] == "exact")).sum())
    return tuple(f"{count:,}" for count in (len(cells), len(run), exact, scores, *others))


def _waits_for(cells: pd.DataFrame) -> str:
    """The models of the cells that were not run, those of most cells first."""
    waiting = cells.loc[cells["verdict"] == "not_run", "encoder"].value_counts()
    slugs = (str(slug) for slug in waiting.index)
    names = [titles.encoder(slug) for slug in slugs if slug not in ("", NONE)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
