"""How long is the prompt that Chroma prints, and do Jina's printed segmentations keep the text?

Needs the reports as text, which are not ours to pass on: CHUNKSTUDY_PRINTED names their folder.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chunkstudy import tokens
from chunkstudy.studies.runner import Context

COLLECTIONS: tuple[str, ...] = ()
FOLDER = "CHUNKSTUDY_PRINTED"


def tables(context: Context, _: Sequence[str]) -> dict[str, pd.DataFrame]:
    """``prompt`` and ``segmentations``.

    Raises:
        FileNotFoundError: if the folder does not hold the two texts.
    """
    report, post = (context.read(_only(f"{number}_*.txt")) for number in ("000", "001"))
    return {
        "prompt": prompt(report.read_text(encoding="utf-8")),
        "segmentations": segmentations(post.read_text(encoding="utf-8")),
    }


def prompt(report: str) -> pd.DataFrame:
    """cl100k tokens of the question prompt as the appendix prints it, line breaks as spaces."""
    lines = report.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("You are an agent that"))
    end = next(i for i in range(start, len(lines)) if "ALREADY BEEN USED" in lines[i])
    text = " ".join(line.strip() for line in lines[start : end + 1] if line.strip("` \n"))
    return pd.DataFrame([{"printed prompt tokens": tokens.counter("cl100k").count(text)}])


def segmentations(post: str) -> pd.DataFrame:
    """Four segmentations of one article: chunks stated and found, words kept of the longest.

    A chunk is a block between two runs of blank lines at least as wide as the rarest kind.
    """
    rows = []
    parts = re.split(r"(?m)^## (.+)$", post)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    words = {name: _words(text) for name, text in texts.items()}
    whole = max(words.values(), key=len)
    for name, text in texts.items():
        stated = int(re.search(r"(\d+) chunk\(s\)", text)[1])  # type: ignore[index]
        kept = sum((Counter(words[name]) & Counter(whole)).values())
        rows.append(
            {
                "segmentation": name,
                "chunks stated": stated,
                "chunks found": _blocks(text),
                "words": len(words[name]),
                "words of the longest": len(whole),
                "words shared with the longest": kept,
            }
        )
    return pd.DataFrame(rows)


def _words(text: str) -> list[str]:
    return re.sub(r"(?m)^#### .*$", "", text).split()


def _blocks(text: str) -> int:
    body = re.sub(r"(?m)^(#### .*|---)$", "", text).strip("\n")
    return len([block for block in re.split(r"\n\s*\n", body) if block.strip()])


def _only(pattern: str) -> Path:
    found = sorted(Path(os.environ.get(FOLDER, "")).glob(pattern)) if FOLDER in os.environ else []
    if not found:
        raise FileNotFoundError(f"set {FOLDER} to the folder of the reports' texts ({pattern})")
    return found[0]
