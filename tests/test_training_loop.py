"""A short training run: it learns, repeats itself to the bit, and leaves a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.studies.trained_late_chunking import loop
from chunkstudy.studies.trained_late_chunking.parts import ALONE, CONTEXT, MIXED
from tests import small_training as small

Run = tuple[Path, dict[str, object], pd.DataFrame]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "model"
    small.model(folder)
    return folder


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


def test_what_is_left_loads_as_the_model_that_was_trained(base: Path, run: Run) -> None:
    folder, told, _ = run
    spec = small.model(base)
    files = {**spec.files, loop.WEIGHTS: str(told["weights_sha256"])}
    encoder = TransformerEncoder(replace(spec, files=files, package=None), folder=folder)
    texts = ["a b c", "d"]
    expected = loop.TrainableModel(folder, encoder).plain(texts).detach().numpy()
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-6)
    assert not np.allclose(encoder.encode(texts), small.encoder(base, spec).encode(texts))


def test_a_gradient_that_is_none_stops_the_training(base: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the gradient is not finite after step 0"):
        small.train(tmp_path, base, replace(small.PART, temperature=1e-45))
