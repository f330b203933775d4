"""The registry's data: complete, pinned, priced as the models' sizes say, and held to the files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from chunkstudy.base.models import MODELS, Architecture, ModelSpec
from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError
from chunkstudy.published import cells

ROOT = Places(Path(__file__).parents[1])
MINILM = models.spec("sentence-transformers/all-MiniLM-L6-v2")
LOCAL = [model for model in MODELS.values() if model.kind != "api"]


def test_every_encoder_that_a_work_prints_a_cell_of_is_registered_as_used_by_it() -> None:
    printed = {(cell.work, cell.encoder) for cell in cells.read(ROOT)}
    named = {(work, model) for work, model in printed if model in MODELS or "/" in model}
    assert len(named) > 5
    for work, model in named:
        assert work in MODELS[model].papers


@pytest.mark.parametrize("model", LOCAL, ids=lambda model: model.id)
def test_a_model_of_the_hub_is_pinned_and_has_sizes_that_fit_together(model: ModelSpec) -> None:
    assert re.fullmatch("[0-9a-f]{40}", model.revision)
    assert {"model.safetensors", "tokenizer.json", "config.json"} <= set(model.files)
    assert not [name for name in model.files if name.endswith((".bin", ".pt", ".pkl", ".py"))]
    assert model.architecture is not None
    assert model.architecture.hidden == model.dimension
    assert model.architecture.hidden % model.architecture.heads == 0
    assert model.window <= model.positions


def test_operations_equal_a_count_layer_by_layer() -> None:
    length, sizes = 7, Architecture(layers=3, hidden=8, heads=2, intermediate=20, gated=True)
    count = 0
    for _ in range(sizes.layers):
        for rows, columns in [(8, 8)] * 4 + [(8, 20)] * 2 + [(20, 8)]:
            count += 2 * length * rows * columns
        for _ in range(sizes.heads):
            count += 2 * length * length * 4  # queries by keys
            count += 2 * length * length * 4  # weights by values
    assert sizes.flops_per_token(length) * length == count


def test_a_changed_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(models.weights_folder(MINILM), tmp_path / "model")
    tokenizer = tmp_path / "model" / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json has another sha256.*install it again"):
        models.check_files(tmp_path / "model", MINILM)
    tokenizer.unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        models.check_files(tmp_path / "model", MINILM)
