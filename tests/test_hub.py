"""A model comes from the hub in its published files, and each fault of a hub is one sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chunkstudy.base import hub
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from tests import hub_models, hub_server
from tests.hub_models import Checkpoint

E5 = "intfloat/multilingual-e5-large"
TEXTS = ["The lamp was lit at dusk.", "A ﬁeld of ½ barley\nby the river."]


@pytest.fixture(scope="module")
def checkpoints() -> dict[str, Checkpoint]:
    return hub_models.every()


@pytest.fixture
def served(
    checkpoints: dict[str, Checkpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[hub_server.State]:
    """A hub with all six models, and a machine that has none of their files."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    with hub_server.serving(checkpoints) as (address, state):
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield state


@pytest.mark.parametrize("name", hub_models.DTYPES)
def test_a_published_model_loads_from_the_hub_and_nothing_unpinned_is_asked_for(
    name: str, checkpoints: dict[str, Checkpoint], served: hub_server.State
) -> None:
    spec = checkpoints[name].registered()
    vectors = TransformerEncoder(spec, window=64).encode(TEXTS)
    assert vectors.shape == (2, hub_models.HIDDEN)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    heads = [one.partition(f"{spec.revision}/")[2] for one in served.asked if "HEAD" in one]
    assert set(heads) == set(spec.files)
    assert models.at_hand(spec)
    asked = len(served.asked)
    models.weights_folder(spec)
    assert len(served.asked) == asked, "what was downloaded is not asked for again"


@pytest.mark.parametrize(
    ("part", "fault", "sentence"),
    [
        ("/tree/", hub_server.gated, f"accept it at .*/{E5}, set HF_TOKEN to a token"),
        ("/resolve/", hub_server.gated, f"accept it at .*/{E5}, set HF_TOKEN to a token"),
        ("/tree/", hub_server.asks_for_login, "accept it at .*, set HF_TOKEN"),
        ("/tree/", hub_server.overloaded, "answered 503 for .*; run again later"),
        (hub_server.STORED, hub_server.stalls, "sent nothing of .* for as long as is waited"),
        (hub_server.STORED, hub_server.another_file, "has another sha256 than the pinned"),
    ],
)
def test_a_fault_of_the_hub_is_one_sentence_that_says_what_to_do(
    part: str,
    fault: hub_server.Fault,
    sentence: str,
    checkpoints: dict[str, Checkpoint],
    served: hub_server.State,
) -> None:
    served.faults += [(part, fault)] * 12
    with pytest.raises(models.ModelError, match=sentence) as raised:
        models.weights_folder(checkpoints[E5].registered())
    assert "\n" not in str(raised.value)
    served.faults.clear()
    if fault is not hub_server.another_file:  # which the user is told to delete
        models.weights_folder(checkpoints[E5].registered())


@pytest.fixture
def unchecked(checkpoints: dict[str, Checkpoint]) -> models.ModelSpec:
    """A model of the hub whose digests were never recorded."""
    spec = checkpoints[E5].registered()
    return dataclasses.replace(spec, files=dict.fromkeys(spec.files, ""))


def test_recorded_digests_let_a_model_run_and_guard_its_files_at_that_revision(
    unchecked: models.ModelSpec, served: hub_server.State
) -> None:
    found = models.record_digests(unchecked)
    ready = models.with_recorded_digests(unchecked)
    assert ready.verified and ready.files == found and models.reason_not_ready(unchecked) is None
    moved = dataclasses.replace(unchecked, revision="1" * 40)
    assert not models.with_recorded_digests(moved).verified
    config = models.weights_folder(unchecked) / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(models.ModelError, match=r"config\.json has another sha256"):
        models.weights_folder(unchecked)


def test_a_download_that_is_not_what_the_hub_says_is_not_recorded(
    unchecked: models.ModelSpec, served: hub_server.State
) -> None:
    served.faults += [(f"GET {hub_server.STORED}", hub_server.another_file)] * 2
    with pytest.raises(models.ModelError, match=r"model\.safetensors arrived damaged"):
        models.record_digests(unchecked)
    assert not models.with_recorded_digests(unchecked).verified


def test_without_a_hub_the_sentence_says_that_it_was_not_reached(
    checkpoints: dict[str, Checkpoint], served: hub_server.State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(models.ModelError, match="could not be downloaded; go online once"):
        models.weights_folder(checkpoints[E5].registered())
    assert hub.fault(E5, "", RuntimeError("anything")) is None
