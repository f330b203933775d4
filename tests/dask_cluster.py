"""A Dask scheduler and workers as a user starts them, on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
DASK = str(Path(sys.executable).parent / "dask")
ENOUGH = "4GiB"


class Cluster:
    """Processes that are ended by :meth:`close`.

    Args:
        folder: for logs and for what workers keep while they run.
        environment: added to this process's.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            # The first death is the last, so that a test need not wait for four.
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            **environment,
        }
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.running: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()

    @property
    def address(self) -> str:
        return f"dask://127.0.0.1:{self.port}"

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        place = ("--host", "127.0.0.1", "--port", str(self.port))
        self.scheduler = self._start("scheduler", *place, "--no-dashboard")
        return self.scheduler

    def start_worker(self, *options: str, memory: str = ENOUGH) -> subprocess.Popen[bytes]:
        return self._start(
            "worker", f"tcp://127.0.0.1:{self.port}", "--nthreads", "1", "--no-dashboard",
            "--memory-limit", memory, "--local-directory", str(self.folder / "scratch"),
            "--preload", "tests.slow_folder", *options,
        )  # fmt: skip

    def log(self) -> str:
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def close(self) -> None:
        for one in self.running:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        path = self.folder / f"{len(self.running)}-{command[0]}.log"
        with path.open("wb") as log:
            started = subprocess.Popen(
                [DASK, *command],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
                cwd=self.folder,
                start_new_session=True,
            )
        self.running.append(started)
        return started


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a process and those it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
