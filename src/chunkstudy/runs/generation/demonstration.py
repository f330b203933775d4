"""Questions on the built-in collection: from replies written by hand, and from a small model.

``data/builtin/replies`` holds the replies written by hand in the order in which they are asked for,
each with what its author meant by it: a sound question, or a flaw of one kind. As a program this
records them, which is needed again where what is asked has changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.base import tokens
from chunkstudy.collections import builtin
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.interface import Finish, LanguageModelError, Reply, Request
from chunkstudy.llm.providers import Authored
from chunkstudy.llm.recordings import Recordings, replies_folder
from chunkstudy.runs.generation.generate import Asked, Generated, generate
from chunkstudy.runs.generation.settings import Settings, Variant

MODEL = "authored/questions-on-the-builtin-collection"
EXACT = Settings(MODEL, questions=20)
APPROXIMATE = Settings(MODEL, questions=6, variant="approximate")
SMALL = Settings(
    f"local/{SMOLLM}",
    questions=6,
    characters=1_000,
    attempts=2,
    output_limit=200,
    temperature=0.0,
)
"""Within what the small model can do: shorter texts, the likeliest token each time."""
SOUND = "sound"
WRITTEN = "2026-11-22"


@dataclass(frozen=True, slots=True)
class Written:
    """A reply written by hand.

    Attributes:
        meant: ``SOUND``, or the flaw that was put into it.
    """

    document: str
    meant: str
    finish: Finish
    reply: str


def written(variant: Variant) -> list[Written]:
    """The replies written by hand, in the order in which they are asked for."""
    path = builtin.FOLDER / "replies" / f"{variant}.jsonl"
    return [Written(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def replay(settings: Settings, folder: Path | None = None) -> Generated:
    """Generate from recorded replies; nobody is asked."""
    with Asker("replay", folder) as asker:
        return generate(builtin.load_documents(), settings, asker.ask)


def meant(made: Generated, variant: Variant) -> Iterator[tuple[Asked, Written]]:
    """Each request with the reply that was written for it."""
    return zip(made.asked, written(variant), strict=True)


def record(folder: Path, settings: Settings) -> int:
    """Record the replies written by hand as those to what is asked; how many there are.

    Raises:
        LanguageModelError: if they do not fit what is asked.
    """
    recordings = Recordings(folder, Authored(), settings.model.partition("/")[2])
    left = written(settings.variant)
    count = len(left)

    def ask(request: Request) -> Reply:
        if not left:
            raise LanguageModelError("more is asked than was written; write another reply")
        one = left.pop(0)
        reply = Reply(
            one.reply,
            one.finish,
            request.tokens,
            len(tokens.encode_cl100k(one.reply)),
            "authored",
            settings.model.partition("/")[2],
            date=WRITTEN,
        )
        return recordings.write(request, reply)

    made = generate(builtin.load_documents(), settings, ask)
    recordings.settle()
    if left or any(a.document != b.document for a, b in meant(made, settings.variant)):
        raise LanguageModelError("the replies written by hand are of other documents than asked")
    return count


if __name__ == "__main__":
    for each in (EXACT, APPROXIMATE):
        print(record(replies_folder(), each), each.variant)
