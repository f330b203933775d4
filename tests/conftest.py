"""What tests share: the real collection where it is at hand."""

from __future__ import annotations

import pytest

from chunkstudy.collections import chroma
from chunkstudy.spans import Collection


@pytest.fixture(scope="session")
def chroma_collection() -> Collection:
    if not chroma.available():
        pytest.skip("Chroma's files are not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch`")
    return chroma.load()
