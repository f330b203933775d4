"""A short training run: it learns, repeats itself to the bit, and is not taken for another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking import loop
from chunkstudy.studies.trained_late_chunking.parts import ALONE, CONTEXT, MIXED
from tests import small_training as small


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "model"
    small.model(folder)
    return folder


@pytest.fixture(scope="module")
def calm(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("calm") / "run"
    return folder, small.train(folder, base)


def test_the_loss_falls_on_what_is_trained_on_and_the_best_look_is_kept(
    calm: tuple[Path, dict[str, Any]],
) -> None:
    _, about = calm
    losses, looks = about["losses"], dict(map(tuple, about["looks"]))
    assert np.mean(losses[-4:]) < 0.8 * np.mean(losses[:4])
    assert min(looks.values()) == looks[about["best"]]
    assert sorted(looks) == [0, 3, 6, 9, 12] and len(losses) == about["step"] == 12


@pytest.mark.parametrize(("arm", "another"), [(ALONE, MIXED), (CONTEXT, ALONE), (MIXED, CONTEXT)])
def test_the_same_seed_gives_the_same_weights_and_another_arm_or_seed_others(
    arm: str, another: str, base: Path, tmp_path: Path
) -> None:
    part = replace(small.PART, arm=arm, steps=6)
    digests = [
        small.train(tmp_path / str(i), base, one)["weights_sha256"]
        for i, one in enumerate((part, part, replace(part, seed=1)))
    ]
    assert digests[0] == digests[1] != digests[2]
    other = small.train(tmp_path / "other", base, replace(part, arm=another))
    assert other["weights_sha256"] != digests[0]


def test_a_finished_run_is_not_trained_again_and_another_recipe_is_not_taken_for_it(
    base: Path, calm: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "stream", lambda *_: pytest.fail("trained again"))
    assert small.train(calm[0], base) == calm[1]
    with pytest.raises(StudyError, match="another recipe or other triples"):
        small.train(calm[0], base, replace(small.PART, rate=1e-4))
    with pytest.raises(StudyError, match="another recipe or other triples"):
        small.train(calm[0], base, training=small.triples([small.document("a")]))


def test_a_trained_model_is_an_encoder_whose_name_and_digests_say_what_it_is(
    base: Path, calm: tuple[Path, dict[str, Any]]
) -> None:
    spec = small.model(base)
    found = loop.trained(calm[0], spec, small.PART.model)
    encoder = TransformerEncoder(found, folder=calm[0])
    described = encoder.describe()
    assert described["id"] == f"{spec.id} trained mixed-20-fold-0-seed-0-steps-12"
    assert described["weights_sha256"] == calm[1]["weights_sha256"]
    assert described["revision"] == calm[1]["weights_sha256"][:40]
    texts = ["a b c", "d"]
    trained = loop.Trainee(calm[0])
    expected = trained.plain(encoder.token_ids(texts)).detach().numpy()
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-6)
    assert not np.allclose(encoder.encode(texts), small.encoder(base, spec).encode(texts))


def test_weights_changed_after_training_are_refused(
    base: Path, calm: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(StudyError, match="train small first"):
        loop.trained(tmp_path, small.model(base), "small")
    for path in calm[0].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(tmp_path / loop.WEIGHTS)
    weights["embeddings.LayerNorm.bias"] += 1
    save_file(weights, tmp_path / loop.WEIGHTS)
    with pytest.raises(ModelError, match="another sha256"):
        loop.trained(tmp_path, small.model(base), "small")
