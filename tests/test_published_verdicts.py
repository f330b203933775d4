"""A verdict says which printed strings a value could have given, and cells are read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.published.cells import Cell, CellError, read
from chunkstudy.published.verdicts import fits, printed_ends, verdict, within

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
RECALL = next(c for c in CELLS if c.measure == "SpanRecall@5" and c.statistic == "mean")


def whole(text: str, unit: str = "percent") -> Cell:
    decimals = len(text.partition(".")[2])
    return changed(published=text, decimals=decimals, unit=unit)


def changed(**values: object) -> Cell:
    return Cell.model_validate(RECALL.model_dump() | values)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("29.9", 29.942, "exact"),
        ("29.9", 29.96, "deviates"),
        ("29.9", 35.0, "deviates"),
        ("29.9", 25.0, "deviates"),
        ("0.7", 0.65, "exact"),
        ("78.9", 78.96, "deviates"),  # a percent is never taken as truncated
    ],
)
def test_exact_is_every_printed_digit_and_better_is_no_excuse(
    text: str, value: float, expected: str
) -> None:
    assert verdict(whole(text), value) == expected


@pytest.mark.parametrize(
    ("value", "how"), [(312.2, "either"), (312.99, "truncated"), (311.7, "rounded"), (314.2, "")]
)
def test_a_size_may_be_truncated_and_it_is_said_which_fits(value: float, how: str) -> None:
    assert fits(whole("312", unit="token"), value) == how
    assert (verdict(whole("312", unit="token"), value) == "exact") == bool(how)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (78.2, 78.6, True),
        (78.54, 78.9, True),
        (78.56, 78.9, False),
        (77.0, 78.44, False),
        (78.5, 78.5, True),
    ],
)
def test_a_cell_is_within_the_stack_if_a_value_of_its_spread_prints_so(
    low: float, high: float, expected: bool
) -> None:
    found = verdict(whole("78.5"), 78.9, stack=Interval(low, high))
    assert found == ("within_stack" if expected else "deviates")
    assert verdict(whole("78.5"), 78.52, stack=Interval(low, high)) == "exact"


def test_every_cell_is_exact_in_the_middle_of_what_prints_so_and_not_at_its_end() -> None:
    for cell in CELLS:
        low, high = printed_ends(cell.published, truncated=cell.unit == "token")
        middle = (low + high) / 2
        assert verdict(cell, middle) == "exact", cell
        assert within(cell, Interval(middle, middle))
        assert not within(cell, Interval(high, high + 1))


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
    assert (cell.section, cell.row, cell.column) == ("post", "Quora", "Small")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        *(([ROW.replace("87.19", f'"{text}"')], f"the printed string {text!r} is not a number")
          for text in ("87,19", "n/a", "87.19%", "nan", "inf")),
        ([ROW.replace(",2,", ",3,")], "'87.19' does not have 3 decimals"),
        ([ROW.replace("percent", "points")], "unit: Input should be"),
        ([ROW.replace("jina", "")], "work: Field required"),
        ([ROW + ",more"], "does not have as many fields as the file has columns"),
        ([ROW.replace(",2,", ",")], "does not have as many fields as the file has columns"),
        ([ROW, ROW.replace("87.19", "88.00")], "line 3 has the key of another row (jina, "),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_one_sentence(
    rows: list[str], words: str, tmp_path: Path
) -> None:
    assert words in refused(tmp_path, *rows)


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, ROW + ",1", header=HEADER + ",printed")
    assert "printed: Extra inputs are not permitted" in said
