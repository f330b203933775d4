"""A disk of a few kilobytes and a folder that is read-only, for one process and its children only.

They are real mounts in a name space of this process, so nothing outside it sees them. Root may make
one anywhere; others where the system lets users make name spaces.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000  # linux/sched.h


def alone() -> None:
    """Take this process out of everybody's mounts.

    Raises:
        OSError: if that is not allowed here.
    """
    user, group = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_MOUNTS if user == 0 else NEW_MOUNTS | NEW_USER):
        raise OSError(ctypes.get_errno(), "unshare is not allowed")
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    run("mount", "--make-rprivate", "/")


def small_disk(folder: Path, kilobytes: int) -> None:
    """Put an empty disk of that size at a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", folder)


def run(*command: str | Path) -> None:
    """Run one of the system's programs.

    Raises:
        OSError: if it is not there or fails.
    """
    if (done := subprocess.run(command, capture_output=True, text=True, check=False)).returncode:
        raise OSError(done.returncode, done.stderr)


def allowed() -> bool:
    """Whether this process, and so a test, may do all that; tried in a child."""
    child = os.fork()
    if not child:
        try:
            alone()
            small_disk(Path("/tmp"), 64)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
