"""Retrieval of code: the guide's measure beside counting, and what stands before a chunk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.coverage import outside
from chunkstudy.evaluation.retrieval.chunks import Ranking
from chunkstudy.runs import study_results
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.code_retrieval import chunks as code
from chunkstudy.studies.code_retrieval import systems
from tests.test_collections import needs

ROOT = Places(Path(__file__).parents[1])
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
    stored = study_results.tables(ROOT, systems.NAME)["scores"].query("part == @system.name")
    rows = systems.part(Context(ROOT), system)["scores"]
    keys = ["measure", "query_id"]
    both = stored.merge(rows, on=keys, validate="one_to_one")
    assert len(both) == len(stored) == 4 * 248
    assert both["value_x"].to_numpy() == pytest.approx(both["value_y"], abs=1e-8)
