"""Where in a window the answered candidate stands, of every recorded request for a boundary.

A model that reads answers here and there; one that prefers a place answers that place whatever it
was shown. Against each share stands what answers at random would give: a window of n candidates
counts 1/n for its first and its last, and every fifth of a window a fifth. A window with one
candidate leaves no choice and is counted only.

Requests are recorded without their texts. Those of the built-in collection are found by asking for
its windows again; all others are of Emma, the one other text that the model was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import lumberchunker
from chunkstudy.collections import builtin
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.llm import providers
from chunkstudy.llm.interface import Reply, Request
from chunkstudy.llm.recordings import Recordings, contents
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import parse_chunker
from chunkstudy.studies.language_models.window_answers import SMALL

STORY, OTHERS, EMMA = TEXTS = (
    "the built-in story", "the other built-in texts", "the novel Emma",
)  # fmt: skip
OF_STORY = "story/"
FIRST, BETWEEN, LAST = "the first candidate", "a candidate between", "the last candidate"
FIFTHS = ("first fifth", "second fifth", "third fifth", "fourth fifth", "last fifth")
PLACES = (FIRST, BETWEEN, LAST, *FIFTHS)
KEYS = ["text", "answered by", "place"]
AUTHORS = "LumberChunker's authors' model"
BOOTSTRAP = f"percentile bootstrap over windows, {statistics.RESAMPLES:,} resamples"
MODEL = parse_chunker(SMALL).llm


def answers(places: Places) -> pd.DataFrame:
    """A row per recorded request for one of LumberChunker's boundaries: the ``text`` that it is
    about, how many ``candidates`` were allowed, and the ``place`` of the answered one among them,
    from 0, missing where the reply names none."""
    known = Recordings(places.llm, providers.provider(MODEL), MODEL.partition("/")[2])
    about = _about_builtin_texts(known)
    recorded = {str(recording["digest"]): recording for recording in contents(known.path)}
    return pd.DataFrame(
        _answer(recording, about.get(name, EMMA))
        for name, recording in sorted(recorded.items())
        if _asks_for_a_boundary(recording["request"])
    )


def where(places: pd.DataFrame, of_authors: pd.DataFrame) -> pd.DataFrame:
    """A row per text, who answered, and place: its share of the windows with a choice against that
    of answers at random.

    Args:
        places: the small model's.
        of_authors: the table ``answers`` of the study ``window-answers``; may be empty.
    """
    every = places.assign(by=MODEL)
    if not of_authors.empty:
        theirs = of_authors.assign(text=EMMA, by=AUTHORS, place=of_authors["answered"] - 1)
        every = pd.concat([every, theirs], ignore_index=True)
    choice = every[(every["candidates"] > 1) & (every["place"] >= 0)]
    groups = dict(list(choice.groupby(["text", "by"])))
    pairs = []
    for text, by in sorted(groups, key=lambda key: (key[1] == AUTHORS, TEXTS.index(key[0]))):
        windows = groups[text, by][["candidates", "place"]].astype(int).to_numpy().tolist()
        shares = pd.DataFrame([_shares(*window) for window in windows])
        chance = pd.DataFrame([_by_chance(count) for count, _ in windows])
        for place in PLACES:
            keys = dict(zip(KEYS, (text, by, place), strict=True))
            pairs.append(Pair(keys, shares[place], chance[place]))
    table = differences(pairs, _family, "answered", "at random").rename(columns={"n": "windows"})
    return table.assign(interval=BOOTSTRAP) if len(table) else table


def _family(keys: Mapping[str, object]) -> str:
    whose = "of the authors' model" if keys["answered by"] == AUTHORS else "of the small model"
    return f"places of answers {whose}, {keys['text']}"


def _shares(candidates: int, place: int) -> dict[str, float]:
    """Which of the places an answer takes; one that lies across two fifths counts to both."""
    first, last = place == 0, place == candidates - 1
    ends = {FIRST: float(first), BETWEEN: float(not first and not last), LAST: float(last)}
    low, high = place / candidates, (place + 1) / candidates
    return ends | {
        name: max(0.0, min(high, (i + 1) / 5) - max(low, i / 5)) * candidates
        for i, name in enumerate(FIFTHS)
    }


def _by_chance(candidates: int) -> dict[str, float]:
    end = 1 / candidates
    ends = {FIRST: end, BETWEEN: 1 - 2 * end, LAST: end}
    return ends | dict.fromkeys(FIFTHS, 1 / len(FIFTHS))


def _asks_for_a_boundary(request: Mapping[str, Any]) -> bool:
    """Whether a recorded request is the corrected LumberChunker's, which names its answers."""
    allowed = request.get("answers", ["-"])
    return "seed" not in request and all(map(lumberchunker.ANSWER.fullmatch, allowed))


def _about_builtin_texts(known: Recordings) -> dict[str, str]:
    """Which text each request about a built-in one is about, by the request's digest."""
    about: dict[str, str] = {}
    for document in builtin.load_documents():
        text = STORY if document.id.startswith(OF_STORY) else OTHERS

        def ask(request: Request, text: str = text) -> Reply:
            name = known.digest(request)
            about[name] = text
            return known.find(name) or Reply("", "stop", 0, 0, "", "")

        build_chunker(SMALL, CORRECTED, ask=ask)(document.text)
    return about


def _answer(recorded: Mapping[str, Any], text: str) -> dict[str, object]:
    allowed = list(map(lumberchunker.answer, recorded["request"]["answers"]))
    number = lumberchunker.answer(Reply.of(recorded["reply"]).whole)
    place = allowed.index(number) if number in allowed else np.nan
    return {"text": text, "candidates": len(allowed), "place": place}
