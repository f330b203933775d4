"""Rehearse the published grid on small random checkpoints and services on the loopback.

Nothing that it leaves is a result.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from chunkstudy.base import places
from chunkstudy.commands.failing import one_sentence
from tests.rehearsal.rehearse import RehearsalError, rehearse


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.rehearsal", description=__doc__)
    parser.add_argument(
        "--only", action="append", help="conditions to take, with wildcards; no cell is judged then"
    )
    parser.add_argument("--out", type=Path, help="the folder; build/rehearsal if none")
    given = parser.parse_args()
    with one_sentence():
        where = places.find()
        faults = rehearse(
            where,
            given.out or where.build / "rehearsal",
            given.only or ["*"],
            lambda line: print(line, file=sys.stderr, flush=True),
        )
        for name, why in faults.items():
            print(f"{name}: {why}")
        if faults:
            raise RehearsalError("the rehearsal is not whole, as said above; mend it")


if __name__ == "__main__":
    main()
