"""TeX sets the paper, the same bytes twice, and a PDF tells what it was set from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import write_text
from chunkstudy.core.project import Project
from chunkstudy.display import drawing
from chunkstudy.release import paper as build

pytestmark = pytest.mark.slow

ROOT = Project(Path(__file__).parents[1])
FEWEST, MOST = 8, 10
"""Pages before the appendix."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The paper beside today's tables."""
    places = Project(tmp_path_factory.mktemp("checkout"))
    shutil.copytree(ROOT.paper, places.paper, ignore=shutil.ignore_patterns("*.pdf"))
    places.figures.symlink_to(ROOT.figures)
    return places


def test_the_paper_is_set_the_same_bytes_twice_and_nothing_stands_out_of_its_column(
    checkout: Project,
) -> None:
    if missing := [name for name in build.PROGRAMS if not shutil.which(name)]:
        pytest.skip(f"{', '.join(missing)} is not installed; {build.INSTALL}")
    first = build.build(checkout).read_bytes()
    assert build.build(checkout).read_bytes() == first
    assert build.stale(checkout) == ""
    aux = (checkout.build / "paper" / "main.aux").read_text(encoding="utf-8")
    (last,) = re.findall(r"\\newlabel\{lastpage\}\{\{[^}]*\}\{(\d+)\}", aux)
    assert FEWEST <= int(last) <= MOST


def test_a_pdf_is_stale_as_soon_as_a_table_that_it_shows_changes(checkout: Project) -> None:
    digest = build.digest(checkout)
    pdf = checkout.paper / "main.pdf"
    pdf.write_bytes(b"%PDF /Inputs (" + digest.encode() + b")")
    assert build.stale(checkout) == ""
    numbers = checkout.generated / "numbers.tex"
    before = numbers.read_text(encoding="utf-8")
    try:
        numbers.write_text(before + "\n", encoding="utf-8")
        assert "was set from other files; run `make paper`" in build.stale(checkout)
    finally:
        numbers.write_text(before, encoding="utf-8")
    pdf.unlink()
    assert "there is no paper/main.pdf" in build.stale(checkout)


def test_what_the_paper_reads_and_is_not_there_is_named(tmp_path: Path) -> None:
    write_text(tmp_path / "paper" / "main.tex", "% \\input{no}\n\\input{generated/numbers}")
    with pytest.raises(StudyError, match=r"reads generated/numbers\.tex, which is not there"):
        build.digest(Project(tmp_path))


def test_without_tex_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    with pytest.raises(
        StudyError, match=r"latexmk.*not installed; .*apt-get install texlive-latex"
    ):
        build.build(ROOT)


LOG = r"""
Overfull \hbox (0.4pt too wide) in paragraph at lines 1--2
Overfull \hbox (12.3pt too wide) in alignment at lines 3--4
LaTeX Warning: Reference `tab:none' on page 1 undefined on input line 3.
Package natbib Warning: Citation `nobody2020' on page 1 undefined on input line 9.
LaTeX Warning: There were undefined references.
Missing character: There is no ∞ in font ptmr8t!
"""


def test_lines_that_stand_out_and_references_to_nothing_are_faults() -> None:
    found = build.faults(LOG)
    assert len(found) == 5 and found[0].startswith(r"Overfull \hbox (12.3pt")
    assert build.faults("Underfull \\hbox (badness 10000)\n") == []


def test_tex_that_stumbles_is_said_with_its_first_complaint(tmp_path: Path) -> None:
    if not shutil.which("latexmk"):
        pytest.skip(f"latexmk is not installed; {build.INSTALL}")
    write_text(tmp_path / "paper" / "main.tex", "\\documentclass{article}\\begin{document}\\nosuch")
    with pytest.raises(StudyError, match=r"TeX stopped: ! Undefined control sequence"):
        build.build(Project(tmp_path))


def test_the_committed_pdf_was_set_from_what_is_committed() -> None:
    if not (ROOT.paper / "main.pdf").exists():
        pytest.skip("there is no paper/main.pdf; run `make paper`")
    assert build.stale(ROOT) == ""


def test_figures_are_kept_as_pdf_for_the_paper_alone() -> None:
    texts = (path.read_text(encoding="utf-8") for path in ROOT.paper.rglob("*.tex"))
    names = re.compile(r"includegraphics.*\{(.+)\.pdf\}")
    included = {name for text in texts for name in names.findall(text)}
    assert included == set(drawing.IN_PAPER)
    assert {path.stem for path in ROOT.figures.glob("*.pdf")} <= included
