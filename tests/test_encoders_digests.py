"""Digests that are recorded once on a machine that reaches the hub, and guard the files since."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError, ModelSpec
from tests.checkpoints import written


class Hub:
    """Stands for the hub: a folder, and what it says of the files' digests."""

    def __init__(self, folder: Path, digests: dict[str, str]) -> None:
        self.folder, self.digests = folder, digests

    def snapshot_download(self, model: str, **options: object) -> str:
        return str(self.folder)

    def get_paths_info(self, model: str, names: list[str], revision: str) -> list[Any]:
        assert len(revision) == 40
        return [
            SimpleNamespace(path=name, lfs=SimpleNamespace(sha256=self.digests[name]))
            if name.endswith("safetensors")
            else SimpleNamespace(path=name, lfs=None)
            for name in names
        ]


@pytest.fixture
def unchecked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelSpec:
    """A model whose digests were never recorded, and a hub that has it."""
    folder, spec = written(tmp_path / "hub", "nomic_bert")
    hub = Hub(folder, dict(spec.files))
    monkeypatch.setattr("huggingface_hub.snapshot_download", hub.snapshot_download)
    monkeypatch.setattr("huggingface_hub.HfApi", lambda **_: hub)
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    blank = dict.fromkeys(spec.files, "")
    return dataclasses.replace(spec, package=None, files=blank)


def test_recorded_digests_let_a_model_run_and_still_guard_it(
    unchecked: ModelSpec, tmp_path: Path
) -> None:
    found = models.record_digests(unchecked)
    ready = models.with_recorded_digests(unchecked)
    assert ready.verified and ready.files == found and models.reason_not_ready(unchecked) is None
    assert models.weights_folder(unchecked) == tmp_path / "hub"
    config = tmp_path / "hub" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"x": 1}), encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json has another sha256"):
        models.weights_folder(unchecked)


def test_digests_of_another_revision_do_not_count(unchecked: ModelSpec) -> None:
    models.record_digests(unchecked)
    moved = dataclasses.replace(unchecked, revision="1" * 40)
    assert not models.with_recorded_digests(moved).verified


def test_a_download_that_is_not_what_the_hub_says_is_not_recorded(
    unchecked: ModelSpec, tmp_path: Path
) -> None:
    weights = tmp_path / "hub" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    with pytest.raises(ModelError, match=r"model\.safetensors arrived damaged"):
        models.record_digests(unchecked)
    assert not models.with_recorded_digests(unchecked).verified
