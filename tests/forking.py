"""Children that run the scenes of :mod:`tests.fault_scenes` and can be killed on the way.

They are forked from the standard library's fork server, which has imported everything once, so that
a child costs no more than its work.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkContext, ForkServerContext

import pytest

PATIENCE = 30.0
"""Seconds after which a child of a killed child counts as left over."""


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


@cache
def imported() -> ForkServerContext:
    """The server, in which numbers are computed by one thread."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(name, "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        forkserver.ensure_running()
    return context


def run(
    scene: str,
    *given: object,
    kill_after: float | None = None,
    context: ForkContext | ForkServerContext | None = None,
) -> End:
    """Run a scene in a child, and wait for it and for whatever it started.

    Args:
        kill_after: seconds after which the child gets SIGKILL.
        context: what forks the child; a child forks its own by itself.
    """
    with tempfile.NamedTemporaryFile("r") as said:
        child = (context or imported()).Process(
            target=_end_with, args=(scene, [str(one) for one in given], said.name)
        )
        started = time.monotonic()
        child.start()
        if kill_after is not None:
            time.sleep(kill_after)
            child.kill()
        child.join()
        seconds = time.monotonic() - started
        assert child.pid is not None and child.exitcode is not None
        return End(child.exitcode, seconds, said.read(), not _empty(child.pid))


def well(scene: str, *given: object) -> End:
    """A run that has to end well."""
    end = run(scene, *given)
    assert end.status == 0 and not end.left, end.said
    return end


def _end_with(scene: str, given: list[str], said: str) -> None:
    """Run a scene and end this process, a group of its own, as the command line would."""
    from chunkstudy.cli.cli_errors import one_sentence
    from tests import fault_scenes

    os.setsid()
    os.dup2(os.open(said, os.O_WRONLY | os.O_APPEND), 2)
    status = 70
    try:
        with one_sentence():
            getattr(fault_scenes, scene)(*given)
        status = 0
    except SystemExit as error:
        status = int(str(error.code))
    except BaseException as error:
        print(f"no sentence but {error!r}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(status)


def _empty(group: int) -> bool:
    """Whether all processes of a group end in time."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return False
