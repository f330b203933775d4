"""Pages of published tables, and the index of them with the bar of coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from chunkstudy.published.side_by_side import needs_of
from chunkstudy.published.verdicts import RUN, VERDICTS
from chunkstudy.render import display_names
from chunkstudy.site.material import Material
from chunkstudy.site.pages import Page, render
from chunkstudy.site.published_table import Table

SECTION = "tables.html"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many cells were run and with which verdicts.

    Attributes:
        words: the same as the bar shows, for those who do not see it.
        shares: verdict, cells, percent of all cells.
    """

    words: str
    shares: tuple[tuple[str, int, float], ...]


def coverage(counts: Mapping[str, int], scores: int) -> Coverage:
    """Of cells counted by verdict; ``scores`` of the exact ones are scores of retrieval."""
    cells = sum(counts.values())
    run = cells - counts.get("not_run", 0)
    each = (f"{counts[v]:,} {_said(v, counts[v], scores)}" for v in RUN if counts.get(v))
    words = f"{run:,} of {cells:,} published cells were run"
    if run:
        words += f": {', '.join(each)}"
    shares = tuple((v, counts.get(v, 0), 100 * counts.get(v, 0) / cells) for v in VERDICTS)
    return Coverage(words, shares)


def _said(verdict: str, count: int, scores: int) -> str:
    """A verdict behind a number of cells."""
    if verdict == "exact":
        return f"exact ({scores:,} of them scores of retrieval)"
    if verdict == "deviates":
        return "deviates" if count == 1 else "deviate"
    return display_names.VERDICTS[verdict]


def whole(tables: list[Table]) -> Coverage:
    """Of all published tables together."""
    counts: Counter[str] = Counter()
    for table in tables:
        counts.update(table.counts)
    return coverage(counts, sum(table.scores for table in tables))


def pages(material: Material, tables: list[Table]) -> list[Page]:
    """The index, and a page per table."""
    comparison = material.table("comparison")
    waiting = comparison[comparison["verdict"] == "not_run"]["reason"]
    needs = Counter(need for reason in waiting for need in needs_of(str(reason))).most_common()
    index = render(
        material,
        SECTION,
        "tables.html",
        "Published tables",
        rows=[(table, coverage(table.counts, table.scores)) for table in tables],
        whole=whole(tables),
        run=RUN,
        needs=needs,
    )
    return [index, *(_page(material, table) for table in tables)]


def _page(material: Material, table: Table) -> Page:
    return render(
        material,
        table.file,
        "table.html",
        table.title,
        section=SECTION,
        table=table,
        part=coverage(table.counts, table.scores),
        marked=any(
            place and (place.marks or place.letters)
            for block in table.blocks
            for _, places in block.rows
            for place in places
        ),
    )
