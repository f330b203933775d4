"""A run killed at random moments ends, once resumed, as one that was not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chunkstudy.llm.recordings import Recordings
from tests import asking_process, chat_server
from tests.asking_process import AT_ONCE, request

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("CHUNKSTUDY_KILLS", "10"))
"""CHUNKSTUDY_KILLS asks for more."""
REQUESTS = 8 * KILLS
SECONDS = 0.03
"""The server's, for a reply."""


class Process:
    def __init__(self, address: str) -> None:
        self.running = subprocess.Popen(
            [sys.executable, "-m", "tests.asking_process", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENAI_API_KEY": "sk-made"},
            cwd=Path(__file__).parents[1],
        )

    def ask(self, folder: Path, due: Callable[[], bool] | None = None) -> int:
        """Let a child ask, and kill it when that is due; its exit status."""
        assert self.running.stdin and self.running.stdout
        folder.mkdir(exist_ok=True)
        self.running.stdin.write(json.dumps([str(folder), REQUESTS]) + "\n")
        self.running.stdin.flush()
        child = int(self.running.stdout.readline())
        if due is not None:
            while not due():
                time.sleep(0.001)
            os.kill(child, signal.SIGKILL)  # still there: its parent waits for it after this
        return int(self.running.stdout.readline())


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[str, chat_server.State, Process]]:
    """A server's address and state, and a process that asks it."""
    with chat_server.serving(seconds=SECONDS) as (address, state):
        process = Process(address)
        try:
            yield address, state, process
        finally:
            process.running.kill()
            process.running.wait()


def recorded(folder: Path, address: str) -> tuple[Recordings, set[str]]:
    """The recordings of a folder, and the questions whose replies they hold."""
    recordings = asking_process.asker(folder, address)._model(asking_process.MODEL).recordings
    asked = {
        f"question {i}"
        for i in range(REQUESTS)
        if recordings.find(recordings.digest(request(i))) is not None
    }
    return recordings, asked


def test_a_run_killed_at_random_moments_ends_with_the_bytes_of_an_undisturbed_one(
    world: tuple[str, chat_server.State, Process], tmp_path: Path
) -> None:
    address, state, process = world
    moments = random.Random(14)
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    assert process.ask(calm) == 0
    for _ in range(KILLS):
        _, before = recorded(disturbed, address)
        state.asked.clear()
        after, later = moments.randint(0, 10), moments.uniform(0, SECONDS)

        def due(after: int = after, later: float = later) -> bool:
            if len(state.asked) < after:
                return False
            time.sleep(later)
            return True

        assert os.WTERMSIG(process.ask(disturbed, due)) == signal.SIGKILL
        again = before.intersection(one.texts[0] for one in state.asked)
        assert not again, "a reply that was recorded was paid for twice"
    recordings, before = recorded(disturbed, address)
    assert 0 < len(before) < REQUESTS

    state.asked.clear()
    assert process.ask(disturbed) == 0
    assert not before.intersection(one.texts[0] for one in state.asked)

    for name in ("replies.json", f"recordings/{recordings.path.parent.name}/gpt-4o-mini.jsonl"):
        assert (disturbed / name).read_bytes() == (calm / name).read_bytes()


def test_a_kill_loses_no_more_than_what_was_under_way(
    world: tuple[str, chat_server.State, Process], tmp_path: Path
) -> None:
    address, state, process = world
    folder = tmp_path / "killed"
    state.asked.clear()
    process.ask(folder, lambda: len(state.asked) >= 6 * AT_ONCE)
    _, kept = recorded(folder, address)
    assert len(state.asked) - AT_ONCE <= len(kept) <= len(state.asked)
