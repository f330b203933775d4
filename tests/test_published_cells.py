"""A published cell is typed, has a place in its source, and is read in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.published.cells import CellError, read

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
HEADER = (
    "work,table,collection,chunker,encoder,measure,statistic,published,decimals,unit,"
    "section,row,column"
)
ROW = "jina,beir,quora,none,small,nDCG@10,mean,87.19,2,percent,post,Quora,Small"


def written(folder: Path, *lines: str, header: str = HEADER) -> Places:
    path = folder / "results" / "published" / "own.csv"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return Places(folder)


def refused(folder: Path, *lines: str, header: str = HEADER) -> str:
    with pytest.raises(CellError) as error:
        read(written(folder, *lines, header=header))
    sentence = str(error.value)
    assert sentence.startswith("own.csv") and "\n" not in sentence
    return sentence


def test_a_table_of_ones_own_is_one_file_with_the_columns_of_a_cell(tmp_path: Path) -> None:
    (cell,) = read(written(tmp_path, ROW))
    assert (cell.value, cell.decimals, cell.part, cell.marks) == (87.19, 2, "all", "")
    assert str(cell) == "jina, post, row Quora, column Small"


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, ROW + ",1", header=HEADER + ",printed")
    assert "printed: Extra inputs are not permitted" in said


def test_a_doubled_key_is_an_error_even_where_the_values_differ(tmp_path: Path) -> None:
    said = refused(tmp_path, ROW, ROW.replace("87.19", "88.00"))
    assert "own.csv, line 3 has the key of another row" in said
    assert "quora, none, small" in said


@pytest.mark.parametrize("text", ["87,19", "n/a", "87.19%", "nan", "inf"])
def test_a_cell_is_a_number(text: str, tmp_path: Path) -> None:
    row = ROW.replace("87.19", f'"{text}"')
    assert f"the printed string {text!r} is not a number" in refused(tmp_path, row)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW.replace(",2,", ",3,"), "'87.19' does not have 3 decimals"),
        (ROW.replace("percent", "points"), "unit: Input should be"),
        (ROW.replace("jina", ""), "work: Field required"),
        (ROW + ",more", "does not have as many fields as the file has columns"),
        (ROW.replace(",2,", ","), "does not have as many fields as the file has columns"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(row: str, words: str, tmp_path: Path) -> None:
    assert words in refused(tmp_path, row)


def test_every_place_is_one_cells_own_and_readable() -> None:
    places = [(cell.work, cell.place) for cell in CELLS]
    assert len(set(places)) == len(places)
