"""The files of an evaluation: tables as CSV and LaTeX, scores, the record, the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from chunkstudy.base.files import write_json, write_text
from chunkstudy.commands.evaluate import record, screening, sentences, tables
from chunkstudy.commands.evaluate.running import shown_as
from chunkstudy.commands.evaluate.tables import Tables
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.show import titles
from chunkstudy.show.formats import Column, Columns, percent, points, tenths, thousandths, whole
from chunkstudy.show.tables import Table

PAGE = "index.html"
SCORES = "scores.csv"
HARDEST = 10
CAPTIONS = {
    tables.TABLE: "Ways of chunking, the best first; scores in percent.",
    tables.TESTS: "Every other against the best.",
    tables.NEEDED: "How many questions would tell the best two apart four times in five.",
}
COLUMNS: Columns = {
    "mean tokens": Column("tokens per chunk", whole),
    "tokens that a reader gets": whole,
    "text in no chunk": Column("text in no chunk, %", percent),
    "cut": Column("chunks cut, %", percent),
    "unread": Column("text beyond the window, %", percent),
    "sentences broken": Column("sentences broken, %", percent),
    "text in several chunks": Column("text repeated, %", percent),
    **{f"tokens, {part}": whole for part in ("a tenth below", "median", "a tenth above")},
    "tokens encoded": whole,
    "seconds encoding": Column("seconds of encoding, now", tenths),
    "US dollars": thousandths,
    "a": Column("first", str),
    "b": Column("second", str),
    "a minus b": Column("first minus second, points", points),
    "questions needed": whole,
    "more than there are": whole,
    "difference that these show": Column("difference that these show, points", points),
}


def write(
    folder: Path,
    texts: Texts,
    found: Tables,
    notes: Sequence[str],
    described: dict[str, Any],
    questions: str,
) -> None:
    """Write everything but the rankings.

    Args:
        folder: to write into.
        texts: what was evaluated on.
        found: the tables.
        notes: what was left out.
        described: the record.
        questions: the file that shows questions one by one; empty where there is none.
    """
    for name, frame in named(found).items():
        write_text(folder / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n"))
        if len(frame):  # seconds of encoding are this run's and no result
            few = _named(frame).drop(columns="seconds encoding", errors="ignore")
            set_in_tex = Table.of(few, columns=COLUMNS).latex(name, CAPTIONS[name])
            write_text(folder / f"{name}.tex", set_in_tex)
    scores = found.scores.rename_axis("id").to_csv(lineterminator="\n")
    write_text(folder / SCORES, scores)
    write_json(folder / record.FILE, described)
    write_text(folder / PAGE, page(texts, found, notes, described, questions))


def named(found: Tables) -> dict[str, pd.DataFrame]:
    """The tables by the names of their files."""
    frames = {tables.TABLE: found.table, tables.TESTS: found.tests, tables.NEEDED: found.needed}
    return {name: frame for name, frame in frames.items() if name == tables.TABLE or len(frame)}


def text(found: Tables) -> str:
    """The tables as a terminal shows them."""
    parts = []
    for name, frame in named(found).items():
        few = Table.of(_named(frame), columns=COLUMNS).text
        parts.append(f"{CAPTIONS[name]}\n{few.to_string(index=False)}")
    return "\n\n".join(parts)


def screened(frame: pd.DataFrame) -> str:
    """What needs no question, as a terminal shows it."""
    few = Table.of(_named(frame), columns=COLUMNS).text
    return f"{screening.CAPTION}\n{few.to_string(index=False)}"


def page(
    texts: Texts,
    found: Tables,
    notes: Sequence[str],
    described: dict[str, Any],
    questions: str,
) -> str:
    """The page as HTML, without scripts and without the network."""
    return (
        _templates()
        .get_template("page.html")
        .render(
            question=sentences.QUESTION,
            collection=texts.collection,
            found=found,
            tables={
                name: Markup(Table.of(_named(one), columns=COLUMNS).html(CAPTIONS[name]))
                for name, one in named(found).items()
            },
            bars=_bars(found.table),
            measure=titles.measure(str(found.table["measure"].iloc[0])),
            hardest=_hardest(found.scores),
            notes=notes,
            record=described,
            record_file=record.FILE,
            runs=record.RUNS,
            qrels=record.QRELS,
            questions=questions,
            scores_file=SCORES,
        )
    )


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Arms by names that a reader knows, where the study's own do not tell them."""
    keys = [key for key in ("chunker", "encoder") if key in frame]
    return frame.assign(**{key: [shown_as(key, one) for one in frame[key]] for key in keys})


def _bars(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Of each arm its name, and in percent of the drawing's width its interval and mean."""
    low, high = table[["low", "score"]].min().min(), table[["high", "score"]].max().max()
    margin = max(0.02, 0.15 * (high - low))
    start, end = max(0.0, low - margin), min(1.0, high + margin)

    def at(value: float) -> float:
        return 100 * (value - start) / (end - start)

    keys = ("chunker", "encoder", "ordering")
    differing = [key for key in keys if key == "chunker" or table[key].nunique() > 1]
    found = []
    for row in table.to_dict("records"):
        ends = [row["score"] if pd.isna(row[end]) else row[end] for end in ("low", "high")]
        found.append(
            {
                "name": ", ".join(shown_as(key, row[key]) for key in differing),
                "left": round(at(ends[0]), 2),
                "width": round(at(ends[1]) - at(ends[0]), 2),
                "mean": round(at(row["score"]), 2),
                "says": f"{percent(row['score'])} [{percent(ends[0])}, {percent(ends[1])}]",
                "ends": (percent(start), percent(end)),
            }
        )
    return found


def _hardest(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """The questions with the lowest mean over all arms."""
    arms = scores.drop(columns="question")
    order = arms.mean(axis=1).sort_values(kind="stable").index[:HARDEST]
    return [
        {
            "id": name,
            "question": scores.at[name, "question"],
            "best": percent(float(arms.loc[name].max())),
            "mean": percent(float(arms.loc[name].mean())),
        }
        for name in order
    ]


def _templates() -> jinja2.Environment:
    here = Path(__file__).parent
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([here, here.parents[1] / "show" / "inspector"]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
