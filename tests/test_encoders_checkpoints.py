"""Every kind of model against a plain computation of the published checkpoint; the registry is held
to the files, a wrong checkpoint is refused in a sentence, and the benchmark for a GPU works."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import MODELS, Architecture, ModelSpec
from chunkstudy.core.project import Project
from chunkstudy.encoders import models
from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.checkpoint import kind, load
from chunkstudy.encoders.jina_bert import QUERY_BLOCK
from chunkstudy.encoders.rotary import JinaEmbeddingsV3
from chunkstudy.published import cells
from tests import checkpoints
from tests.benchmarks import gpu
from tests.checkpoints import KINDS, TASKS, Weights, written
from tests.plain_models import plain

CPU = torch.device("cpu")
TEXTS = [
    [2, 5, 3],
    [2, 7, 3],
    [0, 9, 1, 8, 2],  # padding inside a text takes no position where it has one of its own
    [2, *range(4, 40), 3],
    *(random.Random(length).choices(range(4, 60), k=length) for length in (91, 129, 512)),
]


def made(
    kind: str, folder: Path, dtype: torch.dtype = torch.float32, **sizes: int
) -> tuple[Bert, dict[str, Any], Weights]:
    """A small checkpoint as loaded, its configuration and its weights."""
    config = checkpoints.configuration(kind, **sizes)
    _, spec = checkpoints.written(folder, kind, sizes=sizes)
    return load(spec, folder, CPU, dtype), config, checkpoints.random_weights(kind, config)


def assert_equal_in_float32(states: torch.Tensor, other: torch.Tensor) -> None:
    """No state is further off than rounding carries it, in units of the largest one's precision.

    A forward pass rounds some hundred times in a row, and which way depends on the machine's
    instructions; up to 37 such units were seen on two machines. A wrong weight moves states by
    more than 0.1, a hundred thousand units.
    """
    unit = torch.finfo(torch.float32).eps * float(other.abs().max())
    torch.testing.assert_close(states.double(), other.double(), atol=128 * unit, rtol=0)


def flat(groups: list[torch.Tensor]) -> list[torch.Tensor]:
    return [one for group in groups for one in group]


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_a_plain_computation_of_the_published_checkpoint(
    kind: str, tmp_path: Path
) -> None:
    model, config, weights = made(kind, tmp_path / "model", positions=512)
    states = plain(kind, config, weights, "retrieval.passage" if "v3" in kind else "")
    for ids, computed in zip(TEXTS, flat(model.states(TEXTS)), strict=True):
        assert computed.dtype == torch.float32
        assert_equal_in_float32(computed, states(ids))


@pytest.mark.parametrize("task", ["", *TASKS])
def test_an_adapter_is_the_low_rank_product_of_its_task(task: str, tmp_path: Path) -> None:
    model, config, weights = made("jina_embeddings_v3", tmp_path / "model", positions=512)
    assert isinstance(model, JinaEmbeddingsV3)
    model.adapt("retrieval.query")
    model.adapt(task)
    (states,) = flat(model.states(TEXTS[-1:]))
    assert_equal_in_float32(states, plain("jina_embeddings_v3", config, weights, task)(TEXTS[-1]))
    other = plain("jina_embeddings_v3", config, weights, "separation" if not task else "")
    assert (states - other(TEXTS[-1])).abs().max() > 0.1


@pytest.mark.parametrize("kind", ["jina_bert", "nomic_bert", "jina_embeddings_v3"])
def test_a_long_window_equals_the_plain_computation(kind: str, tmp_path: Path) -> None:
    length = 4 * QUERY_BLOCK + 3 if kind == "jina_bert" else 8192
    model, config, weights = made(kind, tmp_path / "model", layers=1, heads=2, positions=8192)
    ids = random.Random(0).choices(range(4, 60), k=length)
    (states,) = flat(model.states([ids]))
    expected = plain(kind, config, weights, "retrieval.passage" if "v3" in kind else "")(ids)
    # transformers turns by angles in float32, which are off by a thousandth after 8,192 tokens
    assert float((states - expected).abs().max()) < 1e-3 * float(expected.abs().max())


@pytest.mark.parametrize("kind", KINDS)
def test_neither_padding_nor_batch_nor_order_changes_a_state(kind: str, tmp_path: Path) -> None:
    model, _, _ = made(kind, tmp_path / "model")
    draw = random.Random(1)
    texts = [draw.choices(range(60), k=draw.randint(1, 40)) for _ in range(30)]
    texts += [texts[0], texts[3][:1]]
    alone = [flat(model.states([ids]))[0] for ids in texts]
    for _ in range(3):
        order = draw.sample(range(len(texts)), len(texts))
        order.sort(key=lambda i: len(texts[i]))
        together = flat(model.states([texts[i] for i in order]))
        for i, states in zip(order, together, strict=True):
            assert_equal_in_float32(states, alone[i])


ROOT = Project(Path(__file__).parents[1])
MINILM = models.spec("sentence-transformers/all-MiniLM-L6-v2")
LOCAL = [model for model in MODELS.values() if model.kind != "api"]


def test_every_encoder_that_a_work_prints_a_cell_of_is_registered() -> None:
    printed = {cell.encoder for cell in cells.read(ROOT)}
    named = {model for model in printed if model in MODELS or "/" in model}
    assert len(named) > 5 and named <= set(MODELS)


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
    with pytest.raises(
        ResourceError, match=r"tokenizer\.json has another sha256.*install it again"
    ):
        models.check_files(tmp_path / "model", MINILM)
    tokenizer.unlink()
    with pytest.raises(ResourceError, match=r"tokenizer\.json is missing"):
        models.check_files(tmp_path / "model", MINILM)


@pytest.mark.parametrize("fault", ["lacks", "has"])
@pytest.mark.parametrize("name", KINDS)
def test_a_tensor_too_few_or_too_many_is_refused(name: str, fault: str, tmp_path: Path) -> None:
    weights = checkpoints.random_weights(name, checkpoints.configuration(name))
    if fault == "lacks":
        del weights[max(one for one in weights if "encoder" in one)]
    else:
        weights["encoder.layers.9.extra.weight"] = torch.zeros(1)
    folder, spec = written(tmp_path / "model", name, weights)
    with pytest.raises(
        ResourceError, match=rf"the checkpoint model {fault} .*; it is another model"
    ):
        load(spec, folder, CPU, torch.float32)


def test_an_adapter_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder, _ = written(tmp_path / "jina", "jina_embeddings_v3")
    with pytest.raises(ResourceError, match=r"no adapter 'clustering'; it has retrieval\.query"):
        JinaEmbeddingsV3(folder).adapt("clustering")


def test_another_instruction_than_registered_is_refused(tmp_path: Path) -> None:
    folder, spec = written(tmp_path / "model", "jina_embeddings_v3")
    other = dataclasses.replace(spec, query_prefix="query: ")
    with pytest.raises(ResourceError, match=r"retrieval\.query, the registry 'query: '; correct"):
        load(other, folder, CPU, torch.float32)


INSISTED = [
    (name, key)
    for name in ("bert", *KINDS)
    for key in (*kind(name).computed_with, *kind(name).unless_absent)
]
assert len(INSISTED) == 33


@pytest.mark.parametrize(("name", "key"), INSISTED)
def test_a_published_key_that_changes_the_computation_is_refused(
    name: str, key: str, tmp_path: Path
) -> None:
    for value in ("other", ...) if key in kind(name).computed_with else ("other",):
        folder, spec = written(tmp_path / "model", name, changes={key: value})
        with pytest.raises(ResourceError, match=rf"config\.json says {key} is .*; .* only"):
            load(spec, folder, CPU, torch.float32)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("nomic_bert", "rotary_emb_base", 10_000),
        ("jina_embeddings_v3", "rotary_emb_base", 10_000.0),
        ("nomic_bert", "layer_norm_epsilon", 0.1),
        ("xlm_roberta", "layer_norm_eps", 0.1),
        ("jina_embeddings_v3", "lora_alpha", 3),
    ],
)
def test_a_published_key_is_honoured(name: str, key: str, value: float, tmp_path: Path) -> None:
    batch = [[2, 9, 4, 7, 3]]
    before, spec = written(tmp_path / "before", name)
    after, _ = written(tmp_path / "after", name, changes={key: value})
    states = [load(spec, one, CPU, torch.float32).states(batch)[0] for one in (before, after)]
    assert (states[0] - states[1]).abs().max() > 1e-3


@pytest.mark.parametrize(
    "model", [one for one in LOCAL if not one.verified], ids=lambda one: one.id
)
def test_an_unchecked_model_says_what_is_missing(
    model: ModelSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    with pytest.raises(ResourceError, match=f"encoders.models {model.id} records it once"):
        models.weights_folder(model)


def test_every_architecture_is_measured_in_every_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gpu.main(small=True)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    names = [spec.id for spec in gpu.architectures()]
    assert len(names) >= 7
    measured = [(row["model"], row["format"]) for row in rows]
    assert measured == [(name, one) for name in names for one in gpu.FORMATS for _ in range(3)]
    rates = [float(row[one]) for row in rows for one in ("tokens_per_second", "share")]
    assert all(math.isfinite(one) for one in rates), "how fast a busy machine is decides nothing"


def test_without_a_gpu_it_says_so_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as ended:
        gpu.main(small=False)
    assert str(ended.value).startswith("no GPU that torch can use is here") and ended.value.code
