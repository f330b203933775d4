"""The registry, and where weights come from."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError

MINILM = models.spec("sentence-transformers/all-MiniLM-L6-v2")


def test_a_changed_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(models.weights_folder(MINILM), tmp_path / "model")
    tokenizer = tmp_path / "model" / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json has another sha256.*install it again"):
        models.check_files(tmp_path / "model", MINILM)
    tokenizer.unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        models.check_files(tmp_path / "model", MINILM)


def test_a_package_with_other_files_gives_way_to_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake_package").mkdir()
    (tmp_path / "fake_package" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    good = models.weights_folder(MINILM)
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *a, **k: str(good))
    assert models.weights_folder(dataclasses.replace(MINILM, package="fake_package")) == good
