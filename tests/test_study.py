"""A notebook computes what it is asked for, and says what it is of."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import nbformat
import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import BUILD, Project
from chunkstudy.encoders import transformer
from chunkstudy.notebook import study, user_functions
from chunkstudy.notebook.outputs import STAGING
from chunkstudy.notebook.runs import Compute, Runs
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import MINILM as MINILM_256
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.records import Outcome
from chunkstudy.pipeline.vector_store import load_store
from tests import small_study
from tests.small_study import Letters

ROOT = Path(__file__).parents[1]
TWO = ["recursive-200-0", "token-200-0"]


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Iterator[Letters]:
    """A model that costs nothing in place of the real one."""
    found = Letters()
    monkeypatch.setattr(transformer, "TransformerEncoder", lambda *_, **__: found)
    load_store.cache_clear()
    yield found
    load_store.cache_clear()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, letters: Letters) -> Path:
    """An empty project with a notebook ``small`` whose parameter ``k`` is 5."""
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    for name in ("CHUNKSTUDY_VECTORS", BUILD, STAGING):
        monkeypatch.delenv(name, raising=False)
    cell = nbformat.v4.new_code_cell("k = 5  # chunks\nnames = ['a']")
    cell.metadata["tags"] = ["parameters"]
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "results").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "notebooks/small.ipynb")
    return tmp_path


def within(monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    """Let the notebook's variables be these."""
    found = {"In": [""], "k": 5, "names": ["a"], **given}
    monkeypatch.setattr(study, "get_ipython", lambda: SimpleNamespace(user_ns=found))


def test_what_has_no_record_is_not_computed_unless_asked_for(root: Path, letters: Letters) -> None:
    with pytest.raises(StudyError, match='has no record; compute="missing" runs it'):
        Study("trial").runs("builtin", TWO)
    assert letters.calls == 0


def test_missing_runs_below_build_and_only_once(root: Path, letters: Letters) -> None:
    study = Study("trial", compute="missing")
    first = study.runs("builtin", TWO)
    assert "2 computed here" in str(first)
    calls = letters.calls
    again = study.runs("builtin", TWO)
    assert letters.calls == calls
    pd.testing.assert_frame_equal(first.scores().frame, again.scores().frame)
    assert not list((root / "results").rglob("*.json"))


def test_the_cut_off_decides_what_is_scored(root: Path) -> None:
    runs = Study("trial", compute="missing").runs("builtin", TWO)
    few, more = runs.scores(k=3), runs.scores(k=7)
    means = few.means()
    of_first = few.frame[few.frame["chunker"] == TWO[0]][list(few.measures)].mean()
    pd.testing.assert_frame_equal(
        means.loc[[TWO[0]]], of_first.to_frame(TWO[0]).T, check_names=False
    )
    assert "<table" in means._repr_html_() and type(100 * means) is pd.DataFrame
    assert "SpanRecall@3" in few.measures and few.k == 3
    assert few.frame["SpanRecall@3"].mean() < more.frame["SpanRecall@7"].mean()
    with pytest.raises(StudyError, match="1 or more, and not 0"):
        runs.scores(k=0)


@pytest.mark.parametrize("order", [(3, 15, 5), (15, 5, 3)])
def test_reading_scores_changes_nothing_and_their_order_does_not_matter(
    root: Path, order: tuple[int, ...]
) -> None:
    places, one = (
        Project(root),
        Condition("builtin", TWO[0], MINILM_256, "pre_embedding", "corrected"),
    )
    record = small_study.outcome(places, one, load_collection("builtin"))
    scores = record.scores + 0.125  # no computed score is equal, so that a mixture shows
    without = record.run.with_scores(scores).model_copy(update={"ranking": None})
    records.write(places.runs, Outcome(without, scores, record.timing))

    def found() -> Runs:
        return Study("trial", compute="missing").runs("builtin", [TWO[0], paragraphs])

    runs = found()
    said, told, shown = str(runs), runs.records, runs.hits(question=1).data
    assert "1 read from results/runs, 1 computed here" in said
    for k in order:
        pd.testing.assert_frame_equal(runs.scores(k=k).frame, found().scores(k=k).frame)
        runs.within(500)
    assert str(runs) == said and runs.records == told
    assert runs.hits(question=1).data == shown


def test_a_function_of_ones_own_is_called_what_it_is_in_every_output(root: Path) -> None:
    shutil.copytree(ROOT / "results/published", root / "results/published")
    study = Study("trial", compute="missing")
    runs = study.runs("builtin", [paragraphs, lambda text: [text]])
    scores, slug = runs.scores(k=15), user_functions.slug(paragraphs)
    path = f"builtin/{slug}/{MINILM_256}/pre_embedding/corrected"
    assert path in runs.records and runs.records[path].chunker == slug
    assert scores.runs["paragraphs"] == path
    shown = study.table("mine", scores.summary(), beside=["chroma/minilm"])
    kept = (root / "build/notebooks/trial/tables/mine.csv").read_text("utf-8")
    assert path in kept
    made = [str(one) for one in (runs, runs.records, scores, scores.summary(), list(runs))]
    for output in [*made, shown.data, kept, runs.hits().data, scores.means()._repr_html_()]:
        assert TWO[0] not in output and "Recursive" not in output
    with pytest.raises(StudyError, match=f"{slug}.* has no score at the cut Min"):
        runs.scores(k="Min", measures=["SpanRecall(unit=token)@Min", "x@Min"])


def test_two_functions_with_one_name_in_different_cells_have_two_records(root: Path) -> None:
    runs = [Study("trial", compute="missing").runs("builtin", [other_cell(mark)]) for mark in "\n."]
    assert [list(one.found) for one in runs] == [["split"]] * 2
    (one,), (other,) = (run.records for run in runs)
    assert one != other and one.partition("-")[0] == other.partition("-")[0]


def paragraphs(text: str) -> list[str]:
    return text.split("\n\n")


def other_cell(mark: str) -> Callable[[str], list[str]]:
    """A function ``split`` as two cells might define it."""
    names: dict[str, Any] = {}
    exec(f"def split(text):\n    return text.split({mark!r})", names)
    return cast("Callable[[str], list[str]]", names["split"])


def test_where_everyone_reads_as_much_no_character_more_is_counted(root: Path) -> None:
    runs = Study("trial", compute="missing").runs("builtin", ["token-200-0"])
    collection, (found,) = load_collection("builtin"), list(runs)
    judged = collection.judgments_by_query()
    ranking = found.ranking
    assert ranking is not None
    expected = []
    for at, query in enumerate(collection.queries):
        read: dict[str, set[int]] = {}
        left = 1500
        for row in ranking[ranking["query"] == at].head(10).to_dict("records"):
            end = min(row["end"], row["start"] + left)
            left -= end - row["start"]
            of = collection.documents[row["document"]].id
            read.setdefault(of, set()).update(range(row["start"], end))
        spans = {one.document: set[int]() for one in judged[query.id]}
        for one in judged[query.id]:
            spans[one.document] |= set(range(one.start, one.end))
        held = sum(len(span & read.get(of, set())) for of, span in spans.items())
        expected.append(held / sum(map(len, spans.values())))
    scores = runs.within(1500)
    assert scores.frame[scores.measures[0]].to_numpy() == pytest.approx(expected, abs=1e-6)
    with pytest.raises(StudyError, match="read less"):
        runs.within(10**6)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"encoder": "nobody/nothing"}, r"unknown model 'nobody/nothing'.* Nothing of builtin"),
        ({"chunkers": []}, "no chunker was named"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(
    root: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(StudyError, match=sentence):
        Study("trial").runs("builtin", **{"chunkers": TWO, **given})


@pytest.mark.parametrize("compute", ["missing", "fresh"])
def test_an_encoder_that_cannot_be_had_leaves_what_is_stored(
    root: Path, monkeypatch: pytest.MonkeyPatch, compute: Compute
) -> None:
    other = small_study.condition("as_published-chroma")
    small_study.write_record(Project(root), other, small_study.MANY)
    monkeypatch.setattr(
        "chunkstudy.pipeline.requirements.weights_needed", lambda spec: [f"{spec.id}: get them"]
    )
    with pytest.raises(StudyError, match=r'get them\. compute="stored" shows .*MiniLM'):
        Study("trial", compute=compute).runs("builtin", TWO)


def test_fresh_begins_anew_with_every_study(root: Path, letters: Letters) -> None:
    assert "2 computed here" in str(Study("trial", compute="fresh").runs("builtin", TWO))
    once = letters.calls
    Study("trial", compute="fresh").runs("builtin", TWO)
    assert once and letters.calls == 2 * once


def test_tests_leave_out_the_chunker_that_they_are_against(root: Path) -> None:
    scores = Study("trial", compute="missing").runs("builtin", [*TWO, "fixed-64"]).scores()
    means = scores.frame.groupby("chunker")["SpanRecall@5"].mean()
    found = scores.paired()
    assert set(found["other chunker"]) == {means.idxmax()}
    assert set(found["chunker"]) == {*TWO, "fixed-64"} - {means.idxmax()}
    assert (found["difference"] <= 0).all() and (found["family_size"] == 2).all()
    assert set(scores.paired(baseline=TWO[0])["other chunker"]) == {TWO[0]}
    with pytest.raises(StudyError, match="'fixed-65' was not run"):
        scores.paired(baseline="fixed-65")


@pytest.mark.parametrize("staged", [True, False])
def test_with_its_own_parameters_a_notebook_leaves_the_study_where_it_is_staged_or_below_build(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, staged: bool
) -> None:
    folder = tmp_path / "staging/results" if staged else root / "build/notebooks/small"
    monkeypatch.setenv(STAGING, str(tmp_path / "staging") if staged else "")
    within(monkeypatch)
    study = Study("small")
    study.answer("Is it so?", "Yes: 3 of 4.", holds=True)
    study.number("share/of", 0.754, digits=2)
    study.table("small_table", pd.DataFrame({"n": [1, 2]}))
    written = (folder / "answers/small.json").read_text("utf-8")
    assert "Yes: 3 of 4." in written and "0.75" in written
    assert (folder / "tables/small_table.csv").read_text() == "n\n1\n2\n"
    assert not list((root / "results").iterdir())


def test_with_another_parameter_it_writes_below_build_and_judges_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Any] = []
    monkeypatch.setattr("chunkstudy.notebook.study.display", said.append)
    within(monkeypatch, k=3)
    study = Study("small")
    study.answer("Is it so?", "Yes: 3 of 4.", holds=True)
    opening, answer = (one.data for one in said)
    assert "k = 3" in opening and "`build/notebooks/small`" in opening
    assert "Yes: 3 of 4." in answer and "the parameters are not the study's own" in answer
    judged = study.claims(lambda: pytest.fail("claims are of the study's own parameters"))
    assert "not judged here" in judged.data
    study.table("small_table", pd.DataFrame({"n": [1]}))
    assert (root / "build/notebooks/small/tables/small_table.csv").exists()
    assert not (root / "results/tables").exists() and not (root / "results/answers").exists()


def test_with_other_parameters_an_answer_that_fails_is_its_condition_and_numbers(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Any] = []
    monkeypatch.setattr("chunkstudy.notebook.study.display", said.append)
    within(monkeypatch, k=3)
    exact, published = 0, pd.Series([0.25, 0.5])
    Study("small").answer(
        "Does it reproduce?",
        f"Yes: of {len(published)} scores all but {exact} are exact.",
        holds=exact > len(published) / 2 and not published.empty,
    )
    shown = said[-1].data
    assert "Yes" not in shown and "all but" not in shown
    assert "`exact > len(published) / 2 and (not published.empty)`" in shown
    for number in ("`exact` is 0", "`len(published)` is 2", "`len(published) / 2` is 1"):
        assert number in shown


def test_an_answer_whose_condition_broke_stops_the_study_with_its_numbers(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    within(monkeypatch)
    with pytest.raises(StudyError, match=r"'Is it so\?' no longer stands.* Yes: 3 of 4\."):
        Study("small").answer("Is it so?", "Yes: 3 of 4.", holds=False)
    assert not (root / "results/answers").exists()


def test_a_script_is_no_notebook_and_an_unknown_way_to_compute_is_refused(root: Path) -> None:
    assert not Study("small").default
    with pytest.raises(StudyError, match="unknown compute 'live'; use one of stored, missing"):
        Study("small", compute="live")  # type: ignore[arg-type]


def test_a_heavy_experiment_is_read_where_it_is_stored(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(
        ROOT / "results/studies/bidirectionality", root / "results/studies/bidirectionality"
    )
    kept = Study("small").stored("bidirectionality", lambda _: pytest.fail("it is stored"))
    assert kept and all(len(table) for table in kept.values())
    with pytest.raises(StudyError, match="the experiment berlin is not stored"):
        Study("small").stored("berlin", lambda _: {})
    made = {"one": pd.DataFrame({"n": [1]})}
    anew = Study("small", compute="fresh").stored("bidirectionality", lambda _: made)
    assert anew == made and (root / "build/studies/bidirectionality/provenance.json").exists()
