"""A disk of a few kilobytes and a folder that is read-only, for one process and its children only.

They are real mounts in a name space of this process, so nothing outside it sees them. Root may make
one anywhere; others where the system lets users make name spaces.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000  # linux/sched.h
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18  # linux/mount.h


def alone() -> None:
    """Take this process out of everybody's mounts.

    Raises:
        OSError: if that is not allowed here.
    """
    user, group = os.getuid(), os.getgid()
    _called("unshare", NEW_MOUNTS if user == 0 else NEW_MOUNTS | NEW_USER)
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _mount(None, "/", None, RECURSIVE | PRIVATE)


def small_disk(folder: Path, kilobytes: int) -> None:
    """Put an empty disk of that size at a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount("none", folder, "tmpfs", 0, f"size={kilobytes}k")


def larger_disk(folder: Path, kilobytes: int) -> None:
    """Give it another size, its files kept."""
    _mount("none", folder, None, REMOUNT, f"size={kilobytes}k")


def read_only(folder: Path) -> None:
    """Let nothing be written below a folder, by root neither."""
    _mount(folder, folder, None, BIND)
    _mount("none", folder, None, REMOUNT | BIND | READ_ONLY)


def writable(folder: Path) -> None:
    """The same folder as it was."""
    _called("umount2", os.fsencode(folder), 0)


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


def _mount(
    source: Path | str | None, target: Path | str, kind: str | None, flags: int, data: str = ""
) -> None:
    words = (None if one is None else os.fsencode(one) for one in (source, target, kind))
    _called("mount", *words, flags, data.encode())


def _called(name: str, *given: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*given):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
