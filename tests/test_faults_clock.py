"""A clock that is wrong changes no environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("year", [-1, 0, 1])
def test_make_goes_by_content_and_not_by_date(year: int, tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    moment = time.time() + year * 365 * 86400
    ready = [line.split()[1] for line in _plan(tmp_path) if line.startswith("touch")]
    assert len(ready) == 1
    (tmp_path / ready[0]).parent.mkdir()
    (tmp_path / ready[0]).touch()
    for name in ("requirements.lock", "pyproject.toml"):
        os.utime(tmp_path / name, (moment, moment))
    assert not any("pip install" in line for line in _plan(tmp_path))
    with (tmp_path / "requirements.lock").open("a", encoding="utf-8") as file:
        file.write("# another\n")
    os.utime(tmp_path / "requirements.lock", (moment, moment))
    assert any("pip install" in line for line in _plan(tmp_path))


def _plan(folder: Path) -> list[str]:
    """What ``make install`` would do."""
    done = subprocess.run(
        ["make", "--dry-run", "install"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()
