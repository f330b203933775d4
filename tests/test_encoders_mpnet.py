"""MPNet beside transformers' own class."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from chunkstudy.encoders.loading import load
from chunkstudy.encoders.mpnet import MPNet
from tests import checkpoints

CPU = torch.device("cpu")
PADDING = 1
POSITIONS = 512


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[MPNet, Path]:
    """A small random checkpoint with all 514 positions, and where it lies."""
    folder = tmp_path_factory.mktemp("mpnet") / "model"
    config = checkpoints.configuration("mpnet", positions=POSITIONS)
    checkpoints.write(folder, "mpnet", config, checkpoints.random_weights("mpnet", config))
    model = load(checkpoints.specification(folder, "mpnet", config), folder, CPU, torch.float32)
    assert isinstance(model, MPNet)
    return model, folder


def theirs(folder: Path) -> Any:
    from transformers import MPNetModel

    return MPNetModel.from_pretrained(str(folder), add_pooling_layer=False).eval()


@torch.inference_mode()
def states_of(model: Any, ids: list[int]) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
    return found


def drawn(length: int, words: int = 60) -> list[int]:
    return random.Random(length).choices(range(4, words), k=length)


PADDED = drawn(40)
PADDED[7] = PADDED[8] = PADDED[30] = PADDING


@pytest.mark.parametrize("ids", [*map(drawn, (1, 8, 9, 91, 129, 512)), PADDED], ids=len)
def test_states_equal_those_of_transformers_and_padding_takes_no_position(
    ids: list[int], made: tuple[MPNet, Path]
) -> None:
    model, folder = made
    ((found,),) = model.states([ids])
    torch.testing.assert_close(found, states_of(theirs(folder), ids), atol=1e-4, rtol=0)
