"""Baselines beside vectors and retrieval of code: each beside the plainest way to it, and what was
run beside the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import Study
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.coverage import outside
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking
from chunkstudy.pipeline import experiment_tables, records
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.experiments import Context
from chunkstudy.studies import baselines
from chunkstudy.studies.baselines import systems as arms
from chunkstudy.studies.code_retrieval import chunks as code
from chunkstudy.studies.code_retrieval import systems
from tests.small_study import Letters
from tests.test_collections import needs
from tests.test_retrieval import by_formula

ROOT = Project(Path(__file__).parents[1])
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
DOCUMENT = st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=7)
"""Sentences; two make a chunk."""


MODEL: Any = Letters()
TASKS = {False: "chroma", True: "covid-qa-within"}
"""A collection by whether its questions are asked of their own documents alone."""


def cut(documents: Sequence[Sequence[str]], group: int) -> Chunks:
    """So many sentences to a chunk, of documents that are sentences joined by blanks."""
    found = []
    for number, own in enumerate(documents):
        ends = np.cumsum([len(one) + 1 for one in own])
        starts = [0, *ends[:-1].tolist()]
        for first in range(0, len(own), group):
            last = min(first + group, len(own)) - 1
            found.append((number, starts[first], int(ends[last]) - 1))
    document, start, end = np.array(found, dtype=np.int64).T
    return Chunks(document, start, end, None)


def asked(documents: Sequence[Sequence[str]], queries: Sequence[str]) -> Collection:
    texts = tuple(Document(f"d{i}", " ".join(own)) for i, own in enumerate(documents))
    own = f"d{len(documents) - 1}"
    return Collection(
        "made", texts, tuple(Query(f"q{i}", q, own) for i, q in enumerate(queries)), ()
    )


@given(
    st.lists(DOCUMENT, min_size=1, max_size=3),
    st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=2),
    st.booleans(),
)
def test_a_chunk_is_found_by_its_best_sentence(
    documents: list[list[str]], queries: list[str], within: bool
) -> None:
    collection, chunks, small = asked(documents, queries), cut(documents, 2), cut(documents, 1)
    collection = replace(collection, name=TASKS[within])
    returned, ranking = arms.find(arms.SENTENCES, collection, MODEL, chunks, small)
    assert returned.start.tolist() == chunks.start.tolist()
    similar = MODEL.encode(queries) @ MODEL.encode(small.texts(collection.documents)).T
    for row, ranked in enumerate(ranking.chunk):
        best = {}
        for i, (document, start, end) in enumerate(
            zip(chunks.document, chunks.start, chunks.end, strict=True)
        ):
            inside = (small.document == document) & (small.start >= start) & (small.end <= end)
            if not within or document == len(documents) - 1:
                best[i] = similar[row, inside].max()
        held = ranked[ranked != NO_CHUNK].tolist()
        assert sorted(held) == sorted(best)
        scores = [best[i] for i in held]
        assert scores == pytest.approx(sorted(best.values(), reverse=True), abs=1e-6)
        assert ranking.score[row, : len(held)] == pytest.approx(scores, abs=1e-6)


@given(st.lists(DOCUMENT, min_size=2, max_size=3), st.text("abcd ", min_size=1, max_size=5))
def test_bm25_within_a_document_weighs_words_by_all(documents: list[list[str]], query: str) -> None:
    collection, chunks = asked(documents, [query]), cut(documents, 2)
    collection = replace(collection, name=TASKS[True])
    found = arms.find(arms.WORDS, collection, MODEL, chunks, chunks)[1]
    expected = np.array(by_formula(chunks.texts(collection.documents), query))
    expected[chunks.document != len(documents) - 1] = 0
    held = found.chunk[0][found.chunk[0] != NO_CHUNK]
    assert sorted(held.tolist()) == np.flatnonzero(expected).tolist()
    assert found.score[0, : len(held)] == pytest.approx(np.sort(expected)[::-1][: len(held)], 1e-5)


def test_a_title_is_its_owners_and_stands_before_all_chunks_but_the_first() -> None:
    documents = [["a", "b", "c", "d"], ["a", "c"]]
    collection = replace(asked(documents, ["a"]), name=TASKS[False], titles={"d0": "T"})
    chunks = cut(documents, 2)
    _, ranking = arms.find(arms.TITLE, collection, MODEL, chunks, chunks)
    similar = MODEL.encode(["a b", "T\n\nc d", "a c"]) @ MODEL.encode(["a"])[0]
    held = ranking.chunk[0] != NO_CHUNK
    assert sum(held) == 3
    assert ranking.score[0, held] == pytest.approx(similar[ranking.chunk[0, held]])


@pytest.mark.parametrize("collection", arms.COLLECTIONS)
def test_the_stored_scores_of_plain_vectors_are_those_of_the_record(collection: str) -> None:
    condition = Condition(collection, arms.CHUNKER, MINILM_512, PRE_EMBEDDING, CORRECTED.name)
    record = records.read(ROOT.runs, condition).wide
    made = experiment_tables.tables(ROOT, arms.NAME)["scores"]
    rows = made[made["part"] == f"{collection}/{arms.VECTORS}/{MINILM_512}"]
    assert len(rows) == len(record) * rows["measure"].nunique() > 0
    for measure, own in rows.set_index("query_id").groupby("measure")["value"]:
        pd.testing.assert_series_equal(own, record[measure].reindex(own.index), check_names=False)


def test_systems_are_held_against_vectors_and_corrected_within_a_collection() -> None:
    made = experiment_tables.tables(ROOT, arms.NAME)
    given = Study("trial"), made, {"scifact": ["nDCG@10"], "nfcorpus": ["nDCG@10"]}, [MINILM]
    table = baselines.gains(*given)
    assert table["arm"].tolist() == [*arms.SYSTEMS[1:]] * 2
    assert table["family_size"].eq(4).all() and table["family"].nunique() == 2
    means = made["scores"].groupby(["part", "measure"])["value"].mean()
    row: Any
    for row in (
        *table.itertuples(),
        *baselines.gains(*given, [arms.BOTH], arms.WORDS).itertuples(),
    ):
        against = arms.VECTORS if "vectors" in row.family else arms.WORDS
        first, second = (
            means[f"{row.collection}/{system}/{MINILM_512}", row.measure]
            for system in (row.arm, against)
        )
        assert row.difference == pytest.approx(first - second)


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=30)
JAVA = "class Hash {\n  String salt(int size)\n  {\n    if (size > 0) {\n      return null;\n"
PYTHON = (
    "import re\n\n\nclass Morse:\n    def decode(self):\n        log('x')\n\n        return 1\n"
)


def pieces(sizes: list[int]) -> Chunks:
    """Chunks that partition one document."""
    ends = np.cumsum(sizes, dtype=np.int64)
    return Chunks(np.zeros(len(sizes), dtype=np.int64), ends - sizes, ends)


@given(SIZES, SIZES, st.randoms(use_true_random=False))
def test_a_judged_chunk_is_found_where_half_of_it_is_read(
    judged: list[int], sizes: list[int], random: Any
) -> None:
    gold = pieces(judged)
    spans = list(zip(gold.start.tolist(), gold.end.tolist(), strict=True))[::2]
    text = "x" * max(sum(judged), sum(sizes))
    judgments = tuple(Judgment("q", "a", *span) for span in spans)
    collection = Collection("made", (Document("a", text),), (Query("q", "?"),), judgments)
    for chunks in (gold, pieces(sizes)):
        order = np.array(random.sample(range(len(chunks)), len(chunks)))
        ranking = Ranking(order[None], np.zeros((1, len(order)), np.float32))
        values = systems.passed(collection, chunks, ranking).set_index("measure")["value"]
        for k in systems.CUTOFFS:
            read = {x for i in order[:k] for x in range(chunks.start[i], chunks.end[i])}
            halves = [2 * len(read & set(range(*span))) >= span[1] - span[0] for span in spans]
            assert values[f"Pass@{k}"] == pytest.approx(np.mean(halves))
            if chunks is gold:  # as the guide counts: whether it is among the first k
                among = np.isin(np.arange(0, len(gold), 2), order[:k])
                assert values[f"Pass@{k}"] == pytest.approx(among.mean())


@pytest.mark.parametrize(
    ("text", "first", "heads"),
    [
        (JAVA, "return null", ["class Hash", "String salt(int size)"]),
        (PYTHON, "return 1", ["class Morse", "def decode(self)"]),
        (PYTHON, "class Morse", []),
    ],
)
def test_the_definitions_around_a_chunk(text: str, first: str, heads: list[str]) -> None:
    assert code.definitions(text, text.index(first)) == heads


@needs("contextual_code")
@pytest.mark.parametrize("chunker", [code.GUIDE, code.BLANK_LINES, code.SYNTAX])
def test_every_file_is_cut_whole_and_named_before_each_chunk(chunker: str) -> None:
    if chunker == code.SYNTAX:
        pytest.importorskip("tree_sitter_language_pack")
    collection = Context(ROOT).collection("contextual-code")
    chunks = code.cut(collection, chunker)
    assert outside(collection.documents, chunks) == 0
    paths = [collection.titles[collection.documents[i].id] for i in chunks.document]
    texts = code.texts(collection, chunks, code.BOTH)
    assert all(text.startswith(path) for text, path in zip(texts, paths, strict=True))


@needs("contextual_code")
def test_what_is_stored_of_words_is_what_they_give() -> None:
    system = systems.CodeSystem(code.GUIDE, code.BOTH, systems.WORDS)
    stored = experiment_tables.tables(ROOT, systems.NAME)["scores"].query("part == @system.name")
    rows = systems.part(Context(ROOT), system)["scores"]
    keys = ["measure", "query_id"]
    both = stored.merge(rows, on=keys, validate="one_to_one")
    assert len(both) == len(stored) == 4 * 248
    assert both["value_x"].to_numpy() == pytest.approx(both["value_y"], abs=1e-8)
