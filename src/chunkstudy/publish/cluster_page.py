"""The generated tables of docs/cluster.md: what search takes as a collection grows."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.runs import study_results
from chunkstudy.studies.search_cost import forecast

STUDY = "search-cost"


def fill(places: Places) -> None:
    """Write the tables anew; nothing where there is no page or the study was not run."""
    path = places.root / "docs" / "cluster.md"
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    for name, table in blocks(places).items():
        region = re.compile(
            rf"(<!-- generated: {name} -->\n).*?(<!-- end generated -->)", re.DOTALL
        )
        text = region.sub(lambda found, table=table: f"{found[1]}\n{table}\n{found[2]}", text)  # type: ignore[misc]
    write_text(path, text)


def blocks(places: Places) -> dict[str, str]:
    """The tables by name; none where the study was not run."""
    found = study_results.tables(places, STUDY)
    if not found:
        return {}
    exact, memory, graph = found["exact"], found["memory"], found["graph"]
    return {
        "costs": _costs(forecast.forecast(exact, memory, graph)),
        "errors of the model": _errors(exact, graph),
        "verdicts": _verdicts(forecast.verdicts(graph)),
    }


def _errors(exact: pd.DataFrame, graph: pd.DataFrame) -> str:
    head = ("what", "fitted up to", "tested up to", "largest relative error there")
    up_to = f"{forecast.LARGEST_FITTED:,}"
    large, largest = (f"{frame['chunks'].max():,}" for frame in (exact, graph))
    rows = (
        ("seconds of exact search", up_to, large, f"{forecast.exact_fit(exact).error:.0%}"),
        (
            "seconds to build a graph",
            up_to,
            largest,
            f"{forecast.building_fit(graph).error:.0%}",
        ),
    )
    return _table(head, rows)


def _costs(far: pd.DataFrame) -> str:
    head = (
        "numbers in a vector", "chunks", "vectors, GB", "while encoding, GB",
        "one question, s", "1,000 questions, s", "vectors over 10 Gbit/s, s", "graph, GB",
        "building it, h", "encoding, h",
    )  # fmt: skip
    names = (
        "vectors", "while encoding", "one question", "a thousand together", "network", "graph",
        "building hours",
    )  # fmt: skip
    rows = (
        (
            f"{row['dimension']:,.0f}",
            f"{row['chunks']:,.0f}",
            *(_number(row[name]) for name in names),
            _number(row["encoding hours"]),
        )
        for _, row in far.iterrows()
    )
    return _table(head, rows)


def _verdicts(of: pd.DataFrame) -> str:
    head = (
        "vectors", "chunks", "search list", "missed of five", "recall, exact", "lost", "spread",
        "shown to lose",
    )  # fmt: skip
    rows = (
        (
            {"real": "Chroma's", "drawn": "random"}[row["vectors"]],
            f"{row['chunks']:,}",
            str(row["search list"]),
            f"{row['missed']:.1%}",
            f"{row['exact recall']:.1%}",
            f"{row['lost']:.1%}",
            f"{row['spread']:.1%}",
            f"{row['shown to lose']} of {row['graphs']}",
        )
        for _, row in of.iterrows()
    )
    return _table(head, rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _number(value: float) -> str:
    """Two significant digits, as a person writes them; a dash where nothing was measured."""
    if pd.isna(value):
        return "–"
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}" if rounded >= 1e-4 else "< 0.0001"
