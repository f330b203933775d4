"""Loaded by a Dask worker before it starts: every file it writes takes a while, as on a network."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = float(os.environ.get("CHUNKSTUDY_SLOW_FOLDER", "0"))


def dask_setup(worker: Any) -> None:
    from chunkstudy.base import files

    at_once = files.replacing

    @contextmanager
    def slowly(path: Path, durable: bool = False) -> Iterator[Path]:
        with at_once(path, durable) as temporary:
            yield temporary
            time.sleep(SECONDS)

    files.replacing = slowly
