"""How long is the prompt that Chroma prints?

Needs the report as text, which is not ours to pass on: CHUNKSTUDY_PRINTED names its folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chunkstudy.base import tokens
from chunkstudy.runs.study_runs import Context

NAME = "printed-texts"
COLLECTIONS: tuple[str, ...] = ()
FOLDER, NAMES = "CHUNKSTUDY_PRINTED", "000_*.txt"


def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``prompt``.

    Raises:
        FileNotFoundError: if the folder does not hold the report.
    """
    found = sorted(Path(os.environ[FOLDER]).glob(NAMES)) if FOLDER in os.environ else []
    if not found:
        raise FileNotFoundError(f"set {FOLDER} to the folder of the report's text ({NAMES})")
    report = context.read(found[0], "Chroma's report")
    return {"prompt": prompt(report.read_text(encoding="utf-8"))}


def prompt(report: str) -> pd.DataFrame:
    """cl100k tokens of the question prompt as the appendix prints it, line breaks as spaces."""
    lines = report.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("You are an agent that"))
    end = next(i for i in range(start, len(lines)) if "ALREADY BEEN USED" in lines[i])
    text = " ".join(line.strip() for line in lines[start : end + 1] if line.strip("` \n"))
    return pd.DataFrame([{"printed prompt tokens": tokens.counter("cl100k").count(text)}])
