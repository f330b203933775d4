"""Can a small language model that was not trained for it divide a text by the prompts for
structure, topic and summaries?

SmolLM2-135M-Instruct is asked by ``breakpoints-structure``, ``breakpoints-topic`` and
``breakpoints-summary`` about Jina's post, which the study of one post reads, and about a quarter of
the built-in collection's documents. Of a reply is kept how long it is and what came of it; nothing
of the post is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from chunkstudy.base.spans import text_digest
from chunkstudy.chunkers import breakpoints
from chunkstudy.chunkers.breakpoints import Kind
from chunkstudy.llm import causal_models
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.interface import Ask, Reply, Request
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.one_post import printed

NAME = "prompted-breakpoints"
COLLECTIONS = ("builtin",)
POST = "the post"
MODEL = f"local/{SMOLLM}"
EACH = 4
"""One in so many documents is asked about."""
LIMIT = 512
"""Tokens of a reply at most, a quarter of what the chunker allows: one that does not end takes a
minute as it is, and how the segments of these documents begin takes fewer."""
BEGUN = 32
"""Tokens of a reply after which it is known whether it begins as the object asked for does."""
OUTCOMES = PROSE, CUT_OFF, OTHER, NOWHERE, USED = (
    "no object", "cut off", "another object", "begins nowhere", "used",
)  # fmt: skip
"""What came of a reply: it is prose; it was not ended; it is not the object asked for; one of its
segments begins nowhere in the window; it was used."""


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``replies``: a row per text, prompt and window.

    Raises:
        SourceError: if the printed page is not at hand.
        LanguageModelError: if the model's weights are not.
    """
    texts = [(POST, "", printed.at_hand(context)[1])]
    for name in collections:
        some = context.collection(name).documents[::EACH]
        texts += [(name, one.id, one.text) for one in some]
    model = causal_models.MODELS[SMOLLM]
    rule = "one request at a time, the likeliest token each time"
    context.note(causal_models.described(model, model.positions, "none: replies", rule))
    found = []
    with Asker("record", context.places.build / "prompted-breakpoints") as asker:
        for number, (collection, document, text) in enumerate(texts, start=1):
            context.say(f"text {number} of {len(texts)}: {document or collection}")
            for kind in breakpoints.TASKS:
                rows = pd.DataFrame(asked(text, asker.ask, kind))
                rows.insert(0, "collection", collection)
                rows.insert(1, "document", document)
                found.append(rows)
    return {"replies": pd.concat(found, ignore_index=True)}


def outcomes(replies: pd.DataFrame) -> pd.DataFrame:
    """What came of the replies, a row a collection and prompt: how many to what, and the boundaries
    that used ones draw."""
    drawn = (replies["segments"] - 1).where(replies["outcome"] == USED, 0)
    by = replies.assign(drawn=drawn).groupby(["collection", "prompt"], sort=False)
    found = by["outcome"].value_counts().unstack(fill_value=0)
    found = found.reindex(columns=list(OUTCOMES), fill_value=0).rename_axis(columns=None)
    found.insert(0, "replies", by.size())
    found["boundaries drawn"] = by["drawn"].sum()
    return found.reset_index()


def asked(text: str, ask: Ask, kind: Kind) -> list[dict[str, object]]:
    """What a model answers about each window of a text, and whether the chunker could use it."""
    rows: list[dict[str, object]] = []

    def hear(request: Request) -> Reply:
        shown = request.messages[-1].text
        reply = in_two(ask, request, kind)
        rows.append(
            {
                "prompt": kind,
                "window": len(rows) + 1,
                "characters": len(shown),
                "tokens read": reply.input_tokens,
                "tokens written": reply.output_tokens,
                "segments": len(breakpoints.beginnings(reply.whole, kind) or ()),
                "outcome": outcome(reply, kind, shown),
                "sha256": text_digest(reply.text),
            }
        )
        return reply

    breakpoints.chunk(text, hear, MODEL, kind)
    return rows


def in_two(ask: Ask, request: Request, kind: Kind) -> Reply:
    """The reply, or only how it begins where that tells that it cannot be used. At temperature 0
    a reply begins as its beginning does, so that what is counted is the same and less is written.
    """
    begun = ask(replace(request, output_limit=BEGUN))
    if begun.finish == "stop" or not may_become(begun.text, kind):
        return begun
    return ask(replace(request, output_limit=LIMIT))


def may_become(text: str, kind: Kind) -> bool:
    """Whether what begins so may become the object asked for, by its first key."""
    keys = [breakpoints.SEGMENTS] + [breakpoints.TOPICS] * (kind == "topic")
    begun, wanted = "".join(text.split()), [f'{{"{key}":' for key in keys]
    return any(one.startswith(begun) or begun.startswith(one) for one in wanted)


def outcome(reply: Reply, kind: Kind, shown: str) -> str:
    """What came of a reply about a window, one of the five."""
    if not reply.text.lstrip().startswith("{"):
        return PROSE
    if not may_become(reply.text, kind):
        return OTHER
    if reply.finish != "stop":
        return CUT_OFF
    begin = breakpoints.beginnings(reply.text, kind)
    if begin is None:
        return OTHER
    return NOWHERE if breakpoints.locate(begin, shown) is None else USED
