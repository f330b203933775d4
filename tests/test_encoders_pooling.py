"""Pooling token states."""

from __future__ import annotations

import pytest
import torch

from chunkstudy.encoders.pooling import mean_pool, normalise, pool_spans


def test_spans_are_pooled_as_each_alone_would_be() -> None:
    torch.manual_seed(0)
    states = torch.randn(5000, 8) + 100
    starts = torch.tensor([0, 10, 4990, 3, 0])
    ends = torch.tensor([5000, 11, 5000, 4000, 1])
    expected = torch.stack(
        [states[s:e].double().mean(0) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    )
    found = pool_spans(states, starts, ends)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected.float(), rtol=1e-6, atol=0)


def test_the_whole_text_as_one_span_is_its_mean() -> None:
    states = torch.randn(1, 50, 8)
    whole = pool_spans(states[0], torch.tensor([0]), torch.tensor([50]))
    torch.testing.assert_close(whole, mean_pool(states))


def test_an_empty_span_stays_zero_also_when_normalised() -> None:
    vectors = pool_spans(torch.ones(3, 2), torch.tensor([1, 0]), torch.tensor([1, 2]))
    assert normalise(vectors)[0].tolist() == [0, 0]
    assert normalise(vectors)[1].norm().item() == pytest.approx(1)


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-1, 1), (0, 4)])
def test_a_span_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="3 tokens"):
        pool_spans(torch.ones(3, 2), torch.tensor([start]), torch.tensor([end]))
