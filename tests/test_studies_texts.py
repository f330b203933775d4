"""Facts of texts: what is committed is what the collections give."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base import tokens
from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Collection, chunk_documents
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.study_results import read
from chunkstudy.studies.chroma import chunks_per_question, printed_texts

ROOT = Places(Path(__file__).parents[1])


@pytest.mark.real_data
def test_chunks_of_a_question_are_counted_as_committed(
    chroma_collection: Collection,
) -> None:
    chunks = chunk_documents(build_chunker("token-400-0", CORRECTED), chroma_collection.documents)
    found = chunks_per_question.touching(chroma_collection, chunks, CORRECTED)
    stored = read(ROOT, "chunks-per-question").set_index(["chunker", "protocol"])
    assert stored.loc[("token-400-0", "corrected"), "all"] == found["all"]


def test_the_printed_prompt_is_counted_from_its_first_to_its_last_line() -> None:
    report = "x\nYou are an agent that asks.\n```\nNo question that has ALREADY BEEN USED.\nmore\n"
    found = int(printed_texts.prompt(report)["printed prompt tokens"].iloc[0])
    whole = tokens.counter("cl100k").count(
        "You are an agent that asks. No question that has ALREADY BEEN USED."
    )
    assert found == whole
