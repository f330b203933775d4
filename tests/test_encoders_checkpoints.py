"""Every kind of model against a plain computation of the published checkpoint."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.checkpoint import load
from chunkstudy.encoders.jina_bert import QUERY_BLOCK
from chunkstudy.encoders.rotary import JinaEmbeddingsV3
from tests import checkpoints
from tests.checkpoints import KINDS, TASKS, Weights
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
