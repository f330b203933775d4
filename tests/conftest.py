"""What tests share: the real collection where it is at hand, and children that can be killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkstudy.collections import chroma
from chunkstudy.spans import Collection
from tests.forking import Forker


@pytest.fixture(scope="session")
def chroma_collection() -> Collection:
    if not chroma.available():
        pytest.skip("Chroma's files are not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch`")
    return chroma.load()


@pytest.fixture(scope="session")
def forker() -> Iterator[Forker]:
    """Runs scenes in children that can be killed."""
    with Forker() as one:
        yield one


@pytest.fixture(scope="session")
def world(forker: Forker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small collection and model of :mod:`tests.fault_scenes`."""
    folder = tmp_path_factory.mktemp("world")
    forker.well("prepare", folder)
    return folder
