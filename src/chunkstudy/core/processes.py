"""What a process that does a part of the work owes the one that started it."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait

from chunkstudy.core.settings import Settings


def cores() -> int:
    """Cores this process may use; fewer where OMP_NUM_THREADS says so."""
    limit = Settings.from_env().threads
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(allowed or 1, int(limit) if limit.isdigit() and int(limit) else allowed or 1)


def end_with_parent() -> None:
    """End this process as soon as its parent is gone, killed for instance.

    A worker of a pool would otherwise wait for work for ever, since it holds the other end of its
    own queue.
    """
    if (parent := parent_process()) is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="ends with its parent").start()
