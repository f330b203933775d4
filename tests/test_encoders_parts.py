"""A model in several packages: put together once, and every fault in its own sentence."""

from __future__ import annotations

import dataclasses
import io
import shutil
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from chunkstudy.base import weights
from chunkstudy.base.models import Parts
from chunkstudy.encoders import models
from chunkstudy.encoders.models import ModelError

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
