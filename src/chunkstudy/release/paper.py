"""``make paper``: TeX sets ``paper/main.pdf`` from what is committed, the same bytes twice.

The PDF carries the digest of its sources, so that anybody can tell, without TeX, whether it was
set from the files that lie beside it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import write_bytes
from chunkstudy.core.project import Project

PROGRAMS = ("latexmk", "pdflatex", "bibtex")
PACKAGES = "texlive-latex-recommended texlive-latex-extra texlive-fonts-recommended latexmk"
INSTALL = f"on Debian or Ubuntu: apt-get install {PACKAGES}"
EPOCH = "1767225600"
"""1 January 2026, for whatever asks TeX for a date; the page shows none."""
TOLERATED = 1.0
"""Points by which a line may stand out of its column."""
INCLUDED = re.compile(r"\\(input|includegraphics|bibliography)(?:\[[^]]*\])?\{([^}]+)\}")
OVERFULL = re.compile(r"Overfull \\hbox \(([\d.]+)pt too wide\)[^\n]*")
FAULTY = re.compile(
    r"(?:LaTeX|Package natbib) Warning: [^\n]*(?:undefined|multiply)[^\n]*|Missing character[^\n]*"
)
DIGEST = re.compile(rb"/Inputs ?\(([0-9a-f]{64})\)")


def build(places: Project) -> Path:
    """Set ``paper/main.pdf``.

    Raises:
        StudyError: if TeX is missing or stumbles, a line stands out of its column, or something
            is referred to that is not there.
    """
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        raise StudyError(f"{', '.join(missing)} is not installed; {INSTALL}")
    work = places.build / "paper"
    work.mkdir(parents=True, exist_ok=True)
    command = [
        "latexmk", "-pdf", "-g", "-interaction=nonstopmode", "-halt-on-error",
        f"-outdir={work}", f"-usepretex=\\def\\inputsdigest{{{digest(places)}}}", "main.tex",
    ]  # fmt: skip
    fixed = os.environ | {"SOURCE_DATE_EPOCH": EPOCH, "FORCE_SOURCE_DATE": "1"}
    done = subprocess.run(
        command, cwd=places.paper, env=fixed, capture_output=True, text=True, errors="replace"
    )
    log_file = work / "main.log"
    log = log_file.read_text(encoding="latin-1") if log_file.exists() else done.stdout
    if done.returncode:
        reason = next((line for line in log.splitlines() if line[:1] == "!"), "no reason given")
        raise StudyError(f"TeX stopped: {reason}; the log is {log_file}")
    if stumbles := faults(log):
        raise StudyError(f"{len(stumbles)} faults in the paper, first: {stumbles[0]}")
    pdf = places.paper / "main.pdf"
    write_bytes(pdf, (work / "main.pdf").read_bytes())
    return pdf


def faults(log: str) -> list[str]:
    """What a reader would stumble over, from TeX's log: lines that stand out by more than a point,
    references and citations to nothing, characters that the font lacks."""
    wide = [match[0] for match in OVERFULL.finditer(log) if float(match[1]) > TOLERATED]
    return wide + [match[0] for match in FAULTY.finditer(log)]


def digest(places: Project) -> str:
    """sha256 over the names and contents of every file that TeX reads for the paper."""
    total = hashlib.sha256()
    for path in sorted(set(_read(places.paper, "main.tex"))):
        name = os.path.relpath(path, places.root)
        total.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def stale(places: Project) -> str:
    """Why ``paper/main.pdf`` is not what the files beside it give; empty if it is."""
    if not (places.paper / "main.tex").exists():
        return ""
    pdf = places.paper / "main.pdf"
    if not pdf.exists():
        return "there is no paper/main.pdf; run `make paper` and commit it"
    set_from = DIGEST.search(pdf.read_bytes())
    if set_from is None or set_from[1].decode() != digest(places):
        return "paper/main.pdf was set from other files; run `make paper` and commit it"
    return ""


def _read(folder: Path, name: str) -> Iterator[Path]:
    """A file of TeX and all that it names.

    Raises:
        StudyError: if one is not there.
    """
    path = folder / name
    if not path.is_file():
        raise StudyError(f"the paper reads {name}, which is not there; run `make reproduce` first")
    yield path
    if path.suffix != ".tex":
        return
    text = re.sub(r"(?<!\\)%.*", "", path.read_text(encoding="utf-8"))
    for command, named in INCLUDED.findall(text):
        if command == "includegraphics":
            yield from _read(folder.parent / "figures", named)
        else:
            suffix = ".bib" if command == "bibliography" else ".tex"
            yield from _read(folder, str(Path(named).with_suffix(suffix)))
