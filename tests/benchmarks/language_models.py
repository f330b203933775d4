"""Replaying many recorded replies, how near many requests under way come to the ideal, and the
memory of windows over many paragraphs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from chunkstudy.chunkers.lumberchunker import blocks
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Message, Reply, Request
from chunkstudy.llm.providers import Authored
from chunkstudy.llm.recordings import Recordings
from tests import chat_server

RECORDED = 10_000
ASKED = 1_000
AT_ONCE = 32
PARAGRAPHS = 1_000_000
SECONDS = 0.2
"""The server's, for a reply."""
WINDOW = "A paragraph of the size that a window of LumberChunker is made of. " * 40


def request(i: int, model: str) -> Request:
    return Request(model, (Message("user", f"{i} {WINDOW}"),), 20)


def replay(folder: Path) -> None:
    """Seconds to replay, and the peak of memory for all against a tenth."""
    model = "authored/bench"
    recordings = Recordings(folder, Authored(), "bench")
    with mock.patch("os.fsync"):  # only reading is measured
        for i in range(RECORDED):
            recordings.write(request(i, model), Reply(f"ID {i}", "stop", 0, 0, "authored", "bench"))
    requests = [request(i, model) for i in range(RECORDED)]
    started, used = time.perf_counter(), time.process_time()
    with Asker("replay", folder) as asker:
        replies = sum(1 for _ in asker.ask_many(requests))
    seconds, used = time.perf_counter() - started, time.process_time() - used
    print(f"{replies} replies replayed: {seconds:.2f} s, {used:.2f} s of a core (target: 2 s)")
    for count in (RECORDED // 10, RECORDED):
        tracemalloc.start()
        with Asker("replay", folder) as asker:
            asker.ask(requests[0])
            index = tracemalloc.get_traced_memory()[0]
            for _ in asker.ask_many(request(i, model) for i in range(count)):
                pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"{count} replayed: {(peak - index) / 1e6:.1f} MB beside {index / 1e6:.1f} of index")


def in_flight(folder: Path, address: str) -> None:
    """Seconds for many requests against the least the server's delay allows."""
    os.environ.setdefault("OPENAI_API_KEY", "sk-made")
    ideal = ASKED * SECONDS / AT_ONCE
    with chat_server.asker(address, folder, at_once=AT_ONCE) as asker:
        list(asker.ask_many(request(-i, "openai/gpt-4o-mini") for i in range(1, AT_ONCE)))
        started, used = time.perf_counter(), time.process_time()
        replies = list(asker.ask_many(request(i, "openai/gpt-4o-mini") for i in range(ASKED)))
        seconds, used = time.perf_counter() - started, time.process_time() - used
    print(
        f"{len(replies)} requests, {AT_ONCE} under way, {SECONDS} s each: {seconds:.1f} s, "
        f"{seconds / ideal:.2f} x the ideal of {ideal:.2f} s (target: 1.3 x), {used:.1f} s of a "
        "core"
    )


def paragraphs() -> None:
    """Peak memory of LumberChunker's windows over a text that is never there as a whole."""
    for count in (PARAGRAPHS // 100, PARAGRAPHS):
        texts = (f"{i} " + "word " * 60 for i in range(count))
        tracemalloc.start()
        used = time.process_time()
        chunks = sum(1 for _ in blocks(texts, lambda first, shown: first + len(shown) // 2))
        used, peak = time.process_time() - used, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{count} paragraphs, {chunks} chunks: peak {peak / 1e3:.1f} kB, {used:.1f} s of a core"
        )


def main() -> None:
    paragraphs()
    with tempfile.TemporaryDirectory() as folder:
        replay(Path(folder))
    command: list[Any] = [sys.executable, "-m", "tests.chat_server", str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        lines: Iterator[str] = iter(server.stdout)
        try:
            with tempfile.TemporaryDirectory() as folder:
                in_flight(Path(folder), next(lines).strip())
        finally:
            server.kill()


if __name__ == "__main__":
    main()
