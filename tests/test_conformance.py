"""What tools that ship late chunking read and pool, against what they gave and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import Study
from chunkstudy.base.spans import Document
from chunkstudy.collections import builtin
from chunkstudy.encoders import contextualized_elsewhere as elsewhere
from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.encoders.window_layouts import afterthoughts
from chunkstudy.runs.conditions import Condition, ConditionError
from chunkstudy.runs.grids import (
    SEPARATED_WINDOWS,
    WINDOWS,
)
from chunkstudy.runs.names import parse_encoder
from chunkstudy.studies import conformance
from chunkstudy.studies.conformance import vectors
from chunkstudy.studies.conformance.costs import DECISIONS
from chunkstudy.studies.conformance.readings import AFTERTHOUGHTS, CONTEB, TOOLS
from chunkstudy.studies.conformance.readings import WINDOWS as WINDOWS_OF_TOOLS
from tests import late_chunking_elsewhere as tools

ENDS = (1, 2)
CHUNKS = st.lists(st.lists(st.integers(10, 99), max_size=30), max_size=12)
WINDOW = st.integers(3, 40)
LONGEST = 30
"""Chunks of a text that is read here; the built-in story has more."""


def sequence(layout: Layout) -> list[int]:
    return [
        token
        for ids, (first, last) in zip(layout.windows, layout.kept, strict=True)
        for token in ids[first:last]
    ]


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


def test_in_texts_of_one_window_our_late_chunking_gives_what_afterthoughts_gave(
    encoder: TransformerEncoder, recorded: pd.DataFrame
) -> None:
    documents, compared = _documents(), 0
    of_tool = recorded[recorded["tool"] == AFTERTHOUGHTS]
    for name, one in of_tool.groupby("document"):
        text, _ = vectors.as_tool(encoder, AFTERTHOUGHTS, documents[str(name)], one)
        if len(text.content) + len(ENDS) > WINDOWS_OF_TOOLS[AFTERTHOUGHTS]:
            continue
        there = one["given"].to_numpy(dtype=bool)
        assert there.all()
        ours = vectors.as_here(encoder, text, AFTERTHOUGHTS)
        few = one[vectors.COORDINATES].to_numpy()
        np.testing.assert_allclose(ours[:, :: vectors.EVERY], few, atol=vectors.EQUAL)
        compared += len(one)
    assert compared > 5


def test_the_layout_named_for_afterthoughts_gives_what_it_gave_where_no_window_loses_its_end(
    encoder: TransformerEncoder,
) -> None:
    found = pd.read_csv(vectors.RECORDED)
    of_builtin = found[(found["tool"] == AFTERTHOUGHTS) & (found["collection"] == "builtin")]
    documents, compared = _documents(), 0
    window = WINDOWS_OF_TOOLS[AFTERTHOUGHTS]
    for name, one in of_builtin.groupby("document"):
        text, _ = vectors.as_tool(encoder, AFTERTHOUGHTS, documents[str(name)], one)
        inside = elsewhere.tokens_inside(text.offsets, text.starts, text.stops)
        layout, spans = afterthoughts(text.content, inside, window, encoder.ends)
        few = one[vectors.COORDINATES].to_numpy()
        equal = np.abs(encoder.pool([layout], [spans])[0][:, :: vectors.EVERY] - few).max(axis=1)
        lengths = (inside[:, 1] - inside[:, 0]).tolist()
        cut = [
            members[-1]
            for members in elsewhere.half_over(lengths, window - 2)
            if sum(lengths[i] for i in members) > window - 2
        ]
        whole = np.delete(equal, cut)
        assert (whole < vectors.EQUAL).all()
        compared += len(whole)
    assert compared > 50


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tool_itself_gives_what_our_reading_of_it_gives(
    tool: str, encoder: TransformerEncoder
) -> None:
    pytest.importorskip(tool.replace("-", "_"))
    embed = tools.EMBED[tool]()
    documents = _documents()
    for _, chunker, name in tools.TEXTS[3:7]:
        spans = tools.boundaries(chunker, documents[name], encoder)
        theirs, ours = tools.given(encoder, tool, embed, documents[name], spans)
        np.testing.assert_allclose(theirs, ours, atol=vectors.EQUAL)
        assert len(theirs) == len(spans) or tool == CONTEB


@given(CHUNKS, WINDOW)
def test_chonkie_shares_out_all_states_in_order(chunks: list[list[int]], window: int) -> None:
    content = [token for chunk in chunks for token in chunk]
    read = elsewhere.chonkie(content, chunks, window, ENDS, lambda ids: ids)
    if not chunks:
        return
    spans = read.spans.tolist()
    assert spans[0][0] == 0 and spans[-1][1] == read.layout.tokens
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
    # A whole window loses its last two tokens, and nothing else is lost.
    counted = [token for token in sequence(read.layout) if token not in ENDS]
    lost = [
        place for start in range(0, len(content), window)
        for place in range(start + window - 2, min(start + window, len(content)))
    ]  # fmt: skip
    assert counted == [token for i, token in enumerate(content) if i not in lost]


def test_chonkie_reads_each_chunk_by_itself_where_states_run_short() -> None:
    read = elsewhere.chonkie([10, 11, 12], [[10, 10, 10], [11, 12, 12]], 8, ENDS, lambda ids: ids)
    assert read.layout.windows == ((1, 10, 10, 10, 2), (1, 11, 12, 12, 2))
    assert read.spans.tolist() == [[0, 5], [5, 10]]


@given(CHUNKS, WINDOW)
def test_conteb_pools_no_separator_and_cuts_at_the_window(
    chunks: list[list[int]], window: int
) -> None:
    read = elsewhere.conteb(chunks, window, ENDS)
    ids = sequence(read.layout)
    assert len(ids) <= window
    for i, ((first, last), chunk) in enumerate(zip(read.spans.tolist(), chunks, strict=True)):
        pooled = [token for token in ids[first:last] if i or token != 1]
        assert pooled == chunk[: len(pooled)]
        assert 2 not in pooled


def test_conteb_gives_chunks_beyond_the_window_no_vector() -> None:
    read = elsewhere.conteb([[10, 11], [12, 13], [14]], 7, ENDS)
    assert read.layout.windows == ((1, 10, 11, 2, 12, 13, 2),)
    assert read.spans.tolist() == [[0, 3], [4, 6], [6, 6]]
    assert not read.pool(np.ones((7, 2), dtype=np.float32))[2].any()


@given(CHUNKS, st.integers(5, 40))
def test_afterthoughts_reads_every_chunk_and_pools_nothing_else(
    chunks: list[list[int]], window: int
) -> None:
    chunks = [chunk for chunk in chunks if chunk]
    content = [token for chunk in chunks for token in chunk]
    offsets = np.stack([np.arange(len(content)), np.arange(len(content)) + 1], axis=1)
    stops = np.cumsum([len(chunk) for chunk in chunks], dtype=np.int64)
    starts = stops - np.asarray([len(chunk) for chunk in chunks], dtype=np.int64)
    read = elsewhere.afterthoughts(content, offsets, starts, stops, window, ENDS)
    ids = sequence(read.layout)
    for (first, last), vector in zip(read.spans.tolist(), read.vector.tolist(), strict=True):
        begin, end = read.tokens[vector].tolist()
        assert ids[first:last] == content[begin:end][: last - first]
    assert sorted(set(read.vector.tolist())) == list(range(len(read.tokens)))
    covered = [place for begin, end in read.tokens.tolist() for place in range(begin, end)]
    assert covered == list(range(len(content)))
    assert all(len(one) <= window for one in read.layout.windows)
    whole = {
        vector
        for (first, last), vector in zip(read.spans.tolist(), read.vector.tolist(), strict=True)
        if last - first == read.tokens[vector, 1] - read.tokens[vector, 0]
    }
    # An overfull window cuts its last chunk, which the next keeps first, unless it is the end; a
    # chunk longer than half a window may be cut in every one.
    if 2 * max(map(len, chunks), default=0) <= window - len(ENDS):
        assert whole >= set(range(len(read.tokens) - 1))


def test_afterthoughts_overfills_a_window_and_takes_the_mean_of_two_readings() -> None:
    content = list(range(10, 19))
    offsets = np.stack([np.arange(9), np.arange(9) + 1], axis=1)
    starts, stops = np.array([0, 4, 8]), np.array([4, 8, 9])
    read = elsewhere.afterthoughts(content, offsets, starts, stops, 8, ENDS)
    assert read.layout.windows == (
        (1, 10, 11, 12, 13, 2),
        (1, 10, 11, 12, 13, 14, 15, 2),
        (1, 14, 15, 16, 17, 18, 2),
    )
    assert read.vector.tolist() == [0, 0, 1, 1, 2]
    assert read.spans.tolist() == [[1, 5], [7, 11], [11, 13], [15, 19], [19, 20]]
    states = np.zeros((21, 2), dtype=np.float32)
    states[11:13, 0], states[15:19, 1] = 3, 3  # the halves of a chunk count alike, however long
    np.testing.assert_allclose(read.pool(states)[1], np.sqrt([0.5, 0.5]), atol=1e-6)


def test_afterthoughts_leaves_out_a_token_that_a_boundary_cuts() -> None:
    offsets = np.array([[0, 4], [4, 8], [8, 12]])
    read = elsewhere.afterthoughts(
        [10, 11, 12], offsets, np.array([0, 6]), np.array([6, 12]), 8, ENDS
    )
    assert read.layout.windows == ((1, 10, 12, 2),)
    assert read.tokens.tolist() == [[0, 1], [2, 3]]


def test_afterthoughts_gives_a_chunk_longer_than_a_window_several_vectors() -> None:
    offsets = np.stack([np.arange(5), np.arange(5) + 1], axis=1)
    read = elsewhere.afterthoughts(list(range(5)), offsets, np.array([0]), np.array([5]), 4, ENDS)
    assert read.tokens.tolist() == [[0, 2], [2, 4], [4, 5]]


@given(st.lists(st.integers(10, 99), max_size=90), WINDOW)
def test_disjoint_windows_hold_every_token_once(content: list[int], window: int) -> None:
    places = np.array([[0, len(content)]])
    read = elsewhere.disjoint(content, places, window, ENDS)
    assert sequence(read.layout) == content
    assert all(len(one) <= window for one in read.layout.windows)


def test_a_separator_between_chunks_is_refused_under_a_protocol_that_has_none() -> None:
    ordering = "contextualized-256-separated"
    with pytest.raises(ConditionError, match="under corrected only"):
        Condition("builtin-graded", "fixed-64", WINDOWS[256], ordering, "as_published-ielab")


def test_a_decision_costs_what_its_two_ways_to_read_differ_by() -> None:
    arms = {arm for one in DECISIONS for arm in (one.arm, one.against)}
    scores = pd.DataFrame({arm: [0.0, 0.5, 1.0] for arm in sorted(arms)})
    scores["chonkie"] = [0.5, 0.5, 1.0]
    scores[["collection", "chunker"]] = "chroma-within", "fixed-64"
    scores["query_id"] = ["a", "b", "c"]
    table = conformance.decisions(scores).set_index(["tool", "decision"])
    assert len(table) == len(DECISIONS)
    assert table.loc[("chonkie", "all of them"), "difference"] == pytest.approx(1 / 6)
    others = table[table.index.get_level_values("tool") != "chonkie"]
    assert (others["difference"] == 0).all() and (others["n"] == 3).all()


def test_a_separator_is_held_against_late_and_against_plain_chunks_window_by_window() -> None:
    study, encoder = Study("trial"), parse_encoder(WINDOWS[512]).model
    chunkers = ["fixed-64", "sentence-5"]
    found = conformance.separated(
        study, ["covid-qa-within"], chunkers, encoder, SEPARATED_WINDOWS, "corrected"
    )
    assert len(found) == 2 * 2 * len(chunkers) and set(found["family_size"]) == {2}
    assert set(found["documents"]) == {98}
    by = found.set_index(["window", "chunker", "against"])["separated"].unstack()
    assert (by["late"] == by["plain"]).all()
