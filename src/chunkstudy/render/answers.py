"""What notebooks answered and counted, as they left it in ``results/answers``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from chunkstudy.places import Places

ABOUT = {
    "chroma": "Chroma's report",
    "jina": "Jina's posts",
    "labels": "the tutorial",
    "llm": "language models",
    "taxonomy": "Beyond Chunk-Then-Embed",
}
"""What a notebook's answers are about, by how its name begins."""


def read(places: Places) -> pd.DataFrame:
    """Every answer beside the findings, with their columns: ``name, about, headline, question,
    answer, page, table``."""
    rows = [
        {
            "name": f"{page}-{at}",
            "about": ABOUT[page.partition("_")[0]],
            "headline": 0,
            **one,
            "page": page,
            "table": "",
        }
        for page, content in _every(places)
        for at, one in enumerate(content["answers"], start=1)
    ]
    findings = pd.read_csv(places.tables / "findings.csv", keep_default_na=False)
    return pd.concat([findings, pd.DataFrame(rows)], ignore_index=True)


def numbers(places: Places) -> dict[str, str]:
    """The numbers that notebooks kept for the paper, as written, by ``what-it-is-of/number``; and
    ``what-it-is-of`` itself, by which the paper names what a sentence rests on."""
    found: dict[str, str] = {}
    for _, content in _every(places):
        for name, text in content.get("numbers", {}).items():
            found |= {name.partition("/")[0]: "", name: text}
    return found


def _every(places: Places) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in sorted((places.results / "answers").glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))
