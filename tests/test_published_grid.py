"""Every cell of the papers that a model produced has a condition, and every condition a cell; what
is run is what notebooks name in their parameter cells, what is recorded and published."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.core.project import Project, find_project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.encoders import models
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import LARGE, Condition, EncoderName
from chunkstudy.pipeline.requirements import AND, reason_not_run
from chunkstudy.pipeline.requirements import requirements as needed
from chunkstudy.published import papers
from chunkstudy.published.cells import Cell, read
from chunkstudy.published.sources import (
    Change,
    Mean,
    Measured,
    Source,
    conditions_of,
    published_grid,
    source_of,
)
from chunkstudy.release import grid

PLACES = Project(Path(__file__).parents[1])
CELLS = [(cell, source_of(cell)) for cell in read(PLACES)]


def cells_of(work: str, table: str | None = None) -> list[tuple[Cell, Source]]:
    return [
        (cell, source)
        for cell, source in CELLS
        if cell.work == work and table in (None, cell.table)
    ]


@pytest.mark.parametrize(
    ("work", "table", "single", "computed", "measured"),
    [
        ("chroma", "main", 113, 0, 0),
        ("chroma", "minilm", 21, 0, 0),
        ("chroma", "appendix", 2280, 0, 0),
        ("jina", "berlin", 0, 0, 6),
        ("jina", "beir", 15, 0, 5),
        ("jina", "combinations", 72, 0, 0),
        ("taxonomy", "1", 8, 0, 0),
        ("taxonomy", "2", 48, 0, 0),
        ("taxonomy", "3", 168, 56, 0),
        ("taxonomy", "4", 0, 224, 0),
        ("taxonomy", "5", 168, 56, 0),
    ],
)
def test_the_grid_accounts_for_every_cell_by_table(
    work: str, table: str, single: int, computed: int, measured: int
) -> None:
    found = [source for _, source in cells_of(work, table)]
    counted = [
        sum(isinstance(source, kind) for source in found)
        for kind in (Condition, (Mean, Change), Measured)
    ]
    assert counted == [single, computed, measured]


def test_the_grid_adds_corrected_twins_and_the_model_that_the_text_names_and_nobody_ran() -> None:
    bound = {one for _, source in CELLS for one in conditions_of(source)}
    added = {one for one in published_grid(PLACES) if one not in bound}
    named = str(EncoderName(papers.E5))
    assert {one.encoder for one in added if one.protocol != CORRECTED.name} == {named}
    twins = {replace(one, protocol=CORRECTED.name) for one in bound}
    assert twins <= bound | added and all(one.encoder == named for one in added - twins)


def test_the_reasons_of_a_cell_are_told_apart_again() -> None:
    study = published_grid(PLACES)
    waiting = {tuple(dict.fromkeys(needed(one))) for one in study} - {()}
    for sentences in waiting:
        assert tuple(AND.join(sentences).split(AND)) == sentences


def test_a_condition_is_open_only_where_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_RECORDINGS", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "not a key")
    spec = models.spec(papers.NOMIC)
    recorded = replace(spec, files=dict.fromkeys(spec.files, "0" * 64))
    weights = papers.taxonomy("fiqa", "fixed-256", papers.NOMIC, "pre_embedding")
    assert "encoders.models" in str(reason_not_run(weights))
    monkeypatch.setattr(models, "with_recorded_digests", lambda spec: recorded)
    assert reason_not_run(weights) is None
    assert needed(weights), "nor on its weights"
    llm, plain = (
        Condition("chroma", chunker, LARGE, "pre_embedding", "as_published-chroma")
        for chunker in ("llm", "recursive-200-0")
    )
    assert reason_not_run(plain) is None
    late = replace(plain, ordering="contextualized-8191", protocol=CORRECTED.name)
    assert "an API returns no token states" in str(reason_not_run(late))
    assert "gpt-4o" in str(reason_not_run(llm))
    assert needed(plain), "what a table says does not depend on this machine's keys"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "OPENAI_API_KEY" in str(reason_not_run(plain))


def test_a_work_that_nothing_maps_says_where_to_map_it() -> None:
    cell, _ = CELLS[0]
    for work in ("unheard of", "tutorial"):
        with pytest.raises(ValueError, match=rf"'{work}' come from; say it in WORKS"):
            source_of(cell.model_copy(update={"work": work}))


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


def checkout(root: Path, cell: str = CELL) -> Project:
    """A checkout with one notebook and no record."""
    tags = {"metadata": {"tags": ["parameters"]}, "source": [cell]}
    (root / "results").mkdir()
    (root / "notebooks").mkdir()
    (root / "notebooks" / "page.ipynb").write_text(json.dumps({"cells": [tags]}), encoding="utf-8")
    return Project(root)


def test_a_parameter_cell_names_conditions_by_the_arguments_of_a_run(tmp_path: Path) -> None:
    pages = grid.conditions(checkout(tmp_path))
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
    found = grid.of_notebook(given | {"protocol": "corrected"} | changed)
    assert [one.ordering for one in found] == expected


def test_what_has_a_record_is_listed_and_every_page_is_recorded() -> None:
    study = find_project()
    listed, recorded = grid.conditions(study), set(records.find(study.runs))
    assert len(listed) == len(set(listed))
    assert set(listed) == recorded | set(published_grid(study))
    small = grid.of_small_model(study)
    assert {one.encoder.split("-w")[0] for one in small} == {SLUG, "none"}
    assert set(small) <= recorded


def test_without_notebooks_a_sentence_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for command in (["list"], ["status"], ["estimate"], ["run", "--only", "*"]):
        done = CliRunner().invoke(main.app, command)
        assert done.exit_code == 1
        assert "has no notebooks, whose parameters say what is run; go to" in done.output
    checkout(tmp_path)
    done = CliRunner().invoke(main.app, ["list", "--only", "scifact/sentence-5/*w512/pre_*/*"])
    assert done.exit_code == 0 and done.output.endswith("/as_published-ielab\topen\n")
    done = CliRunner().invoke(main.app, ["run", "--only", "scifact/*", "--only", "sicfact/*"])
    assert done.exit_code == 1 and "no condition matches 'sicfact/*'" in done.output
