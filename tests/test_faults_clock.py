"""A clock that goes backwards changes no result, no wait and no environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import pytest

from chunkstudy.base.retries import retry_after
from tests.forking import Forker
from tests.test_faults_killed import all_of, run_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
BACK = 60
"""Seconds that the clock goes back whenever it is read."""
CLOCK = f"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long reads;
static time_t back(time_t now) {{ return now - {BACK} * __sync_add_and_fetch(&reads, 1); }}
int clock_gettime(clockid_t which, struct timespec *at) {{
  int failed = syscall(SYS_clock_gettime, which, at);
  if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
    at->tv_sec = back(at->tv_sec);
  return failed;
}}
int gettimeofday(struct timeval *restrict at, void *restrict zone) {{
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}}
time_t time(time_t *at) {{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}}
"""


@pytest.fixture(scope="module")
def backwards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forker]:
    """Children whose clock of the day goes back whenever they read it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is here to make a clock that goes backwards")
    folder = tmp_path_factory.mktemp("clock")
    (folder / "clock.c").write_text(CLOCK, encoding="utf-8")
    made = [compiler, "-shared", "-fPIC", "-o", str(folder / "clock.so"), str(folder / "clock.c")]
    subprocess.run(made, check=True)
    with Forker(LD_PRELOAD=str(folder / "clock.so")) as one:
        earlier, later = map(float, one.run("tell_time").said.split())
        assert later < earlier < time.time(), "the clock does not go backwards"
        yield one


@pytest.mark.parametrize("scene", ["small_run", "small_train", "small_reproduce"])
def test_a_clock_that_goes_backwards(
    scene: str,
    backwards: Forker,
    forker: Forker,
    world: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("backwards")
    given = () if scene == "small_reproduce" else (world,)
    seconds = forker.well(scene, *given, folder / "calm").seconds
    forker.run(scene, *given, folder / "back", kill_after=seconds / 2)
    backwards.well(scene, *given, folder / "back")
    made = run_of if scene == "small_run" else all_of
    assert made(folder / "back") == made(folder / "calm")


def test_a_server_whose_clock_is_ahead() -> None:
    ahead = time.time() + 3600
    headers = {"date": formatdate(ahead, usegmt=True)}
    headers["retry-after"] = formatdate(ahead + 30, usegmt=True)
    assert retry_after(headers) == 30
    del headers["date"]
    assert retry_after(headers) > 3600


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
