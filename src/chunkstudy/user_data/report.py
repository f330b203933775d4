"""The files of an evaluation: tables as CSV and LaTeX, every question's score, the page."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd
from markupsafe import Markup
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid

from chunkstudy.core.files import write_text
from chunkstudy.display import latex, titles
from chunkstudy.display.formats import Column, Columns, percent, points, thousandths, whole
from chunkstudy.display.tables import Table, as_text
from chunkstudy.pipeline.conditions import PRE_EMBEDDING
from chunkstudy.user_data.comparison import UNITS, Evaluation
from chunkstudy.user_data.inspector.pages import templates
from chunkstudy.user_data.recommendation import ENCODED, READ, RERANKED
from chunkstudy.user_data.systems import BY, PLAIN, labels, shown_as

SCORES = "scores.csv"
CAPTIONS = {
    "evaluation": "Ways of chunking, the best first; scores in percent.",
    "evaluation_tests": "Every other against the best.",
    "evaluation_needed": "How many questions would tell the best two apart four times in five.",
    "evaluation_tolerance": "Which systems are shown to be within the tolerance of the best.",
}
TORN = [name for name in UNITS if name != "sentences broken"]
AT_K, TOKENS_AT_K = "recall at k", "tokens at k"
"""Stand for the columns of recall in the first k chunks and of the tokens that these return, which
are shown beside where tokens decide."""
IN_TERMINAL = {
    "score": ("score", "low", "high", READ, AT_K, TOKENS_AT_K, ENCODED, "unread"),
    "difference": ("difference", "difference_low", "difference_high", "p_holm", "shown"),
    "tokens, largest": ("tokens, largest", *TORN),
    "sentences broken": ("chunks", "mean tokens", "unread", "sentences broken"),
}
"""What a terminal shows of a table, by a column that only it has; the rest stands in the files."""
ON_PAGE = (
    *("measure", "chunker", "encoder", "ordering", "score", "low"),
    *(READ, AT_K, TOKENS_AT_K, "chunks", "mean tokens", ENCODED, "unread", RERANKED),
)
"""What the page shows of the ways; every measure stands in the files."""
HEAD = 12
"""Characters of a line of a column's title there."""
SCREENED = "What needs no question, by way of chunking."
BROKEN = "What else is torn there."
COLUMNS: Columns = {
    "mean tokens": Column("tokens per chunk", whole),
    READ: whole,
    "text in no chunk": Column("text in no chunk, %", percent),
    "cut": Column("chunks cut, %", percent),
    "unread": Column("text beyond the window, %", percent),
    **{name: Column(f"{name}, %", percent) for name in UNITS},
    "tokens, largest": whole,
    ENCODED: whole,
    "US dollars": thousandths,
    RERANKED: whole,
    "a": Column("first", str),
    "b": Column("second", str),
    "a minus b": Column("first minus second, points", points),
    "questions needed": whole,
    "more than there are": whole,
    "difference that these show": Column("difference that these show, points", points),
    "units": whole,
}
BESIDE = re.compile(r"(SpanRecall|TokensRead)@([0-9]+)")
"""Columns of what the first k chunks hold."""


def write(evaluation: Evaluation, questions: str) -> None:
    """Write the tables that say something, the scores and the page; ``questions`` is the file that
    shows questions one by one, empty where there is none."""
    folder, advice = evaluation.folder, evaluation.recommendation
    tables = (evaluation.table, evaluation.tests, evaluation.needed, advice.tests)
    frames = {name: frame for name, frame in zip(CAPTIONS, tables, strict=True) if len(frame)}
    for name, frame in frames.items():
        write_text(folder / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n"))
        tex = latex.table(_table(frame).text, name, CAPTIONS[name], "appendix", "", {})
        write_text(folder / f"{name}.tex", tex)
    scores = evaluation.scores.rename_axis("id").to_csv(lineterminator="\n")
    write_text(folder / SCORES, scores)
    write_text(folder / "chosen.yaml", _chosen(evaluation))
    page = templates(Path(__file__).parent).get_template("page.html").render(
        evaluation=evaluation,
        tables={n: Markup(_table(frame).html(CAPTIONS[n])) for n, frame in frames.items()},
        bars=_bars(evaluation.table),
        measure=titles.measure(str(evaluation.table["measure"].iloc[0])),
        record=evaluation.record,
        questions=questions,
    )  # fmt: skip
    write_text(evaluation.page, page)


def _chosen(evaluation: Evaluation) -> str:
    """Return the settings of the system to take, to paste into a configuration, and why it."""
    row = evaluation.table.iloc[evaluation.chosen]
    why = (evaluation.answer, evaluation.recommendation.reason, *evaluation.warnings)
    encoder, _, rerank = str(row["encoder"]).partition(BY)
    settings: dict[str, object] = {
        "chunker": str(row["chunker"]),
        "encoder": encoder.replace("__", "/"),
        "ordering": PLAIN if row["ordering"] == PRE_EMBEDDING else str(row["ordering"]),
        **({"rerank": rerank} if rerank else {}),
        **evaluation.record["read"],
    }
    comments = (f"# {_printable(sentence)}" for sentence in dict.fromkeys(why))
    lines = (f"{name}: {_scalar(value)}" for name, value in settings.items())
    return "\n".join((*comments, *lines, ""))


def _printable(sentence: str) -> str:
    """Return a sentence in one line, without characters that YAML refuses."""
    line = " ".join(sentence.split())
    return "".join(character for character in line if character.isprintable())


def _scalar(value: object) -> str:
    """Return a value as YAML and JSON write it, with a code for what cannot be printed."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def screening(frame: pd.DataFrame) -> str:
    """What chunks show before anybody asks, as wide as the terminal: sizes and sentences, then the
    largest chunk and what else is torn, where there is any."""
    torn = [name for name in TORN if name in frame]
    beside = frame[["chunker", "encoder", "ordering", "tokens, largest", *torn]]
    return text({SCREENED: frame} | ({BROKEN: beside} if torn else {}))


def text(frames: dict[str, pd.DataFrame]) -> str:
    """Tables by their captions, as wide as the terminal and with what decides; all columns stand in
    the files."""
    console = Console(width=shutil.get_terminal_size().columns, color_system=None)
    with console.capture() as shown:
        for caption, frame in frames.items():
            kind = next(name for name in reversed(IN_TERMINAL) if name in frame)
            cells = _terminal_cells(frame, IN_TERMINAL[kind])
            grid = Grid(title=caption, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
            grid.add_column("way of chunking", overflow="fold", min_width=HEAD)
            for name in cells:
                grid.add_column(fill(str(name), HEAD), justify="right", no_wrap=True)
            for name, row in zip(
                labels(frame.to_dict("records")), cells.to_numpy().tolist(), strict=True
            ):
                grid.add_row(name, *map(str, row))
            console.print(grid)
    return shown.get().rstrip()


def _terminal_cells(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return columns as text; what the first k chunks hold is one column, and the share of text
    that is never read, which a warning says, makes room for it."""
    shown = _present(frame, names)
    beside = [name for name in shown if BESIDE.fullmatch(name)]
    if len(beside) < 2:
        return as_text(frame, shown, {**COLUMNS, **_beside(frame)})
    recall, tokens = beside
    shown = [name for name in shown if name not in (tokens, "unread")]
    cells = as_text(frame, shown, {**COLUMNS, **_beside(frame)})
    title = _beside(frame)[recall].title
    returned = " (" + frame[tokens].map(whole) + ")"
    cells[title] += returned
    return cells.rename(columns={title: f"{title.removesuffix(', %')} (tokens)"})


def _table(frame: pd.DataFrame) -> Table:
    """Systems by names that a reader knows, where the study's own do not tell them."""
    keys = [key for key in ("chunker", "encoder") if key in frame]
    readable = frame.assign(**{key: [shown_as(key, x) for x in frame[key]] for key in keys})
    names = _present(frame, ON_PAGE) if "unread" in frame else []
    return Table.of(readable, names, {**COLUMNS, **_beside(frame)})


def _present(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the columns that a frame has, in order; ``AT_K`` and ``TOKENS_AT_K`` stand for those
    of the first k chunks, which the deciding column repeats where k decides."""
    found = {match[1]: match[0] for match in map(BESIDE.fullmatch, map(str, frame)) if match}
    repeated = "measure" in frame and frame["measure"].isin(found.values()).any()
    both = ("", "") if repeated else (found.get("SpanRecall", ""), found.get("TokensRead", ""))
    given = {AT_K: both[0], TOKENS_AT_K: both[1]}
    return [name for name in (given.get(name, name) for name in names) if name in frame]


def _beside(frame: pd.DataFrame) -> dict[str, Column]:
    """Return the titles of what the first k chunks hold."""
    columns = {}
    for match in filter(None, map(BESIDE.fullmatch, map(str, frame))):
        if match[1] == "SpanRecall":
            columns[match[0]] = Column(f"recall in {match[2]} chunks, %", percent)
        else:
            columns[match[0]] = Column(f"tokens in {match[2]} chunks", whole)
    return columns


def _bars(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Of each system its name, and in percent of the drawing's width its interval and mean."""
    low, high = table[["low", "score"]].min().min(), table[["high", "score"]].max().max()
    margin = max(0.02, 0.15 * (high - low))
    start, end = max(0.0, low - margin), min(1.0, high + margin)
    bars = []
    whole_rows = table.fillna({"low": table["score"], "high": table["score"]}).to_dict("records")
    for name, row in zip(labels(whole_rows), whole_rows, strict=True):
        values = row["score"], row["low"], row["high"]
        center, left, right = (100 * (value - start) / (end - start) for value in values)
        bars.append(
            {
                "name": name,
                "left": round(left, 2),
                "width": round(right - left, 2),
                "mean": round(center, 2),
                "says": "{} [{}, {}]".format(*map(percent, values)),
                "ends": (percent(start), percent(end)),
            }
        )
    return bars
