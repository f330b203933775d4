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
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.interface import Finish, Reply, Request
from chunkstudy.llm.providers import Authored
from chunkstudy.llm.recordings import Recordings, replies_folder
from chunkstudy.studies.generated_questions.generate import Asked, Generated, generate
from chunkstudy.studies.generated_questions.prompts import Settings, Variant

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


def meant(made: Generated, variant: Variant) -> Iterator[tuple[Asked, Written]]:
    """Each request with the reply that was written for it."""
    return zip(made.asked, written(variant), strict=True)


def record(folder: Path, settings: Settings) -> None:
    """Record the replies written by hand as those to what is asked, in their order."""
    model = settings.model.partition("/")[2]
    recordings = Recordings(folder, Authored(), model)
    left = iter(written(settings.variant))

    def ask(request: Request) -> Reply:
        one = next(left)
        size = len(tokens.encode_cl100k(one.reply))
        reply = Reply(one.reply, one.finish, request.tokens, size, "authored", model, date=WRITTEN)
        return recordings.write(request, reply)

    generate(builtin.load_documents(), settings, ask)
    recordings.settle()


if __name__ == "__main__":
    for each in (EXACT, APPROXIMATE):
        record(replies_folder(), each)
