"""Every study leaves its tables beside what made them, and in small the columns that are committed;
a table changed by hand is found.

What is measured in small is not looked at: the encoder has one layer, the collections a few
documents.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.cli import experiment_commands
from chunkstudy.cli.main import app
from chunkstudy.collections import builtin, registry
from chunkstudy.core.errors import StudyError
from chunkstudy.core.models import ModelSpec
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.pipeline import experiment_tables, experiments, parquet, records
from chunkstudy.pipeline.conditions import MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.run import evaluate
from chunkstudy.studies.chroma import search as chroma_search
from chunkstudy.studies.controls import random_boundaries
from chunkstudy.studies.jina import three_sentences
from chunkstudy.studies.language_models import window_answers
from chunkstudy.studies.late_chunking import word_search
from tests.small_context import EMMA, SmallContext, collection, one_layer, quoted

ROOT = Project(Path(__file__).parents[1])
NAMES = sorted(one.name for one in (ROOT.results / "studies").iterdir())
TABLE = pd.DataFrame(
    {
        "query": ["0", "01"],
        "gold": [1, 2],
        "score": [0.1234567891, np.nan],
        "whole": [True, False],
        "positions": ["", "0 to 255"],
    }
)
MADE_BY: dict[str, Any] = {
    "study": "labels",
    "question": "How many?",
    "origin": "run",
    "collections": {},
    "chunks": {},
    "models": [],
    "sources": {},
    "packages": {"numpy": "2.0"},
    "python": "3.11",
    "platform": "Linux",
}


@pytest.fixture
def places(tmp_path: Path) -> Project:
    """A study with two tables."""
    found = Project(tmp_path)
    experiment_tables.write(
        experiment_tables.folder(found, "labels"), {"one": TABLE, "two": TABLE}, MADE_BY
    )
    return found


def test_a_table_comes_back_typed_with_ids_as_text_and_missing_numbers_missing(
    places: Project,
) -> None:
    back = experiment_tables.read(places, "labels", "one")
    expected = TABLE.assign(score=[0.12345679, np.nan])
    pd.testing.assert_frame_equal(back, expected, rtol=0, atol=0)


def test_a_long_table_is_parquet_and_comes_back_as_its_text_would(
    places: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_text = experiment_tables.read(places, "labels", "one")
    monkeypatch.setattr(experiment_tables, "LONG", 1)
    folder = experiment_tables.folder(places, "labels")
    written = experiment_tables.write(folder, {"one": TABLE, "two": TABLE.iloc[:1]}, MADE_BY)
    assert {path.name for path in folder.iterdir()} == {
        "one.parquet", "two.csv", experiment_tables.PROVENANCE,
    }  # fmt: skip
    back = experiment_tables.read(places, "labels", "one")
    pd.testing.assert_frame_equal(back, as_text, check_exact=True)
    again = experiment_tables.write(folder, {"one": back, "two": TABLE.iloc[:1]}, MADE_BY)
    assert again == written
    monkeypatch.setattr(experiment_tables, "LONG", 2)
    experiment_tables.write(folder, {"one": back}, MADE_BY)
    assert {path.name for path in folder.iterdir()} == {"one.csv", experiment_tables.PROVENANCE}


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("how", ["changed", "cut", "gone"])
def test_a_table_changed_by_hand_is_found(
    places: Project, how: str, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = experiment_tables.folder(places, "labels")
    if long:
        monkeypatch.setattr(experiment_tables, "LONG", 1)
        experiment_tables.write(folder, {"one": TABLE, "two": TABLE}, MADE_BY)
    path = folder / ("one.parquet" if long else "one.csv")
    if how == "changed" and long:
        parquet.write(path, experiment_tables.read(places, "labels", "one").assign(gold=[1, 3]))
    elif how == "changed":
        path.write_text(path.read_text(encoding="utf-8").replace("01,2", "1,2"), encoding="utf-8")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    with pytest.raises(StudyError, match="not what its provenance recorded"):
        experiment_tables.read(places, "labels", "one")
    assert len(experiment_tables.read(places, "labels", "two")) == 2


def test_quotes_and_line_ends_do_not_change_a_digest() -> None:
    assert experiment_tables.digest("a,b\n1,x\n") == experiment_tables.digest(
        '"a","b"\r\n"1","x"\r\n'
    )
    assert experiment_tables.digest("a,b\n1,x\n") != experiment_tables.digest("a,b\n1x,\n")


def test_an_unknown_table_is_refused_with_those_there_are(places: Project) -> None:
    with pytest.raises(StudyError, match="no table 'three', only one, two"):
        experiment_tables.read(places, "labels", "three")


def test_a_study_that_was_not_run_is_empty(tmp_path: Path) -> None:
    assert experiment_tables.read(Project(tmp_path), "similarity", "one").empty
    assert experiment_tables.tables(Project(tmp_path), "chunk-sizes") == {}


def test_a_provenance_cut_short_is_one_sentence(places: Project) -> None:
    path = experiment_tables.folder(places, "labels") / "provenance.json"
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")
    with pytest.raises(StudyError, match="is not valid"):
        experiment_tables.read(places, "labels", "one")


def test_a_run_notes_what_it_used_and_drops_tables_that_are_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Project(tmp_path)
    stale = experiment_tables.folder(places, "document-lengths") / "old.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("x\n", encoding="utf-8")
    folder, tables = experiments.run(
        places, replace(experiment_commands.find("document-lengths"), collections=("builtin",))
    )
    assert folder == stale.parent and not stale.exists()
    here = builtin.load()
    written = experiment_tables.provenance(folder)
    noted = written["collections"]["builtin"]
    assert (noted["sha256"], noted["queries"]) == (here.digest(), len(here.queries))
    assert (written["models"], written["chunks"], written["origin"]) == ([], {}, "run")
    back = experiment_tables.read(places, "document-lengths", "characters")
    pd.testing.assert_frame_equal(back, tables["characters"], atol=1e-4)


def test_an_unknown_study_is_refused_with_those_there_are() -> None:
    with pytest.raises(StudyError, match=r"^unknown study 'label'; use one of baselines, berlin,"):
        experiment_commands.find("label")


def test_two_modules_cannot_register_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(experiment_commands.find("labels"))
    monkeypatch.setitem(experiments.REGISTERED, "labels", known)
    with pytest.raises(ValueError, match="both register the experiment 'labels'; rename one"):

        @experiments.experiment("labels")
        def tables(context: experiments.Context, collections: tuple[str, ...]) -> dict[str, Any]:
            return {}


def test_every_study_asks_a_question_and_the_list_documents_it() -> None:
    found = CliRunner().invoke(app, ["study", "--list"])
    listed = dict(line.split("\t") for line in found.stdout.splitlines())
    assert list(listed) == NAMES and len(listed) > 10
    assert all(question.endswith("?") for question in listed.values())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_committed_is_whole_and_of_this_study(name: str) -> None:
    folder = experiment_tables.folder(ROOT, name)
    written = experiment_tables.provenance(folder)
    assert written.keys() == MADE_BY.keys() | {"schema_version", "tables"}
    assert (
        written["study"] == name and written["question"] == experiment_commands.find(name).question
    )
    tables = experiment_tables.tables(ROOT, name)
    kept = {experiment_tables.file(folder, table, one) for table, one in written["tables"].items()}
    assert set(folder.iterdir()) - {folder / experiment_tables.PROVENANCE} == kept
    assert {table: len(rows) for table, rows in tables.items()} == {
        table: one["rows"] for table, one in written["tables"].items()
    }


LACKING = {
    "boundary-signals": "a causal model's weights",
    "code-retrieval": "source files, whose names say in which language they are",
    "one-post": "the printed post",
}
"""What a study takes that is not here and that nothing small can stand for."""
SMALLER: dict[str, dict[str, Any]] = {
    "berlin": {"MODELS": three_sentences.MODELS[1:]},
    "bidirectionality": {"TEXTS": dict.fromkeys(three_sentences.MODELS[1:], 1)},
    "chroma-llm-chunker": {"OTHERS": ("recursive-200-0",), "DRAWS": 1},
    "chroma-search": {"CHUNKERS": chroma_search.CHUNKERS[:2], "SEEDS": 1},
    "chunking-speed": {"EMBEDDED": 1},
    "random-boundaries": {
        "CONTROLS": [
            replace(control, at_units=1, anywhere=min(control.anywhere, 1))
            for control in random_boundaries.CONTROLS
        ]
    },
    "window-answers": {"DRAWS": dict.fromkeys(window_answers.DRAWS, 1)},
}  # fmt: skip
"""Fewer models, draws, seeds and sizes."""
PLANS = {
    "word-search": [word_search.Part("covid-qa-within", one) for one in ("none", MINILM_512)]
}  # fmt: skip
"""Fewer parts."""
OTHERS = {"document-lengths": ("builtin",), "chroma-llm-chunker": ("builtin",)}
"""Collections in place of those whose files a study reads by itself, or whose replies are of the
texts themselves."""
RECORDED = {
    "chunk-sizes": Condition("scifact", "sentence-5", MINILM_512, PRE_EMBEDDING, CORRECTED.name),
    "random-order": Condition(
        "covid-qa-within", "fixed-64", MINILM_512, PRE_EMBEDDING, CORRECTED.name
    ),
}
"""A record of which a study wants to know more."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModelSpec, Path]:
    folder = tmp_path_factory.mktemp("weights") / "one-layer"
    return one_layer(folder), folder


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_study_leaves_the_columns_that_are_committed(
    name: str, weights: tuple[ModelSpec, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in LACKING:
        pytest.skip(f"{name} takes {LACKING[name]}")
    study = experiment_commands.find(name)
    if name in PLANS:
        study = replace(study, plan=PLANS[name])
    for constant, value in SMALLER.get(name, {}).items():
        monkeypatch.setattr(sys.modules[study.module], constant, value)
    quotations = partial(quoted, collection(EMMA))
    emma = replace(registry.COLLECTIONS[EMMA], quotations=quotations)
    monkeypatch.setitem(registry.COLLECTIONS, EMMA, emma)
    places = Project(tmp_path)
    places.results.mkdir()
    places.llm.symlink_to(ROOT.llm)
    context = SmallContext(places, *weights)
    if one := RECORDED.get(name):
        store = context.store(one.encoder)
        records.write(places.runs, evaluate(one, context.collection(one.collection), store))
    if name == "trained-late-chunking":
        plan = [study.plan[0], replace(study.plan[1], steps=1)]
    else:
        plan = list(study.plan)
    if study.part:
        made = [study.part(context, one) for one in plan]
    else:
        assert study.tables
        made = [study.tables(context, OTHERS.get(name, study.collections))]
    committed = experiment_tables.tables(ROOT, name)
    columns = {(table, *sorted(map(str, rows))) for found in made for table, rows in found.items()}
    assert columns and columns <= {
        (table, *sorted(map(str, rows))) for table, rows in committed.items()
    }
