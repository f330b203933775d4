"""The house holds: a file imports only from its own floor or from floors below."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_file_imports_only_from_its_own_floor_or_below() -> None:
    command = Path(sys.executable).parent / "lint-imports"
    found = subprocess.run(
        [command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout
