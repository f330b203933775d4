"""Where the project's own files lie: records, tables, and what stays local under ``build``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def runs(self) -> Path:
        return self.results / "runs"

    @property
    def published(self) -> Path:
        return self.results / "published"

    @property
    def llm(self) -> Path:
        """What language models were asked and answered."""
        return self.results / "llm"

    @property
    def tables(self) -> Path:
        return self.results / "tables"

    @property
    def figures(self) -> Path:
        return self.root / "figures"

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def paper(self) -> Path:
        return self.root / "paper"

    @property
    def generated(self) -> Path:
        return self.paper / "generated"

    @property
    def build(self) -> Path:
        return self.root / "build"

    @property
    def vectors(self) -> Path:
        return Path(os.environ.get("CHUNKSTUDY_VECTORS") or self.build / "vectors")

    @property
    def rankings(self) -> Path:
        """Rankings that would make the repository heavy, under their digests."""
        return Path(os.environ.get("CHUNKSTUDY_RANKINGS") or self.build / "rankings")


def find() -> Places:
    """CHUNKSTUDY_ROOT, else the nearest folder upwards that holds ``notebooks`` and ``results``."""
    if named := os.environ.get("CHUNKSTUDY_ROOT"):
        return Places(Path(named))
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "notebooks").is_dir() and (folder / "results").is_dir():
            return Places(folder)
    raise FileNotFoundError(
        "no folder with notebooks/ and results/ was found here or above; run this inside a "
        "checkout of the project or set CHUNKSTUDY_ROOT"
    )


def here() -> Places:
    """The checkout; outside of one, the folder in which this was started."""
    try:
        return find()
    except FileNotFoundError:
        return Places(Path.cwd())
