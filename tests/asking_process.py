"""A process that asks, to be killed: ``python -m tests.asking_process ADDRESS``.

Every line on its standard input names a folder and a number of requests, and is answered with the
id of a child that asks them and leaves the replies in ``replies.json``; the child's end is answered
with its status. It forks, so that a test that kills many times imports the SDK once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from chunkstudy.base.asking import Message, Request
from chunkstudy.base.files import write_json
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.openai_provider import OpenAIProvider

MODEL = "openai/gpt-4o-mini"
AT_ONCE = 4


def request(i: int) -> Request:
    return Request(MODEL, (Message("user", f"question {i}"),), 20)


def asker(folder: Path, address: str) -> Asker:
    """One whose clock stands still, since seconds are recorded too."""
    return Asker(
        "record",
        folder / "recordings",
        at_once=AT_ONCE,
        provider=lambda _: OpenAIProvider(
            "openai", "gpt-4o-mini", f"{address}/v1", ("OPENAI_API_KEY",)
        ),
        clock=lambda: 0.0,
        today=lambda: "2026-05-17",
    )


def ask(folder: Path, address: str, count: int) -> None:
    with asker(folder, address) as one:
        replies = [reply.recorded() for reply in one.ask_many(map(request, range(count)))]
    write_json(folder / "replies.json", replies)


def main(address: str) -> None:
    import openai

    _ = openai.OpenAI(api_key="none").chat.completions.with_raw_response  # imported before a fork
    for line in sys.stdin:
        folder, count = json.loads(line)
        child = os.fork()
        if not child:
            ask(Path(folder), address, count)
            os._exit(0)
        print(child, flush=True)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
