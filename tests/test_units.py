"""Which conditions belong together, how they are dealt to shards, and what is said of them."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from chunkstudy.base.spans import Collection
from chunkstudy.commands import cli
from chunkstudy.runs import conditions, executors, grids, records, workers
from chunkstudy.runs import run as one_condition
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.estimate import of_unit
from chunkstudy.runs.units import Unit, shards, units
from chunkstudy.runs.workers import Order, perform

ONE = Condition("builtin", "sentence-20", "none", "none", "corrected")


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def empty_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def made(name: str) -> Unit:
    return Unit(name, "none", ())


def test_a_unit_is_what_shares_a_collection_and_an_encoder_with_its_window() -> None:
    grid = grids.grid()
    found = units(grid)
    assert sorted(c for unit in found for c in unit.conditions) == sorted(grid)
    assert len({unit.name for unit in found}) == len(found)
    for unit in found:
        assert {(c.collection, c.encoder) for c in unit.conditions} == {
            (unit.collection, unit.encoder)
        }
        places = [grid.index(c) for c in unit.conditions]
        assert places == sorted(places)
    assert any(unit.encoder.endswith("-w512") for unit in found)


def test_every_unit_is_in_one_shard_in_whatever_order_units_come() -> None:
    found = units(grids.grid())
    mixed = random.Random(1).sample(found, len(found))
    for number in (1, 3, 7, len(found) + 2):
        dealt = shards(found, number, of_unit)
        assert sorted(unit.name for part in dealt for unit in part) == sorted(
            unit.name for unit in found
        )
        assert dealt == shards(mixed, number, of_unit)


@pytest.mark.parametrize("seed", range(30))
def test_no_shard_takes_more_than_four_thirds_of_the_best_division(seed: int) -> None:
    draw = random.Random(seed)
    cost = {f"{i}": float(draw.choice((1, 2, 3, 5, 8, 30))) for i in range(7)}
    number = draw.choice((2, 3))
    dealt = shards([made(one) for one in cost], number, lambda unit: cost[unit.collection])
    longest = max(sum(cost[unit.collection] for unit in part) for part in dealt)
    divisions = product(range(number), repeat=len(cost))
    best = min(max(np.bincount(ways, list(cost.values()))) for ways in divisions)
    assert longest <= best * (4 / 3) + 1e-9


def test_costs_do_not_change_with_what_is_recorded_or_counted(empty_study: Path) -> None:
    unit = units([ONE])[0]
    before = of_unit(unit)
    assert invoke("run", "--only", str(ONE))[0] == 0
    assert records.complete(empty_study / "results" / "runs" / ONE.path)
    assert of_unit(unit) == before


def test_what_conditions_share_is_counted_once() -> None:
    plain = Condition("scifact", "sentence-3", MINILM, "pre_embedding", "corrected")
    jina = Condition("scifact", "sentence-3", MINILM, "pre_embedding", "as_published-jina")
    one, both = (of_unit(units(some)[0]) for some in ([plain], [plain, jina]))
    other = Condition("scifact", "sentence-5", MINILM, "pre_embedding", "corrected")
    assert one < both < of_unit(units([plain, other])[0])


def test_a_dry_run_shows_units_shards_and_what_they_take() -> None:
    code, output = invoke("run", "--dry-run", "--only", "scifact/*", "--only", "chroma/*/none/*/*",
                          "--shard", "2/3")  # fmt: skip
    assert code == 0
    assert [line.split(":")[0] for line in output.splitlines() if line.startswith("shard")] == [
        "shard 1/3", "shard 2/3, this one", "shard 3/3",
    ]  # fmt: skip
    assert "on two cores" in output and "condition" in output


def _recorded(root: Path, path: str) -> bool:
    return records.complete(root / "results" / "runs" / conditions.parse(path).path)


@pytest.mark.slow
def test_a_failed_unit_says_so_and_the_others_go_on(
    empty_study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Collection:
        if name == "builtin":
            raise ValueError("this collection is not\nto be had")
        return kept(name)

    other = f"builtin-graded/sentence-20/{MINILM}/pre_embedding/corrected"
    kept = one_condition.load_collection
    monkeypatch.setattr(one_condition, "load_collection", load)
    code, output = invoke("run", "--only", str(ONE), "--only", other)
    assert code == 1
    assert "[1/2] builtin, no encoder (1 condition) failed" in output
    assert "chunkstudy: this collection is not to be had\n" in output
    assert "[2/2] builtin-graded" in output and _recorded(empty_study, other)


@pytest.mark.parametrize("address", ["dask:/host:1", "tcp://host:1", "dask://host"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(executors.ExecutorError, match="write dask://host:port"):
        executors.dask(address)


def test_a_scheduler_that_does_not_answer_is_said_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "FIRST", 0.2)
    code, output = invoke("run", "--only", str(ONE), "--executor", "dask://127.0.0.1:9")
    assert code == 1
    assert "no Dask scheduler answers at dask://127.0.0.1:9; start one" in output


def test_a_worker_of_other_versions_or_data_refuses_a_unit() -> None:
    (unit,) = units([ONE])
    known = workers.versions()
    assert perform(Order(unit, versions=known)).failure == ""
    other = perform(Order(unit, versions=known | {"torch": "0.4"}))
    assert f"has torch {known['torch']} and the command 0.4; install the same" in other.failure
    changed = perform(Order(unit, versions=known | {"chunkstudy's code": "0" * 12}))
    assert "chunkstudy's code" in changed.failure
    data = perform(Order(unit, collection_sha256="0" * 64))
    assert "has another builtin" in data.failure and "CHUNKSTUDY_DATA" in data.failure


def test_what_costs_money_is_left_to_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made")
    paid = "builtin/recursive-400-200/text-embedding-3-large/pre_embedding/corrected"
    code, output = invoke("run", "--only", paid, "--shard", "1/1")
    assert code == 1
    assert "the ceiling CHUNKSTUDY_BUDGET is one process's" in output
