"""Does it matter which candidate LumberChunker gets for an answer, or would any of a window do?

A candidate of each window at random takes the language model away and leaves the windows. The sizes
of the chunks that a small language model drew, in another order, take its choice of places away and
leave how many chunks there are and how large; the study of boundaries at random does the same with
those that LumberChunker's authors released. Where these lie among a window's candidates is counted.

Where the answered candidate stands, of every recorded request for a boundary, is asked of both
models: one that reads answers here and there; one that prefers a place answers that place whatever
it was shown. Against each share stands what answers at random would give: a window of n candidates
counts 1/n for its first and its last, and every fifth of a window a fifth. A window with one
candidate leaves no choice and is counted only.

Requests are recorded without their texts. Those of the built-in collection are found by asking for
its windows again; all others are of Emma, the one other text that the model was shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.chunkers import lumberchunker
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import drawn
from chunkstudy.collections import builtin
from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.core.tokens import counter
from chunkstudy.display import titles
from chunkstudy.display.drawing import COLORS, intervals, one_legend, style, titled
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.llm import providers
from chunkstudy.llm.interface import Reply, Request
from chunkstudy.llm.recordings import Recordings, contents
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import (
    LATE_512,
    LOCAL_SMOLLM,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    parse_chunker,
)
from chunkstudy.pipeline.encoding import encode_together
from chunkstudy.pipeline.engine import Vectors, score
from chunkstudy.pipeline.experiments import Context, experiment

NAME = "window-answers"
COLLECTIONS = (BOOK,) = ("gutenqa-emma",)
RELEASED, SMALL = "lumberchunker-released", f"lumberchunker-by-{LOCAL_SMOLLM}"
CANDIDATES, SIZES = "any candidate", "the same sizes"
"""What is at random."""
DRAWS = {LATE_512: 20, PRE_EMBEDDING: 5}
"""Contextualized, one reading serves all draws; plain, each takes one of its own, though candidates
at random share many chunks."""
MEASURES = ("DCG@1", "DCG@5", "DCG@10", "DCG@20")
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


@experiment(NAME, collections=COLLECTIONS)
def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``draws``: of each draw how many chunks it has, their mean tokens (cl100k), and the mean of
    each measure. ``questions``: of each question the mean over the draws. In both, ``chunker`` says
    whose sizes were kept, and is empty where candidates are at random.

    ``answers``: for every window that the released boundaries lead to, its candidates and which of
    them begins the next chunk, counted from 1; 0 where none does, since the authors' windows are
    not quite the corrected ones.
    """
    draws, questions = zip(*(scored(context, ordering) for ordering in DRAWS), strict=True)
    return {
        "draws": pd.DataFrame([*chain(*draws)]),
        "questions": pd.concat([*chain(*questions)], ignore_index=True),
        "answers": answered(context, _condition(RELEASED, PRE_EMBEDDING)),
    }


def scored(context: Context, ordering: str) -> tuple[list[dict[str, object]], list[pd.DataFrame]]:
    """Rows of ``draws`` and of ``questions`` under one ordering."""
    collection, store = context.collection(BOOK), context.store(MINILM_512)
    queries = store.encode([query.text for query in collection.queries], "query")
    sets = list(every_draw(context, collection, ordering))
    # plain chunks one set after the other, so that a run that is killed goes on where it was
    together = [sets] if ordering != PRE_EMBEDDING else [[draw] for draw in sets]
    count = counter("cl100k").count_many
    keys: dict[str, str] = {"collection": BOOK, "encoder": MINILM_512, "ordering": ordering}
    draws = []
    scores: dict[tuple[str, str], list[pd.DataFrame]] = {}
    for some in together:
        vectors = encode_together(store, collection, [chunks for *_, chunks in some], ordering)
        for (at_random, chunker, draw, chunks), of_chunks in zip(some, vectors, strict=True):
            frame = score(collection, chunks, Vectors(queries, of_chunks))[list(MEASURES)]
            scores.setdefault((at_random, chunker), []).append(frame)
            tokens = float(np.mean(count(chunks.texts(collection.documents))))
            means = {str(measure): float(mean) for measure, mean in frame.mean().items()}
            row: dict[str, object] = {**keys, "at random": at_random, "chunker": chunker}
            row |= {"draw": draw, "chunks": len(chunks), "mean tokens": tokens}
            draws.append(row | means)
    questions = []
    for (at_random, chunker), each in scores.items():
        mean = sum(each[1:], each[0]) / len(each)
        table = mean.rename_axis("query_id").reset_index().assign(**keys, draws=len(each))
        questions.append(table.assign(**{"at random": at_random, "chunker": chunker}))
    return draws, questions


def every_draw(
    context: Context, collection: Collection, ordering: str
) -> Iterator[tuple[str, str, int, Chunks]]:
    """What is at random, whose sizes were kept, the draw, and its chunks."""
    draws = range(1, DRAWS[ordering] + 1)
    for draw in draws:
        condition = _condition(f"lumberchunker-random-{draw}", ordering)
        yield CANDIDATES, "", draw, context.chunks(condition)
    units = [paragraphs(document.text) for document in collection.documents]
    try:
        own = context.chunks(_condition(SMALL, ordering))
    except LanguageModelError as error:
        if error.recorded:
            raise
        context.say(f"left out for now: {error}")
        return
    for draw in draws:
        yield SIZES, SMALL, draw, drawn(collection.documents, own, draw, units)


def answered(context: Context, condition: Condition) -> pd.DataFrame:
    """A row per window that a condition's boundaries lead to, in the order of the text."""
    chunks = context.chunks(condition)
    rows: list[dict[str, object]] = []
    for index, document in enumerate(context.collection(condition.collection).documents):
        spans = paragraphs(document.text)
        starts = set(chunks.start[chunks.document == index].tolist())
        begins = [number for number, (start, _) in enumerate(spans) if start in starts]

        def choose(first: int, shown: Sequence[str], begins: list[int] = begins) -> int | None:
            place = next((begin for begin in begins if begin > first), first + len(shown)) - first
            inside = place < len(shown)
            rows.append({"candidates": len(shown) - 1, "answered": place if inside else 0})
            return first + place

        lumberchunker.blocks([document.text[start:end] for start, end in spans], choose)
    return pd.DataFrame(rows).assign(collection=condition.collection, chunker=condition.chunker)


def _condition(chunker: str, ordering: str) -> Condition:
    return Condition(BOOK, chunker, MINILM_512, ordering, CORRECTED.name)


def answers(places: Project) -> pd.DataFrame:
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


@style()
def figure_answers(rows: pd.DataFrame) -> Figure:
    """The share of answers in each fifth of a window with its 95% interval, a panel per text and
    model, the line where answers at random would lie."""
    rows = rows[rows["place"].isin(FIFTHS)]
    groups = list(rows.groupby(["text", "answered by"], sort=False))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(8.3, 3.3), squeeze=False, sharey=True,
    )  # fmt: skip
    for axes, ((text, by), of) in zip(panels[0], groups, strict=True):
        at = [FIFTHS.index(fifth) for fifth in of["place"]]
        ends = of.assign(low=of["low"] + of["at random"], high=of["high"] + of["at random"])
        axes.bar(at, 100 * of["answered"], color="0.88", width=0.8, zorder=0)
        intervals(axes, ends, at, COLORS[0], "answered, 95% interval", "answered", upright=True)
        axes.axhline(100 * of["at random"].iloc[0], color="0.4", lw=0.9, ls="--", label="at random")
        axes.set_xticks(range(len(FIFTHS)), ["first", "2nd", "3rd", "4th", "last"], fontsize=8)
        name = titles.shown("language model", by).removesuffix(" in four bits")
        title = f"{text}\n{name}\n{of['windows'].iloc[0]:.0f} windows"
        axes.set_title(title, loc="left", fontsize=8)
        axes.set_xlabel("fifth of the window")
    panels[0][0].set_ylabel("share of answers (%)")
    one_legend(figure, panels[0], columns=2)
    last = 100 * rows.loc[rows["place"] == FIFTHS[-1], "answered"]
    spread = " to ".join(dict.fromkeys(f"{share:.0f}" for share in (last.min(), last.max())))
    message = f"{spread}% of the answers name the last fifth of their window, where one in five "
    titled(figure, f"{message}would by chance")
    return figure


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
