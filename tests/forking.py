"""A process that forks others to be killed: ``python -m tests.forking``.

A line of JSON on its standard input names a function of :mod:`tests.fault_scenes`, what it is
given, and after how many seconds the child that runs it gets SIGKILL; the answer says how the child
ended. Everything is imported once, so that a child costs no more than its work.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 30.0
"""Seconds after which a child of a killed child counts as left over."""
SET_CHILD_SUBREAPER = 36  # linux/prctl.h


@dataclass(frozen=True)
class End:
    """How a child ended.

    Attributes:
        status: its exit status; negative: the signal that ended it.
        seconds: it took.
        said: on its standard error.
        left: whether processes that it had started were still there later.
    """

    status: int
    seconds: float
    said: str
    left: bool

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Forker:
    """The process, as a test sees it."""

    def __init__(self) -> None:
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **one_thread, "TOKENIZERS_PARALLELISM": "false"},
        )

    def __enter__(self) -> Forker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()

    def start(self, scene: str, *given: object, kill_after: float | None = None) -> None:
        """Let a child run; :meth:`end` waits for it."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([scene, [str(one) for one in given], kill_after]))
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def end(self) -> End:
        assert self._process.stdout
        return End(**json.loads(self._process.stdout.readline()))

    def run(self, scene: str, *given: object, kill_after: float | None = None) -> End:
        self.start(scene, *given, kill_after=kill_after)
        return self.end()

    def well(self, scene: str, *given: object) -> End:
        """A run that has to end well."""
        end = self.run(scene, *given)
        assert end.status == 0 and not end.left, end.said
        return end


def fork(scene: Any, given: list[str], kill_after: float | None) -> End:
    """Run a scene in a child and wait for it and for whatever it started."""
    with tempfile.TemporaryFile("w+") as said:
        started = time.monotonic()
        child = os.fork()
        if not child:
            os.setsid()
            os.dup2(said.fileno(), 2)
            end_with(scene, given)
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        seconds = time.monotonic() - started
        left = not _empty(child)
        said.seek(0)
        return End(status, seconds, said.read(), left)


def end_with(scene: Any, given: list[str]) -> None:
    """Run a scene and end this process as the command line would."""
    from chunkstudy.commands.failing import one_sentence

    status = 70
    try:
        with one_sentence():
            scene(*given)
        status = 0
    except SystemExit as error:
        status = int(str(error.code))
    except BaseException as error:
        print(f"no sentence but {error!r}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(status)


def _empty(group: int) -> bool:
    """Whether all processes of a group end in time; the dead, which fall to us, are buried."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
            while os.waitpid(-group, os.WNOHANG)[0]:
                pass
        except (ProcessLookupError, ChildProcessError):
            return True
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return False


def main() -> None:
    from tests import fault_scenes

    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    fault_scenes.import_everything()
    for line in sys.stdin:
        name, given, kill_after = json.loads(line)
        print(json.dumps(asdict(fork(getattr(fault_scenes, name), given, kill_after))), flush=True)


if __name__ == "__main__":
    main()
