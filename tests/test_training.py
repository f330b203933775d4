"""A study in parts, which trains: what is trained on, a short run, which learns, repeats itself to
the bit, and leaves a model; parts are chosen, priced and run, and none is run twice."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project
from chunkstudy.core.spans import Chunks
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline import experiment_tables, experiments
from chunkstudy.pipeline.experiments import Context, Experiment
from chunkstudy.studies.trained_late_chunking import models as study
from chunkstudy.studies.trained_late_chunking.batches import (
    Batch,
    Library,
    batches,
    gather,
    read_whole,
    shuffled,
)
from chunkstudy.studies.trained_late_chunking.loop import WEIGHTS, TrainableModel, info_nce
from chunkstudy.studies.trained_late_chunking.parts import ALONE, CONTEXT, FOLDS, MIXED, PLAN, split
from tests import small_training as small

DOCUMENTS = [small.document(name, 3 + 2 * i) for i, name in enumerate("abc")]
TRIPLES = small.triples(DOCUMENTS)
Run = tuple[Path, dict[str, object], pd.DataFrame]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("base") / "model"


@pytest.fixture(scope="module")
def encoder(base: Path) -> TransformerEncoder:
    return small.encoder(base)


@pytest.fixture(scope="module")
def library(encoder: TransformerEncoder) -> Library:
    return small.library(encoder, DOCUMENTS)


@settings(max_examples=50)
@given(papers=st.integers(8, 60), corpora=st.integers(0, 6))
def test_nothing_trained_on_is_tested_on(papers: int, corpora: int) -> None:
    names = [("papers", str(i)) for i in range(papers)]
    large = [("corpora", str(i)) for i in range(corpora)]
    splits = [split(names, large, fold) for fold in range(FOLDS)]
    tested = Counter(source for *_, test in splits for source in test)
    assert tested == Counter([*names, *large]), "every document is tested on once"
    for training, validation, test in splits:
        assert not training & test
        assert not training & validation
        assert not validation & test
        assert training and validation and test
        assert not validation.intersection(large)


def test_passages_of_some_windows_are_pooled_as_from_the_whole_document(
    base: Path, encoder: TransformerEncoder, library: Library
) -> None:
    model = TrainableModel(base, encoder)
    document = library["small", "c"]
    whole = encoder.pool([document.layout], [document.tokens])[0]
    windows = len(document.layout.windows)
    assert windows > 3
    for chosen in ([0], [1, 2], [0, 2, 3], range(windows)):
        part, inside, tokens = document.excerpt(list(chosen))
        read = np.isin(document.window_of, list(chosen))
        assert inside.tolist() == [
            i for i, (start, end) in enumerate(document.tokens.tolist()) if read[start:end].all()
        ]
        if len(inside):
            pooled = model.pooled([part], [tokens]).detach().numpy()
            np.testing.assert_allclose(pooled, whole[inside], atol=1e-5)


def test_a_batch_reads_alike_plain_and_late_what_the_study_reads(
    base: Path, encoder: TransformerEncoder, library: Library
) -> None:
    model = TrainableModel(base, encoder)
    questions = [triple for triple in TRIPLES if triple.document in "ac"]
    batch = gather(questions, TRIPLES, library)
    texts = [d.text[a:b] for d in DOCUMENTS if d.id in "ac" for a, b in small.spans(d)]
    assert len(batch.alone) == len(texts)
    plain = model.plain(batch.alone).detach().numpy()
    np.testing.assert_allclose(plain, encoder.encode(texts), atol=1e-5)
    whole = [library["small", name] for name in "ac"]
    late = [encoder.pool([each.layout], [each.tokens])[0] for each in whole]
    pooled = model.pooled(batch.layouts, batch.tokens).detach().numpy()
    np.testing.assert_allclose(pooled, np.concatenate(late), atol=1e-5)
    for question, positive, relevant in zip(
        questions, batch.positive.tolist(), batch.relevant, strict=True
    ):
        assert texts[positive].startswith(question.question)
        assert relevant[positive] and relevant.sum() == 1


def test_other_answers_to_a_question_are_not_held_against_it(library: Library) -> None:
    start, end = small.spans(DOCUMENTS[0])[1]
    second = replace(TRIPLES[0], start=start, end=end)
    batch = gather([TRIPLES[0], TRIPLES[1]], [*TRIPLES, second], library)
    assert batch.relevant[0].sum() == 2 and batch.relevant[1].sum() == 1


def test_a_stream_shows_every_triple_before_any_again_and_is_the_same_twice(
    library: Library,
) -> None:
    def streamed(seed: int) -> list[Batch]:
        ordered = shuffled(TRIPLES, library, seed)
        return list(islice(batches(ordered, TRIPLES, library, 60), 40))

    first = streamed(4)
    questions = [text for batch in first for text in batch.questions]
    assert questions == [text for batch in streamed(4) for text in batch.questions]
    assert questions != [text for batch in streamed(5) for text in batch.questions]
    assert set(questions[: len(TRIPLES)]) == {triple.question for triple in TRIPLES}
    read = [sum(layout.tokens for layout in batch.layouts) for batch in first]
    assert small.WINDOW < max(read) <= 60


def test_batches_of_few_triples_end_with_all_of_them(library: Library) -> None:
    few = TRIPLES[:2]
    each = list(islice(batches(shuffled(few, library, 0), few, library, 10_000), 3))
    assert [len(batch.questions) for batch in each] == [2, 2, 2]


def test_a_triple_whose_passage_is_too_long_to_be_read_alone_is_left_out(
    encoder: TransformerEncoder,
) -> None:
    document = small.document("x", encoder.window // small.LETTERS + 2)
    long = len(document.text) - 2 * small.LETTERS
    known = small.library(encoder, [document], [[(0, long), (long, len(document.text))]])
    triples = small.triples([document])
    assert read_whole([triples[0], triples[-1]], known, encoder) == [triples[-1]]


@settings(max_examples=40)
@given(
    questions=st.integers(1, 6), texts=st.integers(2, 7), seed=st.integers(0, 999),
    temperature=st.sampled_from([0.02, 0.05, 1.0]),
)  # fmt: skip
def test_info_nce_equals_a_count_by_hand(
    questions: int, texts: int, seed: int, temperature: float
) -> None:
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(questions, 5)), random.normal(size=(texts, 5))
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    positive = random.integers(texts, size=questions)
    relevant = random.random((questions, texts)) < 0.3
    relevant[np.arange(questions), positive] = True
    assume(not relevant.all())
    expected = 0.0
    for i in range(questions):
        others = [j for j in range(texts) if j == positive[i] or not relevant[i, j]]
        shares = {j: math.exp(float(left[i] @ right[j]) / temperature) for j in others}
        expected -= math.log(shares[positive[i]] / sum(shares.values()))
    a, b, answer, judged = map(torch.from_numpy, (left, right, positive, relevant))
    loss = float(info_nce(a, b, answer, judged, temperature))
    assert loss == pytest.approx(expected / questions, rel=1e-9)


@pytest.fixture(scope="module")
def run(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run") / "model"
    return folder, *small.train(folder, base)


def test_the_loss_falls_on_what_is_trained_on_and_the_best_look_is_kept(run: Run) -> None:
    _, told, curve = run
    losses = curve["loss"].dropna().to_numpy()
    looks = curve.set_index("step")["validation loss"].dropna()
    assert losses[-4:].mean() < 0.8 * losses[:4].mean()
    assert looks.idxmin() == told["best step"]
    assert looks.index.tolist() == [0, 3, 6, 9, 12] and len(losses) == told["steps"] == 12


@pytest.mark.parametrize(
    ("system", "another"), [(ALONE, MIXED), (CONTEXT, ALONE), (MIXED, CONTEXT)]
)
def test_the_same_seed_gives_the_same_weights_and_another_system_or_seed_others(
    system: str, another: str, base: Path, tmp_path: Path
) -> None:
    part = replace(small.PART, system=system, steps=6)
    others = replace(part, seed=1), replace(part, system=another)
    digests = [
        small.train(tmp_path / str(i), base, each)[0]["weights_sha256"]
        for i, each in enumerate((part, part, *others))
    ]
    assert digests[0] == digests[1] and digests[0] not in digests[2:]


def test_what_is_left_loads_as_the_model_that_was_trained(
    base: Path, encoder: TransformerEncoder, run: Run
) -> None:
    folder, told, _ = run
    spec = small.model(base)
    files = {**spec.files, WEIGHTS: str(told["weights_sha256"])}
    trained = TransformerEncoder(replace(spec, files=files, package=None), folder=folder)
    texts = ["a b c", "d"]
    expected = TrainableModel(folder, encoder).plain(texts).detach().numpy()
    np.testing.assert_allclose(trained.encode(texts), expected, atol=1e-6)
    assert not np.allclose(trained.encode(texts), encoder.encode(texts))


def test_a_gradient_that_is_none_stops_the_training(base: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the gradient is not finite after step 0"):
        small.train(tmp_path, base, replace(small.PART, temperature=1e-45))


NAME = "trained-late-chunking"
ROOT = Path(__file__).parents[1]
STUDY = experiments.REGISTERED[NAME]


def fake(fails: str = "") -> tuple[Experiment, list[str]]:
    """An experiment of three parts, and which of them were run."""
    ran: list[str] = []

    def part(context: Context, one: SimpleNamespace) -> dict[str, pd.DataFrame]:
        if one.name == fails:
            raise RuntimeError("killed")
        ran.append(one.name)
        context.cut(one.name, Chunks(*np.zeros((3, 1), dtype=np.int64)))
        return {
            "parts": pd.DataFrame({"part": [one.name]}),
            "scores": pd.DataFrame({"part": [one.name] * 2, "score": [0.5, 1.0]}),
        }

    plan = tuple(SimpleNamespace(name=name) for name in ("one", "two", "three"))
    return Experiment(NAME, "How many?", plan=plan, part=part), ran


@pytest.fixture
def places(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_each_part_is_written_when_it_is_there_and_none_is_run_twice(places: Project) -> None:
    (broken, _), (whole, ran) = fake(fails="two"), fake()
    with pytest.raises(RuntimeError, match="killed"):
        experiments.run(places, broken)
    assert experiment_tables.read(places, NAME, "parts")["part"].tolist() == ["one"]
    _, tables = experiments.run(places, whole)
    assert ran == ["two", "three"]
    assert tables["scores"]["part"].tolist() == ["one", "one", "two", "two", "three", "three"]
    chunks = experiment_tables.provenance(experiment_tables.folder(places, NAME))["chunks"]
    assert set(chunks) == {"one", "two", "three"}
    assert experiments.todo(places, whole) == []


def test_parts_that_other_versions_made_keep_these_versions(
    places: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = fake()
    for version, part in zip(("1.0", "2.0", "2.0"), made.plan, strict=True):
        with_version = {"packages": {"numpy": version}, "python": "3.11.7", "platform": "here"}
        monkeypatch.setattr(experiments, "describe_environment", lambda _, made=with_version: made)
        experiments.run(places, made, part.name)
    left = experiment_tables.provenance(experiment_tables.folder(places, NAME))
    assert left["packages"] == {"numpy": "1.0; 2.0"} and left["python"] == "3.11.7"


def test_the_order_in_which_parts_were_run_does_not_show(tmp_path: Path) -> None:
    written = []
    for number, order in enumerate([(0, 1, 2), (2, 0, 1)]):
        (made, _), here = fake(), Project(tmp_path / str(number))
        for i in order:
            experiments.run(here, made, made.plan[i].name)
        written.append((experiment_tables.folder(here, NAME) / "scores.csv").read_bytes())
    assert written[0] == written[1]


def test_parts_are_chosen_by_name_and_a_wrong_choice_is_refused(places: Project) -> None:
    chosen = experiments.todo(places, STUDY, "within/mixed-*-fold-1-*")
    assert [one.name for one in chosen] == ["within/mixed-512-fold-1-seed-0"]
    assert len(experiments.todo(places, STUDY)) == len(PLAN)
    with pytest.raises(StudyError, match="its parts are within/untrained-512-fold-0"):
        experiments.todo(places, STUDY, "*-fold-17-*")


def test_the_command_prices_parts_without_running_them_and_refuses_parts_of_other_studies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(tmp_path))
    monkeypatch.setattr(study, "part", lambda *_: pytest.fail("run"))
    asked = ["study", NAME, "--part", "within/mixed-*-fold-3-*", "--dry-run"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0 and told.stdout.endswith("\t8.0 min\n")
    refused = CliRunner().invoke(app, ["study", "bidirectionality", "--part", "x"])
    assert refused.exit_code == 1 and "does not come in parts" in refused.output
