"""The built-in documents as segmented by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.tokens import counter
from chunkstudy.collections import builtin, handmade
from chunkstudy.runs.chunkers import build_chunker

MADE = handmade.load()


def test_chunks_cover_every_built_in_document_without_overlap() -> None:
    chunk = build_chunker("lumberchunker-handmade", CORRECTED)
    for document in builtin.load_documents():
        found = [(span[0], span[1]) for span in chunk(document.text)]
        assert "".join(document.text[start:end] for start, end in found) == document.text
        assert found == MADE.chunk(document.text)
        assert all(start < end for start, end in found)


def test_chunks_begin_where_a_paragraph_or_a_turn_does() -> None:
    for document in builtin.load_documents():
        for start, _ in MADE.chunk(document.text)[1:]:
            if document.id.endswith(".json"):
                assert document.text[start] == "{"
            else:
                assert document.text[start - 1] == "\n"


def test_chunks_are_of_lumberchunkers_size() -> None:
    sizes = [
        counter("wordpiece").count(document.text[start:end])
        for document in builtin.load_documents()
        for start, end in MADE.chunk(document.text)
    ]
    assert max(sizes) < 550  # its window (docs/protocols.md#lumberchunker-segmentation)
    assert len(sizes) > 150


def test_no_beginning_is_unused() -> None:
    path = builtin.FOLDER / "segmentations" / "lumberchunker-handmade.json"
    begun = json.loads(path.read_text(encoding="utf-8"))
    texts = {document.id: document.text for document in builtin.load_documents()}
    for name, beginnings in begun.items():
        assert len(MADE.chunk(texts[name])) == len(beginnings) + 1


def test_another_text_is_refused() -> None:
    with pytest.raises(handmade.HandmadeError, match="built-in documents only"):
        MADE.chunk("A text that nobody segmented.")


@pytest.mark.parametrize(
    ("beginnings", "message"),
    [
        (["third"], "0 times"),
        (["s"], "2 times"),
        (["second", "first"], "out of order"),
        (["first"], "out of order"),
    ],
)
def test_wrong_beginnings_are_refused(beginnings: list[str], message: str) -> None:
    with pytest.raises(handmade.HandmadeError, match=message):
        handmade.spans("first one\nsecond two", beginnings, "a.md")


def test_a_segmentation_of_a_missing_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "segmentations").mkdir()
    path = tmp_path / "segmentations" / "lumberchunker-handmade.json"
    path.write_text('{"gone.md": []}', encoding="utf-8")
    with pytest.raises(handmade.HandmadeError, match=r"gone\.md, which is missing"):
        handmade.load(folder=tmp_path)
