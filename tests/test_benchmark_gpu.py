"""The benchmark for a GPU works, tried with small sizes; its numbers mean nothing here."""

from __future__ import annotations

import csv
import io
import math

import pytest
import torch

from tests.benchmarks import gpu


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
