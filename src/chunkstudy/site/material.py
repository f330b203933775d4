"""What the site is made of: derived tables, as numbers, each read once."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.places import Places
from chunkstudy.published.predictions import register
from chunkstudy.render import answers

HERE = Path(__file__).parent
ABOVE = ("comparison", "claims")
"""Tables that lie above the others."""


class SiteError(RuntimeError):
    """A page that cannot be made; the message says what to do."""


@dataclass(frozen=True)
class Material:
    """The project's derived files, and the texts that people wrote for the site.

    Attributes:
        places: of the checkout.
    """

    places: Places
    _tables: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    def table(self, name: str) -> pd.DataFrame:
        """``results/tables/NAME.csv``, or ``comparison`` or ``claims``.

        Raises:
            SiteError: if it was not derived yet.
        """
        if name not in self._tables:
            folder = self.places.results if name in ABOVE else self.places.tables
            path = folder / f"{name}.csv"
            if not path.exists():
                raise SiteError(f"there is no table {name}; run `chunkstudy reproduce` first")
            self._tables[name] = pd.read_csv(path, dtype={"table": str, "id": str})
        return self._tables[name]

    @cached_property
    def findings(self) -> dict[str, Mapping[str, Any]]:
        """Every finding and answer by its name, in the order in which they are written."""
        rows = answers.read(self.places).to_dict("records")
        return {str(row["name"]): {str(k): v for k, v in row.items()} for row in rows}

    @cached_property
    def rules(self) -> dict[str, str]:
        """What each rule of the registered predictions says."""
        return {name: one.says for name, one in register.read(self.places).rules.items()}

    @cached_property
    def citation(self) -> str:
        """``CITATION.cff`` as it is."""
        return (self.places.root / "CITATION.cff").read_text(encoding="utf-8")

    @cached_property
    def home(self) -> str:
        """Where the repository can be read, with a slash at its end: what CITATION.cff names as
        ``repository-code``, at the version's tag, else the checkout that the site lies in."""
        named = re.search(r'^repository-code:\s*"?([^"\s]+)', self.citation, re.MULTILINE)
        version = re.search(r'^version:\s*"?([^"\s]+)', self.citation, re.MULTILINE)
        if named and version:
            return f"{named[1].rstrip('/')}/blob/v{version[1]}/"
        return "../../"


def texts(name: str) -> dict[str, Any]:
    """One of the files of texts beside this module."""
    return tomllib.loads((HERE / "texts" / f"{name}.toml").read_text(encoding="utf-8"))


def embedded(data: object) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")
