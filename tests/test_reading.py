"""What a causal model makes of a text, against the same numbers by the slowest way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from chunkstudy.chunkers.signals import staying
from chunkstudy.llm.causal_models import CausalReader, HiddenPart, Read
from chunkstudy.llm.interface import LanguageModelError
from tests.small_llama import POSITIONS, write_checkpoint

TEXT = "A letter came on Monday. Nobody opened it. The hens were fed at noon, and it rained."
NAME = f"small/llama@{'0' * 40}"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> CausalReader:
    folder: Path = tmp_path_factory.mktemp("llama")
    write_checkpoint(folder)
    return CausalReader(NAME, folder)


@pytest.fixture(scope="module")
def ids(reader: CausalReader) -> list[int]:
    return reader.tokens(TEXT)[0]


@pytest.fixture(scope="module")
def read(reader: CausalReader, ids: list[int]) -> Read:
    return reader.read(ids)


def probabilities(reader: CausalReader, seen: list[int]) -> np.ndarray:
    """Of the next token, by a reading of nothing else."""
    with torch.inference_mode():
        logits = reader.model(torch.tensor([[0, *seen]])).logits[0, -1].double().numpy()
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


def test_entropy_and_surprisal_are_those_of_each_prefix(
    reader: CausalReader, ids: list[int], read: Read
) -> None:
    for place in (0, 1, 7, len(ids) - 1):
        p = probabilities(reader, ids[:place])
        expected = -sum(x * np.log2(x) for x in p if x > 0)
        assert read.entropy[place] == pytest.approx(expected, abs=1e-4)
        assert read.surprisal[place] == pytest.approx(-np.log2(p[ids[place]]), abs=1e-4)


def test_attention_is_the_mean_over_layers_and_heads_and_the_last_layers_largest(
    reader: CausalReader, ids: list[int], read: Read
) -> None:
    with torch.inference_mode():
        layers = reader.model(torch.tensor([[0, *ids]]), output_attentions=True).attentions
    by_hand = np.mean([layer[0, head].numpy() for layer in layers for head in range(4)], axis=0)
    assert read.attention == pytest.approx(by_hand[1:, 1:], abs=1e-6)
    assert read.largest == pytest.approx(layers[-1][0].numpy().max(axis=0)[1:, 1:], abs=1e-6)
    assert np.triu(read.attention, 1).max() == 0  # nothing is paid to what comes later


def test_hiding_is_masking_and_moves_no_position(reader: CausalReader, ids: list[int]) -> None:
    """Against one reading of the whole text with a mask written out place by place."""
    first, length, away = 20, 6, 10
    count = first + length + 1
    allowed = np.tril(np.ones((count, count), dtype=bool))
    allowed[first + 1 :, first + 1 - away : first + 1] = False
    mask = torch.where(torch.tensor(allowed), 0.0, torch.finfo(torch.float32).min)
    with torch.inference_mode():
        tokens = torch.tensor([[0, *ids[: first + length]]])
        logits = reader.model(tokens, attention_mask=mask[None, None]).logits[0]
    logs = torch.log_softmax(logits, dim=-1).numpy() / np.log(2)
    expected = [-logs[i + 1, ids[i + 1]] for i in range(first, first + length)]
    (found,) = reader.again(ids, reader.read(ids), [HiddenPart(first, length, away)])
    assert found == pytest.approx(expected, abs=1e-4)


def test_reading_a_part_again_leaves_the_states_as_they_were(
    reader: CausalReader, ids: list[int]
) -> None:
    read = reader.read(ids)
    one = reader.again(ids, read, [HiddenPart(5, 6, 3)])
    reader.again(ids, read, [HiddenPart(9, 4, 9), HiddenPart(2, 2, 0)])
    assert reader.again(ids, read, [HiddenPart(5, 6, 3)])[0] == pytest.approx(one[0], abs=1e-6)


@pytest.mark.parametrize(
    "part", [HiddenPart(5, 100, 0), HiddenPart(5, 3, 6), HiddenPart(-1, 3, 0), HiddenPart(5, 3, -1)]
)
def test_a_part_outside_of_what_was_read_is_refused(
    reader: CausalReader, ids: list[int], read: Read, part: HiddenPart
) -> None:
    with pytest.raises(ValueError, match="reaches outside"):
        reader.again(ids, read, [part])


def test_more_tokens_than_positions_are_refused(reader: CausalReader) -> None:
    with pytest.raises(LanguageModelError, match=f"the {POSITIONS} positions.*read fewer"):
        reader.read([5] * POSITIONS)


def test_attention_that_never_looks_back_stays_wholly_and_one_that_only_does_never() -> None:
    def of(paid: np.ndarray) -> float:
        return staying(paid, 50)

    back = np.zeros((80, 80), dtype=np.float32)
    back[:, 40:50] = 0.1
    assert of(back) == 0
    assert of(np.eye(80, dtype=np.float32)) == 1
    assert of(back + np.eye(80, dtype=np.float32)) == pytest.approx(0.5)
