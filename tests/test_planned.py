"""What is run is what notebooks name in their parameter cells, what is recorded and published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base import places
from chunkstudy.base.places import Places
from chunkstudy.commands import cli
from chunkstudy.publish import planned
from chunkstudy.published.sources import published_grid
from chunkstudy.runs import records

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SLUG = MINILM.replace("/", "__")
CELL = f"""
collections = ["scifact", "nfcorpus"]
books = ["gutenqa-emma"]
chunkers = ["sentence-5"]
in_books = ["lumberchunker-released"]
encoder = "{MINILM}"
window = 512
ordering = "contextualized-512"
protocol = "as_published-ielab"
k = 10
"""


def checkout(root: Path, cell: str = CELL) -> Places:
    """A checkout with one notebook and no record."""
    tags = {"metadata": {"tags": ["parameters"]}, "source": [cell]}
    (root / "results").mkdir()
    (root / "notebooks").mkdir()
    (root / "notebooks" / "page.ipynb").write_text(json.dumps({"cells": [tags]}), encoding="utf-8")
    return Places(root)


def test_a_parameter_cell_names_conditions_by_the_arguments_of_a_run(tmp_path: Path) -> None:
    pages = planned.conditions(checkout(tmp_path))
    chunkers = {
        "scifact": ["sentence-5"],
        "nfcorpus": ["sentence-5"],
        "gutenqa-emma": ["sentence-5", "lumberchunker-released"],
    }
    assert [str(one) for one in pages] == [
        f"{collection}/{chunker}/{SLUG}-w512/{ordering}/as_published-ielab"
        for collection, some in chunkers.items()
        for chunker in some
        for ordering in ("pre_embedding", "contextualized-512")
    ]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"protocol": []}, []),
        ({"window": 128}, ["pre_embedding"]),
        ({"windows": [128]}, ["pre_embedding", "contextualized-128"]),
        ({"windows": [128], "chunkers": ["lumberchunker-released"]}, []),
        (
            {"window": 128, "ordering": "contextualized-128"},
            ["pre_embedding", "contextualized-128"],
        ),
    ],
)
def test_windows_that_are_compared_are_read_late_too_and_impossible_chunks_are_left_out(
    changed: dict[str, object], expected: list[str]
) -> None:
    given = {"collection": "scifact", "chunkers": ["sentence-5"], "encoder": MINILM}
    found = planned.of_notebook(given | {"protocol": "corrected"} | changed)
    assert [one.ordering for one in found] == expected


def test_what_has_a_record_is_listed_and_every_page_is_recorded() -> None:
    study = places.find()
    listed, recorded = planned.conditions(study), set(records.find(study.runs))
    assert len(listed) == len(set(listed))
    assert set(listed) == recorded | set(published_grid(study))
    small = planned.of_small_model(study)
    assert {one.encoder.split("-w")[0] for one in small} == {SLUG, "none"}
    assert set(small) <= recorded


def test_without_notebooks_a_sentence_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for command in (["list"], ["status"], ["estimate"], ["run", "--only", "*"]):
        done = CliRunner().invoke(cli.app, command)
        assert done.exit_code == 1
        assert "has no notebooks, whose parameters say what is run; go to" in done.output
    checkout(tmp_path)
    done = CliRunner().invoke(cli.app, ["list", "--only", "scifact/sentence-5/*w512/pre_*/*"])
    assert done.exit_code == 0 and done.output.endswith("/as_published-ielab\topen\n")
    done = CliRunner().invoke(cli.app, ["run", "--only", "scifact/*", "--only", "sicfact/*"])
    assert done.exit_code == 1 and "no condition matches 'sicfact/*'" in done.output
