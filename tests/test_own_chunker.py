"""Any function or library's object is a chunker: its chunks are where it cut them, or its error
names the document that it fails on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import (
    CharacterTextSplitter,
    RecursiveCharacterTextSplitter,
)
from llama_index.core.node_parser import (
    SentenceSplitter,
    TokenTextSplitter,
)
from llama_index.core.schema import Document as LlamaDocument

from chunkstudy.chunkers import user_chunker
from chunkstudy.chunkers.user_chunker import checked, locate_in_order
from chunkstudy.collections import builtin
from chunkstudy.core.errors import ChunkerError
from chunkstudy.core.spans import Document, chunk_documents

DOCUMENTS = tuple(one for one in builtin.load_documents() if one.id.endswith(".md"))[:12]
TEXT = "# Rye\n\nYes. So. Yes. Yes.\n\n## Oats\n\nOats are sown. Oats are cut.\n"


def spans(chunker: Any, text: str = TEXT) -> list[tuple[int, int]]:
    made = user_chunker.made(chunker, "mine")
    documents = [Document("d", text)]
    chunks = chunk_documents(checked(user_chunker.as_function(made, "mine"), documents), documents)
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


def tokens(text: str) -> list[str]:
    return text.split()


def cut_by(splitter: Any, text: str) -> list[str]:
    if hasattr(splitter, "get_nodes_from_documents"):
        return [node.text for node in splitter.get_nodes_from_documents([LlamaDocument(text=text)])]
    return list(splitter.split_text(text))


@pytest.mark.parametrize(
    "splitter",
    [
        RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=60),
        CharacterTextSplitter(chunk_size=400, chunk_overlap=0),
        SentenceSplitter(chunk_size=60, chunk_overlap=10, tokenizer=tokens),
        TokenTextSplitter(chunk_size=60, chunk_overlap=0, tokenizer=tokens),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_splitters_texts_are_the_chunks(splitter: Any) -> None:
    split = checked(user_chunker.as_function(splitter, "theirs"), DOCUMENTS)
    for document in DOCUMENTS:
        found = [document.text[span[0] : span[1]] for span in split(document.text)]
        wanted = [one for one in cut_by(splitter, document.text) if one.strip()]
        assert ["".join(one.split()) for one in found] == ["".join(one.split()) for one in wanted]


def test_a_true_offset_is_taken_and_one_of_an_earlier_copy_is_not() -> None:
    def pieces(*found: tuple[str, int, int]) -> Callable[[str], list[Any]]:
        return lambda text: [
            SimpleNamespace(text=text, start_index=start, end_index=end)
            for text, start, end in found
        ]

    text = "Yes. So. Yes. Yes."
    assert spans(pieces(("Yes. So. Yes.", 0, 13), ("Yes.", 14, 18)), text) == [(0, 13), (14, 18)]
    assert spans(pieces(("Yes. So. Yes.", 0, 13), ("Yes.", 9, 13)), text) == [(0, 13), (14, 18)]
    assert spans(pieces(("Yes. Yes.", 9, 18), ("Yes. So.", 0, 8)), text) == [(9, 18), (0, 8)]
    with pytest.raises(ChunkerError, match="stands nowhere"):
        spans(pieces(("YES.", 0, 4)), text)


def test_chonkies_chunks_stand_at_their_own_offsets() -> None:
    chonkie = pytest.importorskip("chonkie")
    for chunker in (
        chonkie.TokenChunker("character", chunk_size=200, chunk_overlap=40),
        chonkie.SentenceChunker("character", chunk_size=300),
        chonkie.RecursiveChunker("character", chunk_size=300),
    ):
        split = checked(user_chunker.as_function(chunker, "theirs"), DOCUMENTS)
        for document in DOCUMENTS:
            theirs = [(one.start_index, one.end_index) for one in chunker.chunk(document.text)]
            assert split(document.text) == theirs


def test_a_class_or_function_without_arguments_makes_the_chunker() -> None:
    class Halves:
        def __call__(self, text: str) -> list[str]:
            return [text[:20], text[20:]]

    assert spans(Halves) == spans(lambda: Halves()) == spans(Halves()) == [(0, 20), (20, len(TEXT))]
    assert spans(lambda text: [text[:20], " ", text[20:]]) == [(0, 20), (20, len(TEXT))]


def test_a_module_or_file_of_ones_own_is_found_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "class Box:\n    @staticmethod\n    def split(text):\n        return [text]\n"
    (tmp_path / "mine_here.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert user_chunker.named("mine_here:Box.split")("a") == ["a"]
    assert user_chunker.named(f"{tmp_path}/mine_here.py:Box.split")("a") == ["a"]
    sys.modules.pop("mine_here", None)


def test_a_librarys_chunker_is_recorded_with_its_version() -> None:
    from importlib.metadata import version

    splitter = RecursiveCharacterTextSplitter()
    name = "langchain-text-splitters"
    assert user_chunker.comes_from(splitter) == f"{name} {version(name)}"
    core = "llama-index-core"
    assert user_chunker.comes_from(SentenceSplitter()) == f"{core} {version(core)}"
    assert user_chunker.comes_from(lambda text: [text]) == ""
    assert user_chunker.comes_from(str.splitlines) == ""


def test_a_rewritten_text_is_kept_beside_its_span() -> None:
    documents = [Document("d", TEXT)]
    chunks = chunk_documents(checked(lambda text: [(0, 8, "1 2")], documents), documents)
    assert chunks.text == ("1 2",)


@given(st.text("ab \n", max_size=40), st.lists(st.integers(0, 40)), st.booleans())
def test_strings_that_leave_nothing_out_are_located_exactly_whatever_repeats(
    text: str, cuts: list[int], stripped: bool
) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    expected = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if stripped:
            start += len(piece) - len(piece.lstrip())
            end = start + len(piece.strip())
        if start < end:
            expected.append((start, end))
    found = locate_in_order(text, [text[start:end] for start, end in expected], "d")
    assert found == expected


@given(st.lists(st.text("ab \n", max_size=6)))
def test_any_strings_are_located_in_the_text_or_refused(chunks: list[str]) -> None:
    text = "ab ba\naab  b"
    try:
        found = locate_in_order(text, chunks, "d")
    except ChunkerError as error:
        assert "of document 'd'" in str(error)
        return
    assert ["".join(text[start:end].split()) for start, end in found] == [
        "".join(chunk.split()) for chunk in chunks
    ]
