"""Another machine's records are added whole, or refused by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.commands.cli import app
from chunkstudy.runs import rankings, records
from chunkstudy.runs.conditions import Condition
from tests import small_study
from tests.fault_scenes import tree

FIRST = small_study.condition()
SECOND = small_study.condition("as_published-chroma")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A checkout without records."""
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "here"))
    return Places(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path, here: Places) -> Places:
    """Another machine, which ran two conditions."""
    places = Places(tmp_path / "there")
    for condition in (FIRST, SECOND):
        small_study.write_record(places, condition, small_study.MANY)
    return places


def merge(places: Places) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["merge", str(places.runs)])
    return done.exit_code, done.stdout, done.stderr


def change_scores(places: Places, condition: Condition) -> None:
    """The same condition with other scores, in a record that is whole."""
    folder = places.runs / condition.path
    run = records.read_run(folder)
    scores = records.read_in_order(folder, run) * 0.5
    digest = records.scores_sha256(scores)
    records.write_scores(folder, scores)
    records.write_run(folder, run.model_copy(update={"per_query_sha256": digest}))


def test_records_arrive_as_they_were_written_and_once(here: Places, there: Places) -> None:
    assert merge(there) == (0, "2 records added, 0 were here already, 0 refused\n", "")
    assert tree(here.runs) == tree(there.runs)
    assert (here.runs / FIRST.path / rankings.FILE).is_file()
    assert merge(there) == (0, "0 records added, 2 were here already, 0 refused\n", "")


def test_other_scores_of_a_recorded_condition_are_refused(here: Places, there: Places) -> None:
    merge(there)
    shutil.rmtree(here.runs / SECOND.path)
    change_scores(there, FIRST)
    before = tree(here.runs / FIRST.path)
    code, said, refused = merge(there)
    assert (code, said) == (1, "1 records added, 0 were here already, 1 refused\n")
    assert refused.startswith(f"chunkstudy: {FIRST} is recorded here with other scores (digest ")
    assert refused.count("\n") == 1
    assert tree(here.runs / FIRST.path) == before
    assert records.complete(here.runs / SECOND.path)


@pytest.mark.parametrize("name", ["run.json", records.SCORES, "timing.json", rankings.FILE])
@pytest.mark.parametrize("how", ["torn", "missing"])
def test_a_record_that_is_not_whole_is_refused(
    here: Places, there: Places, name: str, how: str
) -> None:
    path = there.runs / FIRST.path / name
    if how == "torn":
        path.write_bytes(path.read_bytes()[:-40])
    else:
        path.unlink()
    code, said, refused = merge(there)
    if (name, how) == (rankings.FILE, "missing"):  # a large one never lies beside its record
        assert (code, said) == (0, "2 records added, 0 were here already, 0 refused\n")
        return
    assert (code, said) == (1, "1 records added, 0 were here already, 1 refused\n")
    assert str(path.parent) in refused and refused.count("chunkstudy: ") == 1
    assert not (here.runs / FIRST.path).exists()


def test_what_is_torn_here_is_replaced(here: Places, there: Places) -> None:
    merge(there)
    (here.runs / FIRST.path / records.SCORES).write_bytes(b"torn")
    assert merge(there)[1] == "1 records added, 1 were here already, 0 refused\n"
    assert tree(here.runs) == tree(there.runs)


def test_a_folder_that_names_no_condition_is_refused(here: Places, there: Places) -> None:
    path = there.runs / FIRST.path
    path.rename(path.parent / "mine")
    code, said, refused = merge(there)
    assert (code, said) == (1, "1 records added, 0 were here already, 1 refused\n")
    assert "unknown protocol 'mine'" in refused
