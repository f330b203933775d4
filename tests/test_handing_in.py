"""Records that a stranger hands in: packed, unpacked, and found out where they are bent."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.base import places
from chunkstudy.base.places import Places
from chunkstudy.commands.cli import app
from chunkstudy.runs import rankings, records
from chunkstudy.runs.archives import FILE, HandedIn, HandingInError, pack, unpacked
from chunkstudy.runs.conditions import Condition, parse
from chunkstudy.runs.run import evaluate, load_collection
from chunkstudy.runs.verify import verify

ROOT = places.find()
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
OVERLAP = parse(f"builtin/recursive-200-0/{MINILM}/pre_embedding/corrected")
GRADED = parse(f"builtin-graded/sentence-5/{MINILM}-w512/contextualized-512/corrected")
CLUSTERED = parse(f"builtin/cluster-200/{MINILM}/pre_embedding/corrected")
TOLD = HandedIn(by="Ada", machine="two cores", date="2026-11-22")
Bend = Callable[[Path], None]


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """What a stranger sends, unpacked; our own records are out of sight."""
    archive = tmp_path / "in.tar"
    pack(archive, [OVERLAP, GRADED], ROOT, TOLD)
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "in", filter="data")
    return tmp_path / "in"


def elsewhere(folder: Path) -> Places:
    return Places(folder.parent / "nothing")


def folder_of(handed_in: Path, condition: Condition) -> Path:
    return handed_in / "runs" / condition.path


def outcomes(handed_in: Path) -> dict[str, dict[str, set[str]]]:
    """By condition and outcome, what was checked."""
    found: dict[str, dict[str, set[str]]] = {}
    for one in verify(handed_in, elsewhere(handed_in)):
        found.setdefault(one.condition, {}).setdefault(one.outcome, set()).add(one.what)
    return found


def rewrite(folder: Path, scores: pd.DataFrame | None = None, **changes: object) -> None:
    """What somebody does who bends a record and keeps its digests in order."""
    run = json.loads((folder / "run.json").read_text())
    if scores is not None:
        records.write_scores(folder, scores)
        run["per_query_sha256"] = records.scores_sha256(scores)
    run |= changes
    (folder / "run.json").write_text(json.dumps(run))


def scores_of(folder: Path) -> pd.DataFrame:
    return records.read_in_order(folder, records.read_run(folder))


def test_what_was_not_touched_agrees_and_says_what_nobody_can_check(handed_in: Path) -> None:
    add_clusters(handed_in)
    found = outcomes(handed_in)
    assert len(found) == 3
    assert not any("differs" in one for one in found.values())
    for condition in (OVERLAP, GRADED):
        agrees = found[str(condition)]["agrees"]
        assert {"who", "collection", "queries", "chunks", "ranking", "scores"} <= agrees
        assert "vectors" in found[str(condition)]["not checked"]
    assert "chunks" in found[str(CLUSTERED)]["not checked"]


def add_clusters(handed_in: Path) -> None:
    folder = folder_of(handed_in, CLUSTERED)
    shutil.copytree(ROOT.runs / CLUSTERED.path, folder)
    (folder / FILE).write_text(TOLD.model_dump_json())


def raise_a_score(folder: Path) -> None:
    scores = scores_of(folder)
    values = scores.to_numpy().copy()
    values[3, 0] = 1.0 if values[3, 0] < 1 else 0.5
    rewrite(folder, pd.DataFrame(values, scores.index, scores.columns))


def raise_all_scores(folder: Path) -> None:
    rewrite(folder, (scores_of(folder) + 0.05).clip(upper=1.0).map(lambda v: round(v, 6)))


def drop_a_query(folder: Path) -> None:
    rewrite(folder, scores_of(folder).iloc[1:])


def invent_a_query(folder: Path) -> None:
    scores = scores_of(folder)
    rewrite(folder, pd.concat([scores, scores.iloc[:1].set_axis(["made up"])]))


def rank_by_chance(folder: Path) -> None:
    """Scores stay, the ranking is another: documents drawn at random, scores falling."""
    run = records.read_run(folder)
    assert run.ranking
    ranking = rankings.read(folder / rankings.FILE, run.ranking)
    random = np.random.default_rng(1)
    moved = ranking.drop(columns="score").iloc[random.permutation(len(ranking))]
    moved = moved.assign(query=ranking["query"].to_numpy(), score=ranking["score"].to_numpy())
    keep(folder, moved.drop_duplicates([c for c in moved if c not in ("score", "relevant")]))


def score_what_does_not_fall(folder: Path) -> None:
    ranking = ranking_of(folder)
    keep(folder, ranking.assign(score=ranking["score"].to_numpy()[::-1]))


def rank_a_chunk_twice(folder: Path) -> None:
    ranking = ranking_of(folder)
    keep(folder, pd.concat([ranking.iloc[:1], ranking], ignore_index=True))


def rank_what_is_not_there(folder: Path) -> None:
    ranking = ranking_of(folder)
    keep(folder, ranking.assign(document=ranking["document"] + np.int32(40)))


def name_other_chunks(folder: Path) -> None:
    rewrite(folder, chunks_sha256="0" * 64)


def name_another_collection(folder: Path) -> None:
    rewrite(folder, collection_sha256="0" * 64)


def sign_nothing(folder: Path) -> None:
    (folder / FILE).unlink()


def sign_as_nobody(folder: Path) -> None:
    (folder / FILE).write_text('{"by": "", "machine": "x", "date": "yesterday"}')


def forget_the_ranking(folder: Path) -> None:
    (folder / rankings.FILE).unlink()


def break_the_file(folder: Path) -> None:
    path = folder / records.SCORES
    path.write_bytes(path.read_bytes()[:-40])


def change_bytes_and_keep_the_digest(folder: Path) -> None:
    records.write_scores(folder, scores_of(folder) * 0.5)


def ranking_of(folder: Path) -> pd.DataFrame:
    kept = records.read_run(folder).ranking
    assert kept
    return rankings.read(folder / rankings.FILE, kept)


def keep(folder: Path, ranking: pd.DataFrame) -> None:
    kept = rankings.describe(ranking)
    (folder / rankings.FILE).unlink()
    rankings.write(folder, folder, ranking, kept)
    rewrite(folder, ranking=kept.model_dump())


@pytest.mark.parametrize("condition", [OVERLAP, GRADED], ids=["excerpts", "documents"])
@pytest.mark.parametrize(
    ("bend", "what"),
    [
        (raise_a_score, "scores"),
        (raise_all_scores, "scores"),
        (drop_a_query, "queries"),
        (invent_a_query, "queries"),
        (rank_by_chance, "scores"),
        (score_what_does_not_fall, "ranking"),
        (rank_a_chunk_twice, "ranking"),
        (rank_what_is_not_there, "ranking"),
        (name_other_chunks, "chunks"),
        (name_another_collection, "collection"),
        (sign_nothing, "who"),
        (sign_as_nobody, "who"),
        (forget_the_ranking, "ranking"),
        (break_the_file, "schema"),
        (change_bytes_and_keep_the_digest, "schema"),
    ],
)
def test_a_bent_record_is_found_out(
    handed_in: Path, condition: Condition, bend: Bend, what: str
) -> None:
    bend(folder_of(handed_in, condition))
    shutil.rmtree(folder_of(handed_in, GRADED if condition == OVERLAP else OVERLAP))
    assert what in outcomes(handed_in)[str(condition)]["differs"]


def test_another_chunking_under_the_same_name_is_found_out(handed_in: Path) -> None:
    other = OVERLAP.path.as_posix().replace("recursive-200-0", "recursive-400-200")
    source = ROOT.runs / other
    target = folder_of(handed_in, OVERLAP)
    shutil.rmtree(target)
    shutil.copytree(source, target)
    (target / FILE).write_text(TOLD.model_dump_json())
    rewrite(target, chunker="recursive-200-0")
    assert "chunks" in outcomes(handed_in)[str(OVERLAP)]["differs"]


def test_chunks_that_a_service_draws_are_named_as_not_checked(
    handed_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKSTUDY_LLM", raising=False)
    monkeypatch.setenv("CHUNKSTUDY_LLM_RECORDINGS", str(handed_in / "nothing"))
    source = folder_of(handed_in, OVERLAP)
    target = Path(str(source).replace("recursive-200-0", "segmenter-api"))
    shutil.copytree(source, target)
    rewrite(target, chunker="segmenter-api")
    found = outcomes(handed_in)
    assert "chunks" in found[str(OVERLAP).replace("recursive-200-0", "segmenter-api")][
        "not checked"
    ]  # fmt: skip
    assert "differs" not in found[str(OVERLAP)]


def test_a_record_without_a_model_is_run_again(tmp_path: Path) -> None:
    one = Condition("builtin", "recursive-200-0", "none", "none", "corrected")
    done = evaluate(one, load_collection("builtin"), None)
    folder = tmp_path / one.path
    records.write(folder, done.run, done.scores, done.timing, outside=tmp_path)
    assert "scores" in outcomes(tmp_path)[str(one)]["agrees"]
    raise_a_score(folder)
    assert "scores" in outcomes(tmp_path)[str(one)]["differs"]


def test_our_own_record_of_the_same_condition_stands_beside(handed_in: Path) -> None:
    folder = folder_of(handed_in, OVERLAP)
    scores = scores_of(folder)
    rewrite(folder, scores * 0.9)
    found = list(verify(handed_in, ROOT))
    assert {one.condition: one.outcome for one in found if one.what == "our own run"} == {
        str(OVERLAP): "differs",
        str(GRADED): "agrees",
    }
    assert {one.condition for one in found if one.outcome == "differs"} == {str(OVERLAP)}


def test_the_same_records_make_the_same_archive(tmp_path: Path) -> None:
    for name in ("a", "b"):
        pack(tmp_path / name, [OVERLAP], ROOT, TOLD)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_no_archive_or_reaches_outside_of_its_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tar"
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("../x")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(HandingInError, match="no archive"), unpacked(path):
        pass
    path.write_bytes(b"no tar")
    with pytest.raises(HandingInError, match="no archive"), unpacked(path):
        pass
    with pytest.raises(HandingInError, match="there is no"), unpacked(tmp_path / "none.tar"):
        pass


def test_the_commands_say_what_they_found_and_fail_where_something_differs(
    tmp_path: Path, handed_in: Path
) -> None:
    runner = CliRunner()
    out = tmp_path / "out.tar"
    told = ["--by", "Ada", "--machine", "two cores"]
    packed = runner.invoke(app, ["pack", str(out), *told, "--only", str(OVERLAP)])
    assert packed.exit_code == 0
    assert "1 records" in packed.output
    fine = runner.invoke(app, ["verify", str(out)])
    assert fine.exit_code == 0
    assert "0 differs" in fine.output
    raise_a_score(folder_of(handed_in, OVERLAP))
    bent = runner.invoke(app, ["verify", str(handed_in)])
    assert bent.exit_code == 1
    assert "from what the ranking gives" in bent.output
