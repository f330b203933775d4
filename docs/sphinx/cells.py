"""Tables to sort and filter, a page a work: published numbers with ours beside, and claims with
their verdicts. What sorts them is a script of the site, so that nothing is asked of the network."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

import pandas as pd
from itables import to_html_datatable
from itables.javascript import generate_init_offline_itables_html

from chunkstudy.display import titles
from chunkstudy.pipeline.requirements import AND
from chunkstudy.published.sources import WORKS

NUMBERS = """Every published number that was run, with the one computed here. *Exact*: all
published digits agree. *Within spread*: the digits differ, but by no more than the published
search differs from run to run. What each code does is said in the
[protocols](../docs/protocols.md)."""
CLAIMS = """Every sentence that can be checked, read twice: as a fair reader takes it, and strictly,
as it is written. Where a work's models were not run, that a claim holds means that
its own tables bear it out."""
SCRIPT = "_static/tables.js"
LOADED = f'\n```{{raw}} html\n<script src="../{SCRIPT}"></script>\n```\n'
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n"
THING = re.compile(
    r"(?:needs |an API returns no )(?P<thing>.+?)(?:, which .+|, whose reading .+|: .+)?"
)
"""What a reason waits for, in words and nothing else."""
MEANS = {"mean": "mean", "std": "standard deviation"}


def published(root: Path) -> dict[str, str]:
    """By work, the page of its published numbers."""
    rows = pd.read_csv(root / "results/comparison.csv", dtype={"published": str, "needs": str})
    return {
        str(work): f"{WIDE}# Published beside ours: {WORKS[str(work)].title}\n\n{NUMBERS}\n"
        + "".join(_numbers(str(name), part) for name, part in of_work.groupby("table", sort=False))
        + LOADED
        for work, of_work in rows.groupby("work", sort=False)
    }


def claims(root: Path) -> dict[str, str]:
    """By work, the page of its claims in the ledger's order."""
    rows = pd.read_csv(root / "results/tables/claims.csv").fillna("")
    titles = {path.stem: _title(path) for path in (root / "results/notebooks").glob("*.ipynb")}
    return {
        str(work): f"{WIDE}# Claims: {WORKS[str(work)].title}\n\n{CLAIMS}\n"
        + _filtered(
            pd.DataFrame([_claim(part, titles) for _, part in of_work.groupby("id", sort=False)]),
            paging=False,
            columnDefs=[{"width": "36%", "targets": 0}, {"width": "34%", "targets": 4}],
        )
        + LOADED
        for work, of_work in rows.groupby("work", sort=False)
    }


def script() -> bytes:
    """What draws the tables: DataTables with its style, as itables packs it for use offline."""
    bundle = Path(str(files("itables") / "html/dt_bundle.js"))
    html = generate_init_offline_itables_html(bundle)
    return html.partition("<script>")[2].partition("</script>")[0].encode("utf-8")


def _numbers(name: str, rows: pd.DataFrame) -> str:
    """A published table: the numbers that were run, and why the others were not."""
    run, waiting = rows[rows["verdict"] != "not_run"], rows[rows["verdict"] == "not_run"]
    title = titles.shown("table", name)
    said = f"\n## {title[0].upper()}{title[1:]}\n\n{_what_was_run(len(run), waiting)}\n"
    if run.empty:
        return said
    within = run["part"].where(run["part"] != "all", run["collection"])
    shown: dict[str, Iterable[object]] = {
        "Collection": within.map(lambda one: titles.shown("part", one)),
        "Chunker": _named(run, "chunker"),
        "Model": _named(run, "encoder"),
        "Measure": _named(run, "measure"),
        "Statistic": run["statistic"].map(lambda one: MEANS.get(one, one)),
        "Published": run["published"],
        "Ours": [f"{one:.{digits + 1}f}" for one, digits in _rounded(run, "reproduced")],
        "Difference": [f"{one:+.{digits + 1}f}" for one, digits in _rounded(run, "difference")],
        "Verdict": _named(run, "verdict"),
    }
    told = [name for name, column in shown.items() if name == "Verdict" or len(set(column)) > 1]
    return f"{said}\n{_filtered(pd.DataFrame({name: shown[name] for name in told}))}"


def _what_was_run(run: int, waiting: pd.DataFrame) -> str:
    """How many numbers were run, what the others wait for, and what tells their price."""
    if waiting.empty:
        return f"All {run:,} numbers were run."
    counted = Counter(one for text in waiting["needs"] for one in text.split(AND))
    things = (match["thing"] for one, _ in counted.most_common() if (match := THING.fullmatch(one)))
    told = "; ".join(dict.fromkeys(things)) or "records of what they are computed from"
    what = f"{run:,} of {run + len(waiting):,} numbers were run; the others wait" if run else (
        f"None of the {len(waiting):,} numbers was run; they wait"
    )  # fmt: skip
    return f"{what} for {told}. `chunkstudy estimate` says what running them would cost."


def _rounded(rows: pd.DataFrame, column: str) -> Iterator[tuple[float, int]]:
    """Numbers with the digits that are published behind the point."""
    return zip(rows[column], rows["decimals"], strict=True)


def _named(rows: pd.DataFrame, column: str) -> pd.Series[str]:
    return rows[column].map(lambda value: titles.shown(column, value))


def _title(notebook: Path) -> str:
    """The first heading of an executed notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# ")


def _claim(readings: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, str]:
    """A claim with its fair reading first; one that is read in one way has it twice. Its number
    leads to the notebook that is about it."""
    fair, strict = readings.iloc[0], readings.iloc[-1]
    named = f'id="{fair["id"]}"'
    if title := titles.get(fair["page"]):
        named += f' href="../results/notebooks/{fair["page"]}.html" title="{escape(title)}"'
    return {
        "Claim": f"<a {named}>{fair['id']}</a> {escape(fair['claim'])}",
        "Stands in": escape(fair["place"]),
        "Read fairly": fair["verdict"],
        "Read strictly": strict["verdict"],
        "What decides it": escape(fair["numbers"] or fair["needs"]),
    }


def _filtered(frame: pd.DataFrame, paging: bool = True, **options: object) -> str:
    """A table that sorts and filters, as raw HTML of a page."""
    html = to_html_datatable(
        frame,
        connected=False,
        allow_html=True,
        autoWidth=False,
        classes="compact wide",
        display_logo_when_loading=False,
        maxBytes=0,
        order=[],
        pageLength=25,
        paging=paging,
        showIndex=False,
        style="width:100%",
        **options,
    )
    return f"```{{raw}} html\n{html}\n```\n"
