"""Records: what is written is read back, nothing broken is taken for whole, and another machine's
are added whole, or refused by name."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.core.errors import RecordError
from chunkstudy.core.project import Project
from chunkstudy.pipeline import rankings, records, scoring
from chunkstudy.pipeline.record_store import Library
from tests import small_study
from tests.small_study import MANY, condition, tree, write_record

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "results" / "runs"
CONDITION, OTHER = condition(), condition("as_published-chroma")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A study of one whole record."""
    monkeypatch.setenv("CHUNKSTUDY_RANKINGS", str(tmp_path / "rankings"))
    made = Project(tmp_path)
    write_record(made, CONDITION, MANY)
    return made


def table_of(places: Project, name: str) -> Path:
    """The file of one of the tables of the record."""
    conditions = places.runs / CONDITION.collection / records.CONDITIONS
    of_record = (records.scores_path, records.rankings_path)
    scores, ranking = (path(places.runs, CONDITION) for path in of_record)
    return {"conditions": conditions, "scores": scores, "ranking": ranking}[name]


def rewritten(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(path)), path)


def set_column(name: str, value: Any) -> Callable[[pa.Table], pa.Table]:
    """Another value in a column of all rows, which need not be there; ``gone`` takes it away."""

    def change(table: pa.Table) -> pa.Table:
        others = table.drop_columns([name]) if name in table.column_names else table
        if value == "gone":
            return others
        return others.append_column(name, pa.array([value] * table.num_rows))

    return change


def test_a_record_is_read_back_as_it_was_scored(places: Project) -> None:
    outcome = small_study.outcome(places, CONDITION, MANY)
    record = records.read(places.runs, CONDITION)
    assert record.run == outcome.run
    pd.testing.assert_frame_equal(
        record.scores, outcome.scores, check_names=False, check_index_type=False
    )
    ranking = record.ranking()
    assert ranking is not None and outcome.kept is not None
    pd.testing.assert_frame_equal(ranking, outcome.kept)
    assert record.timing.keys() == outcome.timing.keys()
    library = Library(places)
    assert list(library) == records.find(places.runs) == [CONDITION]
    assert records.complete(places.runs, CONDITION)
    assert library.get(OTHER) is None and not records.complete(places.runs, OTHER)


def test_scores_have_six_decimals_and_a_missing_one_stays_missing() -> None:
    scores = {"M": [0.12345678, -1e-9], "N": [np.nan, 2 / 3]}
    wide = scoring.rounded(pd.DataFrame(scores, ["b", "a"]))
    assert wide["M"].tolist() == [0.123457, 0.0]
    assert not np.signbit(wide["M"].to_numpy()).any()
    np.testing.assert_array_equal(wide["N"], [np.nan, 0.666667])


def test_the_order_of_running_and_what_ran_again_do_not_show(
    places: Project, tmp_path: Path
) -> None:
    write_record(places, OTHER, MANY)
    write_record(places, CONDITION, MANY)
    turned = Project(tmp_path / "turned")
    for one in (OTHER, CONDITION):
        write_record(turned, one, MANY)
    assert small_study.tree(places.runs) == small_study.tree(turned.runs)


def test_the_digest_is_of_the_content_whoever_wrote_the_file(places: Project) -> None:
    def other(table: pa.Table) -> pa.Table:
        order = pa.array(np.arange(table.num_rows)[::-1])
        return table.select(table.column_names[::-1]).take(order)

    rewritten(table_of(places, "scores"), other)
    assert records.complete(places.runs, CONDITION)
    rewritten(table_of(places, "scores"), set_column("Half@1", 0.5))
    assert "Half@1" not in records.read(places.runs, CONDITION).scores


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("scores", set_column("SpanRecall@5", 0.5), "is not what conditions.parquet recorded"),
        ("scores", set_column("SpanRecall@5", "gone"), "is not what conditions.parquet recorded"),
        ("scores", set_column("chunker", "gone"), "no table of records, since it lacks the column"),
        (
            "scores",
            set_column("protocol", "other"),
            "is not what conditions.parquet recorded",
        ),
        ("scores", lambda table: pa.concat_tables([table, table]), "is not what conditions"),
        ("scores", None, "perhaps because it was cut short; restore it, or remove it and run"),
        ("ranking", set_column("document", 0), "does not hold the ranking that was recorded of"),
        ("ranking", None, "perhaps because it was cut short; restore it, or remove it and run"),
        ("conditions", lambda table: pa.concat_tables([table, table]), "corrected twice; restore"),
        ("conditions", set_column("encoder", "gone"), "encoder: Field required"),
        ("conditions", set_column("collection", "scifact"), "which is not where it lies"),
        ("conditions", set_column("platform", ""), "platform: String should have at least 1"),
        ("conditions", set_column("schema_version", 1), "schema_version: Input should be 2"),
        ("conditions", set_column("surprise", 1), "surprise: Extra inputs are not permitted"),
        ("conditions", set_column("boundaries", "gone"), "boundaries: Field required"),
        ("conditions", set_column("measures", "[]"), "measures: List should have at least 1 item"),
        ("conditions", set_column("per_query_sha256", "0"), "per_query_sha256: String should"),
        ("conditions", None, "perhaps because it was cut short; restore it, or remove it and run"),
    ],
)
def test_what_is_broken_is_refused_in_one_sentence_that_names_the_file(
    places: Project, name: str, change: Callable[[pa.Table], pa.Table] | None, sentence: str
) -> None:
    path = table_of(places, name)
    if change is None:
        path.write_bytes(path.read_bytes()[:300])
    else:
        rewritten(path, change)
    with pytest.raises(RecordError, match=sentence) as caught:
        record = records.read(places.runs, CONDITION)
        if record.scores is not None:
            record.ranking()
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    if name != "ranking":
        assert not records.complete(places.runs, CONDITION)


@pytest.mark.parametrize("name", ["conditions", "scores"])
def test_nothing_is_written_over_a_table_that_is_not_whole(places: Project, name: str) -> None:
    path = table_of(places, name)
    path.write_bytes(path.read_bytes()[:300])
    before = small_study.tree(places.runs) if name == "scores" else path.read_bytes()
    with pytest.raises(RecordError, match="cut short"):
        write_record(places, OTHER, MANY)
    assert before == (small_study.tree(places.runs) if name == "scores" else path.read_bytes())


def _killed_after(renames: int, places: Project, outcome: records.Outcome) -> None:
    """Write a record in a process that kills itself instead of the next rename."""
    child = os.fork()
    if child == 0:
        rename, left = Path.replace, iter(range(renames))

        def replace(path: Path, target: Path) -> Path:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return rename(path, target)

        Path.replace = replace  # type: ignore[assignment, method-assign]
        records.write(places.runs, outcome)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("renames", range(3))
def test_a_run_killed_while_it_writes_leaves_every_other_record_and_none_of_its_own(
    places: Project, renames: int
) -> None:
    outcome = small_study.outcome(places, OTHER, MANY)
    _killed_after(renames, places, outcome)
    assert records.find(places.runs) == [CONDITION]
    assert records.complete(places.runs, CONDITION)
    assert records.read(places.runs, CONDITION).ranking() is not None
    records.write(places.runs, outcome)
    assert records.read(places.runs, OTHER).run == outcome.run
    assert all(records.complete(places.runs, one) for one in (CONDITION, OTHER))


def _write_some(root: Path, protocol: str, chunkers: list[str]) -> None:
    places = Project(root)
    outcome = small_study.outcome(places, condition(protocol), MANY)
    for chunker in chunkers:
        run = outcome.run.model_copy(update={"chunker": chunker})
        records.write(places.runs, dataclasses.replace(outcome, run=run))


def test_of_processes_that_write_at_once_none_loses_a_record(tmp_path: Path) -> None:
    chunkers = [f"recursive-{size}-0" for size in range(100, 112)]
    given = [(tmp_path, one, chunkers) for one in ("corrected", "as_published-chroma")]
    children = [get_context("fork").Process(target=_write_some, args=one) for one in given]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    runs = Project(tmp_path).runs
    assert len(records.find(runs)) == 24
    assert all(records.complete(runs, one) for one in records.find(runs))


def test_a_ranking_is_kept_with_the_others_or_outside_by_its_size(
    places: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = records.read(places.runs, CONDITION).run.ranking
    assert kept is not None and kept.rows == 4 * 20
    outside = places.root / "rankings" / f"{kept.sha256}.parquet"
    assert table_of(places, "ranking").exists() and not outside.exists()
    monkeypatch.setattr(rankings, "MOST_ROWS", 79)
    write_record(places, CONDITION, MANY)
    assert outside.exists() and not table_of(places, "ranking").exists()
    ranking = records.read(places.runs, CONDITION).ranking()
    assert ranking is not None and ranking.shape == (80, 5)
    outside.unlink()
    assert records.read(places.runs, CONDITION).ranking() is None


def test_of_a_large_ranking_the_first_chunks_are_kept_anew_where_some_were(
    places: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert records.read(places.runs, CONDITION).first_chunks() is None
    rewritten(table_of(places, "ranking"), set_column("score", np.float32("nan")))
    monkeypatch.setattr(rankings, "MOST_ROWS", 79)
    write_record(places, CONDITION, MANY)
    chunks = records.read(places.runs, CONDITION).first_chunks()
    assert chunks is not None and chunks.groupby("query").size().tolist() == [10] * 4


def test_every_stored_record_is_whole_and_what_todays_code_would_write() -> None:
    for one in records.find(RUNS):
        record = records.read(RUNS, one)
        run = record.run
        assert len(record.scores) == run.counts.queries_scored, one
        assert run.ranking is None or run.ranking.of == (
            "documents" if one.task == "in_corpus" else "chunks"
        )
        record.ranking()
    for path in RUNS.glob(f"*/{records.CONDITIONS}"):
        rows = [records._row(*of) for of in records._runs(path).values()]
        told = [{name: value for name, value in row.items() if value is not None} for row in rows]
        stored = pq.read_table(path).to_pylist()
        assert told == [
            {name: value for name, value in row.items() if value is not None} for row in stored
        ]
        assert all(json.loads(row["measures"]) for row in rows)


def test_all_results_stay_small_enough_to_clone() -> None:
    paths = [path for path in (ROOT / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in paths) < 45_000_000
    assert len(paths) < 500


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout without records."""
    for name in ("CHUNKSTUDY_VECTORS", "CHUNKSTUDY_RANKINGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path / "here"))
    return Project(tmp_path / "here")


@pytest.fixture
def there(tmp_path: Path, here: Project) -> Project:
    """Another machine, which ran two conditions."""
    places = Project(tmp_path / "there")
    for one in (CONDITION, OTHER):
        write_record(places, one, MANY)
    return places


def merge(places: Project) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["merge", str(places.runs)])
    return done.exit_code, done.stdout, done.stderr


def test_records_arrive_as_they_were_written_and_once(here: Project, there: Project) -> None:
    assert merge(there) == (0, "2 records added, 0 were here already, 0 refused\n", "")
    assert tree(here.runs) == tree(there.runs)
    assert merge(there) == (0, "0 records added, 2 were here already, 0 refused\n", "")


def test_other_scores_of_a_recorded_condition_are_refused(here: Project, there: Project) -> None:
    write_record(here, CONDITION, MANY)
    before = records.read(here.runs, CONDITION).run
    small_study.change(there, CONDITION, 0.5 * records.read(there.runs, CONDITION).scores)
    code, said, refused = merge(there)
    assert (code, said) == (1, "1 records added, 0 were here already, 1 refused\n")
    assert refused.startswith(
        f"chunkstudy: {CONDITION} is recorded here with other scores (digest "
    )
    assert refused.count("\n") == 1
    assert records.read(here.runs, CONDITION).run == before
    assert records.complete(here.runs, OTHER)


@pytest.mark.parametrize("path", [records.scores_path, records.rankings_path])
def test_records_that_are_not_whole_are_refused(
    here: Project, there: Project, path: object
) -> None:
    torn = path(there.runs, CONDITION)  # type: ignore[operator]
    torn.write_bytes(torn.read_bytes()[:-40])
    code, said, refused = merge(there)
    assert (code, said) == (1, "0 records added, 0 were here already, 2 refused\n")
    assert str(torn) in refused and refused.count("chunkstudy: ") == 2
    assert records.find(here.runs) == []
