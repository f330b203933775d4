"""Segments that a language model draws by structure, by topic, or to summarise them.

Jina's "Finding Optimal Breakpoints in Long Documents Using Small Language Models" (October 2024)
trains Qwen2-0.5B-Instruct for each of the three: simple-qwen-0.5 goes by how a document is built,
topic-qwen-0.5 first names its topics and then cuts by them, summary-qwen-0.5 gives every segment a
summary. What these models are sent is not documented with them. Their printed segments are the text
written out again, with passages left out and words glued together (docs/protocols.md). Here any
model is asked for the same three things in our words, and says of a segment only how it begins: a
reply moves boundaries and cannot change the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from chunkstudy.chunkers.lumberchunker import units
from chunkstudy.chunkers.propositions import object_of, says
from chunkstudy.core.folding import solid
from chunkstudy.core.spans import Drawn, Span, stripped
from chunkstudy.core.tokens import counter
from chunkstudy.llm.interface import PROMPTS, Ask, Request, conversation

Kind = Literal["structure", "topic", "summary"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LIMIT = 1500
"""Tokens of a window, by cl100k."""
REPLY = 2048
FEWEST = 3
"""Words that a beginning has at least, so that it does not stand everywhere."""

ASKED = PROMPTS["breakpoints"]


def chunk(text: str, ask: Ask, model: str, kind: Kind) -> Drawn[Span]:
    """The segments, which cover the text but for white space around them.

    A window holds as many paragraphs as stay below the limit, sentences where there are few
    paragraphs. The last segment of a window begins the next one. Where a reply cannot be used, or
    draws no boundary, the window is a chunk, in the first case as a fallback that is counted.
    """
    _, parts = units(text)
    sizes = counter("cl100k").count_many([text[start:end] for start, end in parts])
    cuts: list[int] = []
    fallbacks = 0
    at = stripped(text, *parts[0])[0] if parts else 0
    while parts and at < parts[-1][1]:
        end = _window(parts, sizes, at)
        cuts.append(at)
        shown = text[at:end]
        starts = locate(beginnings(ask(request(model, shown, kind)).whole), shown)
        fallbacks += starts is None
        inner = [at + start for start in starts or () if start]
        last = end >= parts[-1][1]
        cuts += inner if last else inner[:-1]
        at = inner[-1] if inner and not last else stripped(text, end, len(text))[0]
    ends = [*cuts[1:], parts[-1][1]] if cuts else []
    return Drawn([stripped(text, *span) for span in zip(cuts, ends, strict=True)], fallbacks)


def request(model: str, shown: str, kind: Kind) -> Request:
    """What is asked about a window."""
    example = ASKED["example"], ASKED[kind]["reply"]
    messages = conversation(f"{ASKED[kind]['task']}\n\n{ASKED['rules']}", [example], shown)
    return Request(model, messages, REPLY, json=True)


def beginnings(reply: str) -> list[str] | None:
    """How the segments of a reply begin; None unless it is one JSON object that says so of each.
    What else it says of them moves no boundary and is not read."""
    segments = (object_of(reply) or {}).get("segments")
    if not isinstance(segments, list) or not segments:
        return None
    begins: list[Any] = [segment.get("begins") for segment in segments if isinstance(segment, dict)]
    return begins if len(begins) == len(segments) and all(map(says, begins)) else None


def locate(begin: Sequence[str] | None, shown: str) -> list[int] | None:
    """Where segments begin in a window, in their order, whatever the white space; None if one of
    them begins nowhere behind the one before, within a word, or with too few words."""
    if begin is None:
        return None
    view = solid(shown)
    least = min(FEWEST, len(shown.split()))
    starts: list[int] = []
    place = 0
    for beginning in begin:
        needle = "".join(beginning.split())
        if len(beginning.split()) < least:
            return None
        at = view.text.find(needle, place)
        while at >= 0 and view.starts[at] and not shown[view.starts[at] - 1].isspace():
            at = view.text.find(needle, at + 1)
        if at < 0:
            return None
        starts.append(view.starts[at])
        place = at + 1
    return starts


def _window(parts: Sequence[Span], sizes: Sequence[int], at: int) -> int:
    """Where the window ends that begins at an offset: a part at least, below the limit."""
    total, end = 0, at
    for (_, after), size in zip(parts, sizes, strict=True):
        if after <= at:
            continue
        total += size
        if end > at and total > LIMIT:
            break
        end = after
    return end
