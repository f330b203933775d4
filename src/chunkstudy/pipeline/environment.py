"""The software and the platform that a number may depend on."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "tiktoken", "chunkstudy")
"""Packages whose versions every record states."""


def describe_environment(packages: Iterable[str]) -> dict[str, Any]:
    """Return the versions of packages, of Python and of the platform, for a record.

    Args:
        packages: names of installed distributions.
    """
    return {
        "packages": {name: version(name) for name in packages},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
