"""Another machine's records are added whole, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.commands.cli import app
from chunkstudy.runs import records
from tests import small_study
from tests.small_study import tree

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


def test_records_arrive_as_they_were_written_and_once(here: Places, there: Places) -> None:
    assert merge(there) == (0, "2 records added, 0 were here already, 0 refused\n", "")
    assert tree(here.runs) == tree(there.runs)
    assert merge(there) == (0, "0 records added, 2 were here already, 0 refused\n", "")


def test_other_scores_of_a_recorded_condition_are_refused(here: Places, there: Places) -> None:
    small_study.write_record(here, FIRST, small_study.MANY)
    before = records.read(here.runs, FIRST).run
    small_study.change(there, FIRST, 0.5 * records.read(there.runs, FIRST).scores)
    code, said, refused = merge(there)
    assert (code, said) == (1, "1 records added, 0 were here already, 1 refused\n")
    assert refused.startswith(f"chunkstudy: {FIRST} is recorded here with other scores (digest ")
    assert refused.count("\n") == 1
    assert records.read(here.runs, FIRST).run == before
    assert records.complete(here.runs, SECOND)


@pytest.mark.parametrize("path", [records.scores_path, records.rankings_path])
def test_records_that_are_not_whole_are_refused(here: Places, there: Places, path: object) -> None:
    torn = path(there.runs, FIRST)  # type: ignore[operator]
    torn.write_bytes(torn.read_bytes()[:-40])
    code, said, refused = merge(there)
    assert (code, said) == (1, "0 records added, 0 were here already, 2 refused\n")
    assert str(torn) in refused and refused.count("chunkstudy: ") == 2
    assert records.find(here.runs) == []
