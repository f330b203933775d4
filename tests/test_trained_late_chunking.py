"""The study of trained late chunking: its parts, what they are tested on, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.commands.cli import app
from chunkstudy.runs import study_results, study_runs
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies import trained_late_chunking as trained
from chunkstudy.studies.trained_late_chunking import models as study
from chunkstudy.studies.trained_late_chunking import testing
from chunkstudy.studies.trained_late_chunking.parts import PLAN

NAME = "trained-late-chunking"
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Made:
    """A part of a study that is made up."""

    name: str


def fake(fails: str = "") -> Any:
    """A study of three parts; ``ran`` tells which were run."""
    ran: list[str] = []

    def part(context: Context, one: Made) -> dict[str, pd.DataFrame]:
        if one.name == fails:
            raise RuntimeError("killed")
        ran.append(one.name)
        context.cut(one.name, Chunks(*np.zeros((3, 1), dtype=np.int64)))
        return {
            "parts": pd.DataFrame({"part": [one.name]}),
            "scores": pd.DataFrame({"part": [one.name] * 2, "score": [0.5, 1.0]}),
        }

    plan = tuple(Made(name) for name in ("one", "two", "three"))
    return SimpleNamespace(
        __doc__="How many?", __name__="made", PLAN=plan, part=part, ran=ran, estimate=len
    )


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def use(made: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(study_runs, "module", lambda _: made)


def test_each_part_is_written_when_it_is_there_and_none_is_run_twice(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = fake(fails="two"), fake()
    use(broken, monkeypatch)
    with pytest.raises(RuntimeError, match="killed"):
        study_runs.run_parts(places, NAME, broken.PLAN)
    assert study_results.read(places, NAME, "parts")["part"].tolist() == ["one"]
    use(whole, monkeypatch)
    _, tables = study_runs.run_parts(places, NAME, whole.PLAN)
    assert whole.ran == ["two", "three"]
    assert tables["scores"]["part"].tolist() == ["one", "one", "two", "two", "three", "three"]
    chunks = study_results.read_provenance(study_results.folder(places, NAME)).chunks
    assert set(chunks) == {"one", "two", "three"}
    assert study_runs.todo(places, NAME, whole.PLAN) == []


def test_the_order_in_which_parts_were_run_does_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for number, order in enumerate([(0, 1, 2), (2, 0, 1)]):
        made, here = fake(), Places(tmp_path / str(number))
        use(made, monkeypatch)
        for i in order:
            study_runs.run_parts(here, NAME, [made.PLAN[i]])
        written.append((study_results.folder(here, NAME) / "scores.csv").read_bytes())
    assert written[0] == written[1]


def test_parts_are_chosen_by_field_and_name_and_a_wrong_choice_is_refused() -> None:
    chosen = study_runs.chosen(study, "within/*", fold=1, arm="mixed")
    assert [one.name for one in chosen] == ["within/mixed-512-fold-1-seed-0"]
    assert len(study_runs.chosen(study)) == len(PLAN)
    with pytest.raises(StudyError, match="its parts are within/untrained-512-fold-0"):
        study_runs.chosen(study, fold=17)
    with pytest.raises(StudyError, match="study made does not come in parts; leave --fold"):
        study_runs.chosen(SimpleNamespace(__name__="made"))  # type: ignore[arg-type]


def test_the_command_prices_parts_without_running_them_and_refuses_folds_of_other_studies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT))
    monkeypatch.setattr(study, "part", lambda *_: pytest.fail("run"))
    asked = ["study", NAME, "--fold", "3", "--arm", "mixed", "--dry-run"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0 and "hours of a core at most" in told.stdout
    refused = CliRunner().invoke(app, ["study", "depth", "--fold", "1"])
    assert refused.exit_code == 1 and "does not come in parts" in refused.output
    refused = CliRunner().invoke(app, ["study", NAME, "--collection", "scifact"])
    assert refused.exit_code == 1 and "leave --collection out" in refused.output


def many(documents: int, queries: int, judged: int) -> Collection:
    """Each query is judged on some documents after its own number."""
    names = [f"{i:04d}" for i in range(documents)]
    return Collection(
        "many",
        tuple(Document(name, "text") for name in names),
        tuple(Query(str(i), "why") for i in range(queries)),
        tuple(
            Judgment(str(i), names[(7 * i + j) % documents], 0, 4)
            for i in range(queries)
            for j in range(judged)
        ),
    )


@pytest.mark.parametrize(
    ("sizes", "queries", "documents"),
    [((5000, 700, 2), 300, 2000), ((100, 20, 1), 20, 100), ((5000, 700, 30), None, 2000)],
)
def test_a_sample_keeps_every_judged_document_of_its_queries(
    sizes: tuple[int, int, int], queries: int | None, documents: int
) -> None:
    whole = many(*sizes)
    some = testing.sample(whole)
    assert some.digest() == testing.sample(whole).digest()
    asked = {query.id for query in some.queries}
    expected = [one for one in whole.judgments if one.query in asked]
    assert list(some.judgments) == expected
    assert len(some.documents) == documents
    assert len({one.document for one in some.judgments}) <= testing.JUDGED
    if queries is None:
        assert 0 < len(asked) < testing.QUERIES
    else:
        assert len(asked) == queries


ROWS = {
    # question: document, plain and late of each arm
    "q0": ("d0", {"untrained": (0.8, 0.6), "alone": (0.9, 0.8), "context": (0.8, 0.9)}),
    "q1": ("d0", {"untrained": (0.4, 0.4), "alone": (0.5, 0.4), "context": (0.6, 0.6)}),
    "q2": ("d1", {"untrained": (1.0, 0.5), "alone": (1.0, 0.7)}),
}


@pytest.fixture
def made() -> dict[str, pd.DataFrame]:
    """Two folds, the second without the contextual arm; two chunkers that lie 0.1 either side."""
    parts, questions = [], []
    for query, (document, arms) in ROWS.items():
        fold = int(document[1:])
        for arm, (plain, late) in arms.items():
            name = f"within/{arm}-512-fold-{fold}"
            parts.append(row(name, "within", arm, fold))
            for chunker, off in (("sentence-5", 0.1), ("recursive-200-0", -0.1)):
                questions.append(
                    {"part": name, "collection": "covid-qa-within", "chunker": chunker,
                     "document": document, "query_id": query, "plain": plain + off,
                     "late": late + off}
                )  # fmt: skip
    for query, plain, late in (("q0", 0.8, 0.7), ("q1", 0.5, 0.5)):
        name = "within/context-512-fold-0-share-0.25"
        parts.append(row(name, "within", "context", 0, 0.25, 20))
        questions.append(
            {"part": name, "collection": "covid-qa-within", "chunker": "sentence-5",
             "document": "d0", "query_id": query, "plain": plain, "late": late}
        )  # fmt: skip
    name = "within/context-512-fold-0-seed-1"
    parts.append({**row(name, "within", "context", 0), "seed": 1})
    questions.append(
        {"part": name, "collection": "covid-qa-within", "chunker": "sentence-5",
         "document": "d0", "query_id": "q0", "plain": 0.7, "late": 0.5}
    )  # fmt: skip
    name = "within/context-512-fold-0-steps-360"
    parts.append({**row(name, "within", "context", 0, seen=90), "steps at most": 360})
    questions.append(
        {"part": name, "collection": "covid-qa-within", "chunker": "sentence-5",
         "document": "d0", "query_id": "q0", "plain": 0.9, "late": 0.8}
    )  # fmt: skip
    other = []
    for arm, values in (("untrained", (0.5, 0.6, 0.7)), ("context", (0.4, 0.6, 0.7))):
        name = f"elsewhere/{arm}-512-fold-0"
        parts.append(row(name, "elsewhere", arm, 0))
        other += [
            {"part": name, "collection": "scifact", "query_id": str(i), "nDCG@10": value}
            for i, value in enumerate(values)
        ]
    curves = [
        {"part": "within/context-512-fold-0", "step": step, "loss": np.nan, "validation loss": loss}
        for step, loss in ((0, 1.2), (40, 0.9), (80, 1.0))
    ]
    return {
        "parts": pd.DataFrame(parts).drop_duplicates("part"),
        "questions": pd.DataFrame(questions),
        "elsewhere": pd.DataFrame(other),
        "curves": pd.DataFrame(curves),
    }


def row(
    name: str, test: str, arm: str, fold: int, share: float = 1.0, seen: int = 80
) -> dict[str, Any]:
    trained = arm != "untrained"
    return {
        "part": name, "test": test, "arm": arm, "window": 512, "fold": fold, "share": share,
        "layout": "", "seed": 0, "steps at most": 120 * trained, "weights_sha256": "0" * 64,
        "training triples": 90 * trained,
        "validation triples": 9 * trained, "triples left out": trained,
        "steps": 80 * trained, "best step": 40 * trained,
        "triples seen": seen * trained, "tokens read": 0,
    }  # fmt: skip


def test_late_and_plain_are_compared_by_question_over_both_chunkers_and_all_folds(
    made: dict[str, pd.DataFrame],
) -> None:
    table = trained.costs(trained.scored(made, 512)).set_index("trained on")
    assert table.index.tolist() == ["untrained", "alone", "context"]
    assert table.loc["untrained", "difference"] == pytest.approx((-0.2 + 0.0 - 0.5) / 3)
    assert table.loc["context", "difference"] == pytest.approx((0.1 + 0.0) / 2)
    assert table["folds"].tolist() == [2, 2, 1] and table["n"].tolist() == [3, 3, 2]
    assert table["documents"].tolist() == [2, 2, 1]
    assert table["family"].nunique() == 1


def test_models_are_compared_on_the_folds_of_both(made: dict[str, pd.DataFrame]) -> None:
    table = trained.arms(trained.scored(made, 512))
    keys = ["trained on", "counted", "against one trained on", "against"]
    found = {tuple(one[key] for key in keys): one for one in table.to_dict("records")}
    late = found["context", "late", "alone", "late"]
    assert late["n"] == 2 and late["folds"] == 1
    assert late["difference"] == pytest.approx((0.1 + 0.2) / 2)
    cost = found["alone", "late minus plain", "untrained", "late minus plain"]
    assert cost["n"] == 3
    assert cost["difference"] == pytest.approx(((-0.1 + 0.2) + (-0.1 - 0.0) + (-0.3 + 0.5)) / 3)
    best = found["context", "late", "untrained", "plain"]
    assert best["difference"] == pytest.approx((0.1 + 0.2) / 2)
    assert "mixed" not in set(table["trained on"])
    sizes = table.groupby("family")["family_size"].first()
    assert sizes.sum() == len(table) and sorted(sizes) == [2, 4, 5]


def test_other_windows_are_held_against_passages_alone_of_any_layout_on_the_folds_of_both(
    made: dict[str, pd.DataFrame],
) -> None:
    whole = made["parts"]
    again = whole[whole["part"].str.fullmatch("within/(untrained|context)-512-fold-.")].copy()
    names = again["part"].tolist()
    again["part"], again["layout"] = again["part"] + "-averaged", "averaged"
    asked = made["questions"][made["questions"]["part"].isin(names)].copy()
    asked["part"], asked["late"] = asked["part"] + "-averaged", asked["late"] + 0.1
    before = trained.costs(trained.scored(made, 512))
    made |= {"parts": pd.concat([whole, again]), "questions": pd.concat([made["questions"], asked])}
    pd.testing.assert_frame_equal(trained.costs(trained.scored(made, 512)), before)
    table = trained.other_windows(made, 512)
    keys = ["trained on", "against one trained on", "against"]
    found = {tuple(one[key] for key in keys): one for one in table.to_dict("records")}
    assert len(found) == len(table) == 4 and set(table["layout"]) == {"averaged"}
    cost = found["untrained", "untrained", "plain"]
    assert cost["n"] == 3 and cost["difference"] == pytest.approx((-0.2 + 0.0 - 0.5) / 3 + 0.1)
    alone = found["context", "alone", "plain"]
    assert alone["n"] == 2 and alone["difference"] == pytest.approx((0.0 + 0.1) / 2 + 0.1)
    assert found["context", "untrained", "late"]["difference"] == pytest.approx((0.3 + 0.2) / 2)


def test_the_learning_curve_takes_the_folds_that_every_share_has(
    made: dict[str, pd.DataFrame],
) -> None:
    table = trained.triples(trained.scored(made, 512), made["parts"])
    assert table["triples"].tolist() == [0, 20, 80] and set(table["folds"]) == {1}
    expected = [(-0.2 + 0.0) / 2, (-0.1 + 0.0) / 2, (0.1 + 0.0) / 2]
    assert table["difference"].tolist() == pytest.approx(expected)
    assert set(table["n"]) == {2}
    whole = {**made, "parts": made["parts"][made["parts"]["share"] == 1]}
    one_share = trained.triples(trained.scored(whole, 512), whole["parts"])
    assert one_share.empty, "one share is no curve"
