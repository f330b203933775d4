"""Records: what is written is read back, and nothing broken is taken for whole."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chunkstudy.base import files
from chunkstudy.base.places import Places
from chunkstudy.runs import parquet, rankings, records, scoring
from chunkstudy.runs.library import Library
from chunkstudy.runs.run import Outcome
from tests import small_study
from tests.small_study import GRADED, MANY, SMALL, condition, write_outcome, write_record

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "results" / "runs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a whole record."""
    places = Places(tmp_path)
    write_record(places, condition(), SMALL)
    return places.runs / condition().path


def test_a_record_is_read_back_as_it_was_scored(tmp_path: Path) -> None:
    places = Places(tmp_path)
    outcome = write_record(places, condition(), MANY)
    library = Library(places)
    record = library.get(condition())
    assert list(library) == [condition()]
    assert condition() in library
    assert record is not None
    assert record.run == outcome.run
    pd.testing.assert_frame_equal(
        record.wide, outcome.scores.sort_index(axis=1), check_names=False, check_index_type=False
    )
    assert records.complete(record.folder)
    assert library.get(condition("as_published-chroma")) is None


def test_scores_have_six_decimals_and_a_missing_one_stays_missing() -> None:
    rows = [("b", "M", 0.12345678), ("a", "M", -1e-9), ("a", "N", 2 / 3)]
    wide = scoring.rounded(pd.DataFrame(rows, columns=["query_id", "measure", "value"]))
    assert list(wide.index) == ["b", "a"]
    assert wide["M"].tolist() == [0.123457, 0.0]
    assert not np.signbit(wide["M"].to_numpy()).any()
    np.testing.assert_array_equal(wide["N"], [np.nan, 0.666667])


def test_the_digest_is_of_the_content_whoever_wrote_the_file(folder: Path) -> None:
    path = folder / records.SCORES
    table = pq.read_table(path)
    order = pa.array(np.arange(table.num_rows)[::-1])
    other = table.select(table.column_names[::-1]).take(order)
    pq.write_table(other, path, compression="none", version="1.0")
    assert records.complete(folder)


def test_a_column_that_the_run_does_not_name_is_not_read(folder: Path) -> None:
    before = records.read_scores(folder)
    path = folder / records.SCORES
    table = pq.read_table(path)
    pq.write_table(table.append_column("Half@1", pa.array([0.5] * table.num_rows)), path)
    pd.testing.assert_frame_equal(records.read_scores(folder), before)


def test_a_score_changed_by_hand_is_refused(folder: Path) -> None:
    scores = records.read_scores(folder)
    scores["SpanRecall@5"] += 1e-6
    records.write_scores(folder, scores)
    with pytest.raises(records.RecordError, match="not what its"):
        records.read_scores(folder)
    assert not records.complete(folder)


@pytest.mark.parametrize("name", ["run.json", records.SCORES])
@pytest.mark.parametrize("cut", [True, False])
def test_a_file_cut_in_half_or_gone_is_refused_and_the_record_not_complete(
    folder: Path, name: str, cut: bool
) -> None:
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if cut:
        path.write_bytes(data[: len(data) // 2])
    said = r"run (the|its) condition again" if cut else r"there is no record|is missing"
    with pytest.raises(records.RecordError, match=said):
        records.read_scores(folder)
    assert not records.complete(folder)


def test_a_measure_that_is_gone_is_named(folder: Path) -> None:
    scores = records.read_scores(folder)
    records.write_scores(folder, scores.drop(columns="SpanRecall@5"))
    with pytest.raises(records.RecordError, match=r"lacks SpanRecall@5"):
        records.read_scores(folder)


def _changed(folder: Path, **fields: object) -> None:
    content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    content |= fields
    kept = {name: value for name, value in content.items() if value != "gone"}
    (folder / "run.json").write_text(json.dumps(kept), encoding="utf-8")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("platform", "unknown", "platform.*placeholder"),
        ("schema_version", 1, "of schema version 1 and this code reads version 2"),
        ("schema_version", "gone", "of schema version None"),
        ("surprise", 1, "surprise: Extra inputs are not permitted"),
        ("boundaries", "gone", "boundaries: Field required"),
        ("model", None, "a run with an encoder describes its model"),
        ("measures", [], "measures: List should have at least 1 item"),
        ("per_query_sha256", "0", "per_query_sha256: String should match"),
    ],
)
def test_a_run_that_lacks_something_is_refused_in_one_sentence(
    folder: Path, field: str, value: object, sentence: str
) -> None:
    _changed(folder, **{field: value})
    with pytest.raises(records.RecordError, match=sentence) as caught:
        records.read_run(folder)
    assert "\n" not in str(caught.value)
    assert records.stale(folder) == str(caught.value)


def test_a_record_in_another_conditions_folder_is_refused(folder: Path) -> None:
    elsewhere = folder.parent / "as_published-chroma"
    folder.rename(elsewhere)
    with pytest.raises(records.RecordError, match="not where it lies"):
        records.read_run(elsewhere)


def test_a_run_that_todays_code_would_write_otherwise_is_stale(folder: Path) -> None:
    assert records.stale(folder) is None
    _changed(folder)  # the same content, on one line
    assert "not what today's code writes" in str(records.stale(folder))


def _killed_after(renames: int, places: Places, outcome: Outcome) -> None:
    """Write a record in a process that kills itself instead of the next rename."""
    child = os.fork()
    if child == 0:
        rename, left = Path.replace, iter(range(renames))

        def replace(path: Path, target: Path) -> Path:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return rename(path, target)

        Path.replace = replace  # type: ignore[assignment, method-assign]
        write_outcome(places, outcome)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("renames", range(4))
@pytest.mark.parametrize("over_another", [True, False])
def test_a_run_killed_while_it_writes_leaves_no_record(
    tmp_path: Path, renames: int, over_another: bool
) -> None:
    places = Places(tmp_path)
    folder = places.runs / condition().path
    if over_another:
        write_record(places, condition(), SMALL)
    outcome = small_study.outcome(places, condition(), MANY)
    _killed_after(renames, places, outcome)
    assert not records.complete(folder)
    assert list(Library(places)) == []
    write_outcome(places, outcome)
    assert records.complete(folder)
    assert records.read_run(folder) == outcome.run


def test_what_a_record_needs_is_on_the_disk_before_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(handle: int) -> None:
        done.append("on the disk")
        sync(handle)

    def renamed(path: Path, target: Path) -> Path:
        done.append(target.name)
        return rename(path, target)

    monkeypatch.setattr(files.os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    write_record(Places(tmp_path), condition(), MANY)
    kept = ["ranking.parquet", "per_query.parquet"]
    assert [one for one in done if one != "timing.json"][-5:] == [
        "on the disk", kept[0], "on the disk", kept[1], "run.json",
    ]  # fmt: skip


def test_the_same_record_written_again_is_never_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(tmp_path)
    outcome = write_record(places, condition(), MANY)
    folder = places.runs / condition().path

    def unlink(path: Path, missing_ok: bool = False) -> None:
        raise AssertionError(f"{path} was taken away")

    monkeypatch.setattr(Path, "unlink", unlink)
    timed = dataclasses.replace(outcome, timing=outcome.timing | {"search_seconds": 12.5})
    write_outcome(places, timed)
    assert records.read_timing(folder)["search_seconds"] == 12.5
    with pytest.raises(AssertionError, match="taken away"):
        write_outcome(places, small_study.outcome(places, condition(), SMALL))


def test_a_ranking_is_kept_beside_the_record_or_outside_by_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places(tmp_path)
    monkeypatch.delenv("CHUNKSTUDY_RANKINGS", raising=False)
    kept = write_record(places, condition(), MANY).run.ranking
    folder = places.runs / condition().path
    assert kept is not None
    assert kept.rows == 4 * 20
    inside = rankings.find(folder, places.rankings, kept)
    assert inside == folder / rankings.FILE
    assert records.read_run(folder).ranking == kept

    monkeypatch.setattr(rankings, "MOST_ROWS", 79)
    write_record(places, condition(), MANY)
    assert inside.exists(), "a committed ranking stays where it is when a run gives it again"
    inside.unlink()
    write_record(places, condition(), MANY)
    outside = rankings.find(folder, places.rankings, kept)
    assert outside == tmp_path / "build" / "rankings" / f"{kept.sha256}.parquet"
    assert rankings.read(outside, kept).shape == (80, 5)

    write_record(places, condition(), SMALL)
    monkeypatch.setattr(rankings, "MOST_ROWS", 0)
    write_record(places, condition(), MANY)
    assert not (folder / rankings.FILE).exists(), "another ranking's file is taken away"


def test_a_ranking_that_was_changed_or_cut_is_refused(tmp_path: Path) -> None:
    places = Places(tmp_path)
    kept = write_record(places, condition(), MANY).run.ranking
    path = places.runs / condition().path / rankings.FILE
    assert kept is not None
    ranking = rankings.read(path, kept)
    parquet.write(path, ranking.iloc[::-1])
    with pytest.raises(records.RecordError, match="not the ranking"):
        rankings.read(path, kept)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(records.RecordError, match="cut short"):
        rankings.read(path, kept)


def test_a_ranking_of_documents_keeps_their_order_and_scores(tmp_path: Path) -> None:
    one = condition(collection="builtin-graded")
    kept = write_record(Places(tmp_path), one, GRADED).kept
    assert kept is not None
    assert list(kept.columns) == ["query", "document", "score"]
    assert (kept.groupby("query")["document"].nunique() == len(GRADED.documents)).all()
    assert kept.groupby("query")["score"].is_monotonic_decreasing.all()


def test_every_stored_record_is_whole_and_what_todays_code_would_write() -> None:
    for one, folder in records.find(RUNS).items():
        assert records.stale(folder) is None
        run = records.read_run(folder)
        scores = records.read_in_order(folder, run)
        assert len(scores) == run.counts.queries_scored, one
        assert run.ranking is None or run.ranking.of == (
            "documents" if one.task == "in_corpus" else "chunks"
        )
        if run.ranking is not None and (folder / rankings.FILE).exists():
            rankings.read(folder / rankings.FILE, run.ranking)


def test_all_results_stay_small_enough_to_clone() -> None:
    files = [path for path in (ROOT / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 60_000_000
