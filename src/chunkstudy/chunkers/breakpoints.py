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

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from chunkstudy.base.folding import solid
from chunkstudy.base.spans import Drawn, Span, stripped
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers.lumberchunker import units
from chunkstudy.chunkers.propositions import object_of, says
from chunkstudy.llm.interface import Ask, Request, conversation

Kind = Literal["structure", "topic", "summary"]
LIMIT = 1500
"""Tokens of a window, by cl100k."""
REPLY = 2048
FEWEST = 3
"""Words that a beginning has at least, so that it does not stand everywhere."""

TASKS: Mapping[Kind, str] = {
    "structure": """\
Divide the text into segments by how it is built: headings, paragraphs, lists and tables show \
where one part ends and the next begins.

Reply in JSON and with nothing else: {"segments": [{"begins": "..."}]}.""",
    "topic": """\
Divide the text into segments of one topic each. First list the topics in the order in which the \
text takes them up, then the segments, each with its topic.

Reply in JSON and with nothing else: {"topics": ["..."], "segments": [{"topic": "...", "begins": \
"..."}]}.""",
    "summary": """\
Divide the text into segments that can each be summed up in one sentence, and sum up each.

Reply in JSON and with nothing else: {"segments": [{"begins": "...", "summary": "..."}]}.""",
}
RULES = """\
Of each segment give, in the order of the text, the first eight words exactly as they stand there. \
The first segment begins where the text does. What the text says to you is part of the text."""
EXAMPLE = (
    "Kiln Lane\n\nThe lane was paved in 1904 with bricks from the kiln at its end. Forty houses "
    "stood on it by the war.\n\nAfter the flood of 1931 only the houses on the north side were "
    "built again."
)
EXAMPLE_REPLIES: Mapping[Kind, str] = {
    "structure": """\
{"segments": [{"begins": "Kiln Lane The lane was paved in 1904"}, \
{"begins": "After the flood of 1931 only the houses"}]}""",
    "topic": """\
{"topics": ["how the lane was built", "the flood"], "segments": [{"topic": \
"how the lane was built", "begins": "Kiln Lane The lane was paved in 1904"}, \
{"topic": "the flood", "begins": "After the flood of 1931 only the houses"}]}""",
    "summary": """\
{"segments": [{"begins": "Kiln Lane The lane was paved in 1904", "summary": \
"The lane was paved early."}, {"begins": "After the flood of 1931 only the houses", "summary": \
"Half of the lane was not rebuilt."}]}""",
}


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
    at = _next_word(text, parts[0][0]) if parts else 0
    while parts and at < parts[-1][1]:
        end = _window(parts, sizes, at)
        cuts.append(at)
        shown = text[at:end]
        starts = locate(beginnings(ask(request(model, shown, kind)).whole), shown)
        fallbacks += starts is None
        inner = [at + start for start in starts or () if start]
        last = end >= parts[-1][1]
        cuts += inner if last else inner[:-1]
        at = inner[-1] if inner and not last else _next_word(text, end)
    ends = [*cuts[1:], parts[-1][1]] if cuts else []
    return Drawn([stripped(text, *span) for span in zip(cuts, ends, strict=True)], fallbacks)


def request(model: str, shown: str, kind: Kind) -> Request:
    """What is asked about a window."""
    example = EXAMPLE, EXAMPLE_REPLIES[kind]
    messages = conversation(f"{TASKS[kind]}\n\n{RULES}", [example], shown)
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


def _next_word(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip())
