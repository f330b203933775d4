"""What tools that ship late chunking read and pool, against what they gave."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Document
from chunkstudy.collections import builtin
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import Condition, ConditionError
from chunkstudy.runs.grids import WINDOWS
from chunkstudy.studies.conformance import vectors
from chunkstudy.studies.conformance.readings import TOOLS
from tests import late_chunking_elsewhere as tools

LONGEST = 30
"""Chunks of a text that is read here; the built-in story has more."""


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(models.spec(tools.MODEL))


@pytest.fixture(scope="module")
def recorded() -> pd.DataFrame:
    found = pd.read_csv(vectors.RECORDED)
    of_text = found.groupby(["tool", "document"])["chunk"].transform("size")
    return found[(found["collection"] == "builtin") & (of_text <= LONGEST)]


def _documents() -> dict[str, Document]:
    return {one.id: one for one in builtin.load().documents}


@pytest.mark.parametrize("tool", TOOLS)
def test_our_reading_of_a_tool_gives_what_the_tool_gave(
    tool: str, encoder: TransformerEncoder, recorded: pd.DataFrame
) -> None:
    documents = _documents()
    of_tool = recorded[recorded["tool"] == tool]
    assert of_tool["document"].nunique() > 4
    for name, one in of_tool.groupby("document"):
        _, ours = vectors.as_tool(encoder, tool, documents[str(name)], one)
        there = one["given"].to_numpy(dtype=bool)
        few = one.loc[there, vectors.COORDINATES].to_numpy()
        np.testing.assert_allclose(ours[there][:, :: vectors.EVERY], few, atol=vectors.EQUAL)
        assert not ours[~there].any()


def test_a_separator_between_chunks_is_refused_under_a_protocol_that_has_none() -> None:
    ordering = "contextualized-256-separated"
    with pytest.raises(ConditionError, match="under corrected only"):
        Condition("builtin-graded", "fixed-64", WINDOWS[256], ordering, "as_published-ielab")
