"""MPNet beside transformers' own class, its position control, and the registered model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import whole
from chunkstudy.encoders.loading import load
from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.mpnet import MPNet, relative_buckets
from chunkstudy.encoders.transformer import TransformerEncoder
from tests import checkpoints
from tests.plain_models import Plain, plain_bucket

CPU = torch.device("cpu")
SPEC = models.spec("sentence-transformers/all-mpnet-base-v2")
PADDING = 1
POSITIONS = 512
TEXTS = [
    "",
    "A lighthouse keeper counts unhurried ships at nightfall. " * 12,
    "Die Größe der Bruchstücke ändert, was die Suche findet: 3,5 %. " * 9,
    "emoji 🙂🏳️‍🌈 and 漢字 and \u0000 and e\u0301 <pad> <s> [UNK] <mask>",
    "UPPER and lower, 1998's costs; x" * 40,
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[MPNet, Path]:
    """A small random checkpoint with all 514 positions, and where it lies."""
    folder = tmp_path_factory.mktemp("mpnet") / "model"
    config = checkpoints.configuration("mpnet", positions=POSITIONS)
    checkpoints.write(folder, "mpnet", config, checkpoints.random_weights("mpnet", config))
    model = load(checkpoints.specification(folder, "mpnet", config), folder, CPU, torch.float32)
    assert isinstance(model, MPNet)
    return model, folder


@pytest.fixture(scope="module")
def real() -> Path:
    """The weights where they are at hand; no test downloads 420 MB."""
    if not models.at_hand(SPEC):
        pytest.skip(f"the weights of {SPEC.id} are not here; run `make mpnet`")
    return models.weights_folder(SPEC)


def theirs(folder: Path) -> Any:
    from transformers import MPNetModel

    return MPNetModel.from_pretrained(str(folder), add_pooling_layer=False).eval()


@torch.inference_mode()
def states_of(model: Any, ids: list[int], **given: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=torch.tensor([ids]), **given).last_hidden_state[0]
    return found


def drawn(length: int, words: int = 60) -> list[int]:
    return random.Random(length).choices(range(4, words), k=length)


@pytest.mark.parametrize("length", [1, 8, 9, 91, 129, 512])
def test_states_equal_those_of_transformers(length: int, made: tuple[MPNet, Path]) -> None:
    model, folder = made
    ids = drawn(length)
    ((found,),) = model.states([ids])
    torch.testing.assert_close(found, states_of(theirs(folder), ids), atol=1e-4, rtol=0)


def test_padding_inside_a_text_takes_no_position(made: tuple[MPNet, Path]) -> None:
    model, folder = made
    ids = drawn(40)
    ids[7] = ids[8] = ids[30] = PADDING
    ((found,),) = model.states([ids])
    torch.testing.assert_close(found, states_of(theirs(folder), ids), atol=1e-4, rtol=0)
    reference = Plain(
        "mpnet", checkpoints.configuration("mpnet"), load_file(folder / "model.safetensors")
    )
    torch.testing.assert_close(found.double(), reference.states(ids), atol=1e-4, rtol=0)


def test_each_distance_has_the_bias_that_whole_numbers_say() -> None:
    distances = range(1 - POSITIONS, POSITIONS)
    found = relative_buckets(torch.tensor(distances)).tolist()
    assert found == [plain_bucket(distance) for distance in distances]
    assert len(set(found)) == 31  # there is no key behind the query at distance 0


@pytest.mark.parametrize("positions", [(0, *range(257, 512)), tuple(p // 2 for p in range(512))])
def test_a_moved_text_keeps_its_distances_as_in_transformers(
    positions: tuple[int, ...], made: tuple[MPNet, Path]
) -> None:
    _, folder = made
    moved = MPNet(folder)
    moved.read_at(positions)
    ids = drawn(len(positions))
    ((found,),) = moved.states([ids])
    rows = torch.tensor([positions]) + 2
    expected = states_of(theirs(folder), ids, position_ids=rows)
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)
    assert (found - states_of(theirs(folder), ids)).abs().max() > 0.1


@pytest.mark.parametrize("positions", [range(513), range(-1, 511)])
def test_paddings_two_rows_are_no_positions(positions: range, made: tuple[MPNet, Path]) -> None:
    with pytest.raises(ModelError, match="are not all in the checkpoint's table"):
        MPNet(made[1]).read_at(positions)


def test_real_token_states_equal_an_independent_float64_computation(real: Path) -> None:
    encoder = TransformerEncoder(SPEC, window=POSITIONS)
    (ids,) = encoder.token_ids([TEXTS[1] * 6])
    assert len(ids) == POSITIONS
    weights = load_file(real / "model.safetensors")
    config = {"num_attention_heads": 12, "num_hidden_layers": 12, "layer_norm_eps": 1e-5}
    expected = Plain("mpnet", config, weights).states(ids)
    (found,) = encoder.states([whole(ids)])
    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=0)
