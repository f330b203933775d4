"""Which chunker for which task: every arm that was run, sortable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from chunkstudy.analysis.which_chunker import ADVISED, ENCODED, GROUP, OPERATIONS, READ
from chunkstudy.render import display_names, formats
from chunkstudy.site.material import Material
from chunkstudy.site.pages import Page, render

FILE = "choose.html"
MODEL_NEEDS = {
    "nothing": "no",
    "an encoder": "no, the encoder cuts",
    "a causal model": "yes, it reads and writes nothing",
    "an LLM": "yes",
}
SHOWN = {
    "lower": "shown to be worse",
    "equivalent": "shown to be as good within a point",
    "not shown": "not shown to be worse",
    "": "the best",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as it is sorted and as it is shown; a missing one sorts last."""

    value: float | str
    text: str

    @property
    def key(self) -> str:
        return f"{self.value:.8g}" if isinstance(self.value, float) else self.value


@dataclass(frozen=True, slots=True)
class Row:
    """An arm: a chunker under an ordering, with a model, on a task."""

    task: str
    where: str
    model: str
    chunker: str
    asks: str
    credited: str
    shown: str
    few: bool
    score: Cell
    behind: Cell
    read: Cell
    encoded: Cell
    operations: Cell
    seconds: Cell
    size: Cell


COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("chunker", "Chunker", ""),
    ("score", "Found", "%, 95% interval"),
    ("behind", "Behind the best", "points, 95% interval"),
    ("read", "Tokens read", "by a reader, per question"),
    ("encoded", "Tokens encoded", "per token of text"),
    ("operations", "Encoding", "million operations a token of text"),
    ("seconds", "Cutting", "seconds a million tokens"),
    ("size", "Chunk size", "tokens, mean"),
    ("asks", "Needs a language model", ""),
)


def rows(material: Material) -> list[Row]:
    """Every arm that was run, by task, collection and model, the best first."""
    found = material.table("which_chunker")
    advice = material.table("which_chunker_advice")
    few = {tuple(row[name] for name in GROUP) for row in advice.to_dict("records")
           if row[ADVISED] == "no"}  # fmt: skip
    return [
        _row(pd.Series(row), tuple(row[name] for name in GROUP) in few)
        for row in found.to_dict("records")
    ]


def page(material: Material) -> Page:
    """The page of all arms."""
    found = rows(material)
    groups = dict.fromkeys((row.task, row.where, row.model) for row in found)
    return render(
        material,
        FILE,
        "choose.html",
        "Choose a chunker",
        groups={group: [r for r in found if (r.task, r.where, r.model) == group]
                for group in groups},
        columns=COLUMNS,
        tasks=list(dict.fromkeys(row.task for row in found)),
        models=list(dict.fromkeys(row.model for row in found)),
        asks=list(dict.fromkeys(row.asks for row in found)),
        findings=[one for one in material.findings.values() if one["about"] == "which chunker"],
    )  # fmt: skip


def _row(row: pd.Series, few: bool) -> Row:
    measure = display_names.measure(str(row["measure"]))
    shown = "" if pd.isna(row["shown"]) else str(row["shown"])
    return Row(
        display_names.shown("task", row["task"]),
        f"{display_names.collection(str(row['collections']))}: {measure}, {row['n']:,} queries",
        display_names.encoder(str(row["encoder"])),
        display_names.arm(str(row["chunker"]), str(row["ordering"])),
        MODEL_NEEDS[str(row["needs"])],
        str(row["credited"]),
        SHOWN[shown],
        few,
        _interval(row["score"], row["low"], row["high"], formats.percent),
        _interval(row["difference"], row["difference low"], row["difference high"], formats.points)
        if row["difference"]
        else Cell(0.0, "–"),
        _cell(row[READ], formats.whole),
        _cell(row[ENCODED], formats.number),
        _cell(float(row[ENCODED]) * float(row[OPERATIONS]), formats.whole),
        _cell(row["chunking s/M tokens"], formats.significant),
        _cell(row["mean tokens"], formats.whole),
    )


def _cell(value: float, how: Callable[[float], str]) -> Cell:
    return Cell("" if pd.isna(value) else float(value), how(value) or "–")


def _interval(value: float, low: float, high: float, how: Callable[[float], str]) -> Cell:
    ends = "" if pd.isna(low) else f" [{how(low)}, {how(high)}]"
    return Cell(float(value), how(value) + ends)
