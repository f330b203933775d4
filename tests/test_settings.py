"""One place reads the environment, one page lists its variables, and no key is ever shown."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from chunkstudy import chunk, load_collection
from chunkstudy.core.project import Project, find_project, project_or_working_folder
from chunkstudy.core.settings import VARIABLES, Settings

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
READS = re.compile(r"os\.environ(\.get|\[[^\]]+\](?!\s*=))|in os\.environ|os\.getenv")


def test_the_page_lists_the_variable_of_every_field() -> None:
    listed = re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)
    assert list(VARIABLES) == [one.name for one in fields(Settings)]
    assert sorted(listed) == sorted(VARIABLES.values())
    documented = Settings.__doc__ or ""
    assert [name for name in VARIABLES if not re.search(rf"\b{name}\b.*:", documented)] == []


def test_nothing_else_reads_the_environment() -> None:
    source = ROOT / "src" / "chunkstudy"
    readers = {path for path in source.rglob("*.py") if READS.search(path.read_text("utf-8"))}
    assert {path.relative_to(source).as_posix() for path in readers} == {"core/settings.py"}


def test_values_are_those_of_the_moment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    assert Settings.from_env() == Settings()
    monkeypatch.setenv("CHUNKSTUDY_DATA", str(tmp_path))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CHUNKSTUDY_BUDGET", "7")
    settings = Settings.from_env()
    assert (settings.data, settings.cache, settings.budget) == (tmp_path, None, "7")
    assert settings.cache_folder == tmp_path / "chunkstudy"


def test_no_repr_shows_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in Settings().keys:
        monkeypatch.setenv(variable, f" sk-{variable} ")
    settings = Settings.from_env()
    assert settings.keys == {name: f"sk-{name}" for name in settings.keys}
    assert "sk-" not in repr(settings) and "sk-" not in str(settings)


def test_the_steps_run_in_any_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("CHUNKSTUDY_ROOT", "CHUNKSTUDY_VECTORS", "CHUNKSTUDY_BUILD"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    assert len(chunk(load_collection("builtin"), "sentence-5")) > 0
    assert project_or_working_folder() == Project(tmp_path)
    with pytest.raises(FileNotFoundError, match="set CHUNKSTUDY_ROOT"):
        find_project()
