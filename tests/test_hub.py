"""A model comes from the hub or from packages in its published files; a fault is one sentence."""

from __future__ import annotations

import dataclasses
import io
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from chunkstudy.base import hub, weights
from chunkstudy.base.models import Parts
from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError
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


FILES = {
    "model.safetensors": bytes(range(256)) * 40,
    "tokenizer.json": b'{"a": 1}',
    "config.json": b"{}",
}
COUNT = 3


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"made/{name}", content)
        archive.writestr("../outside.txt", "never written")
    return packed.getvalue()


def cut(content: bytes) -> list[bytes]:
    size = len(content) // COUNT + 1
    return [content[i * size : (i + 1) * size] for i in range(COUNT)]


def package(i: int) -> str:
    return f"made-model-part-{i:03d}"


def nothing(*_: object) -> None:
    raise AssertionError("nothing is packed")


class Made:
    """Installed parts of a small model, and what is registered of it."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.register(zipped(FILES))

    def register(self, content: bytes) -> None:
        """Install the parts of a zip, and hold these parts for the right ones."""
        pieces = cut(content)
        for i, piece in enumerate(pieces, start=1):
            self.install(i, {f"made.zip.{i:03d}": piece})
        self.spec = dataclasses.replace(
            models.spec("sentence-transformers/all-mpnet-base-v2"),
            id="tests/made",
            files={name: digest(content) for name, content in FILES.items()},
            parts=Parts(
                tuple(package(i) for i in range(1, COUNT + 1)),
                tuple(digest(piece) for piece in pieces),
                "made",
            ),
        )

    def install(self, i: int, files: Mapping[str, bytes]) -> None:
        """A package with these files, as pip leaves it."""
        self.remove(i)
        name = package(i).replace("-", "_")
        lines = []
        for file, content in files.items():
            path = self.site / name / "input" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            lines.append(f"{name}/input/{file},,")
        info = self.site / f"{name}-0.0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n")
        (info / "RECORD").write_text("\n".join(lines))

    def remove(self, i: int) -> None:
        name = package(i).replace("-", "_")
        shutil.rmtree(self.site / name, ignore_errors=True)
        shutil.rmtree(self.site / f"{name}-0.0.1.dist-info", ignore_errors=True)

    def assembled(self) -> Path:
        return weights.folder_of(self.spec, convert=nothing)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    return Made(site)


def test_the_parts_make_the_models_files_and_nothing_else(made: Made, tmp_path: Path) -> None:
    folder = made.assembled()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert sorted(left) == sorted(folder.iterdir())
    assert not list(tmp_path.rglob("outside.txt"))


def test_without_any_part_the_hub_is_asked_and_the_way_offline_is_named(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(1, COUNT + 1):
        made.remove(i)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"in offline mode; run `make mpnet` or go online once$"):
        models.weights_folder(made.spec)


def a_part_is_missing(made: Made) -> None:
    made.remove(2)


def a_part_is_of_another_version(made: Made) -> None:
    other = zipped(FILES | {"model.safetensors": bytes(range(256))[::-1] * 40})
    made.install(2, {"made.zip.002": cut(other)[1]})


@pytest.mark.parametrize(
    "fault",
    [
        a_part_is_missing,
        a_part_is_of_another_version,
    ],
)
def test_a_fault_is_one_sentence_that_says_what_to_do(
    fault: Callable[[Made], None],
    made: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault(made)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    sentence = "made-model-part-002 does not carry part 2 of 3 of the pinned version"
    with pytest.raises(ModelError, match=rf"of the package: {sentence}; run `make mpnet`\)$"):
        made.assembled()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
