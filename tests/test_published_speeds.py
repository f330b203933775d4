"""Documents a second stand as the works print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.collections import registry
from chunkstudy.published import speeds
from chunkstudy.published.cells import CellError
from chunkstudy.runs.names import parse_chunker

ROOT = Path(__file__).parents[1]


def test_every_printed_speed_is_of_a_known_chunker_and_collection() -> None:
    found = speeds.read(Places(ROOT))
    for one in found:
        assert parse_chunker(one.chunker) and registry.find(one.collection)
    assert {one.chunker: one.value for one in found} == {"lumberchunker": 1.11, "paragraph": 1854}


def test_a_row_that_is_no_speed_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "results/published/speeds/taxonomy.csv"
    path.parent.mkdir(parents=True)
    for row in ("taxonomy,paragraph,scidocs,fast,there", "taxonomy,paragraph,scidocs"):
        path.write_text(f"work,chunker,collection,published,place\n{row}\n", encoding="utf-8")
        with pytest.raises(CellError, match=r"taxonomy\.csv, line 2 is not a speed"):
            speeds.read(Places(tmp_path))


def test_where_nothing_is_printed_there_is_nothing(tmp_path: Path) -> None:
    assert speeds.read(Places(tmp_path)) == []
