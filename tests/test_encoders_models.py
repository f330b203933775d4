"""The registry, and where weights come from."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError

MINILM = models.spec("sentence-transformers/all-MiniLM-L6-v2")
UNPACKAGED = dataclasses.replace(MINILM, package=None)


def test_an_unknown_model_is_refused_with_the_registered_ones_named() -> None:
    with pytest.raises(ModelError, match=r"unknown model 'nobody/nothing'.*all-MiniLM-L6-v2"):
        models.spec("nobody/nothing")


def test_an_unverified_model_does_not_run() -> None:
    with pytest.raises(ModelError, match="never checked"):
        models.weights_folder(dataclasses.replace(MINILM, files=dict.fromkeys(MINILM.files, "")))


def test_a_changed_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(models.weights_folder(MINILM), tmp_path / "model")
    tokenizer = tmp_path / "model" / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json has another sha256.*install it again"):
        models.check_files(tmp_path / "model", MINILM)
    tokenizer.unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        models.check_files(tmp_path / "model", MINILM)


def test_the_hubs_cache_is_read_without_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(model: str, *, revision: str, local_files_only: bool, **rest: object) -> str:
        asked.append((model, revision, local_files_only))
        return str(models.weights_folder(MINILM))

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    models.weights_folder(UNPACKAGED)
    assert asked == [(MINILM.id, MINILM.revision, True)]


def test_a_half_filled_cache_is_completed_and_then_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(model: str, *, local_files_only: bool, **rest: object) -> str:
        asked.append(local_files_only)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    with pytest.raises(ModelError, match="is missing from"):
        models.weights_folder(UNPACKAGED)
    assert asked == [True, False]


def test_a_package_with_other_files_gives_way_to_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake_package").mkdir()
    (tmp_path / "fake_package" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    good = models.weights_folder(MINILM)
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *a, **k: str(good))
    assert models.weights_folder(dataclasses.replace(MINILM, package="fake_package")) == good
