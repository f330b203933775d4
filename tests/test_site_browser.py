"""The site in a browser: filters, sorting, cells by keyboard, no error, no barrier that axe finds.

Chromium is driven through Node with what ``make browser`` installs below ``build/browser``.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.site import ranked_queries
from chunkstudy.statistics.intervals import Interval
from tests.made_site import ROOT, SITE, pages

MODULES = Path(os.environ.get("CHUNKSTUDY_BROWSER") or ROOT / "build" / "browser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NARROW, WIDE = 380, 1400
NOTEBOOKS = ["notebooks/predictions.html", "notebooks/taxonomy_rq3_contextualized.html"]
"""One with a figure and commands, one with the widest tables and what is folded."""
DARK = ["index.html", "tables.html", "verdicts.html", "choose.html"]


def _missing() -> str:
    if not CHROMIUM:
        return "chromium is not installed (Debian: apt-get install chromium)"
    if not shutil.which("node"):
        return "node is not installed (Debian: apt-get install nodejs npm)"
    if not (MODULES / "node_modules" / "axe-core").exists():
        return "build/browser has no axe-core and playwright-core; run `make browser`"
    return ""


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(_missing()), reason=_missing() or "all is here"),
]


def visit(folder: Path, **request: object) -> dict[str, Any]:
    """What happened on the pages asked for; see ``browser/visit.mjs``."""
    asked = {"base": f"{SITE.site.as_uri()}/", "pages": [], **request}
    (folder / "request.json").write_text(json.dumps(asked), encoding="utf-8")
    found = subprocess.run(
        ["node", ROOT / "tests/browser/visit.mjs", str(CHROMIUM), folder / "profile", MODULES,
         folder / "request.json"],
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    told: dict[str, Any] = json.loads(found.stdout)
    return told


def shown() -> list[str]:
    """A page of each kind: of the tables the smallest and the widest, of the inspector's one."""
    inspections = [file for file in pages() if file.startswith("queries/")]
    tables = ["table-chroma-minilm.html", "table-taxonomy-2.html"]
    kinds = ("queries/", "table-", "notebooks/")
    others = [file for file in pages() if not file.startswith(kinds)]
    return [*others, *tables, *inspections[:1], *NOTEBOOKS]


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_no_page_has_a_barrier_an_error_or_a_body_that_scrolls_sideways(
    tmp_path: Path, width: int
) -> None:
    found = visit(tmp_path, pages=shown(), widths=[width], axe=True)
    assert [(row["file"], row["violations"]) for row in found["pages"] if row["violations"]] == []
    assert [row["file"] for row in found["pages"] if row["overflow"] > 0] == []
    assert found["errors"] == [] and found["outside"] == []
    assert len(found["pages"]) == len(shown())


def test_dark_pages_keep_their_contrast(tmp_path: Path) -> None:
    files = [*DARK, "table-chroma-minilm.html", "queries/" + _inspection(), *NOTEBOOKS]
    found = visit(tmp_path, pages=files, widths=[WIDE], axe=True, scheme="dark")
    assert [(row["file"], row["violations"]) for row in found["pages"] if row["violations"]] == []


def test_no_table_of_all_pages_widens_a_narrow_body(tmp_path: Path) -> None:
    found = visit(tmp_path, pages=sorted(pages()), widths=[NARROW])
    assert [row["file"] for row in found["pages"] if row["overflow"] > 0] == []
    assert found["errors"] == [] and found["outside"] == []


def test_the_judge_of_barriers_finds_one(tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(
        '<html><body style="width:900px"><img src="data:,"><p style="color:#ccc">pale</p>'
        '<script>console.error("fault")</script></body></html>',
        encoding="utf-8",
    )
    base = f"{tmp_path.as_uri()}/"
    found = visit(tmp_path, base=base, pages=["bad.html"], widths=[NARROW], axe=True)
    names = {one.split(" ")[0] for one in found["pages"][0]["violations"]}
    assert {"image-alt", "color-contrast", "html-has-lang"} <= names
    assert found["pages"][0]["overflow"] > 0 and "fault" in found["errors"][0]


def test_filters_sorting_cells_and_links_to_a_claim_work_by_keyboard(tmp_path: Path) -> None:
    acts = visit(tmp_path, acts=["filters", "sorting", "cells", "claim"])
    assert acts["errors"] == []
    filters = acts["acts"]["filters"]
    assert filters["all"] > filters["one"] > filters["two"] > filters["none"] == 0
    assert (filters["works"], filters["strict"]) == (["jina"], ["contradicted"])
    assert filters["announced"] == f"0 of {filters['all']} claims"
    assert filters["again"] == filters["all"]
    _sorted(acts["acts"]["sorting"])
    cells = acts["acts"]["cells"]
    assert (cells["closed"], cells["opened"]) == (0, 1)
    assert f"#{cells['card']}" == cells["name"]
    assert "Published" in cells["text"] and "chunkstudy run --only" in cells["text"]
    assert cells["hash"] == f"#at-{cells['card']}", "the way back to the cell"
    claim = acts["acts"]["claim"]
    assert 0 <= claim["top"] < claim["height"]


def _sorted(found: dict[str, Any]) -> None:
    numbers = [float(one) for one in found["before"]]
    assert [float(one) for one in found["falling"]] == sorted(numbers, reverse=True)
    assert [float(one) for one in found["rising"]] == sorted(numbers)
    assert (found["first"], found["second"]) == ("descending", "ascending")
    assert found["sorted"] == 1, "one column at a time says that it is sorted"
    assert found["said"].startswith("Sorted by Tokens encoded")


def test_two_ways_of_chunking_are_compared_as_the_records_say(tmp_path: Path) -> None:
    found = visit(tmp_path, acts=["pair"])
    assert found["errors"] == []
    pair, one = found["acts"]["pair"], ranked_queries.read(SITE, "scifact")
    assert one is not None
    assert pair["written"] == pair["again"], "back to what was written without a script"
    names = [arm.name for arm in one.arms]
    first, second = names.index("Semantic, late"), names.index("No chunking, plain")
    known = next(each for each in one.pairs if {each.first, each.second} == {first, second})
    turned = known if known.first == first else ranked_queries.Pair(
        first, second, -known.mean, Interval(-known.interval.high, -known.interval.low)
    )  # fmt: skip
    wanted = replace(one, compared=turned)
    put = pair["chosen"]["put"]
    assert (put["first"], put["second"]) == ("Semantic, late", "No chunking, plain")
    assert _points(put["mean"]) == pytest.approx(turned.mean, abs=6e-4)
    assert _points(put["low"]) == pytest.approx(turned.interval.low, abs=6e-4)
    assert _points(put["high"]) == pytest.approx(turned.interval.high, abs=6e-4)
    assert {kind: int(put[kind]) for kind in wanted.counts} == wanted.counts
    for sign, shown in ((1, "up"), (-1, "down")):
        said = [tuple(text.rsplit(" ", 1)) for text in pair["chosen"][shown]]
        assert [name for name, _ in said] == [name for name, _ in wanted.most(sign)]
        assert [_points(by) for _, by in said] == pytest.approx(
            [by for _, by in wanted.most(sign)], abs=6e-4
        )
    assert [name for name, _ in pair["chosen"]["changes"]] == [
        one.queries[at] for at in wanted.order
    ]
    assert pair["chosen"]["visible"] == len(one.queries)
    assert pair["gains"]["visible"] == wanted.counts["gains"]
    assert pair["gains"]["said"] == f"{wanted.counts['gains']} of {len(one.queries)} queries"
    changes = [_points(by) for _, by in pair["sorted"]["changes"]]
    assert changes == sorted(changes, reverse=True)


def _points(text: str) -> float:
    """A number of points as a fraction."""
    return float(text.replace("\N{MINUS SIGN}", "-")) / 100


def test_the_code_of_a_notebook_opens_by_keyboard(tmp_path: Path) -> None:
    found = visit(tmp_path, acts=["folded"])
    assert found["errors"] == []
    folded = found["acts"]["folded"]
    assert folded["closed"] == 0 and folded["opened"] > 3


def test_without_scripts_everything_is_there_and_cells_open(tmp_path: Path) -> None:
    plain = visit(tmp_path, acts=["plain"], script=False)["acts"]["plain"]
    assert plain["opened"] == 1 and plain["claims"] > 100 and plain["forms"] == 0


def test_a_page_server_shows_the_same(tmp_path: Path, server: str) -> None:
    found = visit(tmp_path, base=server, pages=["index.html"], widths=[WIDE], acts=["filters"])
    assert found["errors"] == [] and found["outside"] == []
    assert found["acts"]["filters"]["none"] == 0


@pytest.fixture
def server() -> Iterator[str]:
    """The site behind a server on loopback."""
    handler = functools.partial(_Quiet, directory=str(SITE.site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{found.server_address[1]}/"
        found.shutdown()
        thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _inspection() -> str:
    return next(file for file in pages() if file.startswith("queries/")).removeprefix("queries/")
