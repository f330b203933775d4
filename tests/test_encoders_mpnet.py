"""MPNet beside transformers' own class, its position control, and the registered model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import whole
from chunkstudy.encoders.loading import load
from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.mpnet import MPNet, relative_buckets
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MPNET, Condition, ConditionError
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
    try:
        return models.weights_folder(SPEC, download=False)
    except ModelError as error:
        pytest.skip(str(error))


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


def test_no_distance_is_new_to_a_model_tuned_on_128_tokens() -> None:
    tuned = set(relative_buckets(torch.arange(-127, 128)).tolist())
    assert set(relative_buckets(torch.arange(1 - POSITIONS, POSITIONS)).tolist()) == tuned


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


def test_positions_in_order_change_nothing(made: tuple[MPNet, Path]) -> None:
    model, folder = made
    ordered = MPNet(folder)
    ordered.read_at(range(POSITIONS))
    ids = drawn(100)
    assert torch.equal(ordered.states([ids])[0], model.states([ids])[0])


@pytest.mark.parametrize("positions", [range(513), range(-1, 511)])
def test_paddings_two_rows_are_no_positions(positions: range, made: tuple[MPNet, Path]) -> None:
    with pytest.raises(ModelError, match="are not all in the checkpoint's table"):
        MPNet(made[1]).read_at(positions)


@pytest.mark.parametrize(
    ("key", "value"),
    [("model_type", "bert"), ("hidden_act", "gelu_new"), ("relative_attention_num_buckets", 64),
     ("pad_token_id", 0)],
)  # fmt: skip
def test_a_configuration_that_is_not_computed_here_is_refused(
    key: str, value: object, tmp_path: Path
) -> None:
    folder, spec = checkpoints.written(tmp_path / "model", "mpnet", changes={key: value})
    with pytest.raises(ModelError, match=f"config.json says {key} is {value!r}; MPNet is"):
        load(spec, folder, CPU, torch.float32)


@pytest.mark.parametrize("window", [2, 513, 514])
def test_a_window_wider_than_the_positions_is_refused(window: int) -> None:
    with pytest.raises(ValueError, match=f"{window} tokens is impossible .* has 512 positions"):
        TransformerEncoder(SPEC, window=window)


@pytest.mark.parametrize(
    ("encoder", "ordering", "reached"),
    [
        (f"{MPNET}-w513", "pre_embedding", 513),
        (MPNET, "contextualized-514", 514),
        (f"{MPNET}-w256", "contextualized-256-at-257", 513),
    ],
)
def test_no_condition_reads_paddings_rows_as_positions(
    encoder: str, ordering: str, reached: int
) -> None:
    with pytest.raises(ConditionError, match=f"up to position {reached}; .* has 512 positions"):
        Condition("scifact", "none", encoder, ordering, "corrected")


def test_the_widest_window_and_the_furthest_move_are_conditions() -> None:
    for window, ordering in (("-w512", "512-at-halved"), ("-w256", "256-at-256")):
        Condition("scifact", "none", MPNET + window, f"contextualized-{ordering}", "corrected")


def test_real_token_states_equal_an_independent_float64_computation(real: Path) -> None:
    encoder = TransformerEncoder(SPEC, window=POSITIONS)
    (ids,) = encoder.token_ids([TEXTS[1] * 6])
    assert len(ids) == POSITIONS
    weights = load_file(real / "model.safetensors")
    config = {"num_attention_heads": 12, "num_hidden_layers": 12, "layer_norm_eps": 1e-5}
    expected = Plain("mpnet", config, weights).states(ids)
    (found,) = encoder.states([whole(ids)])
    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=0)


def test_real_vectors_equal_those_of_sentence_transformers(real: Path) -> None:
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(real), device="cpu")
    reference.max_seq_length = SPEC.window
    found = torch.from_numpy(TransformerEncoder(SPEC).encode(TEXTS))
    expected = torch.tensor(reference.encode(TEXTS, normalize_embeddings=True))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_the_real_tokenizer_gives_what_transformers_does(real: Path) -> None:
    from transformers import AutoTokenizer

    reference = AutoTokenizer.from_pretrained(str(real))
    ours = Tokenizer.from_file(str(real / "tokenizer.json"))
    ours.no_padding()
    ours.no_truncation()
    for text in TEXTS:
        assert ours.encode(text).ids == reference(text)["input_ids"]
    assert TransformerEncoder(SPEC).ends == (reference.cls_token_id, reference.sep_token_id)
