"""Conditions whose vectors come from an API, end to end on the built-in collection."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.llm.prices import budget
from chunkstudy.pipeline import records
from chunkstudy.pipeline import run as running
from chunkstudy.pipeline.conditions import LARGE, Condition
from tests import api_server as server
from tests.small_study import tree

SECRET = "sk-proj-quite_secret-0123456789"
PLAIN = Condition("builtin", "recursive-400-200", LARGE, "pre_embedding", "corrected")
BOUNDARIES = Condition("builtin", "cluster-400", LARGE, "pre_embedding", "as_published-chroma")


@dataclass
class World:
    state: server.State
    root: Path

    def run(self, *conditions: Condition) -> tuple[int, str]:
        """`chunkstudy run` as another process would see it."""
        self.forget()
        only = [part for one in conditions for part in ("--only", str(one))]
        done = CliRunner().invoke(main.app, ["run", *only])
        return done.exit_code, done.output

    def forget(self) -> None:
        running.load_store.cache_clear()
        budget.cache_clear()

    def records(self) -> dict[str, bytes]:
        """All that a run leaves, what varies from run to run aside."""
        return tree(self.root / "results" / "runs")

    def clear(self) -> None:
        """Leave the recordings and nothing else."""
        shutil.rmtree(self.root / "results")
        shutil.rmtree(self.root / "build", ignore_errors=True)
        self.state.asked.clear()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with server.serving(dimension=3072) as (address, state):
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
        monkeypatch.setenv("CHUNKSTUDY_RECORDINGS", str(tmp_path / "recordings"))
        monkeypatch.delenv("CHUNKSTUDY_VECTORS", raising=False)
        monkeypatch.delenv("CHUNKSTUDY_BUDGET", raising=False)
        world = World(state, tmp_path)
        yield world
        world.forget()


def test_a_recorded_run_leaves_the_same_bytes_without_key_or_network(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, output = world.run(PLAIN, BOUNDARIES)
    assert code == 0, output
    assert "2 to run, 0 recorded, 0 cannot be run here" in output
    assert f"{PLAIN}: " in output and "tokens, $0.0" in output
    asked = world.state.texts
    assert len(asked) == len(set(asked)) > 100
    first = world.records()
    assert {PLAIN, BOUNDARIES} == set(records.find(world.root / "results" / "runs"))

    world.clear()
    monkeypatch.delenv("OPENAI_API_KEY")
    code, output = world.run(BOUNDARIES, PLAIN)
    assert code == 0, output
    assert world.records() == first
    assert not world.state.asked


def test_the_published_protocol_sends_no_line_feed_and_the_corrected_one_does(
    world: World,
) -> None:
    assert world.run(PLAIN, BOUNDARIES)[0] == 0
    model = records.read(world.root / "results" / "runs", BOUNDARIES).run.model
    assert model is not None
    assert (model["id"], model["newlines"]) == (LARGE, "spaces")
    assert model["endpoint"].startswith("127.0.0.1-")
    assert len(model["vectors_sha256"]) == 64
    assert any("\n" in text for text in world.state.texts)
    world.clear()
    shutil.rmtree(world.root / "recordings")
    assert world.run(BOUNDARIES)[0] == 0
    assert world.state.texts
    assert not any("\n" in text for text in world.state.texts)
